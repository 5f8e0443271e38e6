"""Which probes are run on which kind of device, and in what sizes."""

from __future__ import annotations

from functools import partial
from typing import Callable

from . import photos, steps, work
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
_GROUPED_CHANNELS, _GROUPS = {"gpu": 256, "cpu": 64}, {"gpu": 32, "cpu": 8}
_CONV_BATCHES = {"gpu": (4, 16, 64, 128), "cpu": (1, 2, 4, 8, 16)}
_STEM_SIDE = {"gpu": 224, "cpu": 64}
_BMM_LENGTH, _BMM_GROUPS = {"gpu": 512, "cpu": 128}, {"gpu": (16, 64, 256), "cpu": (4, 16, 64)}
_HEADS, _LENGTH = {"gpu": 16, "cpu": 4}, {"gpu": 512, "cpu": 128}
_ATTENTION_BATCHES = {"gpu": (2, 8, 32, 64), "cpu": (1, 2, 4, 8)}
_HIDDEN, _LSTM_LENGTH = {"gpu": 512, "cpu": 128}, {"gpu": 64, "cpu": 32}
_LSTM_BATCHES = {"gpu": (16, 64, 256), "cpu": (1, 4, 16)}
_VECTOR_BYTES = {"gpu": (16 * _MIB, 64 * _MIB, 256 * _MIB), "cpu": (16 * _MIB, 64 * _MIB)}
_ROWS = {"gpu": (4096, 16384, 65536), "cpu": (512, 2048, 8192)}
_MAP_BATCHES = {"gpu": (8, 32, 128), "cpu": (1, 4, 16)}
_MATRIX_SIDES = {"gpu": (1024, 2048, 4096, 8192), "cpu": (512, 1024, 2048)}
_VOCABULARY, _EMBEDDING_WIDTH = {"gpu": 32768, "cpu": 8192}, {"gpu": 512, "cpu": 128}
_TOKENS = {"gpu": (4096, 16384, 65536), "cpu": (512, 2048, 8192)}
_PARAMETERS = {"gpu": (1 << 22, 1 << 24, 1 << 26), "cpu": (1 << 18, 1 << 20, 1 << 22)}
_LINK_BYTES = (4 * _MIB, 16 * _MIB, 64 * _MIB)
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
    *("conv3x3_fp16", "conv1x1_fp16", "step_cnn", "step_transformer", "layer_norm", "softmax", "batch_norm"),
    *(f"gemm_bf16_{slot}" for slot in _SLOTS),
    *("attention_fp32", "attention_fp16", "adamw", "conv_depthwise_fp32", "conv_depthwise_fp16"),
    *("conv_grouped_fp32", "conv_grouped_fp16", "bmm_fp32", "bmm_fp16", "lstm", "embedding", "max_pool"),
    *("reduction", "conv_stem_fp32", "conv_stem_fp16", "transpose"),
    *("d2h", "h2d_pageable", "item", "launch_graph", "photo"),
)


def probes_for(device: Device) -> tuple[list[Probe], list[str]]:
    """The probes of this device, and the names of those that mean nothing on it. Together: NAMES."""
    size = "cpu" if device.kind == "cpu" else "gpu"
    # In 16 bit a CPU convolves tens of times slower than anybody would train on it.
    conv_dtypes = ("fp32",) if size == "cpu" else ("fp32", "fp16")
    dtype = conv_dtypes[-1]
    probes = [
        *(_gemm(device, size, width, slot) for width in work.DTYPES for slot in _SLOTS),
        *(_conv(device, size, width, kernel) for width in conv_dtypes for kernel in (3, 1)),
        *_other_convolutions(device, size, dtype),
        *_sequence_ops(device, size, dtype),
        *_memory_bound(device, size),
        _latency("launch", "launch", partial(work.launch, device), "1 element"),
        _photos(),
        *(_of_cuda(device) if device.kind == "cuda" else ()),
        *_training_steps(device, size),
    ]
    there = {probe.name for probe in probes}
    return sorted(probes, key=lambda probe: NAMES.index(probe.name)), [name for name in NAMES if name not in there]


def sentinel_for(device: Device) -> Probe | None:
    """The product that is timed around every visit (sentinel.py); None on a CPU, which is always shared."""
    if device.kind == "cpu":
        return None
    probe = _gemm(device, "gpu", "fp32", "small")
    return Probe(**{**vars(probe), "name": "sentinel", "family": ""})


