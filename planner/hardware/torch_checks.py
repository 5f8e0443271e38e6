"""What the chosen Python's torch can do: how it was built, for which GPUs, and whether one computes.

Three layers, each judged on its own: "build", "architecture", "torch_gpu". Sentences: check.toml.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from planner.hardware.gpu_checks import make_check as _check
from planner.hardware.snapshot import Check, CheckStatus, Gpu, Interpreter, UnusableDevice
from planner.hardware.visibility import AMD_VARIABLES, CUDA_VARIABLE, shown

_OK, _FAILED, _SKIPPED = CheckStatus.OK, CheckStatus.FAILED, CheckStatus.SKIPPED
_OLDEST_CAPABILITY = (5, 0)  # builds of torch 2 begin with Maxwell
# What an error's text says, the more telling first. CUDA's numbers: cudaError_t in the CUDA Runtime API.
_FAULTS = (
    ("error 804", "forward_compatibility"),
    ("forward compatibility was attempted", "forward_compatibility"),
    ("error 803", "driver_halves"),
    ("unsupported display driver / cuda driver combination", "driver_halves"),
    ("error 802", "fabric_manager"),
    ("system not yet initialized", "fabric_manager"),
    ("busy or unavailable", "not_shared"),
    ("uncorrectable ecc", "memory_errors"),
    ("out of memory", "out_of_memory"),
    ("invalid device function", "amd_no_code"),
    ("/dev/kfd", "no_permission"),
    ("permission denied", "no_permission"),
    ("os call failed", "no_permission"),
    ("operation not permitted", "no_permission"),
    ("unknown error", "cuda_unknown_error"),
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known beside torch. ``blocked``: the driver does not work, whatever torch does."""

    gpus: Sequence[Gpu] = ()
    cuda_driver_version: str | None = None
    blocked: bool = False
    has_nvidia: bool = False
    amd_count: int = 0
    board: str | None = None
    is_apple: bool = False
    is_wsl: bool = False
    variables: dict[str, str] = field(default_factory=dict)  # that hide GPUs

    @property
    def has_card(self) -> bool:
        return self.has_nvidia or self.amd_count > 0 or self.board is not None


def suggested_build(compute_capability: str | None, cuda_driver_version: str | None) -> str | None:
    """The PyTorch build ("cu126") that has code for the card and that the driver can run; None: there is none.

    Builds for CUDA 12.8 and later dropped Maxwell, Pascal and Volta; Blackwell needs 12.8 (PyTorch's release
    notes for 2.7 and 2.8). No build of torch 2 has code for Kepler. A build runs on a driver of the same CUDA
    major version.
    """
    capability = tuple(map(int, compute_capability.split("."))) if compute_capability else None
    driver = tuple(map(int, cuda_driver_version.split("."))) if cuda_driver_version else None
    if capability is not None and capability < _OLDEST_CAPABILITY:
        return None
    if driver is not None and driver < (12, 0):
        return "cu118"
    if capability is not None and capability < (7, 5):
        return "cu126"
    if driver is not None and driver >= (13, 0):
        return "cu130"
    needs_128 = capability is not None and capability >= (10, 0)
    return "cu128" if needs_128 or (driver is not None and driver >= (12, 8)) else "cu126"


def _install_line(python: Interpreter, build: str) -> str:
    """What to type to put this build of PyTorch into this Python."""
    program = f'"{python.path}"' if " " in python.path else python.path
    return f"{program} -m pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/{build}"


def _values(around: Surroundings, python: Interpreter, capability: str | None) -> dict[str, object]:
    build = suggested_build(capability, around.cuda_driver_version) or "cu126"
    install = _install_line(python, build)
    return {"version": python.torch_version, "path": python.path, "build": build, "install": install}


def _major(version: str | None) -> int | None:
    return int(version.split(".")[0]) if version else None


def _capability_here(around: Surroundings) -> str | None:
    """Of the first GPU that answers."""
    return next((gpu.compute_capability for gpu in around.gpus if not gpu.lost), None)


def build_of(around: Surroundings, python: Interpreter) -> Check:
    """Was this torch built for the kind of GPU that is here, and for a driver like this one?"""
    values = _values(around, python, _capability_here(around))
    misfit = _misfit(around, python)
    if misfit is not None:
        versions = {"driver_cuda": around.cuda_driver_version, "torch_cuda": python.cuda_build}
        return _check("build", _FAILED, misfit, **values, **versions)
    if python.gpu_problem == "cpu_build" and not python.has_gpu:
        return _check("build", _SKIPPED, "no_card")
    kinds = {"cuda": f"CUDA {python.cuda_build}", "mps": "Metal", "xpu": "XPU"}
    kind = next((device.kind for device in python.devices if device.kind != "cpu"), "cuda")
    name = f"ROCm {python.hip_build}" if python.hip_build else kinds[kind]
    if name == "CUDA None":
        return _check("build", _SKIPPED, "not_told", **values)
    return _check("build", _OK, "fits", **values, kind=name)


