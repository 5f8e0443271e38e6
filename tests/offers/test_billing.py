"""From hours to money."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.offers.billing import electricity_usd, rent_usd, transfer_s


def test_that_uploading_150_gb_at_50_mbit_takes_eight_hours():
    assert transfer_s(150e9, np.array([50.0]))[0] / 3600 == pytest.approx(8.33, abs=0.01)


def test_that_nothing_to_upload_takes_no_time():
    assert transfer_s(0.0, np.array([50.0]))[0] == 0.0


@pytest.mark.parametrize(
    ("seconds", "step_s", "hours"), [(1, 3600, 1), (3600, 3600, 1), (3601, 3600, 2), (90, 60, 1 / 30)]
)
def test_that_begun_billing_steps_are_paid_whole(seconds, step_s, hours):
    assert rent_usd(np.array([float(seconds)]), np.array([2.0]), step_s)[0] == pytest.approx(2.0 * hours)


@given(st.floats(0, 1e7), st.floats(0, 100), st.sampled_from([1.0, 60.0, 3600.0]))
def test_that_rent_lies_within_one_step_of_the_exact_bill(seconds, price, step_s):
    bill = rent_usd(np.array([seconds]), np.array([price]), step_s)[0]
    exact = seconds / 3600 * price
    assert exact * (1 - 1e-9) <= bill <= exact + price * step_s / 3600 + 1e-9


def test_that_electricity_is_paid_at_the_plug():
    usd = electricity_usd(np.array([3600.0]), 350.0, 120.0, np.array([0.30]))
    assert usd[0] == pytest.approx(0.47 / 0.9 * 0.30)
