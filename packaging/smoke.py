"""Is a packaged build fit to be given away? Run by ``make package-smoke``: exit status 1 with what is wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LARGEST_MB = 230
_WINDOW_S = 5
_FILES = ("THIRD-PARTY.txt", "sbom.cdx.json", "LICENSE")
_SUFFIX = ".exe" if sys.platform == "win32" else ""


def size_mb(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) / 1e6


def _environment(data: Path) -> dict[str, str]:
    """As little as a desktop gives. This Python is on PATH as an activated environment is: it may have a torch.

    PyInstaller takes VIRTUAL_ENV away from the programs it builds.
    """
    names = ("HOME", "LANG", "DISPLAY", "SYSTEMROOT", "TEMP")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    return {**kept, "PATH": path, "GPU_PLANNER_DATA": str(data)}


def _problems_of(command: list[str], environment: dict[str, str], wanted: str = "") -> list[str]:
    """What is wrong with how ``command`` ran: its status, its complaints, its output."""
    began_s = time.monotonic()
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180, check=False)
    name = " ".join(Path(word).name for word in command)
    print(f"{name}: {time.monotonic() - began_s:.1f} s\n{ended.stdout}", flush=True)
    problems = []
    if ended.returncode != 0:
        problems.append(f"{name}: exit status {ended.returncode}\n{ended.stdout}")
    if ended.stderr.strip():
        problems.append(f"{name} complains:\n{ended.stderr.strip()}")
    if wanted not in ended.stdout:
        problems.append(f"{name} does not print {wanted!r}")
    return problems


def problems(folder: Path, version: str) -> list[str]:
    """Everything wrong with the build in ``folder``."""
    console, window = (str(folder / f"{name}{_SUFFIX}") for name in ("gpu-plan", "gpu-planner"))
    found = []
    if (size := size_mb(folder)) > LARGEST_MB:
        found.append(f"{size:.0f} MB, more than {LARGEST_MB}")
    print(f"{size:.0f} MB", flush=True)
    inside = folder / "_internal"
    found += [f"{name} is missing" for name in _FILES if not (inside / name).is_file()]
    if (inside / _FILES[1]).is_file() and not json.loads((inside / _FILES[1]).read_text())["components"]:
        found.append("the list of components is empty")
    with tempfile.TemporaryDirectory() as data:
        environment = _environment(Path(data))
        found += _problems_of([console, "--version"], environment, f"gpu-plan {version}\n")
        found += _problems_of([console, "--self-test"], environment, "good")
        display = ["xvfb-run", "-a"] if sys.platform == "linux" and shutil.which("xvfb-run") else []
        environment["GPU_PLANNER_QUIT_AFTER_S"] = str(_WINDOW_S)
        if not display and sys.platform == "linux" and "DISPLAY" not in environment:
            environment["QT_QPA_PLATFORM"] = "offscreen"
        found += _problems_of([*display, window, "--demo"], environment)
    return found


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    sys.path.insert(0, str(root))
    from planner import __version__

    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else root / "dist" / "gpu-planner"
    found = problems(folder, __version__)
    for problem in found:
        print(f"WRONG: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
