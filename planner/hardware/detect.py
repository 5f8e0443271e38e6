"""Detection as one call: host, cards, driver, Pythons, and what to make of them."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from planner.hardware.checks import Findings, examine
from planner.hardware.gpus import read_gpus
from planner.hardware.host import read_host
from planner.hardware.interpreters import PROBE_DEADLINE_S, find_candidates, probe_all
from planner.hardware.pci import SYSFS_PCI, scan_cards
from planner.hardware.snapshot import Interpreter, Snapshot
from planner.hardware.visibility import of_environment

DEADLINE_S = 90.0
_DRIVER_DEADLINE_S = 20.0


def _never() -> bool:
    return False


def detect(
    *,
    deadline_s: float = DEADLINE_S,
    cancelled: Callable[[], bool] = _never,
    interpreters: bool = True,
    chosen_python: Path | None = None,
    nvml_env: Mapping[str, str] | None = None,
    pci_root: Path = SYSFS_PCI,
    root: Path = Path("/"),
) -> Snapshot:
    """Look at this machine. Blocks (call it off the GUI thread); whatever a driver or a Python does, it returns.

    The driver and the Pythons are asked at the same time, in children. ``deadline_s`` bounds the whole;
    ``cancelled`` is called from several threads, and after it turns true the snapshot holds what is known so
    far. ``interpreters=False`` skips the Pythons, the slow part. ``nvml_env`` is added to the environment of
    the NVML child only (see demo.py): a torch that saw the mock's devices would fail on them.
    """
    taken_at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    end_s = time.monotonic() + deadline_s

    def out_of_time() -> bool:
        return cancelled() or time.monotonic() > end_s

    host = read_host(root=root)
    with ThreadPoolExecutor(1, thread_name_prefix="detect") as pool:
        pythons = pool.submit(_probe_pythons, chosen_python, deadline_s, out_of_time) if interpreters else None
        reading = read_gpus(
            host, deadline_s=min(_DRIVER_DEADLINE_S, deadline_s), cancelled=cancelled, nvml_env=nvml_env
        )
        found = Findings(
            cards=scan_cards(pci_root),
            reading=reading,
            host=host,
            interpreters=None if pythons is None else pythons.result(),
            variables=tuple(of_environment(os.environ).items()),
        )
    return Snapshot(
        taken_at=taken_at,
        host=host,
        gpus=reading.gpus,
        driver_version=reading.driver_version,
        cuda_driver_version=reading.cuda_driver_version,
        checks=examine(found),
        interpreters=found.interpreters or (),
        binding=reading.binding,
    )


def _probe_pythons(
    chosen: Path | None, deadline_s: float, out_of_time: Callable[[], bool]
) -> tuple[Interpreter, ...]:
    deadline_s = min(deadline_s, PROBE_DEADLINE_S)
    return probe_all(find_candidates(chosen), deadline_s=deadline_s, cancelled=out_of_time)
