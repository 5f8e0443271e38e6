"""How long one kernel takes: a roofline whose two limits are reached to a share that kind and shape decide.

    t = smooth-max₄(flops / (e_flop · peak), bytes / (e_byte · bandwidth)) + launch

The shares e of a cell (memory format, phase, kind) are corrected by shape: products shorter than a tile of the
matrix units in one of their extents, channels that are no multiple of 8, windows of depthwise convolutions, and
grouped convolutions for which cuDNN has no kernel in channels-last order.

Written with operators and functions that numpy and torch share (``xp``), so that the calibration differentiates
exactly what the product computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.workload.optable import KINDS, PHASES, Ops

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

ROOFLINE_POWER = 4

_CONVOLUTIONS = ("conv_stem", "conv", "conv_1x1")
# Kinds of products by how their efficiency falls with small extents; the others are no products.
PRODUCT_FAMILIES = {
    "convolution": (*_CONVOLUTIONS, "conv_grouped"),
    "linear": ("linear",),
    "batched": ("bmm", "attention"),
}
ALIGNMENTS = (8, 4, 2, 1)  # the largest of these that divides both channel counts
WINDOWS = (9, 25, 49)  # elements of a depthwise window: up to 3×3, 5×5, 7×7; larger ones are the last class
# How a depthwise convolution runs: by cuDNN, or by torch's own kernels (contiguous only), which serve what cuDNN's
# do not: windows other than 1, 3 and 5 wide, and fewer than 32 channels (aten/src/ATen/native/Convolution.cpp).
DEPTHWISE_WAYS = ("contiguous", "channels_last", "own")
_CUDNN_WINDOWS, _CUDNN_CHANNELS = (1, 9, 25), 32
GROUP_WIDTHS = (2, 4, 8, 16, 24, 40, 48, 80, 160)  # channels of a group, up to; wider ones are the last class
# How a grouped convolution runs: contiguous, channels-last with a kernel of its own, channels-last without.
GROUPED_WAYS = ("contiguous", "native", "slow")
# Channels of a group, alike on both sides, for which cuDNN's grouped kernels in channels-last order exist, from so
# many groups on and for multiples of so many channels in all. Found in the published steps, where these are up to
# ten times faster.
_NATIVE_WIDTHS, _NATIVE_GROUPS, _NATIVE_CHANNELS = (4, 8, 16, 32), 16, 32

_WEIGHT_GRADIENT = PHASES.index("weight_gradient")
_FAMILY_OF_KIND = np.full(len(KINDS), -1)
for _place, _kinds in enumerate(PRODUCT_FAMILIES.values()):
    _FAMILY_OF_KIND[np.isin(KINDS, _kinds)] = _place
_ALIGNED = np.isin(KINDS, (*_CONVOLUTIONS, "linear"))  # kinds that care for alignment
_DEPTHWISE, _GROUPED = KINDS.index("conv_depthwise"), KINDS.index("conv_grouped")


@dataclass(frozen=True)
class Shapes:
    """Where each of R rows stands in the arrays of ``ShapeTerms``. All arrays are (R,)."""

    extents: Indices  # product family · 2 + is a weight gradient; 0 for kinds that are no products
    inverse_m: Floats  # 1/m, 1/n, 1/k of products, 0 elsewhere
    inverse_n: Floats
    inverse_k: Floats
    alignment: Indices  # index into ALIGNMENTS
    layout: Indices  # 0 contiguous, 1 channels-last
    window: Indices  # (way · P + phase) · 4 + class of the window; 0 where not depthwise
    is_depthwise: Floats  # 1 or 0
    is_strided: Floats  # 1 for depthwise windows that skip positions
    inverse_blocks: Floats  # 1 / blocks of torch's own depthwise weight gradient (channels · window), 0 elsewhere
    grouped: Indices  # way · 10 + class of the width; 0 where not grouped
    is_grouped: Floats  # 1 or 0
    is_ragged: Floats  # 1 for grouped convolutions whose groups are no multiple of 16 channels, contiguous
    is_slow: NDArray[np.bool_]  # a grouped convolution in channels-last order without a kernel of its own


@dataclass(frozen=True)
class ShapeTerms:
    """What shapes cost. F: contiguous, channels-last."""

    extents: Any  # (families · 2, 3) m, n and k at which half of the efficiency is lost
    alignment: Any  # (F, 4) logarithm of the share that is left
    window: Any  # (3 · P · 4,) logarithm, of both limits
    stride: Any  # (3 · P · 4,) logarithm, of both limits
    blocks: Any  # (1,) blocks of torch's own depthwise weight gradient that fill half of the device
    grouped: Any  # (3 · 10,) logarithm, of both limits; of the slow way: the share of the bandwidth itself
    ragged: Any  # (1,) logarithm, of both limits


# Shape costs nothing.
NO_SHAPE = ShapeTerms(
    extents=np.zeros((2 * len(PRODUCT_FAMILIES), 3)),
    alignment=np.zeros((2, len(ALIGNMENTS))),
    window=np.zeros(len(DEPTHWISE_WAYS) * len(PHASES) * (len(WINDOWS) + 1)),
    stride=np.zeros(len(DEPTHWISE_WAYS) * len(PHASES) * (len(WINDOWS) + 1)),
    blocks=np.zeros(1),
    grouped=np.zeros(len(GROUPED_WAYS) * (len(GROUP_WIDTHS) + 1)),
    ragged=np.zeros(1),
)


def _inverse(extent: Floats, where: NDArray[np.bool_]) -> Floats:
    return np.divide(1.0, extent, out=np.zeros(len(extent)), where=where & (extent > 0))


def _channels(ops: Ops, rows: Indices) -> tuple[Floats, Floats]:
    """Channels of a group on either side of a convolution; width and depth of other products."""
    weight_gradient = ops.phase[rows] == _WEIGHT_GRADIENT
    one = np.where(weight_gradient, ops.m[rows], ops.n[rows])
    return one, np.where(weight_gradient, ops.n[rows], ops.k[rows]) / ops.kernel[rows]


def _alignment(ops: Ops) -> Indices:
    """(R,) index into ALIGNMENTS of the largest that divides both channel counts."""
    found = np.zeros(len(ops.kind), dtype=np.int64)
    rows = np.flatnonzero(_ALIGNED[ops.kind])
    one, other = _channels(ops, rows)
    common = np.gcd(np.rint(one).astype(np.int64), np.rint(other).astype(np.int64))
    found[rows] = sum((common % divisor != 0).astype(np.int64) for divisor in ALIGNMENTS[:-1])
    return found


def _depthwise(ops: Ops, layout: Indices) -> dict[str, Any]:
    """The fields of depthwise convolutions."""
    window, is_depthwise, is_strided, inverse_blocks = (np.zeros(len(ops.kind)) for _ in range(4))
    rows = np.flatnonzero(ops.kind == _DEPTHWISE)
    if rows.size:
        phase, kernel, channels = ops.phase[rows], ops.kernel[rows], ops.groups[rows]
        own = (layout[rows] == 0) & (~np.isin(kernel, _CUDNN_WINDOWS) | (channels < _CUDNN_CHANNELS))
        way = np.where(own, DEPTHWISE_WAYS.index("own"), layout[rows])
        window[rows] = (way * len(PHASES) + phase) * (len(WINDOWS) + 1) + np.searchsorted(WINDOWS, kernel)
        is_depthwise[rows] = 1.0
        is_strided[rows] = ops.stride[rows] > 1
        inverse_blocks[rows] = _inverse(channels * kernel, own & (phase == _WEIGHT_GRADIENT))
    return {
        "window": window.astype(np.int64),
        "is_depthwise": is_depthwise,
        "is_strided": is_strided,
        "inverse_blocks": inverse_blocks,
    }


def _grouped(ops: Ops, layout: Indices) -> dict[str, Any]:
    """The fields of grouped convolutions."""
    grouped, is_grouped, is_ragged, is_slow = (np.zeros(len(ops.kind)) for _ in range(4))
    rows = np.flatnonzero(ops.kind == _GROUPED)
    if rows.size:
        (one, other), groups, channels_last = _channels(ops, rows), ops.groups[rows], layout[rows] == 1
        native = np.isin(one, _NATIVE_WIDTHS) & (one == other) & (groups >= _NATIVE_GROUPS)
        slow = channels_last & ~(native & (one * groups % _NATIVE_CHANNELS == 0))
        width = np.maximum(one, other)
        way = np.where(slow, GROUPED_WAYS.index("slow"), layout[rows])
        grouped[rows] = way * (len(GROUP_WIDTHS) + 1) + np.searchsorted(GROUP_WIDTHS, width)
        is_grouped[rows] = 1.0
        is_ragged[rows] = (width % 16 != 0) & ~channels_last
        is_slow[rows] = slow
    return {
        "grouped": grouped.astype(np.int64),
        "is_grouped": is_grouped,
        "is_ragged": is_ragged,
        "is_slow": is_slow.astype(np.bool_),
    }


def shapes_of(ops: Ops) -> Shapes:
    """What of the rows' shapes matters."""
    family = _FAMILY_OF_KIND[ops.kind]
    is_product = family >= 0
    layout = ops.channels_last.astype(np.int64)
    return Shapes(
        extents=np.where(is_product, family * 2 + (ops.phase == _WEIGHT_GRADIENT), 0),
        inverse_m=_inverse(ops.m, is_product),
        inverse_n=_inverse(ops.n, is_product),
        inverse_k=_inverse(ops.k, is_product),
        alignment=_alignment(ops),
        layout=layout,
        **_depthwise(ops, layout),
        **_grouped(ops, layout),
    )


