"""Which probes are run on which kind of device, and in what sizes."""

from __future__ import annotations

from functools import partial

from . import steps, work
from .devices import Device
from .protocol import AGREEMENT_CONV, Probe, Work

_MIB = 1 << 20
# Upper sizes of the three matrix products; between them the ladder climbs by factors that no call outgrows.
_GEMM = {
    "gpu": {"small": 1024, "medium": 4096, "large": 8192},
    "cpu": {"small": 256, "medium": 512, "large": 1024},
}
_GEMM_LADDER = {
    "gpu": (256, 512, 1024, 2048, 3072, 4096, 6144, 8192),
    "cpu": (64, 128, 192, 256, 384, 512, 768, 1024),
}
_CONV_CHANNELS = {"gpu": {1: 256, 3: 128}, "cpu": {1: 64, 3: 32}}
_CONV_BATCHES = {"gpu": (4, 16, 64, 128), "cpu": (1, 2, 4, 8, 16)}
_VECTOR_BYTES = {"gpu": (16 * _MIB, 64 * _MIB, 256 * _MIB), "cpu": (16 * _MIB, 64 * _MIB)}
_ROWS = {"gpu": (4096, 16384, 65536), "cpu": (512, 2048, 8192)}
_STEP_BATCHES = {"gpu": (8, 16, 32, 64, 128), "cpu": (1, 2, 4, 8, 16)}
_CNN = {"gpu": steps.CnnShape(128, (64, 128, 256)), "cpu": steps.CnnShape(32, (16, 32, 64))}
_TRANSFORMER = {
    "gpu": steps.TransformerShape(layers=4, width=512, heads=8, length=256, vocabulary=8192),
    "cpu": steps.TransformerShape(layers=2, width=128, heads=4, length=64, vocabulary=1024),
}
_SLOTS = ("small", "medium", "large")
# In the order they are run: should time run out, what predictions lean on most has been measured.
NAMES = (
    *(f"gemm_fp32_{slot}" for slot in _SLOTS),
    *("copy", "pointwise_chain", "launch", "h2d", "conv3x3_fp32", "conv1x1_fp32"),
    *(f"gemm_fp16_{slot}" for slot in _SLOTS),
    *("conv3x3_fp16", "conv1x1_fp16", "step_cnn", "step_transformer", "layer_norm", "softmax"),
    *(f"gemm_bf16_{slot}" for slot in _SLOTS),
)


def probes_for(device: Device) -> tuple[list[Probe], list[str]]:
    """The probes of this device, and the names of those that mean nothing on it. Together: NAMES."""
    size = "cpu" if device.kind == "cpu" else "gpu"
    # In 16 bit a CPU convolves tens of times slower than anybody would train on it.
    conv_dtypes = ("fp32",) if size == "cpu" else ("fp32", "fp16")
    probes = [
        *(_gemm(device, size, dtype, slot) for dtype in work.DTYPES for slot in _SLOTS),
        *(_conv(device, size, dtype, kernel) for dtype in conv_dtypes for kernel in (3, 1)),
        *_memory_bound(device, size),
        _launch(device),
        *((_host_to_device(device),) if device.kind == "cuda" else ()),
        *_training_steps(device, size),
    ]
    there = {probe.name for probe in probes}
    return sorted(probes, key=lambda probe: NAMES.index(probe.name)), [name for name in NAMES if name not in there]


def _gemm(device: Device, size: str, dtype: str, slot: str) -> Probe:
    width = work.WIDTH_BYTES[dtype]
    return Probe(
        name=f"gemm_{dtype}_{slot}",
        kind="flops",
        op_class="matmul",
        dtype=dtype,
        sizes=tuple(n for n in _GEMM_LADDER[size] if n <= _GEMM[size][slot]),
        build=partial(work.gemm, device, dtype),
        describe=lambda n: f"{n}×{n}×{n}",
        # Made in fp32, then converted: one set is there in both for a moment.
        footprint=lambda n: (3.0 * width + 4) * n * n + work.CACHES_FILLED * device.cache_bytes,
        cost=lambda n: float(n) ** 3,
        compute_bound=True,
        family=f"gemm_{dtype}",
    )


