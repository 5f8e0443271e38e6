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

# What is shown, benchmarked and priced: the classes of ops.
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
# What differs in speed within a class: kind → class.
CLASS_OF_KIND = {
    "conv_stem": "conv",  # of the 1 to 4 channels of an image
    "conv": "conv",
    "conv_1x1": "conv_1x1",
    "conv_depthwise": "conv_depthwise",
    "conv_grouped": "conv_grouped",
    "linear": "matmul",
    "bmm": "bmm",
    "attention": "attention",
    "rnn": "rnn",
    "batch_norm": "norm",
    "layer_norm": "norm",
    "group_norm": "norm",
    "softmax": "softmax",
    "pointwise": "pointwise",
    "pointwise_broadcast": "pointwise",  # an operand is repeated along a dimension
    "pointwise_mismatched": "pointwise",  # operands lie in different orders of dimensions
    "cast": "copy",  # also plain copies
    "transpose": "copy",  # copies into another order of dimensions
    "concat": "copy",  # also padding
    "fill": "copy",
    "reduce": "reduce",
    "max_pool": "pool",
    "average_pool": "pool",
    "gather": "embedding",  # by index, also scattering and resampling
    "optimizer": "optimizer",
}
KINDS = tuple(CLASS_OF_KIND)
KIND_CLASS = np.array([OP_CLASSES.index(name) for name in CLASS_OF_KIND.values()], dtype=np.int64)
# "inference" is the forward pass in evaluation mode, where some kernels do less; tables hold no such rows.
PHASES = ("forward", "backward", "weight_gradient", "optimizer", "inference")
COEFFICIENTS = 6
POLYNOMIALS = ("flops", "bytes", "m", "n", "k", "groups")  # fields of OpTable with coefficients per row

SizeKind = Literal["image", "volume", "sequence", "none"]
# Only images and volumes have channels to lay out; the tables of others are contiguous.
LAID_OUT: tuple[SizeKind, ...] = ("image", "volume")
_DIMENSIONS: dict[SizeKind, int] = {"image": 2, "volume": 3, "sequence": 1}


@dataclass(frozen=True, eq=False)  # told apart by identity, so that what follows from them can be cached
class Ops:
    """What one step executes at one batch and size: R unique ops. All arrays are (R,), meant as in OpTable."""

    kind: NDArray[np.int64]
    phase: NDArray[np.int64]
    dtype_bytes: NDArray[np.int64]
    count: Floats
    channels_last: NDArray[np.bool_]
    kernel: Floats
    stride: Floats
    flops: Floats
    bytes: Floats
    m: Floats
    n: Floats
    k: Floats
    groups: Floats


@dataclass(frozen=True, eq=False)  # as Ops
class OpTable:
    """One traced variant of a model. ``rows`` R unique ops, each executed ``count`` times a step.

    The optimizer is not in the rows: it is worked out from the parameters (``planner.predict``).
    """

    model: str
    precision: str  # autocast recipe it was traced with: "fp32", "amp", "bf16"
    memory_format: str  # "contiguous" or "channels_last"
    checkpointing: str  # "none" or "full"
    size_kind: SizeKind
    default_size: int  # image_size or sequence_length; 0 for "none"
    size_unit: int  # positions are (size / size_unit) ** dimensions
    size_min: int
    size_max: int
    kind: NDArray[np.int64]  # (R,) index into KINDS
    phase: NDArray[np.int64]  # (R,) index into PHASES
    dtype_bytes: NDArray[np.int64]  # (R,) 2 or 4: width of the arithmetic's operands
    count: Floats  # (R,) executions per step
    channels_last: NDArray[np.bool_]  # (R,) works on images or volumes that lie so
    kernel: Floats  # (R,) elements of a convolution's window; 1 elsewhere
    stride: Floats  # (R,) of a convolution; 1 elsewhere
    flops: Floats  # (R, 6) coefficients, floating-point operations (a multiply-add is 2)
    bytes: Floats  # (R, 6) coefficients, bytes read + written at least once
    # Products, convolutions among them, are ``groups`` times (m, k) · (k, n); zeros and one group elsewhere.
    m: Floats  # (R, 6) coefficients
    n: Floats  # (R, 6)
    k: Floats  # (R, 6)
    groups: Floats  # (R, 6); for attention and bmm they grow with the batch
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

    @property
    def op_class(self) -> NDArray[np.int64]:
        """(R,) index into OP_CLASSES."""
        return KIND_CLASS[self.kind]

    def positions(self, size: int) -> float:
        """n of the module docstring for an image size or a sequence length."""
        return positions_at(self.size_kind, self.size_unit, size)

    def ops(self, values: Floats, *, inference: bool = False) -> Ops:
        """The rows at one batch and size; ``values``: (6,) of ``basis``. In inference the forward pass alone."""
        rows: NDArray[np.bool_] | slice = self.phase == PHASES.index("forward") if inference else slice(None)
        phase = self.phase[rows]
        return Ops(
            kind=self.kind[rows],
            phase=np.full_like(phase, PHASES.index("inference")) if inference else phase,
            dtype_bytes=self.dtype_bytes[rows],
            count=self.count[rows],
            channels_last=self.channels_last[rows],
            kernel=self.kernel[rows],
            stride=self.stride[rows],
            **{name: getattr(self, name)[rows] @ values for name in POLYNOMIALS},
        )


def positions_at(size_kind: SizeKind, size_unit: int, size: int) -> float:
    """n of the module docstring; a whole number where ``size_unit`` divides ``size``."""
    return 1.0 if size_kind == "none" else float((size / size_unit) ** _DIMENSIONS[size_kind])


def basis(batch_size: float, positions: float) -> Floats:
    """(6,) values of bⁱ·nʲ, in the order of the coefficients."""
    powers = np.array([1.0, positions, positions * positions])
    return np.concatenate([powers, batch_size * powers])
