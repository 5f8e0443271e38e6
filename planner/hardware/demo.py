"""The demonstration: the product on a machine without a GPU, on the real NVML path.

The mock library of the tests is compiled once into the data folder and handed to the NVML child by its
environment; nothing else of the program knows of it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from planner.paths import RESOURCES, data_dir

# Installed copies carry the mock as a resource; a checkout has it with the tests that share it.
_INSTALLED = RESOURCES / "demo"
MOCK_SOURCE = (_INSTALLED if _INSTALLED.is_dir() else RESOURCES.parent / "tests" / "nvml_mock") / "nvml_mock.c"
SCENARIO_VARIABLE = "GPU_PLANNER_NVML_SCENARIO"
_LIBRARY = "libnvidia-ml.so.1"
_COMPILE_DEADLINE_S = 60.0


class DemoUnavailableError(RuntimeError):
    """Why there is no demonstration here. ``code``: message key, e.g. "check.demo.no_compiler"."""

    def __init__(self, code: str, detail: str = "") -> None:
        self.code = code
        self.detail = detail
        super().__init__(f"{code}: {detail}" if detail else code)


def find_compiler() -> str | None:
    """The system's C compiler: $CC, else cc, gcc or clang."""
    names = (os.environ.get("CC"), "cc", "gcc", "clang")
    return next((path for name in names if name and (path := shutil.which(name))), None)


def build_mock(source: Path, folder: Path, flags: Sequence[str] = ()) -> Path:
    """Compile ``source`` below ``folder``, once per source and flags; the folder that holds the library.

    Raises DemoUnavailableError. Safe when two programs build at the same time: the library appears by rename.
    """
    if sys.platform != "linux":
        raise DemoUnavailableError("check.demo.not_linux")
    if not source.is_file():
        raise DemoUnavailableError("check.demo.no_source", str(source))
    compiler = find_compiler()
    if compiler is None:
        raise DemoUnavailableError("check.demo.no_compiler")
    fingerprint = hashlib.sha256(source.read_bytes() + "\0".join(flags).encode()).hexdigest()[:16]
    library = folder / fingerprint / _LIBRARY
    if library.is_file():
        return library.parent
    try:
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            built = Path(temporary) / _LIBRARY
            _compile(compiler, [*flags, "-o", str(built), str(source), "-lm"])
            os.replace(built, library)
    except OSError as error:
        raise DemoUnavailableError("check.demo.compile_failed", str(error)) from error
    return library.parent


def _compile(compiler: str, arguments: list[str]) -> None:
    command = [compiler, "-O1", "-fPIC", "-shared", f"-Wl,-soname,{_LIBRARY}", *arguments]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_COMPILE_DEADLINE_S)
    except subprocess.CalledProcessError as error:
        raise DemoUnavailableError("check.demo.compile_failed", error.stderr.strip()[-500:]) from error
    except subprocess.TimeoutExpired as error:
        raise DemoUnavailableError("check.demo.compile_failed", str(error)) from error


def scenario_environment(library_folder: Path, scenario: Path) -> dict[str, str]:
    """What the NVML child needs to meet the mock instead of a driver."""
    return {"LD_LIBRARY_PATH": str(library_folder), SCENARIO_VARIABLE: str(scenario)}


def demo_environment(scenario: str = "demo") -> dict[str, str]:
    """``nvml_env`` for ``detect`` and for the telemetry child: two moving cards, or another scenario's name.

    Raises DemoUnavailableError: not Linux, no compiler, or the mock's source is not part of this installation.
    """
    ready_made = MOCK_SOURCE.with_name(_LIBRARY)  # in a packaged app: its users have no compiler
    library_folder = ready_made.parent if ready_made.is_file() else build_mock(MOCK_SOURCE, data_dir() / "demo")
    file = MOCK_SOURCE.parent / "scenarios" / f"{scenario}.txt"
    if not file.is_file():
        raise DemoUnavailableError("check.demo.no_source", str(file))
    return scenario_environment(library_folder, file)
