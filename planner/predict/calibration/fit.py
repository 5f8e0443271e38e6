"""Efficiencies per op class, phase and memory format, fitted to measured steps.

Adam on the log of the step time with a Huber loss; steps weigh 1 / √(size of their family); a ridge pulls every
logarithm towards the textbook value (and the difference between memory formats towards none), which is where a
class stays that the data say nothing about.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from planner.predict.calibration.measured import Measured
from planner.predict.step_time import ROOFLINE_POWER
from planner.predict.types import Floats
from planner.workload.optable import OP_CLASSES, PHASES

HUBER = 0.15
RIDGE = 2e-4
# No measured step is bound by launches: left free, their cost grows to 15 µs to mend something else. Small batches
# need it physical.
RIDGE_LAUNCH = 6e-3
ITERATIONS = 500
RATE = 0.02
CELLS = len(PHASES) * len(OP_CLASSES)
# Only kernels on four-dimensional tensors know a memory format; matrix products and attention do not.
_LAID_OUT = np.isin(
    OP_CLASSES,
    ("conv", "conv_1x1", "conv_depthwise", "conv_grouped", "norm", "pool", "copy", "reduce"),
)


@dataclass(frozen=True)
class Fit:
    """Natural logarithms of the efficiencies, (2 formats, 2 limits: FLOP and byte, cells), and the launch cost."""

    log_efficiency: Floats
    launch_s: float

    def seconds(self, data: Measured) -> Floats:
        """(S,) predicted step times."""
        times, _ = row_times(self.log_efficiency, data)
        total: Floats = np.bincount(data.step, times, minlength=len(data.step_s)) + self.launch_s * data.kernels
        return total


def row_times(log_efficiency: Floats, data: Measured) -> tuple[Floats, Floats]:
    """(R,) smooth maxima and (R,) the share of the FLOP limit in each."""
    layout = data.memory_format[data.step]
    flop_s = data.flop_s * np.exp(-log_efficiency[layout, 0, data.cell])
    byte_s = data.byte_s * np.exp(-log_efficiency[layout, 1, data.cell])
    flop_power, byte_power = flop_s**ROOFLINE_POWER, byte_s**ROOFLINE_POWER
    power = flop_power + byte_power
    share = np.divide(flop_power, power, out=np.zeros_like(power), where=power > 0)
    return power ** (1 / ROOFLINE_POWER), share


def _weights(data: Measured) -> Floats:
    size = Counter(data.family)
    weights: Floats = np.array([1 / np.sqrt(size[family]) for family in data.family])
    weights /= weights.sum()
    return weights


def fit(data: Measured, flop: float, byte: float, launch_s: float) -> Fit:
    """Fit from the textbook values ``flop``, ``byte`` and ``launch_s``. Deterministic."""
    start = np.concatenate(
        [np.full(CELLS, np.log(flop)), np.full(CELLS, np.log(byte)), np.zeros(2 * CELLS), [np.log(launch_s)]]
    )
    theta, weights = start.copy(), _weights(data)
    ridge = np.append(np.full(4 * CELLS, RIDGE), RIDGE_LAUNCH)
    momentum, square = np.zeros_like(theta), np.zeros_like(theta)
    for iteration in range(1, ITERATIONS + 1):
        gradient = _gradient(theta, data, weights) + 2 * ridge * (theta - start)
        momentum = 0.9 * momentum + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        rate = RATE * 0.5 * (1 + np.cos(np.pi * iteration / ITERATIONS))
        unbiased = momentum / (1 - 0.9**iteration), square / (1 - 0.99**iteration)
        theta = theta - rate * unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8)
    return _unpacked(theta)


def _unpacked(theta: Floats) -> Fit:
    """Parameters: efficiencies in contiguous layout, what channels-last adds to them, log launch cost."""
    base, change = theta[: 4 * CELLS].reshape(2, 2, CELLS)
    return Fit(np.stack([base, base + change]), float(np.exp(theta[-1])))


def _gradient(theta: Floats, data: Measured, weights: Floats) -> Floats:
    model = _unpacked(theta)
    times, share = row_times(model.log_efficiency, data)
    launches = model.launch_s * data.kernels
    total = np.bincount(data.step, times, minlength=len(data.step_s)) + launches
    residual = np.log(total / data.step_s)
    pull = weights * np.clip(residual, -HUBER, HUBER) / total  # dLoss / dTotal
    row_pull = pull[data.step] * times
    by_limit = []
    for of_limit in (share, 1.0 - share):
        downhill = -row_pull * of_limit
        channels_last = downhill * data.memory_format[data.step] * _LAID_OUT[data.cell % len(OP_CLASSES)]
        by_limit.append([np.bincount(data.cell, column, minlength=CELLS) for column in (downhill, channels_last)])
    (flop, flop_change), (byte, byte_change) = by_limit
    return np.concatenate([flop, byte, flop_change, byte_change, [float(pull @ launches)]])
