"""The one way of the data, as one pure function: everything known → the recommendation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

from planner.benchmark.result import BenchmarkResult
from planner.decide.decision import decide
from planner.decide.fixes import Variant
from planner.decide.hosts import LARGER_COUNTS, hosts_of
from planner.decide.options import Asked
from planner.decide.types import Option, Recommendation, Terms
from planner.door import InvalidInputError, Problem
from planner.hardware.catalogue import GpuSpec, by_id, identify
from planner.hardware.snapshot import Gpu, Snapshot
from planner.offers.currency import ExchangeRate, in_usd, shipped_rates
from planner.offers.offer import Offer, parse_date
from planner.predict.anchor import anchored, timed
from planner.predict.device import device_from_benchmark, device_from_catalogue
from planner.predict.ladder import Rung, ladder
from planner.predict.roofline import Roofline, roofline_of
from planner.predict.types import DeviceModel
from planner.workload.job import Job, Recipe
from planner.workload.optable import OpTable
from planner.workload.sources.load import stored_table
from planner.workload.sources.request import request_for

RENTED_GPU = "rtx-3090"


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """All that an answer depends on; exactly what a plan file stores."""

    job: Job = field(default_factory=Job)
    terms: Terms = field(default_factory=Terms)
    offers: tuple[Offer, ...] = ()
    rates: tuple[ExchangeRate, ...] = field(default_factory=shipped_rates)  # for offers in other currencies
    provider: str = "irender"  # whose packages are weighed; others give comparable prices
    snapshot: Snapshot | None = None  # None: this machine has not been looked at
    gpu_uuid: str | None = None  # which local GPU would train; None: the first that answers
    benchmark: BenchmarkResult | None = None  # of that GPU; None: not measured, the data sheet is used
    today: str = ""  # ISO date the plan was made: prices age against it
    seed: int = 20260301
    sample_count: int = 2000

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        if not 100 <= self.sample_count <= 100_000:
            raise ValueError(f"sample_count must be 100 to 100000, got {self.sample_count}")
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, got {self.seed}")


def local_gpu(snapshot: Snapshot | None, gpu_uuid: str | None) -> Gpu | None:
    """The GPU that would train here: the one asked for, else the first that answers."""
    gpus = [gpu for gpu in snapshot.gpus if not gpu.lost] if snapshot else []
    chosen = next((gpu for gpu in gpus if gpu.uuid == gpu_uuid), None) if gpu_uuid else None
    return chosen or next(iter(gpus), None)


def _spec(gpu: Gpu) -> GpuSpec | None:
    if gpu.is_part:  # the data sheet is that of the whole card
        return None
    if gpu.catalogue_id:
        return by_id(gpu.catalogue_id)
    return identify(gpu.name, gpu.pci_device_id, gpu.memory_total_bytes)


def local_device(
    snapshot: Snapshot | None, gpu_uuid: str | None, benchmark: BenchmarkResult | None
) -> DeviceModel | None:
    """What this machine would train on: as measured, else from its data sheet; None: nothing is known of it.

    A benchmark counts only for the GPU it was made on; one made on the processor counts where there is no GPU.
    """
    gpu = local_gpu(snapshot, gpu_uuid)
    measured = _measured_device(gpu, benchmark) if benchmark is not None else None
    if measured is not None or gpu is None:
        return measured
    spec = _spec(gpu)
    if spec is None or spec.bandwidth_bytes_per_s is None:
        return None
    return device_from_catalogue(spec, display=bool(gpu.display_active), power_w=gpu.power_limit_w)


def _is_of(benchmark: BenchmarkResult, gpu: Gpu | None) -> bool:
    """Whether a benchmark tells about this GPU; of a machine whose GPUs nobody reports, any does."""
    if gpu is None:
        return True
    if gpu.uuid is None or benchmark.gpu_uuid is None:
        return benchmark.device_kind != "cpu" and benchmark.device_name == gpu.name
    return benchmark.gpu_uuid.lower() == gpu.uuid.lower()


def _measured_device(gpu: Gpu | None, benchmark: BenchmarkResult) -> DeviceModel | None:
    """None: it is another device's, or it ended too early to replace the data sheet that is missing."""
    if not benchmark.probes or not _is_of(benchmark, gpu):
        return None
    if gpu is not None:
        spec = _spec(gpu)
    else:
        spec = identify(benchmark.device_name) if benchmark.device_kind == "cuda" else None
    try:
        return device_from_benchmark(benchmark, spec, display=bool(gpu and gpu.display_active))
    except InvalidInputError:
        return None


@cache
def _rented_device() -> DeviceModel:
    spec = by_id(RENTED_GPU)
    if spec is None:
        raise InvalidInputError("catalogue", (Problem("gpu", f"{RENTED_GPU} is missing from the GPU catalogue"),))
    return device_from_catalogue(spec, rented=True)


def table_of(recipe: Recipe) -> OpTable:
    """The op table of a recipe's model, if it can be had at once: nothing is traced while answering.

    Raises InvalidInputError for a model that is not known, for one that was not traced yet, and for an adapter
    that it cannot have.
    """
    table = stored_table(request_for(recipe))
    if table is None:
        what = f"{recipe.model!r} was not traced yet: run `gpu-plan estimate --model {recipe.model}` once"
        raise InvalidInputError("recipe", (Problem("model", what),))
    return table


