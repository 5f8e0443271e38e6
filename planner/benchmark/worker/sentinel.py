"""Tells whether another program uses the device. Knows no torch.

A small product of fixed size is timed around every visit. Its time multiplied by the device's clock is a number
of cycles, and nothing but another program's work changes that. A device that does not tell its clock is judged by
the time alone, against the last readings only: one that settles at a lower clock is not called disturbed for
ever. Load that is there from the first reading to the last is seen by neither.
"""

from __future__ import annotations

from typing import Any, Callable

TOLERANCE = 0.05  # a desktop that redraws stays below; the effects that matter are above
_READING_S = 0.003
_REMEMBERED = 10


class Sentinel:
    """``call`` takes ``call_s`` seconds on ``device``."""

    def __init__(self, device: Any, call: Callable[[], Any], call_s: float) -> None:
        self._device = device
        self._call = call
        self._calls = max(1, round(_READING_S / call_s))
        self._readings: "list[float]" = []
        self._knows_clock = device.clock_hz() is not None
        self.read()

    def read(self) -> float:
        """Cycles of a call, or its seconds where the clock is not known."""
        time_s = self._device.time_calls(self._call, self._calls) / self._calls
        clock_hz = self._device.clock_hz()
        reading: float = time_s if clock_hz is None else time_s * clock_hz
        self._readings.append(reading)
        if not self._knows_clock:
            del self._readings[:-_REMEMBERED]
        return reading

    def is_disturbed(self, *readings: float) -> bool:
        """Whether any of these took longer than undisturbed ones do: the lowest tenth, as the least is luck."""
        return max(readings) > (1 + TOLERANCE) * sorted(self._readings)[len(self._readings) // 10]
