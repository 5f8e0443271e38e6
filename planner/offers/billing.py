"""From hours to money. All arrays broadcast; times in seconds, money in USD."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UPLOAD_EFFICIENCY = 0.8  # share of the line's rate that files reach (assumed; protocol and many small files)
POWER_SUPPLY_EFFICIENCY = 0.90  # a good desktop power supply at half load (assumed)


def transfer_s(size_bytes: float, mbit_per_s: Floats) -> Floats:
    """Seconds to move ``size_bytes`` over a line: bytes · 8 / (rate · 0.8)."""
    return size_bytes * 8 / (mbit_per_s * 1e6 * UPLOAD_EFFICIENCY)


def rent_usd(billed_s: Floats, usd_per_hour: Floats, billing_step_s: float) -> Floats:
    """The meter runs from the start of the machine to its end, in whole billing steps."""
    return np.ceil(billed_s / billing_step_s) * (billing_step_s / 3600) * usd_per_hour


def electricity_usd(run_s: Floats, gpu_power_w: float, host_power_w: float, usd_per_kwh: Floats) -> Floats:
    """(GPU + rest of the computer) / power supply efficiency · hours · price."""
    return (gpu_power_w + host_power_w) / POWER_SUPPLY_EFFICIENCY / 1000 * run_s / 3600 * usd_per_kwh
