"""How children are started: with absolute paths, and with as little of the environment as they need."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from planner.packaged import RUN_MODULE, console_program, is_packaged

# What a child may see of the environment: where things are, language, and what GPU libraries are told by. Tokens,
# passwords and keys have other names and stay here.
_PASSED_ON = {
    *("PATH", "HOME", "USER", "LOGNAME", "USERNAME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "SHELL"),
    *("TMPDIR", "TEMP", "TMP", "TZ", "LANG", "LANGUAGE", "DISPLAY", "WAYLAND_DISPLAY"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "APPDATA"),
    *("LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "PROCESSOR_IDENTIFIER"),
    *("LD_LIBRARY_PATH", "LD_LIBRARY_PATH_ORIG", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    "LD_PRELOAD",  # some ARM systems cannot load torch without it
    *("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV"),
}
_PASSED_ON_FAMILIES = (
    *("LC_", "XDG_", "GPU_PLANNER_", "QT_", "FONTCONFIG_"),
    *("CUDA", "NVIDIA_", "NCCL_", "GLOO_", "UCX_", "TORCH", "PYTORCH_", "TRITON_", "CUBLAS", "CUDNN"),
    *("OMP_", "MKL_", "KMP_", "GOMP_", "OPENBLAS_", "HIP_", "HSA_", "ROCR_", "ROCM_", "MIOPEN_", "ZE_", "SYCL_"),
)


def _is_passed_on(name: str) -> bool:
    return name.upper() in _PASSED_ON or name.upper().startswith(_PASSED_ON_FAMILIES)


def outside_python_env(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment for a child of another Python: nothing of ours that would hide its own packages, no secrets.

    A packaged app (PyInstaller) points the loader to its own libraries; the user's value is put back.
    """
    environ = os.environ if environ is None else environ
    kept = {name: value for name, value in environ.items() if _is_passed_on(name)}
    original = kept.pop("LD_LIBRARY_PATH_ORIG", None)
    if original is not None:
        kept["LD_LIBRARY_PATH"] = original
    elif is_packaged():
        kept.pop("LD_LIBRARY_PATH", None)
    return kept


def python_child_env(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Environment for a child of this very Python: it finds the same packages in the same order."""
    return {**outside_python_env(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **(extra or {})}


def python_child_argv(module: str, *arguments: str) -> list[str]:
    """``python -m module`` that takes nothing from the current folder (-P), where any file could shadow ours.

    In a packaged app its console program stands in for Python (see ``planner.packaged``).
    """
    if is_packaged():
        return [str(console_program()), RUN_MODULE, module, *arguments]
    return [str(Path(sys.executable)), "-P", "-m", module, *arguments]