def _conv(device: Device, size: str, dtype: str, kernel: int) -> Probe:
    channels, side = _CONV_CHANNELS[size][kernel], work.CONV_IMAGE
    image_bytes = channels * side * side * 4.0
    return Probe(
        name=f"conv{kernel}x{kernel}_{dtype}",
        kind="flops",
        op_class="conv" if kernel > 1 else "conv_1x1",
        dtype=dtype,
        sizes=_CONV_BATCHES[size],
        build=partial(work.convolution, device, dtype, kernel, channels),
        describe=lambda batch: f"batch {batch}, {channels}→{channels} channels, {side}×{side}, forward + backward",
        # Three images, two results and as much workspace again.
        footprint=lambda batch: 10 * batch * image_bytes + work.CACHES_FILLED * device.cache_bytes,
        cost=float,
        compute_bound=True,
        agreement=AGREEMENT_CONV,
    )


def _memory_bound(device: Device, size: str) -> list[Probe]:
    vectors = tuple(length // 4 for length in _VECTOR_BYTES[size])
    row_bytes = 4.0 * work.ROW

    def probe(name: str, op_class: str, sizes: tuple[int, ...], item_bytes: float, unit: str) -> Probe:
        builders = {
            "copy": work.copy,
            "pointwise_chain": work.pointwise_chain,
            "layer_norm": work.layer_norm,
            "softmax": work.softmax,
        }
        return Probe(
            name=name,
            kind="bandwidth",
            op_class=op_class,
            dtype="fp32",
            sizes=sizes,
            build=partial(builders[name], device),
            describe=lambda count: f"{count * item_bytes / _MIB:.0f} MiB{unit}",
            footprint=lambda count: 6 * count * item_bytes,
            cost=float,
            compute_bound=False,
        )

    rows = f" in rows of {work.ROW}, forward + backward"
    return [
        probe("copy", "copy", vectors, 4.0, ""),
        probe("pointwise_chain", "pointwise", vectors, 4.0, ", 3 kernels"),
        probe("layer_norm", "norm", _ROWS[size], row_bytes, rows),
        probe("softmax", "softmax", _ROWS[size], row_bytes, rows),
    ]


def _launch(device: Device) -> Probe:
    def build(_: int) -> Work:
        return work.launch(device)

    return Probe(
        name="launch",
        kind="latency",
        op_class="launch",
        dtype="",
        sizes=(1,),
        build=build,
        describe=lambda _: "1 element",
        footprint=lambda _: 4.0,
        cost=float,
        compute_bound=False,
    )


def _host_to_device(device: Device) -> Probe:
    return Probe(
        name="h2d",
        kind="bandwidth",
        op_class="h2d",
        dtype="",
        sizes=tuple(length // 4 for length in (4 * _MIB, 16 * _MIB, 64 * _MIB)),
        build=partial(work.host_to_device, device),
        describe=lambda count: f"{count * 4 / _MIB:.0f} MiB from pinned memory",
        footprint=lambda count: 4.0 * count,
        cost=float,
        compute_bound=False,
    )


def _training_steps(device: Device, size: str) -> list[Probe]:
    dtype = "fp16" if device.kind == "cuda" else "fp32"
    cnn, transformer = _CNN[size], _TRANSFORMER[size]
    precision = "mixed precision" if dtype == "fp16" else "fp32"
    return [
        Probe(
            name="step_cnn",
            kind="step",
            op_class="step",
            dtype=dtype,
            sizes=_STEP_BATCHES[size],
            build=partial(steps.cnn_step, device, cnn),
            describe=lambda batch: f"{cnn.describe(batch)}, momentum, {precision}",
            footprint=cnn.footprint,
            cost=float,
            compute_bound=True,
            agreement=AGREEMENT_CONV,
        ),
        Probe(
            name="step_transformer",
            kind="step",
            op_class="step",
            dtype=dtype,
            sizes=_STEP_BATCHES[size],
            build=partial(steps.transformer_step, device, transformer),
            describe=lambda batch: f"{transformer.describe(batch)}, adamw, {precision}",
            footprint=transformer.footprint,
            cost=float,
            compute_bound=True,
        ),
    ]
