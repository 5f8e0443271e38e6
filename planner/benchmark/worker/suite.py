"""One run: every probe visited twice in the same order, each failure a result of its own. Knows no torch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable

from .protocol import (
    NoSizeError,
    Probe,
    Settings,
    Sizing,
    choose_size,
    estimate,
    visit,
)

VISITS = 2
# For what a device, a build or a version of torch cannot do.
_TORCH_RAISES = (RuntimeError, TypeError, ValueError, AttributeError, MemoryError)


class DeviceLostError(Exception):
    """The device does not answer any more."""


def one_line(error: BaseException) -> str:
    """An exception as one line: its kind and the first line of its text."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300] if lines else ''}"


class Suite:
    """Measures ``probes`` on ``device`` and sends events by ``send(event, **fields)``.

    ``check`` is called at least after every block and raises to stop the run.
    """

    def __init__(
        self,
        device: Any,
        probes: list[Probe],
        settings: Settings,
        send: Callable[..., None],
        check: Callable[[], None],
    ) -> None:
        self._device = device
        self._probes = list(probes)
        self._settings = settings
        self._send = send
        self._check = check
        self._sizes: dict[Probe, Sizing] = {}
        self._visits: dict[str, list[tuple[float, ...]]] = {}
        self._began_s = device.now()

    def run(self) -> None:
        """Raises DeviceLostError, and whatever ``check`` raises."""
        queue = [probe for _ in range(VISITS) for probe in self._probes]
        expected_s = [self._settings.expected_visit_s(probe) for probe in queue]
        for number, probe in enumerate(queue):
            if probe not in self._probes:  # skipped in the first pass
                continue
            elapsed_s = self._device.now() - self._began_s
            if elapsed_s > self._settings.budget_s:
                self._out_of_time(queue[number:])
                return
            pace = elapsed_s / sum(expected_s[:number]) if number else 1.0
            self._send(
                "stage",
                name=probe.name,
                index=number + 1,
                total=len(queue),
                elapsed_s=elapsed_s,
                eta_s=max(0.0, min(pace * sum(expected_s[number:]), self._settings.budget_s - elapsed_s)),
            )
            self._visit(probe)

    def _out_of_time(self, left: list[Probe]) -> None:
        once = [probe.name for probe in left if probe.name in self._visits]
        if once:
            self._send("warning", name="", code="visited_once", detail=", ".join(once))
        for probe in left:
            if probe.name not in self._visits and probe in self._probes:
                self._skip(probe, "no_time")

    def _skip(self, probe: Probe, code: str, detail: str = "") -> None:
        self._probes.remove(probe)
        self._send("skipped", name=probe.name, code=code, detail=detail)

    def _visit(self, probe: Probe) -> None:
        try:
            sizing = self._sizes.get(probe) or self._sized(probe)
            if sizing is None:
                return
            try:
                flops, moved_bytes, means = self._measured(probe, sizing)
            finally:
                self._device.release()
        except NoSizeError as error:
            self._skip(probe, error.code, error.detail)
            return
        except _TORCH_RAISES as error:
            self._failed(probe, error)
            return
        self._visits.setdefault(probe.name, []).append(means)
        known = estimate(self._visits[probe.name], self._settings.floor, probe.agreement)
        self._send(  # the fields of planner.benchmark.result.ProbeResult
            "probe",
            name=probe.name,
            kind=probe.kind,
            op_class=probe.op_class,
            dtype=probe.dtype,
            time_s=known.time_s,
            time_low_s=known.low_s,
            time_high_s=known.high_s,
            flops=flops,
            bytes=moved_bytes,
            size=probe.describe(sizing.size),
            blocks=known.blocks,
            grade=known.grade,
        )

    def _sized(self, probe: Probe) -> Sizing | None:
        family = [other for other in self._sizes if probe.family and other.family == probe.family]
        largest = max((self._sizes[other].size for other in family), default=0)
        # What is smaller than a size that the family has already reached need not be tried.
        sizes = tuple(size for size in probe.sizes if size >= largest)
        sizing = choose_size(self._device, replace(probe, sizes=sizes), self._check)
        if family and sizing.size == largest:
            self._skip(probe, "same_size", probe.describe(sizing.size))
            return None
        if sizing.out_of_memory:
            self._send("warning", name=probe.name, code="out_of_memory", detail=sizing.out_of_memory)
        self._sizes[probe] = sizing
        return sizing

    def _measured(self, probe: Probe, sizing: Sizing) -> tuple[float, float, tuple[float, ...]]:
        """FLOPs and bytes of a call, and seconds per call of each block. The data are gone on return."""
        work, settings = probe.build(sizing.size), self._settings
        warm_up_s = settings.warm_up_s(probe)
        means = visit(self._device, work.call, sizing.call_s, warm_up_s, settings.blocks, self._check)
        return work.flops, work.bytes, means

    def _failed(self, probe: Probe, error: Exception) -> None:
        """A probe's exception is its result, as long as the device goes on working."""
        detail = one_line(error)
        if not self._device.is_alive():
            raise DeviceLostError(f"{probe.name}: {detail}") from error
        code = "unsupported"
        if self._device.is_out_of_memory(error):
            code = "out_of_memory"
            detail = probe.describe(self._sizes[probe].size) if probe in self._sizes else detail
        if probe.name in self._visits:  # the first visit stands
            self._send("warning", name=probe.name, code="visited_once", detail=detail)
        else:
            self._skip(probe, code, detail)
