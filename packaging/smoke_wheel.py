"""Does the wheel hold all that the program needs? It is put into a fresh environment and run from there."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PLAN = ("plan", "--model", "preset:resnet50", "--batch-size", "64", "--epochs", "1", "--samples", "1M", "--json")


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pip = [sys.executable, "-m", "pip", "-q"]
        subprocess.run([*pip, "wheel", str(ROOT), "--no-deps", "-w", str(folder)], check=True)
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "env", symlinks=os.name != "nt")
        scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        python = str(scripts / "python")
        subprocess.run([*pip, "--python", python, "install", "--no-deps", "--no-index", str(wheel)], check=True)
        # What we stand on comes from this environment, we ourselves from the wheel: a .pth file that leads to the
        # checkout does nothing in PYTHONPATH.
        environment = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib"), "GPU_PLANNER_DATA": str(folder)}
        where = "import planner.paths as p; print(p.RESOURCES)"
        for command in (
            [python, "-c", where],
            [str(scripts / "gpu-plan"), "--version"],
            [str(scripts / "gpu-plan"), *_PLAN],
        ):
            ended = subprocess.run(
                command, env=environment, cwd=folder, capture_output=True, text=True, check=False, timeout=120
            )
            if ended.returncode or ended.stderr:
                print(f"WRONG: {command}: {ended.returncode}\n{ended.stderr}", file=sys.stderr)
                return 1
            if command[1] == "-c" and str(ROOT) in ended.stdout:
                print("WRONG: the checkout was run, not the wheel", file=sys.stderr)
                return 1
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
