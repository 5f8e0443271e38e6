"""Coefficients from samples: exact, and the peak never lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.workload.optable import basis
from planner.workload.trace.fit import candidate_peaks, coefficients, solver

BATCHES, POSITIONS = (2, 4), (36, 49, 64)
POINTS = [(batch, position) for batch in BATCHES for position in POSITIONS]
six = st.lists(st.integers(-(10**9), 10**9), min_size=6, max_size=6)


def sampled(coefs):
    return [sum(c * t for c, t in zip(coefs, map(int, basis(b, n)), strict=True)) for b, n in POINTS]


@given(six)
def test_that_coefficients_are_recovered_exactly(coefs):
    assert coefficients(solver(BATCHES, POSITIONS), sampled(coefs)) == tuple(coefs)


def test_that_without_a_size_only_the_batch_matters():
    solve = solver(BATCHES, (1,))
    assert coefficients(solve, [10 + 2 * 7, 10 + 4 * 7]) == (10, 0, 0, 7, 0, 0)


def test_that_a_quantity_in_thirds_is_not_rounded_to_whole_numbers():
    third = coefficients(solver((3, 6), (1,)), [1, 2])
    assert third[3] == pytest.approx(1 / 3, rel=1e-15)


@given(
    st.lists(st.lists(st.integers(0, 10**6), min_size=6, max_size=6), min_size=1, max_size=8),
    st.sampled_from([1, 2, 7, 64, 1000]),
    st.sampled_from([1, 36, 100, 400]),
)
def test_that_the_kept_moments_hold_the_peak_everywhere_it_was_looked_for(rows, batch, position):
    solve = solver(BATCHES, POSITIONS)
    live = np.array([sampled(row) for row in rows], dtype=np.int64).T
    offsets = np.arange(len(rows), dtype=np.int64) * 10**7
    kept = candidate_peaks(solve, live, offsets, [1, 2, 7, 64, 1000], [1, 36, 100, 400])
    values = np.array(rows) @ basis(batch, position)
    assert values[kept].max() == pytest.approx(values.max(), rel=1e-9)
    assert (values + offsets)[kept].max() == pytest.approx((values + offsets).max(), rel=1e-9)
