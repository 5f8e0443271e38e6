"""What is fitted: logarithms of efficiencies, built up from the kind, its phases and its memory formats.

Each parameter is pulled back to its starting value, which is where it stays when the data say nothing about it.
Starting values of kinds are what such kernels usually reach; those of shapes are tile sizes of matrix units.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.predict.kernel_time import (
    ALIGNMENTS,
    DEPTHWISE_WAYS,
    GROUP_WIDTHS,
    GROUPED_WAYS,
    PRODUCT_FAMILIES,
    WINDOWS,
    ShapeTerms,
)
from planner.predict.types import FORMATS, Floats
from planner.workload.optable import KINDS, PHASES

# Shares of peak (of fp32 for depthwise) and of bandwidth that such kernels usually reach.
_FLOP = {
    "conv_stem": 0.25, "conv": 0.6, "conv_1x1": 0.6, "conv_depthwise": 0.25, "conv_grouped": 0.2, "linear": 0.65,
    "bmm": 0.35, "attention": 0.5, "rnn": 0.3,
}  # fmt: skip
_BYTE = {
    "conv_stem": 0.6, "conv": 0.6, "conv_1x1": 0.6, "conv_depthwise": 0.5, "conv_grouped": 0.15, "linear": 0.7,
    "bmm": 0.6, "attention": 0.6, "rnn": 0.5, "batch_norm": 0.55, "layer_norm": 0.6, "group_norm": 0.5,
    "softmax": 0.7, "pointwise": 0.85, "pointwise_broadcast": 0.8, "pointwise_mismatched": 0.2, "cast": 0.8,
    "transpose": 0.5, "concat": 0.6, "fill": 0.85, "reduce": 0.65, "max_pool": 0.5, "average_pool": 0.5,
    "gather": 0.4, "optimizer": 0.8,
}  # fmt: skip
_OTHER_FLOP = 0.5  # of kinds that hardly compute
_WEIGHT_GRADIENT = -0.2  # logarithm: their products are deep and narrow
_SLOW_GROUPED_BYTES_PER_S, _BANDWIDTH_BYTES_PER_S = 20e9, 936e9  # seen on an RTX 3090
_LAUNCH_S = 5e-6
_LAUNCH_STIFFNESS = 30.0  # no published step is bound by launches: left free, they grow to mend something else


@dataclass(frozen=True)
class Start:
    """Where a parameter starts, and how strongly it is pulled back there."""

    value: Floats
    stiffness: float


def starting_point() -> dict[str, Start]:
    """All parameters."""
    flop = np.log([_FLOP.get(kind, _OTHER_FLOP) for kind in KINDS])
    byte = np.log([_BYTE[kind] for kind in KINDS])
    kinds, phases, formats = len(KINDS), len(PHASES), len(FORMATS)
    by_phase = np.zeros((kinds, phases))
    by_phase[:, PHASES.index("weight_gradient")] = _WEIGHT_GRADIENT
    extents = np.log(np.tile([[256.0, 16.0, 32.0], [32.0, 32.0, 256.0]], (len(PRODUCT_FAMILIES), 1)))
    windows = np.zeros(len(DEPTHWISE_WAYS) * phases * (len(WINDOWS) + 1))
    widths = len(GROUP_WIDTHS) + 1
    grouped = np.zeros(len(GROUPED_WAYS) * widths)
    grouped[GROUPED_WAYS.index("slow") * widths :] = np.log(_SLOW_GROUPED_BYTES_PER_S / _BANDWIDTH_BYTES_PER_S)
    alignment = np.array([[0.0, 0.0, -0.1, -0.2], [0.0, -0.2, -0.5, -0.7]])
    assert alignment.shape == (formats, len(ALIGNMENTS))
    return {
        "flop_kind": Start(flop, 1.0),
        "flop_phase": Start(by_phase, 1.0),
        "flop_format": Start(np.zeros((kinds, formats)), 1.0),
        "flop_phase_format": Start(np.zeros((kinds, phases, formats)), 2.0),
        "byte_kind": Start(byte, 1.0),
        "byte_phase": Start(np.zeros((kinds, phases)), 1.0),
        "byte_format": Start(np.zeros((kinds, formats)), 1.0),
        "byte_phase_format": Start(np.zeros((kinds, phases, formats)), 2.0),
        "extents": Start(extents, 1.0),
        "alignment": Start(alignment, 1.0),
        "window": Start(windows, 0.5),
        "stride": Start(windows, 0.5),
        "blocks": Start(np.log([200.0]), 0.5),
        "grouped": Start(grouped, 0.5),
        "ragged": Start(np.array([-0.2]), 0.5),
        "launch": Start(np.log([_LAUNCH_S]), _LAUNCH_STIFFNESS),
    }


def log_efficiency(values: dict[str, Any], limit: str) -> Any:
    """(F, P, K) logarithms of the shares of one limit, "flop" or "byte". Arrays of numpy or torch."""
    kind, by_phase = values[f"{limit}_kind"], values[f"{limit}_phase"]
    by_format, by_both = values[f"{limit}_format"], values[f"{limit}_phase_format"]
    grid = kind[:, None, None] + by_phase[:, :, None] + by_format[:, None, :] + by_both  # (K, P, F)
    return grid.swapaxes(0, 2)


def shape_terms(xp: Any, values: dict[str, Any]) -> ShapeTerms:
    """What shapes cost. Arrays of numpy or torch."""
    aligned = values["alignment"][:, :1]
    return ShapeTerms(
        extents=xp.exp(values["extents"]),
        alignment=values["alignment"] - aligned,
        window=values["window"],
        stride=values["stride"],
        blocks=xp.exp(values["blocks"]),
        grouped=values["grouped"],
        ragged=values["ragged"],
    )
