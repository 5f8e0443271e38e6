"""What the user typed, and what it means. Free of Qt and of widgets: the form shows it, the store reads it.

Every field is text, exactly as typed: a text that cannot be understood stays and gets a problem in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from planner.evidence import Range
from planner.units import parse_bytes, parse_count, parse_duration_s
from planner.workload.job import Job
from ui.i18n import say

T = TypeVar("T")

if TYPE_CHECKING:
    from planner.decide.types import Terms
    from planner.workload.presets import PresetInfo

Parse = Callable[[str], float]


def _hours(text: str) -> float:
    return parse_duration_s(text) / 3600


def _seconds(text: str) -> float:
    """A bare number is seconds, and "250 ms" is understood."""
    compact = text.strip().lower()
    if compact.endswith("ms"):
        return parse_count(compact.removesuffix("ms")) / 1000
    return parse_count(compact.removesuffix("s"))


def _money(text: str) -> float:
    return parse_count(text.strip().removeprefix("$").removesuffix("USD"))


def _share(text: str) -> float:
    return parse_count(text.strip().removesuffix("%").strip()) / 100


def _rate(text: str) -> float:
    return parse_count(text)


# What is told of a text that cannot be read: which kind of number belongs there.
_KINDS: Mapping[Parse, str] = {
    parse_count: "number",
    parse_bytes: "size",
    _hours: "duration",
    _seconds: "seconds",
    _money: "money",
    _share: "percentage",
    _rate: "number",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One text of the form. ``least``: smallest value that makes sense; None: anything above 0."""

    key: str
    parse: Parse
    least: float | None = None
    whole: bool = False
    optional: bool = False


_QUANTITIES = (
    Field("batch_size", parse_count, 1, whole=True),
    Field("input_size", parse_count, 1, whole=True, optional=True),
    Field("samples", parse_count, 1),
    Field("epochs_low", parse_count),
    Field("epochs_likely", parse_count),
    Field("epochs_high", parse_count),
    Field("dataset", parse_bytes, 0),
    Field("deadline", _hours, optional=True),
    Field("budget", _money, optional=True),
    Field("upload_low", _rate),
    Field("upload_likely", _rate),
    Field("upload_high", _rate),
    Field("waiting_cost", _money, 0),
    Field("late", _money, 0, optional=True),
    Field("tax", _share, 0),
    Field("hours_per_month", _rate, optional=True),
    Field("runs", parse_count, 1, whole=True),
    Field("timed_step", _seconds, optional=True),
    Field("bus_low", _rate, optional=True),
    Field("bus_likely", _rate, optional=True),
    Field("bus_high", _rate, optional=True),
)
QUANTITIES: Mapping[str, Field] = {field.key: field for field in _QUANTITIES}
_OF_RECIPE = ("model", "precision", "optimizer", "memory_format", "checkpointing", "execution")
_OF_TERMS = ("objective", "host_class", "platform", "privacy")
CHOICES = (*_OF_RECIPE, "kept_batch", *_OF_TERMS, "data_country")
RANGES = ("epochs", "upload", "bus")
# Where planning names a field of its own types: the field of the form that shows the problem.
FIELD_OF_DOMAIN = {
    "samples_per_epoch": "samples",
    "dataset_bytes": "dataset",
    "epochs": "epochs_likely",
    "image_size": "input_size",
    "sequence_length": "input_size",
    "deadline_h": "deadline",
    "budget_usd": "budget",
    "upload_mbit_per_s": "upload_likely",
    "waiting_cost_usd_per_h": "waiting_cost",
    "bus_bandwidth_gbs": "bus_likely",
    "late_usd": "late",
    "tax_share": "tax",
    "timed_step_s": "timed_step",
}


