"""Hand-made machines, lines and results."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from planner.benchmark.result import BenchmarkResult, ProbeKind, ProbeResult
from planner.hardware.snapshot import Gpu, Host, Interpreter, Snapshot, TorchDevice

GIB = 2**30
UUID = "GPU-5a1b2c3d-0000-1111-2222-333344445555"
OTHER_UUID = "GPU-99999999-0000-1111-2222-333344445555"
GPU = Gpu(index=0, uuid=UUID, name="NVIDIA GeForce RTX 3090", power_limit_w=350.0)
HOST = Host("Linux 6.1", "box", "AMD Ryzen 9", 8, 16, 64 * GIB, 48 * GIB, "/", 10**12, 10**11, None, None)
CUDA_PYTHON = Interpreter(
    path="/conda/bin/python",
    origin="conda",
    python_version="3.10.4",
    torch_version="2.4.0+cu121",
    cuda_build="12.1",
    devices=(TorchDevice("cpu", 0, "x86_64"), TorchDevice("cuda", 0, GPU.name, UUID)),
)
CPU_PYTHON = replace(
    CUDA_PYTHON, path=sys.executable, origin="app", cuda_build=None, devices=(TorchDevice("cpu", 0, "x86_64"),)
)

HELLO: dict[str, Any] = {
    "event": "hello",
    "device_kind": "cuda",
    "device_name": GPU.name,
    "uuid": UUID.removeprefix("GPU-"),
    "torch": "2.4.0+cu121",
    "cuda": "12.1",
    "python": "3.10.4",
    "memory_bytes": 24 * GIB,
    "sm_count": 82,
    "threads": None,
}
PROBE: dict[str, Any] = {
    "event": "probe",
    "name": "gemm_fp16_large",
    "kind": "flops",
    "op_class": "matmul",
    "dtype": "fp16",
    "time_s": 2e-3,
    "time_low_s": 1.9e-3,
    "time_high_s": 2.2e-3,
    "flops": 1.37e11,
    "bytes": 1e8,
    "size": "4096×4096×4096",
    "blocks": 16,
    "grade": "A",
}
STAGE: dict[str, Any] = {
    "event": "stage",
    "name": "gemm_fp16_large",
    "index": 3,
    "total": 40,
    "elapsed_s": 2.5,
    "eta_s": 30.0,
}
DONE: dict[str, Any] = {"event": "done", "duration_s": 33.0}


def snapshot(*gpus: Gpu, **changes: Any) -> Snapshot:
    fields = {"taken_at": "2026-03-01T10:00:00+00:00", "host": HOST, "driver_version": "550.54", **changes}
    return Snapshot(gpus=gpus, **fields)


def result(**changes: Any) -> BenchmarkResult:
    probe = ProbeResult(
        "copy", ProbeKind.BANDWIDTH, "copy", "fp32", 1e-3, 0.9e-3, 1.1e-3, 0.0, 1e9, "1 GB", 16, "A"
    )
    fields = {
        "started_at": "2026-03-01T10:00:00+00:00",
        "duration_s": 33.0,
        "device_kind": "cuda",
        "device_name": GPU.name,
        "gpu_uuid": UUID,
        "driver_version": "550.54",
        "python_path": CUDA_PYTHON.path,
        "python_version": "3.10.4",
        "torch_version": "2.4.0+cu121",
        "cuda_version": "12.1",
        "power_limit_w": 350.0,
        "device_memory_bytes": 24 * GIB,
        "sm_count": 82,
        "cpu_threads": None,
        "probes": (probe,),
    }
    return BenchmarkResult(**{**fields, **changes})
