"""The GPU's readings while it is measured: a child beside the worker, and what its samples come to.

Samples and visits are joined by the monotonic clock, which all processes of a computer share.
"""

from __future__ import annotations

import statistics
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Self

from planner.benchmark.result import Conditions
from planner.children import python_child_env
from planner.hardware.gpus import watch_argv
from planner.hardware.snapshot import PcieLink
from planner.processes import run_json_lines

HZ = 20.0
_STARTS = 3  # a driver's library that crashes again and again is left alone
_DEADLINE_S = 600.0
_SILENCE_S = 15.0  # a driver that wakes up takes seconds
_SHARE_THAT_COUNTS = 0.2  # of a stay's samples: a bit seen once is an accident


@dataclass(frozen=True, slots=True)
class Sample:
    """One reading; see nvml_fields.sample. None: the driver does not tell."""

    t_s: float
    power_draw_w: float | None = None
    temperature_c: float | None = None
    utilisation_percent: float | None = None
    sm_clock_mhz: float | None = None
    memory_clock_mhz: float | None = None
    performance_state: int | None = None
    memory_used_bytes: int | None = None
    throttle_reasons: int | None = None
    power_limit_w: float | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None


_FIELDS = {field.name for field in fields(Sample)}


def sample_of(message: Mapping[str, Any]) -> Sample | None:
    """The sample in one message of the child; None for any other message, and for a GPU that was lost."""
    if message.get("kind") != "sample" or message.get("lost"):
        return None
    return Sample(**{name: value for name, value in message.items() if name in _FIELDS})


class Telemetry:
    """Reads one GPU in the background from ``start`` to ``stop``. A driver that misbehaves costs samples only."""

    def __init__(self, gpu_uuid: str | None, nvml_env: Mapping[str, str] | None = None) -> None:
        self._uuid = gpu_uuid
        self._env = nvml_env
        self._over = threading.Event()
        self._samples: list[Sample] = []
        self._thread = threading.Thread(target=self._read, daemon=True, name="telemetry")

    @property
    def samples(self) -> tuple[Sample, ...]:
        return tuple(self._samples)

    def start(self) -> None:
        if self._uuid is not None:
            self._thread.start()

    def stop(self, wait_s: float = 3.0) -> None:
        """Waits a moment for the child to end; one that is stuck in the driver is left behind."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(wait_s)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _take(self, message: dict[str, Any]) -> None:
        sample = sample_of(message)
        if sample is not None:
            self._samples.append(sample)

    def _read(self) -> None:
        for _ in range(_STARTS):
            run_json_lines(
                watch_argv(HZ, self._uuid),
                on_message=self._take,
                deadline_s=_DEADLINE_S,
                idle_s=_SILENCE_S,
                cancelled=self._over.is_set,
                stdin_cancel_line="",
                grace_s=0.5,
                env=python_child_env(self._env),
            )
            if self._over.is_set():
                return


@dataclass(frozen=True, slots=True)
class Stay:
    """When the worker began with a stage, on the monotonic clock."""

    name: str
    began_s: float


def _within(stays: Sequence[Stay], samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """Samples by stage. Only the second half of each stay counts: the first holds making data and warming up."""
    spans = [(stay.name, (stay.began_s + after.began_s) / 2, after.began_s) for stay, after in pairwise(stays)]
    found: dict[str, list[Sample]] = {}
    waiting = iter(spans)
    span = next(waiting, None)
    for sample in samples:
        while span is not None and sample.t_s >= span[2]:
            span = next(waiting, None)
        if span is None:
            break
        if sample.t_s >= span[1]:
            found.setdefault(span[0], []).append(sample)
    return found


def _known(samples: Iterable[Sample], name: str) -> list[float]:
    return [value for sample in samples if (value := getattr(sample, name)) is not None]


def _lasting_reasons(samples: Sequence[Sample]) -> int:
    masks = [sample.throttle_reasons for sample in samples if sample.throttle_reasons is not None]
    bits = (1 << shift for shift in range(max(masks, default=0).bit_length()))
    return sum(bit for bit in bits if sum(bool(mask & bit) for mask in masks) >= _SHARE_THAT_COUNTS * len(masks))


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def conditions_of(stays: Sequence[Stay], samples: Iterable[Sample]) -> tuple[Conditions, ...]:
    """What stood while each stage ran, its visits together; stages too short for a sample are left out.

    The last stay only marks the end of the one before.
    """
    found = _within(stays, samples)
    return tuple(
        Conditions(
            name=name,
            samples=len(seen),
            sm_clock_mhz=_median(_known(seen, "sm_clock_mhz")),
            memory_clock_mhz=_median(_known(seen, "memory_clock_mhz")),
            power_w=statistics.fmean(powers) if (powers := _known(seen, "power_draw_w")) else None,
            temperature_c=max(_known(seen, "temperature_c"), default=None),
            performance_state=max(map(int, _known(seen, "performance_state")), default=None),
            throttle_reasons=_lasting_reasons(seen),
        )
        for name, seen in found.items()
    )


def limit_under_load_w(samples: Iterable[Sample]) -> float | None:
    """The highest power limit seen: laptops give the GPU more when the processor rests."""
    return max(_known(samples, "power_limit_w"), default=None)


def link_under_load(samples: Sequence[Sample], best: PcieLink) -> PcieLink | None:
    """The fastest the link to the host ever ran; at rest it is slowed down to save power."""
    generations, widths = _known(samples, "pcie_generation"), _known(samples, "pcie_width")
    if not generations or not widths:
        return None
    return PcieLink(int(max(generations)), int(max(widths)), best.max_generation, best.max_width)
