"""Checks that only a real GPU can answer. Not part of the test suite: run it by hand, about five minutes.

    python -m tests.gpu.check_on_gpu --out report.json

It runs the suite twice and compares the two, searches the best matrix product by brute force, sets the clock that
the sentinel reads against the driver's, and measures what the sentinel notices of a second process. It prints one
line per check and exits with 1 when one fails. ``--device cpu`` tries the script itself; its agreement means
nothing there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planner.benchmark.result import BenchmarkResult
from planner.benchmark.supervise import Request, request_for, run_benchmark
from planner.benchmark.telemetry import Telemetry
from planner.door import plain
from planner.hardware.detect import detect
from planner.hardware.gpus import matching_gpu
from planner.hardware.interpreters import Candidate, probe

AGREEMENT, SHARE_WANTED = 0.03, 0.95
BEST_GEMM_WANTED = 0.97
CLOCK_AGREEMENT = 0.03
READINGS = 60
# A second program that multiplies matrices for a share of the time.
LOAD = """
import sys, time, torch
share, device = float(sys.argv[1]), sys.argv[2]
a = torch.randn(4096 if device == "cuda" else 256, device=device).repeat(4096 if device == "cuda" else 256, 1)
wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
print("ready", flush=True)
while True:
    began_s = time.perf_counter()
    a @ a
    wait()
    time.sleep((time.perf_counter() - began_s) * (1 / share - 1))
"""


def agreement(first: BenchmarkResult, second: BenchmarkResult) -> dict[str, Any]:
    """How far two runs are apart, probe by probe."""
    apart = {
        probe.name: abs(probe.time_s / other.time_s - 1)
        for probe in first.probes
        if (other := second.probe(probe.name)) is not None and other.size == probe.size
    }
    share = sum(value <= AGREEMENT for value in apart.values()) / max(len(apart), 1)
    return {
        "apart": dict(sorted(apart.items(), key=lambda item: -item[1])),
        "share": share,
        "ok": share >= SHARE_WANTED,
    }


def open_device(kind: str) -> Any:
    from planner.benchmark.worker.devices import open_device as opened

    return opened(kind)


def best_gemm(device: Any, suite: BenchmarkResult, dtype: str) -> dict[str, Any]:
    """Every size in steps, each warmed up and timed: what the suite finds much sooner must come close."""
    from planner.benchmark.worker import work

    step, largest = (256, 12288) if device.kind == "cuda" else (64, 512)
    began_s, best = time.monotonic(), (0.0, 0)
    for n in range(step, largest + 1, step):
        job = work.gemm(device, dtype, n)
        end_s = time.monotonic() + 0.2
        while time.monotonic() < end_s:
            call_s = device.time_calls(job.call, 1)
        count = max(1, round(0.1 / call_s))
        best = max(best, (job.flops * count / device.time_calls(job.call, count), n))
        del job
        device.release()
    found = max(
        (p.flops_per_s or 0.0 for p in suite.probes if p.op_class == "matmul" and p.dtype == dtype), default=0.0
    )
    ratio = found / best[0]
    return {
        "suite_flops_per_s": found, "search_flops_per_s": best[0], "search_size": best[1], "ratio": ratio,
        "search_s": time.monotonic() - began_s, "ok": ratio >= BEST_GEMM_WANTED,
    }  # fmt: skip


def sentinel_of(device: Any) -> tuple[Any, Callable[[], None]]:
    """The suite's sentinel, and what keeps the device busy between two readings."""
    from planner.benchmark.worker import work
    from planner.benchmark.worker.sentinel import Sentinel

    size = 1024 if device.kind == "cuda" else 128
    small, large = work.gemm(device, "fp32", size), work.gemm(device, "fp32", 4 * size)
    large_s = min(device.time_calls(large.call, 1) for _ in range(3))
    sentinel = Sentinel(device, small.call, min(device.time_calls(small.call, 1) for _ in range(5)))
    return sentinel, lambda: device.time_calls(large.call, max(1, round(0.05 / large_s)))


def noticed(device: Any) -> dict[str, Any]:
    """Share of readings called disturbed: alone, and beside a program that computes for a share of the time."""
    sentinel, keep_busy = sentinel_of(device)

    def share() -> float:
        count = 0
        for _ in range(READINGS):
            before = sentinel.read()
            keep_busy()
            count += sentinel.is_disturbed(before, sentinel.read())
        return count / READINGS

    for _ in range(20):
        keep_busy()
    found = {"alone": share()}
    for load in (0.1, 0.5, 1.0):
        other = subprocess.Popen(
            [sys.executable, "-c", LOAD, str(load), device.kind], stdout=subprocess.PIPE, text=True
        )
        try:
            assert other.stdout is not None
            other.stdout.readline()
            found[f"beside {load:.0%}"] = share()
        finally:
            other.kill()
            other.communicate()
    return {**found, "ok": found["alone"] <= 0.05 and found["beside 50%"] >= 0.8}


def clock(device: Any, request: Request) -> dict[str, Any]:
    """The clock that the sentinel reads beside the driver's, both under load."""
    _, keep_busy = sentinel_of(device)
    read: list[float] = []
    with Telemetry(request.gpu_uuid) as telemetry:
        end_s = time.monotonic() + 4.0
        while time.monotonic() < end_s:
            keep_busy()
            hertz = device.clock_hz()
            if hertz is not None:
                read.append(hertz / 1e6)
        told = [sample.sm_clock_mhz for sample in telemetry.samples[20:] if sample.sm_clock_mhz]
    if not read or not told:
        return {"read_mhz": read[:1], "driver_mhz": told[:1], "ok": False}
    middle, driver = sorted(read)[len(read) // 2], sorted(told)[len(told) // 2]
    return {"read_mhz": middle, "driver_mhz": driver, "ok": abs(middle / driver - 1) <= CLOCK_AGREEMENT}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    snapshot = detect(interpreters=False)
    python = probe(Candidate(Path(sys.executable), "app"))
    device_kind = None if options.device == "cuda" else "cpu"
    request = request_for(snapshot, python, device_kind=device_kind, quick=options.quick)
    first, second = (run_benchmark(request) for _ in range(2))
    device = open_device(options.device)
    found: dict[str, Any] = {
        "agreement": agreement(first, second),
        "best_gemm": best_gemm(device, first, "fp16" if options.device == "cuda" else "fp32"),
        "sentinel": noticed(device),
    }
    if options.device == "cuda":
        torch_devices = [one for one in python.devices if one.kind == "cuda"]
        pairs = [(one.uuid, getattr(matching_gpu(one, snapshot.gpus), "uuid", None)) for one in torch_devices]
        found["uuid"] = {
            "pairs": pairs,
            "measured": first.gpu_uuid,
            "ok": all(one and one == gpu for one, gpu in pairs),
        }
        found["clock"] = clock(device, request)
    for name, result in found.items():
        print(
            "ok  " if result["ok"] else "FAIL", name, json.dumps({k: v for k, v in result.items() if k != "apart"})
        )
    if options.out:
        runs = [plain(first), plain(second)]
        options.out.write_text(json.dumps({"found": found, "runs": runs}, indent=1), encoding="utf-8")
    return 0 if all(result["ok"] for result in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
