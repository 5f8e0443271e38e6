"""The GPUs as the NVIDIA driver reports them, read through a child that may hang or crash (see nvml.py)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import psutil

from planner.children import python_child_argv, python_child_env
from planner.hardware import catalogue
from planner.hardware.snapshot import Gpu, GpuProcess, Host, Partition, PcieLink, TorchDevice
from planner.processes import Ending, Outcome, run_json_lines

INIT_DEADLINE_S = 15.0  # waking a driver without persistence mode takes seconds
CALL_DEADLINE_S = 2.0  # between two groups of fields
_GRACE_S = 0.3  # nothing is lost when a reading is cut off
_GPU_FIELDS = {field.name for field in fields(Gpu)}
_left_behind: set[int] = set()  # children stuck inside the driver: not even a kill ends them


@dataclass(frozen=True, slots=True)
class DriverReading:
    """What NVML said. ``problem``: None, a code of nvml.py's init, or "hung", "still_hung", "crashed",
    "cancelled", "not_started"; GPUs and versions read before the problem are kept. ``detail``: for the details
    box. ``binding``: as in Snapshot."""

    gpus: tuple[Gpu, ...] = ()
    driver_version: str | None = None
    cuda_driver_version: str | None = None
    answered: bool = False  # NVML could be initialised
    problem: str | None = None
    detail: str = ""
    binding: str | None = None


class _Collector:
    """Puts the child's messages together, in whatever number they arrive."""

    def __init__(self) -> None:
        self.init: dict[str, Any] = {}
        self.gpus: dict[int, dict[str, Any]] = {}
        self.done = False

    def take(self, message: dict[str, Any]) -> None:
        kind = message.get("kind")
        if kind == "init":
            self.init = message
        elif kind == "done":
            self.done = True
        elif kind == "gpu":
            known = self.gpus.setdefault(message["index"], {})
            known["lost"] = known.get("lost", False) or message["lost"]
            if message["group"] == "pcie" and message["fields"]:
                known["pcie"] = PcieLink(**message["fields"])
            else:
                known.update(message["fields"])

    def there(self) -> list[tuple[int, dict[str, Any]]]:
        """The GPUs that could compute: a parted card is there as its slices."""
        return [item for item in sorted(self.gpus.items()) if item[1].get("partition") != "parted"]


def _gpu(index: int, known: Mapping[str, Any], host: Host) -> Gpu:
    values = {name: value for name, value in known.items() if name in _GPU_FIELDS}
    spec = catalogue.identify(known.get("name"), known.get("pci_device_id"), known.get("memory_total_bytes"))
    values["partition"] = Partition(known.get("partition", Partition.WHOLE))
    # The data sheet is that of the whole card.
    is_whole = values["partition"] not in (Partition.MIG_SLICE, Partition.VIRTUAL)
    values["catalogue_id"] = spec.id if spec and is_whole else None
    values["processes"] = tuple(GpuProcess(**process) for process in known.get("processes", ()))
    name = known.get("name") or ""
    if spec and (not name or "\ufffd" in name):  # bytes that are no text: the data sheet knows better
        name = spec.name
    values["name"] = name or f"GPU {index}"
    # The driver answered the question and has no memory of its own to tell: GB10, Jetson.
    if "memory_total_bytes" in known and known["memory_total_bytes"] is None and not known["lost"]:
        values["memory_is_shared"] = True
        values["memory_total_bytes"] = host.memory_total_bytes
        values["memory_free_bytes"] = host.memory_free_bytes
    if host.is_wsl:  # WSL2 lists no processes: none seen is not none there
        values |= {"process_count": None, "processes": ()}
    return Gpu(index=index, uuid=values.pop("uuid", None), **values)


def _problem(collected: _Collector, outcome: Outcome) -> tuple[str | None, str]:
    if collected.init.get("ok") is False:
        return collected.init["code"], collected.init["detail"]
    if collected.done and outcome.succeeded:
        return None, ""
    last_words = outcome.stderr_tail[-1] if outcome.stderr_tail else ""
    detail = f"{outcome.status}. {last_words}".strip(". ")
    codes = {
        Ending.TIMED_OUT: "hung",
        Ending.SILENT: "hung",
        Ending.CANCELLED: "cancelled",
        Ending.NOT_STARTED: "not_started",
    }
    return codes.get(outcome.ending, "crashed"), detail


def _is_stuck(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def read_gpus(
    host: Host,
    *,
    deadline_s: float = 20.0,
    cancelled: Callable[[], bool] = lambda: False,
    nvml_env: Mapping[str, str] | None = None,
) -> DriverReading:
    """Ask the driver once. Never raises for what a driver does; ``nvml_env`` adds to the child's environment.

    As long as a child of an earlier call is stuck in the driver no other is started: it would be stuck as well.
    """
    _left_behind.intersection_update([pid for pid in _left_behind if _is_stuck(pid)])
    if _left_behind:
        pids = ", ".join(map(str, sorted(_left_behind)))
        return DriverReading(problem="still_hung", detail=f"pid {pids}")
    collected = _Collector()
    outcome = run_json_lines(
        python_child_argv("planner.hardware.nvml"),
        on_message=collected.take,
        deadline_s=deadline_s,
        first_message_s=INIT_DEADLINE_S,
        idle_s=CALL_DEADLINE_S,
        cancelled=cancelled,
        grace_s=_GRACE_S,
        env=python_child_env(nvml_env),
    )
    if outcome.pid is not None and outcome.exit_status is None:
        _left_behind.add(outcome.pid)
    problem, detail = _problem(collected, outcome)
    return DriverReading(
        gpus=tuple(_gpu(index, known, host) for index, known in collected.there()),
        driver_version=collected.init.get("driver"),
        cuda_driver_version=collected.init.get("cuda"),
        answered=collected.init.get("ok") is True,
        problem=problem,
        detail=detail,
        binding=collected.init.get("binding"),
    )


def matching_gpu(device: TorchDevice, gpus: Sequence[Gpu]) -> Gpu | None:
    """The driver's view of a torch device: by UUID, else by a name and memory size that only one GPU has.

    Never by index: torch and NVML count in different orders. None when it is not certain.
    """
    if device.uuid is not None:
        return next((gpu for gpu in gpus if gpu.uuid and gpu.uuid.lower() == device.uuid.lower()), None)
    alike = [gpu for gpu in gpus if gpu.name == device.name and _same_memory(gpu, device)]
    return alike[0] if len(alike) == 1 else None


def _same_memory(gpu: Gpu, device: TorchDevice) -> bool:
    """Torch reports a little less than NVML; 5 % tells a 10 GB card from a 12 GB one."""
    if gpu.memory_total_bytes is None or device.memory_total_bytes is None:
        return True
    return abs(gpu.memory_total_bytes - device.memory_total_bytes) <= 0.05 * gpu.memory_total_bytes


def watch_argv(hz: float, uuid: str | None = None) -> list[str]:
    """Command line of the telemetry child; run it with ``python_child_env``. It ends when its standard input
    closes. Messages: see nvml.py, kind "sample"."""
    return python_child_argv(
        "planner.hardware.nvml", "--watch", f"{hz:g}", *(() if uuid is None else ("--uuid", uuid))
    )
