"""A real PyTorch model to an OpTable: trace at two batches and three sizes, check, fit."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from planner.workload.job import MemoryFormat
from planner.workload.optable import KINDS, POLYNOMIALS, Floats, OpTable, SizeKind, positions_at
from planner.workload.trace.errors import TraceError
from planner.workload.trace.fit import Solver, candidate_peaks, coefficients, solver
from planner.workload.trace.layout import laid_out, laid_out_model
from planner.workload.trace.recorder import Kernel
from planner.workload.trace.step import (
    Inputs,
    Loss,
    StepRecord,
    checkpoint_blocks,
    input_bytes,
    record_inference,
    record_training,
)

TracedPrecision = Literal["fp32", "amp", "bf16"]
BATCHES = (2, 4)
# Batches at which the moment of the peak is looked for; between them it is one of theirs.
_PEAK_BATCHES = tuple(2**power for power in range(17))
_PEAK_SIZES = 32


@dataclass(frozen=True)
class Traceable:
    """A model with all that a training step needs.

    ``build(size, dtype)`` makes it on the meta device with weights of ``dtype``; ``inputs(batch, size,
    dtype)`` makes one batch, its targets under the key "target", the rest by the names of the model's
    arguments. Three ``trace_sizes`` that the model's strides divide, one (0) where no size applies.
    """

    name: str
    size_kind: SizeKind
    size_unit: int
    default_size: int
    size_min: int
    size_max: int
    trace_sizes: tuple[int, ...]
    build: Callable[[int, torch.dtype], torch.nn.Module]
    inputs: Callable[[int, int, torch.dtype], Inputs]
    loss: Loss
    blocks: Callable[[torch.nn.Module], list[torch.nn.Module]] | None = None
    precisions: tuple[TracedPrecision, ...] = ("fp32", "amp", "bf16")
    autocast_dtype: torch.dtype = torch.float16
    eager_attention: bool = False  # as before torch 2: products and softmax instead of one fused operator

    def positions(self, size: int) -> int:
        """n of ``planner.workload.optable``, a whole number for the sizes that are traced."""
        if self.size_kind != "none" and size % self.size_unit:
            raise TraceError(f"{self.name}: size {size} is no multiple of {self.size_unit}")
        return int(positions_at(self.size_kind, self.size_unit, size))


@dataclass(frozen=True)
class _Samples:
    """Records of one variant at all sample points, batches slowest."""

    training: list[StepRecord]
    inference: list[StepRecord]
    input_bytes: list[int]


def trace_table(
    source: Traceable, precision: TracedPrecision, checkpointing: str, memory_format: MemoryFormat = "contiguous"
) -> OpTable:
    """Trace one variant. Raises TraceError if the model executes other operators at another batch or size."""
    positions = [source.positions(size) for size in source.trace_sizes]
    samples = _sampled(source, precision, checkpointing, memory_format)
    solve = solver(BATCHES, positions)
    _require_same_operators(source, [record.kernels for record in samples.training])
    live, gradients = _live_rows(source, solve, samples.training)
    live_infer, _ = _live_rows(source, solve, samples.inference)
    rows = _collapsed(solve, [record.kernels for record in samples.training])
    model = source.build(source.default_size, _weight_dtype(precision))
    parameters = list(model.parameters())
    trained = [parameter for parameter in parameters if parameter.requires_grad]
    return OpTable(
        model=source.name,
        precision=precision,
        memory_format=memory_format,
        checkpointing=checkpointing,
        size_kind=source.size_kind,
        default_size=source.default_size,
        size_unit=source.size_unit,
        size_min=source.size_min,
        size_max=source.size_max,
        kind=np.array([KINDS.index(row.kind) for row in rows], dtype=np.int64),
        phase=np.array([row.phase for row in rows], dtype=np.int64),
        dtype_bytes=np.array([row.dtype_bytes for row in rows], dtype=np.int64),
        channels_last=np.array([row.channels_last for row in rows], dtype=np.bool_),
        **{
            name: np.array([getattr(row, name) for row in rows], dtype=np.float64)
            for name in ("count", "kernel", "stride", *POLYNOMIALS)
        },
        live_bytes=live,
        live_gradient_bytes=gradients,
        live_bytes_infer=live_infer,
        parameters=sum(getattr(parameter, "weights_held", parameter.numel()) for parameter in parameters),
        trained_parameters=sum(parameter.numel() for parameter in trained),
        parameter_tensors=len(trained),
        parameter_bytes=_stored_bytes(parameters),
        trained_parameter_bytes=_stored_bytes(trained),
        buffer_bytes=_stored_bytes(list(model.buffers())),
        input_bytes=np.array(coefficients(solve, samples.input_bytes)),
    )


def record_step(
    source: Traceable,
    precision: TracedPrecision,
    checkpointing: str,
    batch_size: int,
    size: int,
    memory_format: MemoryFormat = "contiguous",
) -> StepRecord:
    """One training step traced directly, for checking a table."""
    dtype = _weight_dtype(precision)
    model = _model(source, precision, checkpointing, size, memory_format)
    inputs = laid_out(source.inputs(batch_size, size, dtype), memory_format)
    return record_training(model, inputs, source.loss, _autocast(source, precision), source.eager_attention)


def _weight_dtype(precision: TracedPrecision) -> torch.dtype:
    return torch.bfloat16 if precision == "bf16" else torch.float32


def _autocast(source: Traceable, precision: TracedPrecision) -> torch.dtype | None:
    return source.autocast_dtype if precision == "amp" else None


def _model(
    source: Traceable, precision: TracedPrecision, checkpointing: str, size: int, memory_format: MemoryFormat
) -> torch.nn.Module:
    model = laid_out_model(source.build(size, _weight_dtype(precision)), memory_format)
    if checkpointing == "full":
        if source.blocks is None:
            raise TraceError(f"{source.name} has no blocks to checkpoint")
        checkpoint_blocks(source.blocks(model), _autocast(source, precision), source.eager_attention)
    return model


def _sampled(
    source: Traceable, precision: TracedPrecision, checkpointing: str, memory_format: MemoryFormat
) -> _Samples:
    autocast, dtype = _autocast(source, precision), _weight_dtype(precision)
    records = {}
    for size in source.trace_sizes:
        model = _model(source, precision, checkpointing, size, memory_format)
        for batch in BATCHES:
            inputs = laid_out(source.inputs(batch, size, dtype), memory_format)
            training = record_training(model, inputs, source.loss, autocast, source.eager_attention)
            inference = record_inference(model, inputs, autocast, source.eager_attention)
            records[batch, size] = training, inference, input_bytes(inputs)
        del model
        gc.collect()  # models are full of cycles; without this several are alive at once
    ordered = [records[point] for point in product(BATCHES, source.trace_sizes)]
    return _Samples(*(list(column) for column in zip(*ordered, strict=True)))


def _require_same_operators(source: Traceable, runs: Sequence[list[Kernel]]) -> None:
    first = runs[0]
    for run, (batch, size) in zip(runs, product(BATCHES, source.trace_sizes), strict=True):
        for index, (kernel, other) in enumerate(zip(first, run, strict=False)):
            if _kind(kernel) != _kind(other):
                raise TraceError(
                    f"{source.name} executes other operators at batch {batch}, size {size} than at batch "
                    f"{BATCHES[0]}, size {source.trace_sizes[0]}: operator {index} is {other.operator} "
                    f"instead of {kernel.operator}"
                )
        if len(run) != len(first):
            raise TraceError(
                f"{source.name} executes {len(run)} operators at batch {batch}, size {size}, but "
                f"{len(first)} at batch {BATCHES[0]}, size {source.trace_sizes[0]}"
            )


def _kind(kernel: Kernel) -> tuple[str, int, str, int]:
    return kernel.operator, kernel.phase, kernel.cost.kind, kernel.cost.dtype_bytes


@dataclass(frozen=True)
class _Row:
    kind: str
    phase: int
    dtype_bytes: int
    channels_last: bool
    kernel: int
    stride: int
    count: int
    flops: tuple[float, ...]
    bytes: tuple[float, ...]
    m: tuple[float, ...]
    n: tuple[float, ...]
    k: tuple[float, ...]
    groups: tuple[float, ...]


def _collapsed(solve: Solver, runs: Sequence[list[Kernel]]) -> list[_Row]:
    """Kernels that are alike at every sample point become one row, in the order of their first execution."""
    counted = Counter((same[0].phase, tuple(kernel.cost for kernel in same)) for same in zip(*runs, strict=True))
    return [
        _Row(
            kind=costs[0].kind,
            phase=phase,
            dtype_bytes=costs[0].dtype_bytes,
            channels_last=costs[0].channels_last,
            kernel=costs[0].kernel,
            stride=costs[0].stride,
            count=count,
            **{name: coefficients(solve, [getattr(cost, name) for cost in costs]) for name in POLYNOMIALS},
        )
        for (phase, costs), count in counted.items()
    ]


def _live_rows(source: Traceable, solve: Solver, records: Sequence[StepRecord]) -> tuple[Floats, Floats]:
    """(P, 6) coefficients of the moments that can be the peak, and (P,) gradient bytes at each."""
    lengths = {len(record.live) for record in records}
    if len(lengths) != 1:
        raise TraceError(f"{source.name}: the number of events changes with batch or size: {sorted(lengths)}")
    live = np.stack([record.live for record in records])
    gradients = _gradients_at_default(source, records)
    sizes = np.unique(np.linspace(source.size_min, source.size_max, _PEAK_SIZES).astype(int))
    positions = [positions_at(source.size_kind, source.size_unit, int(size)) for size in sizes]
    events = candidate_peaks(solve, live, gradients, _PEAK_BATCHES, positions)
    found = {(coefficients(solve, list(live[:, event])), float(gradients[event])) for event in events}
    rows = sorted(found, reverse=True)
    return np.array([row for row, _ in rows]), np.array([kept for _, kept in rows])


def _gradients_at_default(source: Traceable, records: Sequence[StepRecord]) -> NDArray[np.int64]:
    """(events,) gradient bytes of the traced size nearest to the default: a few weights grow with the size."""
    nearest = min(range(len(source.trace_sizes)), key=lambda k: abs(source.trace_sizes[k] - source.default_size))
    return records[nearest].gradients


def _stored_bytes(tensors: Sequence[torch.Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)
