"""From hours to money. All arrays broadcast; times in seconds, money in USD."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

UPLOAD_EFFICIENCY = 0.8  # share of the line's rate that files reach (assumed; protocol and many small files)
POWER_SUPPLY_EFFICIENCY = 0.90  # a good desktop power supply at half load (assumed)
HOURS_PER_MONTH = 730.0


def transfer_s(size_bytes: float, mbit_per_s: Floats) -> Floats:
    """Seconds to move ``size_bytes`` over a line: bytes · 8 / (rate · 0.8)."""
    return size_bytes * 8 / (mbit_per_s * 1e6 * UPLOAD_EFFICIENCY)


def rent_usd(
    billed_s: Floats,
    usd_per_hour: Floats,
    billing_step_s: float,
    minimum_s: float = 0.0,
    discount_share: float = 0.0,
) -> Floats:
    """The meter runs from the start of the machine to its end, in whole billing steps, at least ``minimum_s``.

    Only a cash discount is taken off; points for later orders are not money.
    """
    steps = np.ceil(np.maximum(billed_s, minimum_s) / billing_step_s)
    return steps * (billing_step_s / 3600) * usd_per_hour * (1 - discount_share)


def storage_usd(size_bytes: float, stored_s: Floats, usd_per_gb_month: float) -> Floats:
    """Disk for as long as the machine is rented."""
    return size_bytes / 1e9 * stored_s / 3600 / HOURS_PER_MONTH * usd_per_gb_month


def energy_kwh(run_s: Floats, gpu_power_w: float, host_power_w: float) -> Floats:
    """At the plug: (GPUs + rest of the computer) / power supply efficiency · hours."""
    return (gpu_power_w + host_power_w) / POWER_SUPPLY_EFFICIENCY / 1000 * run_s / 3600


def electricity_usd(run_s: Floats, gpu_power_w: float, host_power_w: float, usd_per_kwh: Floats) -> Floats:
    """Energy at the plug · price."""
    return energy_kwh(run_s, gpu_power_w, host_power_w) * usd_per_kwh


def checkpoint_interval_s(save_s: Floats, interrupted_every_s: Floats) -> Floats:
    """W = √(2 · C · M): the interval at which saving and repeating cost least (Young 1974)."""
    return np.sqrt(2 * save_s * interrupted_every_s)


def interrupted_share(save_s: Floats, interrupted_every_s: Floats, restart_s: Floats) -> Floats:
    """What an interruptible machine adds to the run, as a share of it: C / W + W / (2 M) + R / M.

    C: seconds to save a checkpoint; M: mean time to an interruption; R: restart including the data's reload.
    """
    interval_s = checkpoint_interval_s(save_s, interrupted_every_s)
    saving = np.sqrt(save_s / (2 * interrupted_every_s))  # C / W, also where C is 0
    return saving + interval_s / (2 * interrupted_every_s) + restart_s / interrupted_every_s
