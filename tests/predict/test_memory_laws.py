"""Laws of peak memory on real models: the shipped presets, and the language models of the published reports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.predict.calibration.memory_cases import tables
from planner.predict.memory import estimate_memory, memory_at
from planner.workload.job import Recipe
from planner.workload.presets import PRESETS, load_preset, preset_info
from tests.predict.made import make_device

SIZED = [name for name in PRESETS if preset_info(name).size_max > preset_info(name).size_min]
CHECKPOINTED = [name for name in PRESETS if ("amp", "full") in preset_info(name).variants]


def need(name: str, **changes) -> float:
    recipe = Recipe(**{"model": f"preset:{name}", "batch_size": 4, "precision": "amp", **changes})
    table = load_preset(name, recipe.precision, recipe.checkpointing)
    return estimate_memory(table, recipe, make_device()).total_bytes.likely


@pytest.mark.parametrize("name", SIZED)
def test_that_memory_grows_with_image_size_and_sequence_length(name):
    info = preset_info(name)
    sizes = [size for size in range(info.size_unit, info.size_max + 1, info.size_unit) if size >= info.size_min][
        :6
    ]
    needs = [need(name, input_size=size) for size in sizes]
    assert needs == sorted(needs)
    assert needs[-1] > needs[0]


@pytest.mark.parametrize("name", CHECKPOINTED)
@pytest.mark.parametrize("batch", [1, 8, 64])
def test_that_checkpointing_never_takes_more(name, batch):
    kept, recomputed = (need(name, batch_size=batch, checkpointing=how) for how in ("none", "full"))
    assert recomputed <= kept


def adapters():
    """(adapter, whole) tables of one model, everything else the same."""
    known = tables()
    for key, table in known.items():
        model, precision, checkpointing, adapter, attention, size = key.split("|")
        whole = known.get("|".join((model, precision, checkpointing, "none", attention, size)))
        if adapter != "none" and whole is not None:
            yield pytest.param(table, whole, precision, checkpointing, id=key)


@pytest.mark.parametrize(("adapter", "whole", "precision", "checkpointing"), tuple(adapters()))
def test_that_an_adapter_never_takes_more_than_training_everything(adapter, whole, precision, checkpointing):
    """Of what is alive: their factors are fitted to different reports."""
    recipe = Recipe(precision=precision, checkpointing=checkpointing, batch_size=1)
    for length in (128, 512, 2048):
        thin, full = (
            memory_at(table, replace(recipe, input_size=length), make_device(), length).total_bytes.likely
            for table in (adapter, whole)
        )
        assert thin < full
