"""What each GPU is doing now: how much of its memory is free, who else computes on it, what holds it down.

One check per GPU and layer, and every one names its GPU. Sentences: resources/i18n/en/check.toml.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planner.hardware import catalogue
from planner.hardware.snapshot import Check, CheckStatus, Gpu, Host, Partition
from planner.hardware.throttle import HARDWARE, Throttle
from planner.units import format_bytes

BUSY_PERCENT = 15.0  # a desktop's own drawing stays below
FREE_SHARE_WANTED = 0.7  # a desktop and a browser take less than the rest
_SAME_POWER_W = 1.0
_FAR_BELOW_DATA_SHEET = 0.9
_USERS_NAMED = 4
_OK, _FAILED, _UNKNOWN, _SKIPPED = CheckStatus.OK, CheckStatus.FAILED, CheckStatus.UNKNOWN, CheckStatus.SKIPPED


def make_check(layer: str, status: CheckStatus, what: str, /, **values: object) -> Check:
    """The check whose sentences are those of "check.<layer>.<what>"."""
    pairs = tuple((key, str(value)) for key, value in values.items())
    return Check(layer, status, f"check.{layer}.{what}", pairs)


def names_of(gpus: Iterable[Gpu]) -> dict[int, str]:
    """What to call each GPU, by index: its name, with the number in front where there are several."""
    listed = list(gpus)
    if len(listed) == 1:
        return {listed[0].index: listed[0].name}
    return {gpu.index: f"GPU {gpu.index} ({gpu.name})" for gpu in listed}


def users_of(gpu: Gpu) -> str:
    """The programs that compute on it: "python (pid 4242, 10 GiB)"; "" when none is known."""
    texts = []
    for process in gpu.processes[:_USERS_NAMED]:
        memory = "" if process.memory_bytes is None else f", {format_bytes(process.memory_bytes)}"
        texts.append(f"{process.name or '?'} (pid {process.pid}{memory})")
    more = len(gpu.processes) - _USERS_NAMED
    return ", ".join([*texts, f"+{more}"] if more > 0 else texts)


def _spills(gpu: Gpu, host: Host) -> bool:
    """Whether the driver moves what does not fit to the computer's memory instead of failing (Windows)."""
    return host.is_wsl or gpu.driver_model == "wddm"


def health_of(gpu: Gpu, name: str) -> Check:  # noqa: PLR0911 - one return per finding
    """Is anything wrong with it that keeps programs off or will lose their work?"""
    if gpu.memory_repair_failed:
        return make_check("health", _FAILED, "no_spare_rows", name=name)
    if gpu.memory_repair_pending:
        return make_check("health", _FAILED, "repair_pending", name=name)
    if gpu.memory_errors:
        return make_check("health", _FAILED, "memory_errors", name=name, count=gpu.memory_errors)
    if gpu.compute_mode == "prohibited":
        return make_check("health", _FAILED, "prohibited", name=name, index=gpu.index)
    if gpu.licensed is False:
        return make_check("health", _FAILED, "unlicensed", name=name)
    told = (gpu.memory_repair_pending, gpu.memory_errors, gpu.compute_mode, gpu.licensed)
    if all(value is None for value in told):
        return make_check("health", _SKIPPED, "not_reported", name=name)
    return make_check("health", _OK, "sound", name=name)


def memory_of(gpu: Gpu, name: str, host: Host) -> Check:
    """Is enough memory free?"""
    free_bytes, total_bytes = gpu.memory_free_bytes, gpu.memory_total_bytes
    if free_bytes is None or total_bytes is None:
        return make_check("memory", _UNKNOWN, "not_reported", name=name)
    values = {"name": name, "free": format_bytes(free_bytes), "total": format_bytes(total_bytes)}
    if gpu.memory_is_shared:
        return make_check("memory", _OK, "shared", **values)
    if free_bytes < FREE_SHARE_WANTED * total_bytes:
        users = users_of(gpu)
        used = format_bytes(total_bytes - free_bytes)
        what = "in_use" if users else "in_use_unlisted"
        return make_check("memory", _FAILED, what, **values, users=users, used=used)
    return make_check("memory", _OK, "free_spilling" if _spills(gpu, host) else "free", **values)


