"""Children that hang, crash, flood and lie."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner import processes
from planner.processes import LINE_LIMIT_BYTES, Ending, LineSplitter, Outcome, run_json_lines

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and process groups are POSIX")


def run(code: str, **options: Any) -> tuple[list[dict[str, Any]], Outcome]:
    messages: list[dict[str, Any]] = []
    arguments = {"deadline_s": 30.0, "on_message": messages.append} | options
    outcome = run_json_lines([sys.executable, "-I", "-u", "-c", code], **arguments)
    return messages, outcome


def test_that_messages_arrive_in_order_and_the_outcome_is_exited_with_0() -> None:
    messages, outcome = run("for i in range(3): print('{\"i\": %d}' % i)")
    assert messages == [{"i": 0}, {"i": 1}, {"i": 2}]
    assert outcome.succeeded
    assert (outcome.status, outcome.messages, outcome.problem_count) == ("exited with 0", 3, 0)


def test_that_an_exit_status_is_told_and_earlier_messages_are_kept() -> None:
    messages, outcome = run("print('{\"a\": 1}'); import sys; sys.exit(3)")
    assert messages == [{"a": 1}]
    assert outcome.status == "exited with 3"
    assert not outcome.succeeded


@posix_only
def test_that_a_child_killed_from_outside_is_told_by_the_signals_name() -> None:
    messages, outcome = run("print('{\"a\": 1}'); import os; os.kill(os.getpid(), 9)")
    assert messages == [{"a": 1}]
    assert (outcome.ending, outcome.status) == (Ending.KILLED, "killed by SIGKILL")


def test_that_a_program_that_does_not_exist_is_an_outcome_not_an_exception() -> None:
    outcome = run_json_lines(["/no/such/program"], on_message=print, deadline_s=5)
    assert outcome.ending is Ending.NOT_STARTED
    assert "/no/such/program" in outcome.status


def test_that_the_deadline_stops_a_child_that_keeps_talking() -> None:
    messages, outcome = run("import time\nwhile True: print('{}'); time.sleep(0.05)", deadline_s=1.0, idle_s=20.0)
    assert (outcome.ending, outcome.status) == (Ending.TIMED_OUT, "timed out after 1 s")
    assert messages


def test_that_silence_after_the_first_message_has_its_own_limit() -> None:
    messages, outcome = run(
        "print('{\"up\": true}'); import time; time.sleep(60)", first_message_s=20.0, idle_s=0.3
    )
    assert messages == [{"up": True}]
    assert (outcome.ending, outcome.status) == (Ending.SILENT, "silent for 0.3 s")


def test_that_a_child_that_never_says_anything_is_stopped_by_the_first_message_limit() -> None:
    _, outcome = run("import time; time.sleep(60)", first_message_s=0.3)
    assert (outcome.ending, outcome.limit_s) == (Ending.SILENT, 0.3)


def test_that_cancel_sends_the_line_and_waits_for_the_childs_goodbye() -> None:
    code = 'import sys\nprint(\'{"ready": 1}\')\nprint(\'{"heard": "%s"}\' % sys.stdin.readline().strip())'
    seen: list[dict[str, Any]] = []
    outcome = run_json_lines(
        [sys.executable, "-I", "-u", "-c", code],
        on_message=seen.append,
        deadline_s=30,
        cancelled=lambda: bool(seen),
        stdin_cancel_line="stop",
    )
    assert seen == [{"ready": 1}, {"heard": "stop"}]
    assert (outcome.ending, outcome.status, outcome.exit_status) == (Ending.CANCELLED, "cancelled", 0)


@posix_only
def test_that_a_child_that_ignores_cancel_is_killed_after_the_grace() -> None:
    code = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('{}')\ntime.sleep(60)"
    seen: list[dict[str, Any]] = []
    outcome = run_json_lines(
        [sys.executable, "-I", "-u", "-c", code],
        on_message=seen.append,
        deadline_s=30,
        cancelled=lambda: bool(seen),
        grace_s=0.2,
    )
    assert outcome.ending is Ending.CANCELLED
    assert outcome.exit_status == -9


@posix_only
@pytest.mark.parametrize("parent_goes_on", [True, False])
def test_that_grandchildren_die_with_the_child(parent_goes_on: bool) -> None:
    code = (
        "import subprocess, sys, time\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('{\"pid\": %d}' % p.pid)\n" + ("time.sleep(60)" if parent_goes_on else "")
    )
    messages, _ = run(code, idle_s=0.3, first_message_s=20.0)
    pid = messages[0]["pid"]
    end_s = time.monotonic() + 20
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end_s, "the grandchild is still alive"
        time.sleep(0.02)


@posix_only
def test_that_a_child_that_cannot_be_killed_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    # A process stuck inside a driver ignores even SIGKILL; here the signal is not sent.
    stuck: list[subprocess.Popen[bytes]] = []
    monkeypatch.setattr(processes, "_kill_group", stuck.append)
    monkeypatch.setattr(processes, "_REAP_S", 0.1)
    _, outcome = run("print('{}'); import time; time.sleep(60)", idle_s=0.2, first_message_s=20)
    stuck[0].kill()
    stuck[0].wait()
    assert (outcome.ending, outcome.exit_status) == (Ending.SILENT, None)


def test_that_garbage_between_messages_becomes_typed_problems() -> None:
    code = (
        "import os\n"
        'os.write(1, b\'{"a": 1}\\nhello\\n[1]\\n\\xff\\xfe\\n{"x": NaN}\\n\')\n'
        "os.write(1, b'[' * 200000 + b'\\n{\"b\": 2}\\n{\"c\"')"
    )
    messages, outcome = run(code)
    assert messages == [{"a": 1}, {"b": 2}]
    assert [(problem.code, problem.line) for problem in outcome.problems] == [
        ("not_json", 2),
        ("not_an_object", 3),
        ("not_json", 4),
        ("not_json", 5),
        ("not_json", 6),
        ("cut_off", 8),
    ]
    assert outcome.problems[0].text == "hello"


def test_that_a_whole_last_line_without_a_newline_counts() -> None:
    messages, outcome = run("import os; os.write(1, b'{\"a\": 1}')")
    assert messages == [{"a": 1}]
    assert outcome.problem_count == 0


@pytest.mark.parametrize("newline", ["", "\\n"])
def test_that_a_flood_of_100_mb_does_not_fill_the_memory(newline: str) -> None:
    code = f"import os\nfor _ in range(100): os.write(1, (b'x' * 999_999 + b'{newline}'))\n"
    tracemalloc.start()
    try:
        messages, outcome = run(code)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert messages == []
    assert outcome.status == "exited with 0"
    assert outcome.problem_count == (100 if newline else 1)
    assert len(outcome.problems) <= 20
    assert peak_bytes < 20 * LINE_LIMIT_BYTES


def test_that_the_last_20_lines_of_stderr_are_kept() -> None:
    _, outcome = run("import sys\nfor i in range(50): print('line', i, file=sys.stderr)\nsys.stderr.write('end')")
    assert len(outcome.stderr_tail) == 20
    assert outcome.stderr_tail[-2:] == ("line 49", "end")


def test_that_an_exception_in_the_callers_function_kills_the_child_and_comes_through() -> None:
    pids: list[int] = []

    def fail(message: dict[str, Any]) -> None:
        pids.append(message["pid"])
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        run("import os, time; print('{\"pid\": %d}' % os.getpid()); time.sleep(60)", on_message=fail)
    assert not psutil.pid_exists(pids[0])


def test_that_no_message_is_lost_when_the_listener_is_slower_than_the_child() -> None:
    slow: list[int] = []

    def listen(message: dict[str, Any]) -> None:
        time.sleep(0.001)
        slow.append(message["i"])

    run("for i in range(500): print('{\"i\": %d}' % i)", on_message=listen)
    assert slow == list(range(500))


def test_that_runs_in_several_threads_do_not_mix() -> None:
    results: dict[int, list[dict[str, Any]]] = {}

    def one(number: int) -> None:
        results[number], _ = run(f"for i in range(50): print('{{\"n\": {number}}}')")

    threads = [threading.Thread(target=one, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: [{"n": number}] * 50 for number in range(3)}


def test_that_the_given_environment_is_the_whole_environment() -> None:
    env = {"PATH": os.environ["PATH"], "ONLY": "this"}
    messages, _ = run("import json, os; print(json.dumps({'only': os.environ.get('ONLY')}))", env=env)
    assert messages == [{"only": "this"}]


@given(
    messages=st.lists(st.dictionaries(st.text(), st.integers() | st.text() | st.none(), max_size=3), max_size=8),
    cuts=st.lists(st.integers(0, 400), max_size=10),
)
def test_that_where_the_stream_is_cut_into_chunks_makes_no_difference(
    messages: list[dict[str, Any]], cuts: list[int]
) -> None:
    stream = b"".join(json.dumps(message, ensure_ascii=False).encode() + b"\n" for message in messages)
    borders = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    seen: list[dict[str, Any]] = []
    splitter = LineSplitter(seen.append)
    for start, end in itertools.pairwise(borders):
        splitter.feed(stream[start:end])
    splitter.end()
    assert seen == messages
    assert splitter.problem_count == 0
