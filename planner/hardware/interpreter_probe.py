"""Tells what this Python's torch can do. Run by path, in any Python, also in one that is too old.

Standard library and (where it is there) torch only. Prints JSON lines by "kind", each as soon as it is known,
so that a torch that crashes or hangs still leaves the Python's version behind:
  python  {"version"}
  torch   {"version", "cuda", "hip", "arch_list"} or {"problem", "detail"}
  device  {"device": {…}}                            a device that ran a kernel
  gpu     {"problem", "detail"}                      why no GPU can be used
  unusable {"device": {…}}                           a device that is seen and ran no kernel, and why
  done    {}
"""
# It must start in Python 3.6 to say "too old", and a foreign torch may raise anything:
# ruff: noqa: UP035, UP036, BLE001

import sys

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    sys.path.pop(0)  # this file's folder, whose names would shadow those of foreign packages

import json
import os
import platform
from typing import Any, Callable


def emit_to(descriptor: int) -> "Callable[[dict[str, object]], None]":
    """A function that writes one message."""

    def emit(message: "dict[str, object]") -> None:
        os.write(descriptor, (json.dumps(message) + "\n").encode("ascii"))

    return emit


def last_line(error: BaseException) -> str:
    """The error as one line: its kind and the last line of its text."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[-1][:300] if lines else ''}"


def version_of(text: str) -> "tuple[int, ...]":
    """ "2.13.0+cpu" → (2, 13)."""
    return tuple(int(part) for part in text.partition("+")[0].split(".")[:2] if part.isdigit())


def supports(arch_list: "list[str]", major: int, minor: int) -> bool:
    """Whether a build for these architectures has code for compute capability major.minor.

    Binary code (sm_86) runs on the same major with the same or a higher minor; PTX (compute_90) is compiled
    for anything newer. An empty list says nothing.
    """
    for arch in arch_list:
        kind, _, digits = arch.partition("_")
        digits = "".join(filter(str.isdigit, digits))
        if len(digits) < 2:
            continue
        have = (int(digits[:-1]), int(digits[-1]))
        if kind == "sm" and have[0] == major and have[1] <= minor:
            return True
        if kind == "compute" and have <= (major, minor):
            return True
    return not arch_list


def smoke(torch: Any, device: str) -> None:
    """Allocate, multiply, add, wait: raises what training would raise later."""
    matrix = torch.ones(64, 64, device=device)
    total = float((matrix @ matrix + 1.0).sum().item())
    if total != 64 * 64 * 65.0:
        raise ArithmeticError(f"a 64×64 product summed to {total}")


def cuda_device(torch: Any, index: int) -> "dict[str, object]":
    properties = torch.cuda.get_device_properties(index)
    uuid = str(getattr(properties, "uuid", "") or "").lower()
    if uuid and not uuid.startswith(("gpu-", "mig-")):
        uuid = "gpu-" + uuid
    return {
        "kind": "cuda",
        "index": index,
        "name": str(properties.name),
        "uuid": uuid[:3].upper() + uuid[3:] if uuid else None,  # as NVML writes it: "GPU-5a1b…"
        "memory_total_bytes": int(properties.total_memory),
        "compute_capability": f"{properties.major}.{properties.minor}",
        "sm_count": int(properties.multi_processor_count),
    }


def probe_cuda(torch: Any, emit: Any) -> None:
    """One message per usable CUDA (or ROCm) device, or one that says why there is none."""
    if torch.version.cuda is None and getattr(torch.version, "hip", None) is None:
        emit({"kind": "gpu", "problem": "cpu_build", "detail": ""})
        return
    try:
        torch.cuda.init()  # unlike is_available() it says what is wrong
        count = torch.cuda.device_count()
    except Exception as error:
        emit({"kind": "gpu", "problem": "cuda_fails", "detail": last_line(error)})
        return
    if count == 0:
        emit({"kind": "gpu", "problem": "no_device", "detail": ""})
    for index in range(count):
        device: dict[str, object] = {"name": f"cuda:{index}"}
        try:
            device = cuda_device(torch, index)
            arch_list = architectures(torch) if torch.version.cuda else []
            major, minor = torch.cuda.get_device_capability(index)
            if not supports(arch_list, major, minor):
                emit_unusable(emit, device, "no_kernels", " ".join(arch_list))
                continue
            smoke(torch, f"cuda:{index}")
        except Exception as error:
            emit_unusable(emit, device, "smoke_failed", last_line(error))
            continue
        emit({"kind": "device", "device": device})


def emit_unusable(emit: Any, device: "dict[str, object]", problem: str, detail: str) -> None:
    known = {key: device.get(key) for key in ("name", "compute_capability", "uuid")}
    emit({"kind": "unusable", "device": {**known, "problem": problem, "detail": detail}})


def architectures(torch: Any) -> "list[str]":
    """What a CUDA or ROCm build has code for. torch's public call says nothing where no device can be used."""
    listed: list[str] = getattr(torch.cuda, "get_arch_list", list)()
    flags = getattr(getattr(torch, "_C", None), "_cuda_getArchFlags", None)
    if not listed and flags is not None:
        listed = (flags() or "").split()
    return [str(arch) for arch in listed]


def probe_others(torch: Any, emit: Any) -> None:
    """Apple's MPS and Intel's XPU."""
    mps = getattr(torch.backends, "mps", None)
    xpu = getattr(torch, "xpu", None)
    there = [("mps", 0, "Apple GPU")] if mps is not None and mps.is_available() else []
    if xpu is not None and xpu.is_available():
        there += [("xpu", index, str(xpu.get_device_name(index))) for index in range(xpu.device_count())]
    for kind, index, name in there:
        try:
            smoke(torch, f"{kind}:{index}")
        except Exception as error:
            emit_unusable(emit, {"name": name}, "smoke_failed", last_line(error))
            continue
        emit({"kind": "device", "device": {"kind": kind, "index": index, "name": name}})


def probe_torch(emit: Any) -> None:
    import importlib.util

    if importlib.util.find_spec("torch") is None:
        emit({"kind": "torch", "problem": "torch_missing", "detail": ""})
        return
    try:
        import torch

        version, cuda = str(torch.__version__), torch.version.cuda
    except Exception as error:
        emit({"kind": "torch", "problem": "torch_broken", "detail": last_line(error)})
        return
    hip = getattr(torch.version, "hip", None)
    known = architectures(torch) if cuda or hip else []
    emit({"kind": "torch", "version": version, "cuda": cuda, "hip": hip, "arch_list": known})
    if version_of(version) < (2, 0):
        emit({"kind": "torch", "problem": "torch_too_old", "detail": version})
        return
    emit({"kind": "device", "device": {"kind": "cpu", "index": 0, "name": platform.machine()}})
    probe_cuda(torch, emit)
    probe_others(torch, emit)


def main() -> int:
    """Exit status 0 whatever was found: finding out is the job."""
    emit = emit_to(os.dup(1))
    os.dup2(2, 1)  # native libraries print to file descriptor 1
    emit({"kind": "python", "version": platform.python_version()})
    if sys.version_info < (3, 9):
        emit({"kind": "torch", "problem": "python_too_old", "detail": platform.python_version()})
    else:
        probe_torch(emit)
    emit({"kind": "done"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
