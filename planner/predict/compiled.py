"""What ``torch.compile`` may do to a step: an honest range, for nothing public measured it on an RTX 3090.

The compiler leaves convolutions, products and fused attention to the same libraries and joins what lies between
them into fewer kernels that move less. PyTorch's own figures, training on an A100: 163 models 1.51 times as fast
in autocast, 1.21 times in fp32 on average, and less on cards like the RTX 3090 (the announcement of PyTorch 2.0).
An RTX 3090 computes 76 operations in 16 bits per byte it moves, an A100 200: less of its step can be
joined.

Between "everything is joined, each intermediate value stays in registers" and "graph breaks leave the step as it
is" the time of the joined kinds is multiplied by ``FUSED_TIME``. The copies of parameters and gradients in the
optimizer are not compiled. Memory is counted as without the compiler, the careful side: it saves no more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from planner.evidence import Range
from planner.workload.optable import KINDS

FUSED = np.isin(
    KINDS,
    ("batch_norm", "layer_norm", "group_norm", "softmax", "pointwise", "pointwise_broadcast",
     "pointwise_mismatched", "cast", "transpose", "concat", "fill", "reduce"),
)  # fmt: skip
FUSED_TIME = Range(0.3, 0.55, 1.0)  # judgement: the middle of the two ends, on a scale of ratios
# Standard deviation of the logarithm, were it a normal distribution whose 90 % interval that is.
SIGMA_FUSED = math.log(FUSED_TIME.high / FUSED_TIME.low) / 2 / 1.6449


def fused_time_factor() -> NDArray[np.float64]:
    """(K,) what the time and the number of kernels of a kind are multiplied by."""
    factor: NDArray[np.float64] = np.where(FUSED, FUSED_TIME.likely, 1.0)
    return factor