def _log_flop_share(xp: Any, shapes: Any, terms: Any) -> Any:
    """(R,) logarithm of what shape leaves of the FLOP limit."""
    half = terms.extents[shapes.extents]
    return (
        terms.alignment[shapes.layout, shapes.alignment]
        - xp.log1p(half[:, 0] * shapes.inverse_m)
        - xp.log1p(half[:, 1] * shapes.inverse_n)
        - xp.log1p(half[:, 2] * shapes.inverse_k)
    )


def _log_share(xp: Any, shapes: Any, terms: Any) -> Any:
    """(R,) logarithm of what shape leaves of both limits."""
    return (
        shapes.is_depthwise * terms.window[shapes.window]
        + shapes.is_strided * terms.stride[shapes.window]
        - xp.log1p(terms.blocks[0] * shapes.inverse_blocks)
        + shapes.is_grouped * terms.grouped[shapes.grouped]
        + shapes.is_ragged * terms.ragged[0]
    )


def smooth_max(xp: Any, a: Any, b: Any, power: int = ROOFLINE_POWER) -> Any:
    """(aᵖ + bᵖ)^(1/p), safe where both are 0."""
    top = xp.maximum(a, b)
    scale = xp.where(top > 0, top, 1.0 + 0.0 * top)
    return scale * ((a / scale) ** power + (b / scale) ** power) ** (1 / power)


def roofline_seconds(
    xp: Any, flop_s: Any, byte_s: Any, log_flop: Any, log_byte: Any, shapes: Any, terms: Any
) -> Any:
    """(R,) seconds of one execution of each row, without launch.

    ``flop_s``, ``byte_s``: at full peak and bandwidth. ``log_flop``, ``log_byte``: logarithms of the shares that
    the rows' cells reach.
    """
    share = _log_share(xp, shapes, terms)
    log_flop = log_flop + share + _log_flop_share(xp, shapes, terms)
    # The slow grouped kernels move data in some unsuited way; arithmetic does not count beside it.
    log_byte = xp.where(shapes.is_slow, 0.0 * log_byte, log_byte) + share
    flop_s = xp.where(shapes.is_slow, 0.0 * flop_s, flop_s)
    return smooth_max(xp, flop_s * xp.exp(-log_flop), byte_s * xp.exp(-log_byte))