def _misfit(around: Surroundings, python: Interpreter) -> str | None:
    """Why this build cannot serve the GPU here, as a code; None: nothing speaks against it."""
    driver, wanted = _major(around.cuda_driver_version), _major(python.cuda_build)
    silent = python.gpu_problem in {"cuda_fails", "no_device"}
    processor_only = python.gpu_problem == "cpu_build" and not python.has_gpu
    reasons = (
        ("no_mps", around.is_apple and not python.has_gpu),
        ("cpu_build", processor_only and (around.has_nvidia or around.is_wsl)),
        ("cpu_build_amd", processor_only and around.amd_count > 0),
        ("cpu_build_board", processor_only and around.board is not None),
        ("driver_too_old", silent and driver is not None and wanted is not None and driver < wanted),
        ("cuda_for_amd", python.cuda_build and not around.has_nvidia and around.amd_count > 0),
        ("rocm_for_nvidia", python.hip_build and around.has_nvidia and not around.amd_count),
    )
    return next((code for code, holds in reasons if holds), None)


def _device_name(around: Surroundings, device: UnusableDevice) -> tuple[str, str | None]:
    """Name and capability, by what the driver knows of the same GPU."""
    gpu = next((one for one in around.gpus if one.uuid and one.uuid == device.uuid), None)
    return (gpu.name if gpu else device.name), device.compute_capability or (
        gpu.compute_capability if gpu else None
    )


def architecture_of(around: Surroundings, python: Interpreter) -> Iterable[Check]:
    """Has this build code for the cards? One check for those it has, one per card it lacks."""
    cuda = [device.name for device in python.devices if device.kind == "cuda"]
    lacking = [device for device in python.unusable if device.problem == "no_kernels"]
    if cuda:
        yield _check("architecture", _OK, "included", names=", ".join(cuda))
    for device in lacking:
        name, capability = _device_name(around, device)
        too_old = suggested_build(capability, around.cuda_driver_version) is None
        yield _check(
            "architecture",
            _FAILED,
            "card_too_old" if too_old else "no_kernels",
            **_values(around, python, capability),
            card=name,
            capability=capability or "?",
            built_for=device.detail or "?",
        )
    if not cuda and not lacking:
        yield _check("architecture", _SKIPPED, "not_asked")


def _fault_in(detail: str, otherwise: str) -> str:
    text = detail.lower()
    return next((code for words, code in _FAULTS if words in text), otherwise)


def _hiding(around: Surroundings, python: Interpreter) -> Check | None:
    """The variable that hides all GPUs, if one does."""
    on_amd = python.hip_build is not None
    uuids = [None] * around.amd_count if on_amd else [gpu.uuid for gpu in around.gpus]
    for name in AMD_VARIABLES if on_amd else (CUDA_VARIABLE,):
        value = around.variables.get(name)
        if value is None:
            continue
        seen = shown(value, uuids)
        if not seen.indices and (uuids or seen.fault == "empty"):
            return _check(
                "torch_gpu", _FAILED, f"hidden_{seen.fault}", variable=name, value=value, count=len(uuids)
            )
    return None


def _some_hidden(around: Surroundings) -> Iterable[Check]:
    value = around.variables.get(CUDA_VARIABLE)
    if value is None or not around.gpus:
        return
    seen = shown(value, [gpu.uuid for gpu in around.gpus])
    if len(seen.indices) < len(around.gpus):
        values = {"variable": CUDA_VARIABLE, "value": value, "shown": len(seen.indices), "count": len(around.gpus)}
        yield _check("torch_gpu", _OK, "some_hidden", **values)


def _no_device(around: Surroundings, python: Interpreter, build_is_fine: bool) -> Check:
    """Nothing that torch could try."""
    if not build_is_fine:
        return _check("torch_gpu", _SKIPPED, "needs_build")
    if not around.has_card and not around.gpus:
        return _check("torch_gpu", _SKIPPED, "no_card")
    hidden = _hiding(around, python)
    if hidden is not None:
        return hidden
    values = _values(around, python, _capability_here(around))
    problem = _fault_in(python.detail, python.gpu_problem or "no_device")
    if problem == "cuda_fails" and "no cuda gpus are available" in python.detail.lower():
        problem = "no_device"
    if around.blocked and problem in {"cuda_fails", "no_device", "cuda_unknown_error"}:
        return _check("torch_gpu", _FAILED, "needs_driver")
    if python.hip_build is not None and problem in {"cuda_fails", "no_device"}:
        problem = "no_device_amd"
    return _check("torch_gpu", _FAILED, problem, **values, detail=python.detail)


def kernels_on(around: Surroundings, python: Interpreter, build_is_fine: bool) -> Iterable[Check]:
    """Did a small product come out right?"""
    names = [device.name for device in python.devices if device.kind != "cpu"]
    failed = [device for device in python.unusable if device.problem != "no_kernels"]
    if names:
        yield _check("torch_gpu", _OK, "usable", names=", ".join(names))
        yield from _some_hidden(around)
    for device in failed:
        name, capability = _device_name(around, device)
        code = _fault_in(device.detail, "smoke_failed_amd" if python.hip_build else "smoke_failed")
        yield _check(
            "torch_gpu", _FAILED, code, **_values(around, python, capability), card=name, detail=device.detail
        )
    if names or failed:
        return
    if python.unusable:
        yield _check("torch_gpu", _SKIPPED, "needs_architecture")
    else:
        yield _no_device(around, python, build_is_fine)


def torch_layers(around: Surroundings, python: Interpreter | None, were_asked: bool) -> Iterable[Check]:
    """All checks of the three layers."""
    if python is None:
        why = "no_torch" if were_asked else "not_tried"
        yield from (_check(layer, _SKIPPED, why) for layer in ("build", "architecture", "torch_gpu"))
        return
    build = build_of(around, python)
    yield build
    yield from architecture_of(around, python)
    yield from kernels_on(around, python, build.status is not _FAILED)
