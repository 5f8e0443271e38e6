"""Positions and the polynomial basis."""

from __future__ import annotations

import numpy as np
import pytest

from planner.workload.optable import basis, positions_at


@pytest.mark.parametrize(
    ("kind", "unit", "size", "expected"),
    [("image", 32, 224, 49), ("volume", 16, 128, 512), ("sequence", 128, 384, 3), ("none", 0, 0, 1)],
)
def test_that_positions_count_units_in_every_dimension(kind, unit, size, expected):
    assert positions_at(kind, unit, size) == expected


def test_that_a_size_between_units_has_fractional_positions():
    assert positions_at("sequence", 128, 192) == 1.5


def test_that_the_basis_pairs_powers_of_batch_and_positions_in_the_order_of_the_coefficients():
    np.testing.assert_array_equal(basis(3, 5), [1, 5, 25, 3, 15, 75])