def idleness_of(gpu: Gpu, name: str, host: Host) -> Check:  # noqa: PLR0911 - one return per finding
    """Does anybody else compute on it? On a Windows desktop every window counts as a process: those do not."""
    percent = gpu.utilisation_percent
    processes = None if gpu.driver_model == "wddm" else gpu.process_count
    known = {"name": name, "percent": "?" if percent is None else f"{percent:g}"}
    if percent is not None and percent >= BUSY_PERCENT:
        return make_check("idle", _FAILED, "busy", **known, users=users_of(gpu) or "?")
    if processes and gpu.compute_mode == "exclusive":
        return make_check("idle", _FAILED, "exclusive", **known, users=users_of(gpu) or "?", index=gpu.index)
    if processes:
        return make_check("idle", _FAILED, "occupied", **known, users=users_of(gpu) or "?", processes=processes)
    if gpu.process_list_is_wrong:
        return make_check("idle", _UNKNOWN, "list_is_wrong", **known)
    if percent is not None:
        return make_check("idle", _OK, "idle", **known)
    if processes == 0:
        return make_check("idle", _OK, "nobody", name=name)
    return make_check("idle", _UNKNOWN, "not_reported_wsl" if host.is_wsl else "not_reported", name=name)


def power_of(gpu: Gpu, name: str) -> Check:  # noqa: PLR0911 - one return per finding
    """Is it allowed to run at full speed?"""
    reasons = Throttle(gpu.throttle_reasons or 0)
    limit_w, default_w = gpu.power_limit_w, gpu.power_limit_default_w
    hot = "?" if gpu.temperature_c is None else f"{gpu.temperature_c:.0f}"
    if reasons & HARDWARE:
        what = "brake" if reasons & Throttle.POWER_BRAKE else "hardware"
        return make_check("power", _FAILED, what, name=name, temperature=hot)
    if reasons & Throttle.THERMAL:
        return make_check("power", _FAILED, "thermal", name=name, temperature=hot)
    if reasons & Throttle.APPLICATION_CLOCKS:
        return make_check("power", _OK, "clocks_fixed", name=name)
    if limit_w is None:
        return make_check("power", _SKIPPED, "not_reported", name=name)
    if default_w is not None and limit_w < default_w - _SAME_POWER_W:
        values = {"limit": f"{limit_w:.0f}", "default": f"{default_w:.0f}"}
        return make_check("power", _OK, "lowered", name=name, **values)
    sheet = catalogue.by_id(gpu.catalogue_id) if gpu.catalogue_id else None
    if sheet is not None and limit_w < _FAR_BELOW_DATA_SHEET * sheet.tdp_w:
        what = "below_data_sheet_laptop" if sheet.form == "laptop" else "below_data_sheet"
        values = {"limit": f"{limit_w:.0f}", "usual": f"{sheet.tdp_w:.0f}"}
        return make_check("power", _OK, what, name=name, **values)
    return make_check("power", _OK, "full", name=name, limit=f"{limit_w:.0f}")


def checks_per_gpu(gpus: Sequence[Gpu], host: Host) -> tuple[Check, ...]:
    """Health, then memory, idleness and power, each for every GPU that answers."""
    names = names_of(gpus)
    live = [gpu for gpu in gpus if not gpu.lost and gpu.partition is not Partition.MIG_WITHOUT_SLICES]
    if not live:
        return tuple(make_check(layer, _SKIPPED, "no_gpu") for layer in ("health", "memory", "idle", "power"))
    on_battery = (make_check("power", _FAILED, "battery"),) if host.on_battery else ()
    return (
        *(health_of(gpu, names[gpu.index]) for gpu in live),
        *(memory_of(gpu, names[gpu.index], host) for gpu in live),
        *(idleness_of(gpu, names[gpu.index], host) for gpu in live),
        *on_battery,
        *(power_of(gpu, names[gpu.index]) for gpu in live),
    )