@dataclass(frozen=True)
class Draft:
    """The form. ``edited``: fields the user typed or confirmed; the others are assumptions.

    ``job`` and ``terms`` carry what the form does not show (an opened plan may set it).
    """

    texts: Mapping[str, str]
    edited: frozenset[str]
    job: Job
    terms: Terms

    def typed(self, key: str, text: str) -> Draft:
        return replace(self, texts={**self.texts, key: text}, edited=self.edited | {key})

    def with_preset(self, info: PresetInfo) -> Draft:
        """Choose a model: its usual sizes and data set fill what the user has not touched."""
        usual = {
            "batch_size": str(info.default_batch_size),
            "checkpointing": info.default_checkpointing,
            "input_size": str(info.default_size) if info.default_size else "",
            "samples": _grouped(info.dataset.samples),
            "dataset": bytes_text(float(f"{info.dataset.bytes:.3g}")),  # it is an assumption: three digits
        }
        kept = {key: text for key, text in usual.items() if key not in self.edited or key == "input_size"}
        texts = {**self.texts, **kept, "model": f"preset:{info.name}"}
        return replace(self, texts=texts, edited=(self.edited | {"model"}) - {"input_size"})


@dataclass(frozen=True)
class Reading:
    """What a draft means. ``problems``: field → what is wrong, in words. Without problems both are there."""

    job: Job | None
    terms: Terms | None
    problems: Mapping[str, str]


def read(draft: Draft) -> Reading:
    """Understand every field; all problems at once."""
    problems: dict[str, str] = {}
    values = {key: _value(field, draft.texts.get(key, ""), problems) for key, field in QUANTITIES.items()}
    ranges = {name: _range(name, values, problems) for name in RANGES}
    if problems:
        return Reading(None, None, problems)
    job = _built(lambda: _job(draft, values, ranges), problems)
    terms = _built(lambda: _terms(draft, values, ranges), problems)
    return Reading(job, terms, problems)


def _built(make: Callable[[], T], problems: dict[str, str]) -> T | None:
    """What ``make`` makes of the values; None, with the problem at its field, where one is out of bounds."""
    try:
        return make()
    except ValueError as error:  # "dataset_bytes must be at most …": the domain's name of the field comes first
        name, _, what = str(error).partition(" ")
        problems[FIELD_OF_DOMAIN.get(name, name)] = _sentence(what)
        return None


def _value(field: Field, text: str, problems: dict[str, str]) -> float | None:
    if not text.strip():
        if not field.optional:
            problems[field.key] = say("form.empty")
        return None
    try:
        value = field.parse(text)
    except ValueError:
        problems[field.key] = say(f"form.not_understood.{_KINDS[field.parse]}", text=text.strip())
        return None
    if field.least is None and value <= 0:
        problems[field.key] = say("form.not_positive")
        return None
    if field.least is not None and value < field.least:
        problems[field.key] = say("form.too_small", least=f"{field.least:g}")
        return None
    if field.whole and value != int(value):
        problems[field.key] = say("form.not_whole")
        return None
    return value


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _range(name: str, values: Mapping[str, float | None], problems: dict[str, str]) -> Range | None:
    """Three fields as a range; None where all are empty and may be."""
    keys = [f"{name}_{part}" for part in ("low", "likely", "high")]
    numbers = [values[key] for key in keys]
    given = [number for number in numbers if number is not None]
    if any(key in problems for key in keys) or not given:
        return None
    if len(given) < len(numbers):
        for key, number in zip(keys, numbers, strict=True):
            if number is None:
                problems[key] = say("form.range_incomplete")
        return None
    low, likely, high = given
    if not low <= likely <= high:
        problems[keys[1]] = say("form.range_order")
        return None
    return Range(low, likely, high)


def _job(draft: Draft, values: Mapping[str, float | None], ranges: Mapping[str, Range | None]) -> Job:
    texts, size = draft.texts, values["input_size"]
    choices: dict[str, Any] = {key: texts[key] for key in _OF_RECIPE}
    recipe = replace(
        draft.job.recipe,
        **choices,
        batch_size=int(_known(values["batch_size"])),
        input_size=None if size is None else int(size),
    )
    kept: Any = texts["kept_batch"]
    return replace(
        draft.job,
        recipe=recipe,
        samples_per_epoch=_known(values["samples"]),
        epochs=ranges["epochs"] or draft.job.epochs,
        dataset_bytes=_known(values["dataset"]),
        kept_batch=kept,
        runs=int(_known(values["runs"])),
        timed_step_s=values["timed_step"],
    )


