"""From records at a few batches and sizes to coefficients that hold for all. Knows no torch.

Every quantity is q(b, n) = Σ c[3 i + j] · bⁱ · nʲ (``planner.workload.optable``), so two batches and three
sizes determine it; the solution is exact (rational arithmetic), no least squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from planner.workload.optable import basis

Solver = list[list[Fraction]]  # (6, points) from samples to coefficients


def _lagrange(nodes: Sequence[int]) -> list[list[Fraction]]:
    """Row k: coefficients, lowest power first, of the polynomial that is 1 at node k and 0 at the others."""
    rows = []
    for k, node in enumerate(nodes):
        polynomial = [Fraction(1)]
        for other in (*nodes[:k], *nodes[k + 1 :]):  # times (x − other) / (node − other)
            scale = Fraction(1, node - other)
            shifted = [Fraction(0), *polynomial]
            padded = [*polynomial, Fraction(0)]
            polynomial = [(high - other * low) * scale for high, low in zip(shifted, padded, strict=True)]
        rows.append(polynomial)
    return rows


def solver(batches: Sequence[int], positions: Sequence[int]) -> Solver:
    """The linear map from samples at (batch, position) pairs, positions varying fastest, to coefficients.

    ``batches``: two. ``positions``: three, or one where no size applies.
    """
    in_batch, in_position = _lagrange(batches), _lagrange(positions)
    return [
        [
            in_batch[k][power_b] * (in_position[m][power_n] if power_n < len(positions) else 0)
            for k, m in product(range(len(batches)), range(len(positions)))
        ]
        for power_b, power_n in product(range(2), range(3))
    ]


def coefficients(solve: Solver, samples: Sequence[int]) -> tuple[float, ...]:
    """(6,) exact coefficients of one quantity; the last rounding is that to float."""
    return tuple(
        float(sum(weight * int(sample) for weight, sample in zip(row, samples, strict=True))) for row in solve
    )


def candidate_peaks(
    solve: Solver,
    live: NDArray[np.int64],
    offsets: NDArray[np.int64],
    batch_sizes: Sequence[float],
    positions: Sequence[float],
) -> list[int]:
    """Indices of the events that hold the peak somewhere in the region, in order.

    ``live``: (points, events) bytes at the sampled points; ``offsets``: (events,) bytes that may or may not be
    added (gradients), so that the peak with and without them is found.
    """
    matrix = np.array([[float(weight) for weight in row] for row in solve])
    fitted = matrix @ live.astype(np.float64)  # (6, events)
    found: set[int] = set()
    for batch, position in product(batch_sizes, positions):
        values = basis(batch, position) @ fitted
        found.add(int(np.argmax(values)))
        found.add(int(np.argmax(values + offsets)))
    return sorted(found)
