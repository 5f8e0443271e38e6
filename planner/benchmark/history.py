"""The finished runs of this user, one JSON file each. A file that cannot be read is reported, never deleted."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from planner.benchmark.result import SCHEMA_VERSION, BenchmarkResult
from planner.door import InvalidInputError, Problem, parse_json, plain, validated
from planner.hardware.snapshot import Snapshot
from planner.paths import data_dir
from planner.storage import write_atomically

_SAME_POWER_W = 0.5


@dataclass(frozen=True, slots=True)
class Saved:
    path: Path
    result: BenchmarkResult


@dataclass(frozen=True, slots=True)
class History:
    """``saved`` newest first; ``unreadable`` with everything that is wrong with each file."""

    saved: tuple[Saved, ...]
    unreadable: tuple[InvalidInputError, ...]


def folder() -> Path:
    return data_dir() / "benchmarks"


def save(result: BenchmarkResult) -> Path:
    """Keep a result beside the earlier ones. Raises OSError (disk full, …), which leaves those as they were."""
    moment = "".join(filter(str.isalnum, result.started_at.partition("+")[0]))
    path = folder() / f"{moment}-{result.device_kind}-{secrets.token_hex(3)}.json"
    write_atomically(path, json.dumps(plain(result), indent=1, ensure_ascii=False).encode() + b"\n")
    return path


def read(path: Path) -> BenchmarkResult:
    """One saved result. Raises InvalidInputError."""
    try:
        data = parse_json(path.read_bytes(), str(path))
    except OSError as error:
        raise InvalidInputError(str(path), (Problem("", error.strerror or str(error)),)) from None
    version = data.get("schema_version") if isinstance(data, dict) else None
    if isinstance(version, int) and version > SCHEMA_VERSION:
        what = (
            f"was written by a newer version of this program (format {version}, this one reads {SCHEMA_VERSION})"
        )
        raise InvalidInputError(str(path), (Problem("schema_version", what),))
    return validated(BenchmarkResult, data, str(path))


def load() -> History:
    """All saved results."""
    saved: list[Saved] = []
    unreadable: list[InvalidInputError] = []
    for path in sorted(folder().glob("*.json")):
        try:
            saved.append(Saved(path, read(path)))
        except InvalidInputError as error:
            unreadable.append(error)
    saved.sort(key=lambda one: (one.result.started_at, one.path.name), reverse=True)
    return History(tuple(saved), tuple(unreadable))


def _is_of_gpu(result: BenchmarkResult, uuid: str) -> bool:
    return result.gpu_uuid is not None and result.gpu_uuid.lower() == uuid.lower()


def _is_of_machine_without_nvidia(result: BenchmarkResult, cpu_name: str | None) -> bool:
    """A GPU that NVML does not know (Apple, Intel, AMD), or this processor."""
    if result.device_kind == "cpu":
        return cpu_name is None or result.device_name == cpu_name
    return result.cuda_version is None


def latest_for(snapshot: Snapshot, gpu_uuid: str | None) -> BenchmarkResult | None:
    """The newest complete result of this GPU (None: of the first; without any, of the device measured instead)."""
    if gpu_uuid is None:
        gpu_uuid = next((gpu.uuid for gpu in snapshot.gpus if not gpu.lost and gpu.uuid), None)
    results = (one.result for one in load().saved if one.result.is_complete)
    if gpu_uuid is not None:
        return next((result for result in results if _is_of_gpu(result, gpu_uuid)), None)
    if snapshot.gpus:
        return None
    return next((one for one in results if _is_of_machine_without_nvidia(one, snapshot.host.cpu_name)), None)


def previous(result: BenchmarkResult) -> BenchmarkResult | None:
    """The newest complete run of the same device before this one."""
    device = (result.device_kind, result.device_name, result.gpu_uuid)
    return next(
        (
            one
            for one in (saved.result for saved in load().saved)
            if one.is_complete
            and one.started_at < result.started_at
            and (one.device_kind, one.device_name, one.gpu_uuid) == device
        ),
        None,
    )


def stale_reasons(result: BenchmarkResult, snapshot: Snapshot) -> tuple[str, ...]:
    """Message codes for what has changed since; what is not known on either side has not changed."""
    gpu = next((one for one in snapshot.gpus if one.uuid and _is_of_gpu(result, one.uuid)), None)
    python = next((one for one in snapshot.interpreters if one.path == result.python_path), None)
    reasons = []
    if result.driver_version and snapshot.driver_version and result.driver_version != snapshot.driver_version:
        reasons.append("bench.stale.driver")
    if python is not None and python.torch_version and python.torch_version != result.torch_version:
        reasons.append("bench.stale.torch")
    now_w = gpu.power_limit_w if gpu else None
    if (
        now_w is not None
        and result.power_limit_w is not None
        and abs(now_w - result.power_limit_w) > _SAME_POWER_W
    ):
        reasons.append("bench.stale.power_limit")
    return tuple(reasons)
