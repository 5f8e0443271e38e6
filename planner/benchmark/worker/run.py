"""The worker's main: load torch, open the device, run the suite, and say how it ended."""

from __future__ import annotations

import argparse
import gc
import platform
import sys
import time
import traceback
from typing import Any

from .channel import Channel, Pulse, private_output
from .protocol import Settings
from .stop import STATUS_CANCELLED, Cancelled, StopSignal, listen
from .suite import DeviceLostError, Suite, one_line

STATUS_FAILED = 1
OLDEST_TORCH = (2, 0)
_LOAD_WITHIN_S = 150.0  # torch from a cold disk, then the first context on the device
_BLOCK_WITHIN_S = 20.0
# By quick; without the sustained load.
_BUDGET_S = {True: {"cpu": 12.0, "gpu": 30.0}, False: {"cpu": 24.0, "gpu": 50.0}}


class Failure(Exception):  # noqa: N818 - an outcome with a code
    """The run cannot go on."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="worker", description="Measure what this device does with torch.")
    parser.add_argument("--json", action="store_true", help="one JSON object per line instead of text")
    parser.add_argument("--device", choices=("auto", "cuda", "cpu", "mps", "xpu"), default="auto")
    parser.add_argument("--quick", action="store_true", help="half the blocks and a shorter warm-up")
    parser.add_argument("--budget-s", type=float, help="seconds to measure for, at most")
    parser.add_argument("--sustain-s", type=float, help="seconds of a training step after the probes")
    parser.add_argument("--floor", type=float, default=0.005, help="relative uncertainty that always remains")
    return parser.parse_args(argv)


def _settings(options: argparse.Namespace, device_kind: str) -> Settings:
    on_cpu = device_kind == "cpu"
    if on_cpu:  # no clocks to ramp up, and slow cores have to finish in half a minute
        compute_s, memory_s = (0.03, 0.02) if options.quick else (0.1, 0.05)
        soak_s, sustain_s = 0.0, 0.0
    else:
        compute_s, memory_s = (0.15, 0.05) if options.quick else (0.35, 0.1)
        soak_s, sustain_s = (1.0, 5.0) if options.quick else (2.0, 15.0)
    budget_s = options.budget_s or _BUDGET_S[options.quick]["cpu" if on_cpu else "gpu"]
    if options.sustain_s is not None:
        sustain_s = options.sustain_s
    return Settings(
        4 if options.quick else 8, compute_s, memory_s, budget_s, options.floor, soak_s=soak_s, sustain_s=sustain_s
    )


def _load_torch() -> Any:
    try:
        import torch
    except ModuleNotFoundError as error:
        raise Failure("torch_missing" if error.name == "torch" else "torch_broken", one_line(error)) from error
    except Exception as error:  # a broken installation may raise anything
        raise Failure("torch_broken", one_line(error)) from error
    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2] if part.isdigit())
    if version < OLDEST_TORCH:
        raise Failure("torch_too_old", str(torch.__version__))
    return torch


def _measure(
    options: argparse.Namespace, channel: Channel, pulse: Pulse, stop: StopSignal, began_s: float
) -> None:
    def load_stage(name: str) -> None:
        stop.check()
        pulse.mark(_LOAD_WITHIN_S)
        elapsed_s = time.monotonic() - began_s
        channel.send("stage", name=name, index=0, total=0, elapsed_s=elapsed_s, eta_s=None)

    def check() -> None:
        stop.check()
        pulse.mark(_BLOCK_WITHIN_S)

    load_stage("load_torch")
    pulse.start()
    torch = _load_torch()
    load_stage("open_device")
    from .devices import Cpu, DeviceError, open_device  # these import torch
    from .probes import probes_for, sentinel_for
    from .steps import CnnShape, cnn_step

    cnn_step(Cpu(), CnnShape(image=8, widths=(4,)), 1).call()  # torch imports much of itself at the first step
    gc.freeze()  # the garbage collector, called after every probe, need not walk through all of that
    try:
        device = open_device(options.device)
    except DeviceError as error:
        raise Failure(error.code, error.detail) from error
    channel.send(
        "hello",
        device_kind=device.kind,
        device_name=device.name,
        uuid=device.uuid,
        torch=str(torch.__version__),
        cuda=torch.version.cuda,
        python=platform.python_version(),
        memory_bytes=device.memory_bytes(),
        sm_count=device.sm_count,
        threads=torch.get_num_threads() if device.kind == "cpu" else None,
    )
    probes, not_applicable = probes_for(device)
    for name in not_applicable:
        channel.send("skipped", name=name, code="not_applicable", detail=device.kind)
    torch.manual_seed(1)
    settings, sentinel = _settings(options, device.kind), sentinel_for(device)
    Suite(device, probes, settings, channel.send, check, sentinel).run()


def main(argv: list[str]) -> int:
    """Exit status 0 when the run is done, 1 when it failed, 3 when it was cancelled."""
    began_s = time.monotonic()
    options = _parse(argv)
    stop = StopSignal()
    channel = Channel(private_output(), as_json=options.json, on_broken=stop.set)
    listen(stop, lambda: channel.end("cancelled"))
    try:
        _measure(options, channel, Pulse(channel, began_s), stop, began_s)
    except Cancelled:
        channel.end("cancelled")
        return STATUS_CANCELLED
    except Exception as error:  # noqa: BLE001 - the parent learns why, whatever it was
        traceback.print_exc(file=sys.stderr)
        code, detail = "internal", one_line(error)
        if isinstance(error, Failure):
            code, detail = error.code, error.detail
        elif isinstance(error, DeviceLostError):
            code, detail = "device_lost", str(error)
        channel.end("failed", code=code, detail=detail)
        return STATUS_FAILED
    channel.end("done", duration_s=time.monotonic() - began_s)
    return 0