def _gemm(device: Device, size: str, dtype: str, slot: str) -> Probe:
    width = work.WIDTH_BYTES[dtype]
    return Probe(
        name=f"gemm_{dtype}_{slot}",
        kind="flops",
        op_class="matmul",
        op_kind="linear",
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
    channels = _CONV_CHANNELS[size][kernel]
    op_class = "conv" if kernel > 1 else "conv_1x1"
    build = partial(work.convolution, device, dtype, kernel, channels)
    return _convolution(device, size, f"conv{kernel}x{kernel}_{dtype}", op_class, channels, build, "")


def _other_convolutions(device: Device, size: str, dtype: str) -> list[Probe]:
    channels, groups, side = _GROUPED_CHANNELS[size], _GROUPS[size], _STEM_SIDE[size]
    depthwise = partial(work.convolution, device, dtype, 3, channels, groups=channels)
    grouped = partial(work.convolution, device, dtype, 3, channels, groups=groups)
    stem_bytes = 4.0 * (3 * side**2 + 64 * (side / 2) ** 2)
    return [
        _convolution(
            device, size, f"conv_depthwise_{dtype}", "conv_depthwise", channels, depthwise, ", one filter each"
        ),
        _convolution(
            device, size, f"conv_grouped_{dtype}", "conv_grouped", channels, grouped, f", {groups} groups"
        ),
        Probe(
            name=f"conv_stem_{dtype}",
            kind="flops",
            op_class="conv_stem",
            op_kind="conv_stem",
            dtype=dtype,
            sizes=_CONV_BATCHES[size],
            build=partial(work.stem, device, dtype, side),
            describe=lambda batch: f"batch {batch}, 3→64 channels, 7×7, {side}×{side}, forward + weight gradient",
            footprint=lambda batch: 4 * batch * stem_bytes + work.CACHES_FILLED * device.cache_bytes,
            cost=float,
            compute_bound=True,
            agreement=AGREEMENT_CONV,
        ),
    ]


def _convolution(
    device: Device, size: str, name: str, op_class: str, channels: int, build: Callable[[int], Work], also: str
) -> Probe:
    side = work.CONV_IMAGE
    image_bytes = channels * side * side * 4.0
    return Probe(
        name=name,
        kind="flops",
        op_class=op_class,
        op_kind=op_class,
        dtype=name.rpartition("_")[2],
        sizes=_CONV_BATCHES[size],
        build=build,
        describe=lambda batch: (
            f"batch {batch}, {channels}→{channels} channels{also}, {side}×{side}, forward + backward"
        ),
        # Three images, two results and as much workspace again.
        footprint=lambda batch: 10 * batch * image_bytes + work.CACHES_FILLED * device.cache_bytes,
        cost=float,
        compute_bound=True,
        agreement=AGREEMENT_CONV,
    )


def _sequence_ops(device: Device, size: str, dtype: str) -> list[Probe]:
    """Attention, fused and not, and a recurrent layer."""
    heads, length, hidden, steps_ = _HEADS[size], _LENGTH[size], _HIDDEN[size], _LSTM_LENGTH[size]
    scores = _BMM_LENGTH[size]

    def probe(
        name: str, op_class: str, width: str, sizes: tuple[int, ...], build: Callable[[int], Work],
        describe: Callable[[int], str], item_bytes: float,
    ) -> Probe:  # fmt: skip
        return Probe(
            name=name,
            kind="flops",
            op_class=op_class,
            op_kind=op_class,
            dtype=width,
            sizes=sizes,
            build=build,
            describe=describe,
            footprint=lambda count: count * item_bytes + work.CACHES_FILLED * device.cache_bytes,
            cost=float,
            compute_bound=True,
        )

    tensor_bytes = 4.0 * heads * length * work.HEAD
    return [
        probe(
            f"bmm_{dtype}", "bmm", dtype, _BMM_GROUPS[size], partial(work.batched_gemm, device, dtype, scores),
            lambda groups: f"{groups} × {scores}×{scores}×{work.HEAD}",
            2 * 4.0 * (2 * scores * work.HEAD + scores**2),
        ),
        probe(
            f"attention_{dtype}", "attention", dtype, _ATTENTION_BATCHES[size],
            partial(work.attention, device, dtype, heads, length),
            lambda batch: f"batch {batch}, {heads} heads of {work.HEAD}, length {length}, forward + backward",
            20 * tensor_bytes + 4 * 4.0 * heads * length**2,  # the scores, where it is not fused
        ),
        probe(
            "lstm", "rnn", "fp32", _LSTM_BATCHES[size], partial(work.lstm, device, hidden, steps_),
            lambda batch: f"batch {batch}, {hidden} units, length {steps_}, forward + backward",
            60.0 * 4 * hidden * steps_,
        ),
    ]  # fmt: skip


def _memory_bound(device: Device, size: str) -> list[Probe]:
    vectors = tuple(length // 4 for length in _VECTOR_BYTES[size])
    row_bytes = 4.0 * work.ROW
    map_bytes = 4.0 * work.MAP_CHANNELS * work.MAP_SIDE**2
    vocabulary, width = _VOCABULARY[size], _EMBEDDING_WIDTH[size]
    table_bytes = 4.0 * vocabulary * width

    def probe(
        name: str, op_class: str, op_kind: str, sizes: tuple[int, ...], build: Callable[[int], Work],
        describe: Callable[[int], str], footprint: Callable[[int], float], cost: Callable[[int], float] = float,
    ) -> Probe:  # fmt: skip
        return Probe(
            name=name,
            kind="bandwidth",
            op_class=op_class,
            op_kind=op_kind,
            dtype="fp32",
            sizes=sizes,
            build=build,
            describe=describe,
            footprint=footprint,
            cost=cost,
            compute_bound=False,
        )

    def amount(item_bytes: float, more: str = "") -> Callable[[int], str]:
        return lambda count: f"{count * item_bytes / _MIB:.0f} MiB{more}"

    def six(item_bytes: float) -> Callable[[int], float]:
        return lambda count: 6 * count * item_bytes

    rows = f" in rows of {work.ROW}, forward + backward"
    maps = f" in maps of {work.MAP_CHANNELS}×{work.MAP_SIDE}×{work.MAP_SIDE}, forward + backward"
    return [
        probe("copy", "copy", "cast", vectors, partial(work.copy, device), amount(4.0), six(4.0)),
        probe(
            "pointwise_chain", "pointwise", "pointwise", vectors, partial(work.pointwise_chain, device),
            amount(4.0, ", 3 kernels"), six(4.0),
        ),
        probe(
            "layer_norm", "norm", "layer_norm", _ROWS[size], partial(work.layer_norm, device),
            amount(row_bytes, rows), six(row_bytes),
        ),
        probe(
            "softmax", "softmax", "softmax", _ROWS[size], partial(work.softmax, device), amount(row_bytes, rows),
            six(row_bytes),
        ),
        probe(
            "batch_norm", "norm", "batch_norm", _MAP_BATCHES[size], partial(work.batch_norm, device),
            amount(map_bytes, maps), six(map_bytes),
        ),
        probe(
            "max_pool", "pool", "max_pool", _MAP_BATCHES[size], partial(work.max_pool, device),
            amount(map_bytes, maps), six(map_bytes),
        ),
        probe(
            "reduction", "reduce", "reduce", _ROWS[size], partial(work.reduction, device),
            amount(row_bytes, ", sums of the columns"), six(row_bytes),
        ),
        probe(
            "embedding", "embedding", "gather", _TOKENS[size], partial(work.embedding, device, vocabulary, width),
            lambda tokens: f"{tokens} of {vocabulary} rows of {width}, forward + backward",
            lambda tokens: 3 * table_bytes + 6.0 * 4 * tokens * width,
        ),
        probe(
            "adamw", "optimizer", "optimizer", _PARAMETERS[size], partial(work.adamw, device),
            lambda count: f"{count / 1e6:.1f} million parameters in 8 tensors", lambda count: 6.0 * 4 * count,
        ),
        probe(
            "transpose", "transpose", "transpose", _MATRIX_SIDES[size], partial(work.transpose, device),
            lambda n: f"{n}×{n}", lambda n: 3.0 * 4 * n * n, lambda n: float(n) ** 2,
        ),
    ]  # fmt: skip


def _latency(name: str, op_class: str, make: Callable[[], Work], what: str) -> Probe:
    return Probe(
        name=name,
        kind="latency",
        op_class=op_class,
        dtype="",
        sizes=(1,),
        build=lambda _: make(),
        describe=lambda _: what,
        footprint=lambda _: 4.0,
        cost=float,
        compute_bound=False,
    )


def _photos() -> Probe:
    return Probe(
        name="photo",
        kind="latency",
        op_class="input",
        dtype="",
        sizes=(1,),
        build=photos.decode,
        describe=lambda _: "JPEG {}×{}, crop to {}×{}, one core".format(*photos.SIZE, photos.CROP, photos.CROP),
        footprint=lambda _: 1e7,
        cost=float,
        compute_bound=False,
    )


def _of_cuda(device: Device) -> list[Probe]:
    """What crosses the link to the host, and what waiting for the device costs."""

    def link(name: str, build: Callable[[int], Work], memory: str) -> Probe:
        return Probe(
            name=name,
            kind="bandwidth",
            op_class=name,
            dtype="",
            sizes=tuple(length // 4 for length in _LINK_BYTES),
            build=build,
            describe=lambda count: f"{count * 4 / _MIB:.0f} MiB {memory}",
            footprint=lambda count: 4.0 * count,
            cost=float,
            compute_bound=False,
        )

    return [
        link("h2d", partial(work.host_to_device, device), "from pinned memory"),
        link("h2d_pageable", partial(work.host_to_device_pageable, device), "from ordinary memory"),
        link("d2h", partial(work.device_to_host, device), "into pinned memory"),
        _latency("item", "sync", partial(work.read_one_number, device), "1 element to the host"),
        _latency(
            "launch_graph", "launch_graph", partial(work.graph_of_launches, device),
            f"graph of {work.GRAPH_KERNELS} kernels of 1 element",
        ),
    ]  # fmt: skip


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
