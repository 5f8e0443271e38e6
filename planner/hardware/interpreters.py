"""Pythons that may run the benchmark, and what their torch can do (asked by interpreter_probe.py)."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from planner.children import outside_python_env
from planner.hardware.snapshot import Interpreter, TorchDevice, UnusableDevice
from planner.packaged import is_packaged
from planner.processes import Ending, Outcome, run_json_lines

PROBE = Path(__file__).with_name("interpreter_probe.py")
PROBE_DEADLINE_S = 60.0  # a cold torch on a slow disk, then the first CUDA context
_AT_ONCE = 2  # each import of torch costs seconds of processor and 200 MB
_MAX_CANDIDATES = 12
_ORIGIN_ORDER = ("chosen", "app", "venv", "conda", "pyenv", "system")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A Python found on this machine. ``origin``: as in Interpreter."""

    path: Path
    origin: str


def _python_in(prefix: Path) -> Path:
    """The interpreter of an environment folder (Windows: venv and conda differ)."""
    if os.name != "nt":
        return prefix / "bin" / "python"
    in_scripts = prefix / "Scripts" / "python.exe"
    return in_scripts if in_scripts.exists() else prefix / "python.exe"


def _conda_prefixes(environ: Mapping[str, str], home: Path) -> Iterable[Path]:
    if environ.get("CONDA_PREFIX"):
        yield Path(environ["CONDA_PREFIX"])
    try:
        # conda's own list of every environment it made
        lines = (home / ".conda" / "environments.txt").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return
    yield from (Path(line.strip()) for line in lines if line.strip())


def _pyenv_prefixes(environ: Mapping[str, str], home: Path) -> Iterable[Path]:
    root = Path(environ.get("PYENV_ROOT") or home / ".pyenv")
    yield from sorted(root.glob("versions/*"), reverse=True)


def _system_pythons(environ: Mapping[str, str]) -> Iterable[Path]:
    # pyenv's "shims" only lead to its versions; Windows' "app execution alias" opens the store.
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    real = os.pathsep.join(
        folder for folder in folders if "WindowsApps" not in folder and Path(folder).name != "shims"
    )
    for name in ("python3", "python"):
        if found := shutil.which(name, path=real):
            yield Path(found)


def _identity(path: Path) -> tuple[str, str]:
    """Equal for two names of one interpreter; a venv's link to the system's Python is another one."""
    return os.path.realpath(path.parent), os.path.realpath(path)


def find_candidates(
    chosen: Path | None = None, environ: Mapping[str, str] | None = None, home: Path | None = None
) -> tuple[Candidate, ...]:
    """Pythons worth probing, the likeliest first, each once. Nothing is run. ``chosen`` stays even if absent."""
    environ = os.environ if environ is None else environ
    home = Path.home() if home is None else home
    named: list[Candidate] = [] if chosen is None else [Candidate(chosen, "chosen")]
    if not is_packaged():  # a packaged app is no Python that could run the worker
        named.append(Candidate(Path(sys.executable), "app"))
    if environ.get("VIRTUAL_ENV"):
        named.append(Candidate(_python_in(Path(environ["VIRTUAL_ENV"])), "venv"))
    named += [Candidate(_python_in(prefix), "conda") for prefix in _conda_prefixes(environ, home)]
    named += [Candidate(_python_in(prefix), "pyenv") for prefix in _pyenv_prefixes(environ, home)]
    named += [Candidate(path, "system") for path in _system_pythons(environ)]
    unique: dict[tuple[str, str], Candidate] = {}
    for candidate in named:
        if candidate.origin == "chosen" or candidate.path.is_file():
            unique.setdefault(_identity(candidate.path), candidate)
    return tuple(unique.values())[:_MAX_CANDIDATES]


@dataclass
class _Answers:
    """The probe's messages, put together."""

    facts: dict[str, Any] = field(default_factory=dict)
    devices: list[TorchDevice] = field(default_factory=list)
    unusable: list[UnusableDevice] = field(default_factory=list)
    done: bool = False

    def take(self, message: dict[str, Any]) -> None:
        kind = message.get("kind")
        if kind == "python":
            self.facts["python_version"] = message["version"]
        elif kind == "torch" and "problem" in message:
            self.facts |= {"problem": message["problem"], "detail": message["detail"]}
        elif kind == "torch":
            self.facts |= {"torch_version": message["version"], "cuda_build": message["cuda"]}
            self.facts |= {"hip_build": message["hip"], "arch_list": tuple(message["arch_list"])}
        elif kind == "device":
            self.devices.append(TorchDevice(**message["device"]))
        elif kind == "unusable":
            found = UnusableDevice(**message["device"])
            self.unusable.append(found)
            self.facts |= {"gpu_problem": found.problem, "detail": found.detail}
        elif kind == "gpu":
            self.facts |= {"gpu_problem": message["problem"], "detail": message["detail"]}
        elif kind == "done":
            self.done = True


def _failure(answers: _Answers, outcome: Outcome) -> dict[str, str]:
    """Why the probe did not come to its end; what it said before stays."""
    if answers.done:
        return {}
    last_words = outcome.stderr_tail[-1] if outcome.stderr_tail else outcome.status
    if outcome.ending is Ending.CANCELLED:
        return {"problem": "not_finished"}
    if "python_version" not in answers.facts and outcome.ending is not Ending.TIMED_OUT:
        return {"problem": "not_python", "detail": last_words}
    if outcome.ending is Ending.TIMED_OUT:
        return {"problem": "timed_out", "detail": outcome.status}
    return {"problem": "crashed", "detail": f"{outcome.status}: {last_words}"}


def probe(
    candidate: Candidate, *, deadline_s: float = PROBE_DEADLINE_S, cancelled: Callable[[], bool] = lambda: False
) -> Interpreter:
    """Ask one Python. Never raises for what it does: every failure is a ``problem``.

    Problems: not_found, not_python, python_too_old, torch_missing, torch_broken, torch_too_old, timed_out,
    crashed, not_finished (cancelled). ``gpu_problem``: cpu_build, cuda_fails, no_device, and those of a device.
    """
    unknown = Interpreter(path=str(candidate.path), origin=candidate.origin)
    if not candidate.path.is_file():
        return replace(unknown, problem="not_found")
    answers = _Answers()
    outcome = run_json_lines(
        [str(candidate.path), "-E", str(PROBE)],
        on_message=answers.take,
        deadline_s=deadline_s,
        cancelled=cancelled,
        grace_s=0.3,
        # CUDA counts by speed by default, NVML by bus; this makes their order the same.
        env=outside_python_env() | {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"},
    )
    facts = answers.facts | _failure(answers, outcome)
    return replace(unknown, **facts, devices=tuple(answers.devices), unusable=tuple(answers.unusable))


def probe_all(
    candidates: Iterable[Candidate],
    *,
    deadline_s: float = PROBE_DEADLINE_S,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Interpreter, ...]:
    """Ask them two at a time, each within ``deadline_s``; in the order given."""
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="interpreter-probe") as pool:
        return tuple(
            pool.map(lambda candidate: probe(candidate, deadline_s=deadline_s, cancelled=cancelled), candidates)
        )


def best(interpreters: Iterable[Interpreter]) -> Interpreter | None:
    """The Python to run the benchmark with: the user's choice if it works, else one that can use a GPU."""
    usable = [interpreter for interpreter in interpreters if interpreter.usable]
    return min(
        usable,
        key=lambda one: (one.origin != "chosen", not one.has_gpu, _ORIGIN_ORDER.index(one.origin)),
        default=None,
    )
