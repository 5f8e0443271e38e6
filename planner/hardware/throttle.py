"""Why a GPU's clocks are held down: the bits of NVML's "clocks event reasons" (nvml.h).

Several are set at once as a rule: test with ``&``, never with ``==``.
"""

from __future__ import annotations

from enum import IntFlag


class Throttle(IntFlag):
    """One bit per reason."""

    IDLE = 0x1
    APPLICATION_CLOCKS = 0x2  # somebody fixed the clocks
    POWER_CAP = 0x4  # at the power limit: ordinary under full load
    HARDWARE_SLOWDOWN = 0x8
    SYNC_BOOST = 0x10
    THERMAL = 0x20  # the driver lowers the clocks to stay below a temperature
    HARDWARE_THERMAL = 0x40
    POWER_BRAKE = 0x80  # the power supply or the mainboard asks for less
    DISPLAY_CLOCKS = 0x100


HARDWARE = Throttle.HARDWARE_SLOWDOWN | Throttle.HARDWARE_THERMAL | Throttle.POWER_BRAKE
EXPLAINING = HARDWARE | Throttle.THERMAL | Throttle.POWER_CAP | Throttle.APPLICATION_CLOCKS | Throttle.SYNC_BOOST
