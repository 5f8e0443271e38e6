"""The worker as a process: loading, stopping, and a torch that misbehaves (a small pretended one)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from planner.benchmark.events import Malformed, decode
from planner.benchmark.supervise import WORKER

PATIENCE_S = 60.0  # nothing below takes long; a hang must not block the whole run


@contextlib.contextmanager
def worker(tmp_path: Path, torch_source: str | None, *flags: str, options: tuple[str, ...] = ("--json",)):
    """The running worker, in a Python whose torch is ``torch_source``."""
    environment = dict(os.environ)
    if torch_source is not None:
        (tmp_path / "torch.py").write_text(torch_source)
        environment["PYTHONPATH"] = str(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-B", *flags, str(WORKER), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said_by(process: subprocess.Popen[bytes], send: bytes | None = b"") -> list[dict]:
    """All lines until it ends; ``send`` goes to its standard input, which stays open for None."""
    if send is None:
        assert process.stdout is not None
        output = process.stdout.read()
        process.wait(PATIENCE_S)
    else:
        output, _ = process.communicate(send, PATIENCE_S)
    lines = [json.loads(line) for line in output.splitlines()]
    assert not [line for line in lines if isinstance(decode(line), Malformed)]
    return lines


STUCK = """
import sys, time
print("loading", flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("send", [b"cancel\n", b"something\ncancel\nmore\n", b""], ids=["cancel", "late", "end"])
def test_that_cancel_and_the_death_of_the_parent_end_it_even_while_torch_loads(tmp_path, send):
    with worker(tmp_path, STUCK) as process:
        assert said_by(process, send)[-1] == {"event": "cancelled"}
        assert process.returncode == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_that_a_signal_cancels_it(tmp_path, number):
    with worker(tmp_path, STUCK) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        process.send_signal(number)
        assert first["name"] == "load_torch"
        assert said_by(process, None)[-1] == {"event": "cancelled"}


def test_that_it_runs_without_a_parent_behind_it():
    """Standard input may be empty from the start: nobody cancelled."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", str(WORKER), "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert json.loads(done.stdout.splitlines()[-1])["event"] == "failed"


def test_that_it_starts_in_a_foreign_python_without_our_packages(tmp_path):
    """-I and -S: no site-packages at all."""
    with worker(tmp_path, None, "-I", "-S") as process:
        last = said_by(process, None)[-1]
    assert (last["event"], last["code"]) == ("failed", "torch_missing")
    assert process.returncode == 1


def test_that_neither_its_folder_nor_our_packages_are_put_on_the_foreign_path(tmp_path):
    source = "import json, sys\nsys.stderr.write(json.dumps(sys.path) + '\\n')\n__version__ = '1.0'"
    with worker(tmp_path, source, "-S") as process:
        said_by(process, None)
        assert process.stderr is not None
        path = json.loads(process.stderr.readline())
    assert path[0] == str(tmp_path)
    assert not {str(WORKER), *map(str, WORKER.parents)} & set(path)


def test_that_what_libraries_print_does_not_corrupt_the_lines(tmp_path):
    source = "import os\nprint('hello')\nos.write(1, b'native, no newline')\n__version__ = '1.13.1'"
    with worker(tmp_path, source) as process:
        last = said_by(process, None)[-1]
        assert process.stderr is not None
        assert b"native, no newline" in process.stderr.read()
    assert (last["code"], last["detail"]) == ("torch_too_old", "1.13.1")


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("raise OSError('libcudart.so.12: cannot open')", "torch_broken"),
        ("import a_library_that_is_not_there", "torch_broken"),
        ("__version__ = '2.4.0'", "internal"),  # it says it is torch, and has nothing of it
    ],
)
def test_that_a_torch_that_does_not_work_is_told_in_one_line(tmp_path, source, code):
    with worker(tmp_path, source) as process:
        last = said_by(process, None)[-1]
    assert (last["event"], last["code"]) == ("failed", code)


def test_that_it_can_be_read_by_a_person_too(tmp_path):
    with worker(tmp_path, "raise OSError('broken')", options=()) as process:
        assert process.stdout is not None
        assert b"failed    code=torch_broken" in process.stdout.read()
