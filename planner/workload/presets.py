"""The shipped models: op tables traced from real PyTorch code, with what one usually trains them on.

The files are made by ``planner.workload.trace.build_presets``; reading them needs no torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

from planner.door import InvalidInputError, Problem, parse_json, validated
from planner.paths import RESOURCES
from planner.workload.job import MemoryFormat
from planner.workload.optable import LAID_OUT, OpTable, SizeKind
from planner.workload.table_file import TableRecord, from_record

PRESETS = (
    "resnet50",
    "efficientnet_b0",
    "vit_b16",
    "convnext_b",
    "unet2d",
    "unet3d",
    "ssd300_r50",
    "maskrcnn_r50",
    "sd15_unet",
    "bert_base",
    "bert_large",
    "gpt2",
    "t5_base",
    "llama3_8b_lora",
    "lstm",
    "wav2vec2_base",
    "dlrm_criteo",
    "tabular_mlp",
)
# Which traced recipe serves a precision: TF32 changes the speed of fp32 arithmetic, not what is executed;
# the two 16-bit kinds of autocast move the same bytes.
TRACED_PRECISION = {"fp32": "fp32", "tf32": "fp32", "amp": "amp", "amp_bf16": "amp", "bf16": "bf16"}
# The adapter a preset was traced with; all others are trained whole.
TRACED_ADAPTERS = {"llama3_8b_lora": "lora:16"}
PRESETS_DIR = RESOURCES / "presets"

Family = Literal[
    "vision", "segmentation", "detection", "generation", "language", "speech", "recommendation", "tabular"
]
UsualCheckpointing = Literal["none", "full"]
_STRICT = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True, slots=True)
class Dataset:
    """What a model is usually trained on. ``bytes``: as downloaded; ``source`` says where both figures are
    from."""

    name: str
    samples: int
    bytes: int
    source: str

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Whose definition of the model was traced, and its licence."""

    definition: str
    licence: str

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class Maker:
    """How a preset file came about."""

    command: str
    date: str  # ISO 8601, the day on which the contents last changed
    torch: str
    timm: str
    transformers: str

    __pydantic_config__ = _STRICT


@dataclass(frozen=True)
class PresetFile:
    """A whole file in ``resources/presets``."""

    schema_version: Literal[2]
    name: str
    family: Family
    default_batch_size: int
    default_checkpointing: UsualCheckpointing  # "full" where hardly anybody trains it without
    dataset: Dataset
    model_source: ModelSource
    note: str  # what is particular about these tables; empty: nothing
    made_by: Maker
    variants: list[TableRecord]

    __pydantic_config__ = _STRICT


@dataclass(frozen=True, slots=True)
class PresetInfo:
    """What the form needs to know of a preset. ``title_code`` is a message code."""

    name: str
    title_code: str
    family: Family
    size_kind: SizeKind
    default_size: int  # image_size or sequence_length; 0 where neither applies
    size_unit: int
    size_min: int
    size_max: int
    default_batch_size: int
    default_checkpointing: UsualCheckpointing
    dataset: Dataset
    model_source: ModelSource
    note: str  # what is particular about the tables; empty: nothing
    made_by: Maker
    variants: tuple[tuple[str, str], ...]  # (traced precision, checkpointing) pairs that exist


@cache
def _preset_file(name: str) -> PresetFile:
    if name not in PRESETS:
        known = f"there is no preset {name!r}; known: {', '.join(PRESETS)}"
        raise InvalidInputError("preset", (Problem("name", known),))
    path = PRESETS_DIR / f"{name}.json"
    return validated(PresetFile, parse_json(path.read_bytes(), str(path)), str(path))


@cache
def load_preset(
    name: str, precision: str = "amp", checkpointing: str = "none", memory_format: MemoryFormat = "contiguous"
) -> OpTable:
    """The table of a preset for a precision of ``planner.workload.job`` ("fp32", "tf32", "amp", "amp_bf16",
    "bf16"), a checkpointing ("none", "full") and a memory format, which only images and volumes have.

    Raises InvalidInputError for an unknown preset or precision and for a variant that was not traced; the
    message lists what there is.
    """
    file = _preset_file(name)
    source = f"preset:{name}"
    if precision not in TRACED_PRECISION:
        what = f"there is no precision {precision!r}; known: {', '.join(TRACED_PRECISION)}"
        raise InvalidInputError(source, (Problem("precision", what),))
    laid_out = memory_format if file.variants[0].size_kind in LAID_OUT else "contiguous"
    wanted = (TRACED_PRECISION[precision], checkpointing, laid_out)
    for record in file.variants:
        if (record.precision, record.checkpointing, record.memory_format) == wanted:
            return from_record(record)
    raise InvalidInputError(source, (_missing(file, precision, checkpointing),))


def _missing(file: PresetFile, precision: str, checkpointing: str) -> Problem:
    pairs = dict.fromkeys((record.precision, record.checkpointing) for record in file.variants)
    have = "; ".join(f"{precision} with checkpointing {checkpointing}" for precision, checkpointing in pairs)
    where = "precision"
    if any(record.precision == TRACED_PRECISION[precision] for record in file.variants):
        where = "checkpointing"
    return Problem(where, f"no table for {precision} with checkpointing {checkpointing}; there are: {have}")


@cache
def preset_info(name: str) -> PresetInfo:
    """Defaults and origin of a preset. Raises InvalidInputError for an unknown one, listing the known."""
    file = _preset_file(name)
    first = file.variants[0]
    return PresetInfo(
        name=name,
        title_code=f"preset.{name}.title",
        family=file.family,
        size_kind=first.size_kind,
        default_size=first.default_size,
        size_unit=first.size_unit,
        size_min=first.size_min,
        size_max=first.size_max,
        default_batch_size=file.default_batch_size,
        default_checkpointing=file.default_checkpointing,
        dataset=file.dataset,
        model_source=file.model_source,
        note=file.note,
        made_by=file.made_by,
        variants=tuple(dict.fromkeys((record.precision, record.checkpointing) for record in file.variants)),
    )
