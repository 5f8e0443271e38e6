"""The op table: what one training step executes, as numbers free of any GPU.

A table is traced once and serves every batch size b and every problem size. Let n be the number of
positions of the input: (image_size / size_unit)² for images, (image_size / size_unit)³ for volumes,
sequence_length / size_unit for sequences, 1 where neither applies. Every quantity q of an op is then, exactly
for sizes that size_unit divides,

    q(b, n) = Σ_ij  c[3 i + j] · bⁱ · nʲ        i ∈ {0, 1}, j ∈ {0, 1, 2}

so a row stores six coefficients per quantity instead of a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

OP_CLASSES = (
    "conv",  # dense convolution, kernel > 1×1
    "conv_1x1",
    "conv_depthwise",
    "conv_grouped",
    "matmul",  # mm, addmm, linear
    "bmm",
    "attention",  # fused scaled-dot-product attention
    "rnn",  # LSTM/GRU as one op
    "norm",  # batch, layer, group normalisation
    "softmax",  # softmax, log-softmax, cross-entropy
    "pointwise",
    "copy",  # copies, casts, concatenation, padding
    "reduce",
    "pool",
    "embedding",
    "optimizer",
)
PHASES = ("forward", "backward", "optimizer")
COEFFICIENTS = 6

SizeKind = Literal["image", "volume", "sequence", "none"]
_DIMENSIONS: dict[SizeKind, int] = {"image": 2, "volume": 3, "sequence": 1}


@dataclass(frozen=True)
class OpTable:
    """One traced variant of a model. ``rows`` R unique ops, each executed ``count`` times a step.

    The optimizer is not in the rows: it is worked out from the parameters (``planner.predict``).
    """

    model: str
    precision: str  # autocast recipe it was traced with: "fp32", "amp", "bf16"
    checkpointing: str  # "none" or "full"
    size_kind: SizeKind
    default_size: int  # image_size or sequence_length; 0 for "none"
    size_unit: int  # positions are (size / size_unit) ** dimensions
    size_min: int
    size_max: int
    op_class: NDArray[np.int64]  # (R,) index into OP_CLASSES
    phase: NDArray[np.int64]  # (R,) index into PHASES
    dtype_bytes: NDArray[np.int64]  # (R,) 2 or 4: width of the arithmetic's operands
    count: Floats  # (R,) executions per step
    flops: Floats  # (R, 6) coefficients, floating-point operations (a multiply-add is 2)
    bytes: Floats  # (R, 6) coefficients, bytes read + written at least once
    # Live activation bytes (saved tensors and temporaries, without parameters, gradients, optimizer state):
    # candidate moments of a step; the peak is the maximum over rows.
    live_bytes: Floats  # (P, 6) training
    # Gradient bytes that exist at each of these moments if the step began without any (the default of
    # zero_grad since torch 2.0). Where gradients are zeroed instead of freed, all of them exist throughout.
    live_gradient_bytes: Floats  # (P,)
    live_bytes_infer: Floats  # (Q, 6) forward only, nothing saved
    parameters: int
    trained_parameters: int
    parameter_tensors: int  # trained tensors: launches of an optimizer that is not fused
    parameter_bytes: int  # weights as stored in this recipe, frozen ones included
    trained_parameter_bytes: int
    buffer_bytes: int
    input_bytes: Floats  # (6,) coefficients: one batch of inputs and targets

    def positions(self, size: int) -> float:
        """n of the module docstring for an image size or a sequence length."""
        return positions_at(self.size_kind, self.size_unit, size)


def positions_at(size_kind: SizeKind, size_unit: int, size: int) -> float:
    """n of the module docstring; a whole number where ``size_unit`` divides ``size``."""
    return 1.0 if size_kind == "none" else float((size / size_unit) ** _DIMENSIONS[size_kind])


def basis(batch_size: float, positions: float) -> Floats:
    """(6,) values of bⁱ·nʲ, in the order of the coefficients."""
    powers = np.array([1.0, positions, positions * positions])
    return np.concatenate([powers, batch_size * powers])
