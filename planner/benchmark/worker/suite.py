"""One run: soak, every probe visited twice in the same order, again where that did not settle it, sustained load.

Each failure is a result of its own. Knows no torch.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable

from .protocol import (
    NoSizeError,
    Probe,
    Settings,
    Sizing,
    Visit,
    choose_size,
    estimate_of,
    keep_busy,
    needs_another,
    visit,
)
from .sentinel import Sentinel

VISITS = 2
REVISITS = 3  # more for a probe whose visits disagree or were disturbed
SOAK_WITH = ("gemm_fp16_large", "gemm_fp32_large")
SUSTAIN_WITH = ("step_cnn", "step_transformer")
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

    ``check`` is called at least after every block and raises to stop the run. ``sentinel`` is a probe that tells
    whether another program uses the device; None: nobody looks.
    """

    def __init__(
        self,
        device: Any,
        probes: list[Probe],
        settings: Settings,
        send: Callable[..., None],
        check: Callable[[], None],
        sentinel: Probe | None = None,
    ) -> None:
        self._device = device
        self._stages = VISITS * len(probes)  # told so far, from the end of the two passes on
        self._probes = list(probes)
        self._sentinel_probe = sentinel
        self._sentinel: Sentinel | None = None
        self._settings = settings
        self._send = send
        self._check = check
        self._sizes: dict[Probe, Sizing] = {}
        self._visits: dict[str, list[Visit]] = {}
        self._began_s = device.now()

    def run(self) -> None:
        """Raises DeviceLostError, and whatever ``check`` raises."""
        self._keep_busy("soak", SOAK_WITH, self._settings.soak_s)
        self._sentinel = self._started_sentinel()
        self._passes()
        self._revisit()
        self._keep_busy("sustained", SUSTAIN_WITH, self._settings.sustain_s)

    def _started_sentinel(self) -> Sentinel | None:
        """Its data stay on the device for the whole run."""
        probe = self._sentinel_probe
        if probe is None:
            return None
        try:
            sizing = choose_size(self._device, probe, self._check)
            return Sentinel(self._device, probe.build(sizing.size).call, sizing.call_s)
        except NoSizeError:
            return None
        except _TORCH_RAISES as error:
            self._raise_if_lost("sentinel", error)
            return None

    def _keep_busy(self, name: str, preferred: tuple[str, ...], duration_s: float) -> None:
        """A curve of one probe's time. That it cannot run is told by its own visits."""
        named = {probe.name: probe for probe in self._probes}
        probe = next((named[one] for one in preferred if one in named), None)
        if not duration_s or probe is None:
            return
        elapsed_s = self._device.now() - self._began_s
        left_s, number = duration_s, self._stages
        if name == "soak":
            left_s, number = duration_s + self._settings.budget_s + self._settings.sustain_s, 0
        self._send("stage", name=name, index=number, total=number, elapsed_s=elapsed_s, eta_s=left_s)
        try:
            sizing = self._sizes.get(probe) or choose_size(self._device, probe, self._check)
            call = probe.build(sizing.size).call
            ends_s, times_s = keep_busy(self._device, call, sizing.call_s, duration_s, self._check)
        except NoSizeError:
            return
        except _TORCH_RAISES as error:
            self._raise_if_lost(name, error)
            return
        finally:
            self._device.release()
        self._send("curve", name=name, probe=probe.name, elapsed_s=ends_s, time_s=times_s)

    def _revisit(self) -> None:
        """Probes that two visits did not settle are visited again, later, as long as there is time."""
        for _ in range(REVISITS):
            left = [probe for probe in self._probes if self._is_unsettled(probe)]
            for number, probe in enumerate(left):
                elapsed_s = self._device.now() - self._began_s
                if elapsed_s > self._settings.budget_s:
                    break
                expected_s = sum(map(self._settings.expected_visit_s, left[number:])) + self._settings.sustain_s
                total = self._stages + len(left) - number
                self._stages += 1
                self._send(
                    "stage", name=probe.name, index=self._stages, total=total, elapsed_s=elapsed_s,
                    eta_s=expected_s,
                )  # fmt: skip
                self._visit(probe)
        for probe in self._probes:
            disturbed = [one for one in self._visits.get(probe.name, []) if one.disturbed]
            if disturbed and self._is_unsettled(probe):
                self._send("warning", name=probe.name, code="disturbed", detail=str(len(disturbed)))

    def _is_unsettled(self, probe: Probe) -> bool:
        visits = self._visits.get(probe.name, [])
        return len(visits) >= VISITS and needs_another(visits, probe.agreement)

    def _passes(self) -> None:
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
                eta_s=max(0.0, min(pace * sum(expected_s[number:]), self._settings.budget_s - elapsed_s))
                + self._settings.sustain_s,
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
                flops, moved_bytes, seen = self._measured(probe, sizing)
            finally:
                self._device.release()
        except NoSizeError as error:
            self._skip(probe, error.code, error.detail)
            return
        except _TORCH_RAISES as error:
            self._failed(probe, error)
            return
        self._visits.setdefault(probe.name, []).append(seen)
        known = estimate_of(self._visits[probe.name], self._settings.floor, probe.agreement)
        self._send(  # the fields of planner.benchmark.result.ProbeResult
            "probe",
            name=probe.name,
            kind=probe.kind,
            op_class=probe.op_class,
            op_kind=probe.op_kind,
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

    def _measured(self, probe: Probe, sizing: Sizing) -> tuple[float, float, Visit]:
        """FLOPs and bytes of a call, and how long it took. The data are gone on return."""
        work, settings = probe.build(sizing.size), self._settings
        warm_up_s = settings.warm_up_s(probe)
        seen = visit(
            self._device, work.call, sizing.call_s, warm_up_s, settings.blocks, self._check, self._sentinel
        )
        return work.flops, work.bytes, seen

    def _raise_if_lost(self, name: str, error: Exception) -> None:
        if not self._device.is_alive():
            raise DeviceLostError(f"{name}: {one_line(error)}") from error

    def _failed(self, probe: Probe, error: Exception) -> None:
        """A probe's exception is its result, as long as the device goes on working."""
        detail = one_line(error)
        self._raise_if_lost(probe.name, error)
        code = "unsupported"
        if self._device.is_out_of_memory(error):
            code = "out_of_memory"
            detail = probe.describe(self._sizes[probe].size) if probe in self._sizes else detail
        if probe.name in self._visits:  # the first visit stands
            self._send("warning", name=probe.name, code="visited_once", detail=detail)
        else:
            self._skip(probe, code, detail)
