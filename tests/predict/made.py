"""Hand-made op tables and devices: small enough to check with pencil and paper."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from planner.benchmark.result import BenchmarkResult, ProbeKind, ProbeResult
from planner.evidence import Evidence
from planner.predict.types import ARITHMETICS, DeviceModel
from planner.workload.optable import COEFFICIENTS, KINDS, PHASES, OpTable

GIB = 2**30


def per_sample(value: float) -> list[float]:
    """Coefficients of a quantity that is ``value`` per sample and position."""
    return [0, 0, 0, 0, value, 0]


def constant(value: float) -> list[float]:
    return [value, 0, 0, 0, 0, 0]


def make_table(ops=(), live=(), **changes) -> OpTable:
    """``ops``: (kind, phase, dtype_bytes, count, flops, bytes); ``live``: coefficients of candidate moments."""
    rows = list(ops) or [("linear", "forward", 2, 1, per_sample(1e9), per_sample(1e6))]
    moments = np.array(live or [per_sample(1e7)], float)
    gradients = np.linspace(0, changes.get("trained_parameter_bytes", 100_000_000), len(moments))
    fields = {
        "model": "made",
        "precision": "amp",
        "checkpointing": "none",
        "size_kind": "none",
        "default_size": 0,
        "size_unit": 1,
        "size_min": 0,
        "size_max": 0,
        "memory_format": "contiguous",
        "kind": np.array([KINDS.index(row[0]) for row in rows]),
        "phase": np.array([PHASES.index(row[1]) for row in rows]),
        "dtype_bytes": np.array([row[2] for row in rows]),
        "count": np.array([row[3] for row in rows], float),
        "channels_last": np.full(len(rows), changes.get("memory_format") == "channels_last"),
        "kernel": np.ones(len(rows)),
        "stride": np.ones(len(rows)),
        "flops": np.array([row[4] for row in rows], float),
        "bytes": np.array([row[5] for row in rows], float),
        **{name: np.zeros((len(rows), COEFFICIENTS)) for name in ("m", "n", "k", "groups")},
        "live_bytes": moments,
        "live_gradient_bytes": gradients,
        "live_bytes_infer": moments / 4,
        "parameters": 25_000_000,
        "trained_parameters": 25_000_000,
        "parameter_tensors": 160,
        "parameter_bytes": 100_000_000,
        "trained_parameter_bytes": 100_000_000,
        "buffer_bytes": 200_000,
        "input_bytes": np.array(per_sample(6e5)),
    }
    return OpTable(**{**fields, **changes})


def make_device(**changes) -> DeviceModel:
    """Round numbers: 100 TFLOP/s in 16 bit, 10 in 32, 1 TB/s; half and all of it reached, no launch cost."""
    fields = {
        "name": "Round",
        "peak_flops_per_s": {"fp32": 1e13, "tf32": 5e13, "fp16": 1e14, "bf16": 1e14},
        "bandwidth_bytes_per_s": 1e12,
        "flop_efficiency": dict.fromkeys(ARITHMETICS, np.full(len(KINDS), 0.5)),
        "byte_efficiency": np.ones(len(KINDS)),
        "launch_s": 0.0,
        "memory_bytes": 24.0 * GIB,
        "memory_reserved_bytes": 1.0 * GIB,
        "sigma_model": 0.2,
        "sigma_device": 0.1,
        "power_w": 350.0,
        "evidence": Evidence.ASSUMED,
    }
    return DeviceModel(**{**fields, **changes})


def probe(op_class: str, dtype: str, time_s: float, flops: float = 0.0, moved: float = 0.0) -> ProbeResult:
    kind = ProbeKind.FLOPS if flops else ProbeKind.BANDWIDTH
    name = f"{op_class}_{dtype}_{flops:g}_{moved:g}"
    return ProbeResult(
        name, kind, op_class, dtype, time_s, time_s * 0.99, time_s * 1.01, flops, moved, "", 10, "A"
    )


def make_result(*probes: ProbeResult, **changes) -> BenchmarkResult:
    fields = {
        "started_at": "2026-01-01T00:00:00Z",
        "duration_s": 20.0,
        "device_kind": "cuda",
        "device_name": "Mystery GPU",
        "gpu_uuid": "GPU-1",
        "driver_version": "550.0",
        "python_path": "python",
        "python_version": "3.11",
        "torch_version": "2.5",
        "cuda_version": "12.4",
        "power_limit_w": 300.0,
        "device_memory_bytes": 12 * GIB,
        "sm_count": 40,
        "cpu_threads": None,
        "probes": probes,
    }
    return BenchmarkResult(**{**fields, **changes})


_amount = st.floats(0, 1e10)
_coefficients = st.lists(_amount, min_size=COEFFICIENTS, max_size=COEFFICIENTS)
_kinds = [name for name in KINDS if name != "attention"]  # not on every software level
_op = st.tuples(
    st.sampled_from(_kinds), st.sampled_from(PHASES[:2]), st.sampled_from([2, 4]), st.integers(1, 50),
    _coefficients, _coefficients,
)  # fmt: skip

tables = st.builds(
    make_table,
    ops=st.lists(_op, min_size=1, max_size=8),
    live=st.lists(st.lists(st.floats(0, 1e9), min_size=6, max_size=6), min_size=1, max_size=6),
    parameter_bytes=st.just(400_000_000),
    buffer_bytes=st.integers(0, 10**7),
)