def memory_ladder(inputs: PlanInputs, option: Option) -> tuple[Rung, ...]:
    """Changes that make the job of an option take less memory, as far as their tables can be had at once."""
    device = local_device(inputs.snapshot, inputs.gpu_uuid, inputs.benchmark)
    device = device if option.kind == "local" else _rented_device()
    if device is None:
        return ()

    def known(recipe: Recipe) -> OpTable | None:
        try:
            return table_of(recipe)
        except InvalidInputError:  # not traced, or a preset without this variant: nothing can be said of it
            return None

    recipe = replace(inputs.job.recipe, batch_size=option.batch_per_gpu)
    return ladder(recipe, device, known, option.gpu_count)


# Settings that may be faster on this machine, as (code, field, value it has now, value to try).
_FASTER = (
    ("amp", "precision", ("fp32", "tf32"), "amp"),
    ("channels_last", "memory_format", ("contiguous",), "channels_last"),
    ("no_checkpointing", "checkpointing", ("full",), "none"),
    ("compile", "execution", ("eager",), "compile"),
)


def _variants(recipe: Recipe) -> tuple[Variant, ...]:
    """The recipe with one setting changed, as far as its table can be had at once."""
    found = []
    for code, field_name, now, other in _FASTER:
        if getattr(recipe, field_name) not in now:
            continue
        changed = replace(recipe, **{field_name: other})  # type: ignore[arg-type]
        try:
            table = table_of(changed)
        except InvalidInputError:  # not traced, or a preset without this variant: nothing can be said of it
            continue
        if code != "channels_last" or table.size_kind == "image":
            found.append(Variant(code, changed, table))
    return tuple(found)


def _devices(inputs: PlanInputs, table: OpTable) -> tuple[DeviceModel | None, DeviceModel]:
    """This machine's and the rented one, both as a step that the user timed makes them known."""
    local = local_device(inputs.snapshot, inputs.gpu_uuid, inputs.benchmark)
    rented, seconds = _rented_device(), inputs.job.timed_step_s
    if seconds is None:
        return local, rented
    if local is None:
        what = "a timed step says nothing while no local GPU is known: detect or benchmark it, or leave this empty"
        raise InvalidInputError("job", (Problem("timed_step_s", what),))
    step_s, recipe = timed(seconds), inputs.job.recipe
    return anchored(local, local, step_s, table, recipe), anchored(rented, local, step_s, table, recipe)


def larger_hosts(inputs: PlanInputs) -> tuple[Option, ...]:
    """Rented hosts with more cards than are weighed, as predicted: what their size would bring, without a price.

    Nothing where the job cannot be planned on them.
    """
    try:
        table = table_of(inputs.job.recipe)
        _, rented = _devices(inputs, table)
        return hosts_of(Asked(inputs.job, table, inputs.terms), rented, LARGER_COUNTS)
    except InvalidInputError:
        return ()


def roofline(inputs: PlanInputs, option: Option) -> Roofline | None:
    """The job of an option on the limits of its GPU, with this machine's probes where that is measured.

    None: the GPU is not known, or the job cannot be planned.
    """
    gpu, benchmark = local_gpu(inputs.snapshot, inputs.gpu_uuid), inputs.benchmark
    here = option.kind == "local"
    measured = benchmark if here and benchmark and _measured_device(gpu, benchmark) else None
    spec = _spec(gpu) if gpu else None
    has_sheet = spec is not None and spec.bandwidth_bytes_per_s is not None
    recipe = replace(inputs.job.recipe, batch_size=option.batch_per_gpu)
    try:
        table = table_of(recipe)
        local, rented = _devices(inputs, table)
        device = local if here else rented
        if device is None:
            return None
        probes = measured.probes if measured else ()
        return roofline_of(table, recipe, device, probes, limits_measured=here and not has_sheet)
    except InvalidInputError:
        return None


def evaluate(inputs: PlanInputs) -> Recommendation:
    """Predict, price and decide. Pure: the same inputs give the same numbers.

    Raises InvalidInputError for a model, size or variant that cannot be planned, with the field's name.
    """
    gpu = local_gpu(inputs.snapshot, inputs.gpu_uuid)
    table = table_of(inputs.job.recipe)
    local, rented = _devices(inputs, table)
    return decide(
        job=inputs.job,
        table=table,
        terms=inputs.terms,
        local=local,
        unknown_gpu=gpu.name if gpu and local is None else None,
        machine_known=inputs.snapshot is not None or local is not None,
        rented=rented,
        rented_gpu=RENTED_GPU,
        offers=in_usd(inputs.offers, inputs.rates),
        provider=inputs.provider,
        today=parse_date(inputs.today),
        seed=inputs.seed,
        sample_count=inputs.sample_count,
        host=inputs.snapshot.host if inputs.snapshot else None,
        variants=_variants(inputs.job.recipe) if local else (),
        rates=inputs.rates,
    )
