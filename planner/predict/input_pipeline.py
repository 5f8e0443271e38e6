"""How many samples a second a machine can read and prepare, whatever its GPUs could train on."""

from __future__ import annotations

from planner.evidence import Range
from planner.workload.job import Job
from planner.workload.optable import OpTable

# Photographs decoded, cropped and resized by one core: public measurements of JPEG pipelines.
PHOTO_SAMPLES_PER_CORE_S = Range(52, 100, 200)
# A smaller sample is no photograph but an array, which costs next to nothing to prepare (assumed).
_PHOTO_BYTES = 20e3


# Of a machine's memory, what the operating system can keep of files that were read once (assumed); and what is
# kept where the memory is not known.
_CACHED_SHARE = 0.5
_CACHED_BYTES = 8e9


def core_samples_per_s(job: Job, table: OpTable) -> Range | None:
    """As described in the job, else that of photographs where the samples look like some; None: no limit known."""
    if job.core_samples_per_s is not None:
        return job.core_samples_per_s
    photos = table.size_kind == "image" and job.dataset_bytes / job.samples_per_epoch >= _PHOTO_BYTES
    return PHOTO_SAMPLES_PER_CORE_S if photos else None


def _reads_disk(job: Job, memory_bytes: float | None) -> bool:
    """Whether every epoch reads the disk again: a smaller data set stays in memory after the first."""
    return job.dataset_bytes > (_CACHED_BYTES if memory_bytes is None else _CACHED_SHARE * memory_bytes)


def input_samples_per_s(
    job: Job, table: OpTable, cores: Range | None, disk_mb_per_s: Range, memory_bytes: float | None = None
) -> Range | None:
    """min(cores · samples a core, disk rate / bytes a sample). None: neither is known to limit.

    ``memory_bytes``: of the host; None: not known.
    """
    per_core = core_samples_per_s(job, table)
    limits = []
    if per_core is not None and cores is not None:
        limits.append([cores.low * per_core.low, cores.likely * per_core.likely, cores.high * per_core.high])
    if _reads_disk(job, memory_bytes):
        disk = disk_mb_per_s.scaled(1e6 * job.samples_per_epoch / job.dataset_bytes)
        limits.append([disk.low, disk.likely, disk.high])
    return Range(*map(min, zip(*limits, strict=True))) if limits else None