def _terms(draft: Draft, values: Mapping[str, float | None], ranges: Mapping[str, Range | None]) -> Terms:
    choices: dict[str, Any] = {key: draft.texts[key] for key in _OF_TERMS}
    return replace(
        draft.terms,
        **choices,
        data_country=draft.texts["data_country"].strip().upper(),
        late_usd=values["late"],
        tax_share=_known(values["tax"]),
        hours_per_month=values["hours_per_month"],
        deadline_h=values["deadline"],
        budget_usd=values["budget"],
        upload_mbit_per_s=ranges["upload"] or draft.terms.upload_mbit_per_s,
        waiting_cost_usd_per_h=_known(values["waiting_cost"]),
        bus_bandwidth_gbs=ranges["bus"],
    )


def _known(value: float | None) -> float:
    assert value is not None  # a field that must be there and is not has a problem, and this is not reached
    return value


def draft_of(job: Job, terms: Terms, edited: frozenset[str] = frozenset()) -> Draft:
    """The form that means exactly this job and these terms."""
    recipe = job.recipe
    texts = {
        "model": recipe.model,
        "precision": recipe.precision,
        "optimizer": recipe.optimizer,
        "memory_format": recipe.memory_format,
        "checkpointing": recipe.checkpointing,
        "execution": recipe.execution,
        "kept_batch": job.kept_batch,
        "runs": str(job.runs),
        "timed_step": "" if job.timed_step_s is None else f"{number_text(job.timed_step_s)} s",
        "objective": terms.objective,
        "host_class": terms.host_class,
        "platform": terms.platform,
        "privacy": terms.privacy,
        "data_country": terms.data_country,
        "late": "" if terms.late_usd is None else number_text(terms.late_usd),
        "tax": percent_text(terms.tax_share),
        "hours_per_month": "" if terms.hours_per_month is None else number_text(terms.hours_per_month),
        "batch_size": str(recipe.batch_size),
        "input_size": "" if recipe.input_size is None else str(recipe.input_size),
        "samples": _grouped(job.samples_per_epoch),
        "dataset": bytes_text(job.dataset_bytes),
        "deadline": "" if terms.deadline_h is None else f"{number_text(terms.deadline_h)} h",
        "budget": "" if terms.budget_usd is None else number_text(terms.budget_usd),
        "waiting_cost": number_text(terms.waiting_cost_usd_per_h),
        **_range_texts("epochs", job.epochs),
        **_range_texts("upload", terms.upload_mbit_per_s),
        **_range_texts("bus", terms.bus_bandwidth_gbs),
    }
    return Draft(texts, edited, job, terms)


def _range_texts(name: str, value: Range | None) -> dict[str, str]:
    parts = ("low", "likely", "high")
    return {f"{name}_{part}": "" if value is None else number_text(getattr(value, part)) for part in parts}


def number_text(value: float) -> str:
    """Shortest text that reads as exactly ``value`` again."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def percent_text(share: float) -> str:
    """Shortest text that reads as exactly ``share`` again: "10 %", else the digits it takes."""
    text = f"{share * 100:.10g}"
    return f"{text} %" if _share(text) == share else f"{share * 100!r} %"


def _grouped(value: float) -> str:
    return f"{int(value):,}" if value == int(value) and abs(value) < 1e15 else repr(value)


def bytes_text(value: float) -> str:
    """ "150 GB": the largest decimal unit that says exactly ``value`` in at most six digits."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        text = f"{value / size:.6g}"
        if value >= size and parse_bytes(f"{text}{unit}") == value:
            return f"{text} {unit}"
    return f"{number_text(value)} B"
