from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.predict.estimate import estimate
from planner.predict.ladder import ladder
from planner.predict.types import Fits
from planner.workload.job import Recipe
from tests.predict.made import GIB, constant, make_device, make_table, per_sample

SAMPLE_BYTES = 0.5 * GIB


def tables(recipe: Recipe):
    """Activations 0.5 GiB a sample, a tenth when recomputed, double in fp32; adapters are not there."""
    if recipe.adapter != "none":
        return None
    share = (0.1 if recipe.checkpointing == "full" else 1.0) * (2 if recipe.precision == "fp32" else 1)
    ops = [
        ("linear", "forward", 2, 30 if recipe.checkpointing == "none" else 40, per_sample(1e10), per_sample(1e8))
    ]
    return make_table(
        ops,
        [per_sample(share * SAMPLE_BYTES)],
        precision="fp32" if recipe.precision == "fp32" else "amp",
        checkpointing=recipe.checkpointing,
    )


def codes(rungs) -> list[tuple[str, ...]]:
    return [rung.codes for rung in rungs]


def test_that_what_fits_comes_first_and_of_that_what_costs_least_time():
    rungs = ladder(Recipe(batch_size=64), make_device(), tables)
    assert rungs[0].memory.fits is Fits.YES
    fitting = [rung.time_ratio.likely for rung in rungs if rung.memory.fits is Fits.YES]
    assert fitting == sorted(fitting)
    assert [rung.memory.fits is Fits.YES for rung in rungs] == sorted(
        (rung.memory.fits is Fits.YES for rung in rungs), reverse=True
    )


def test_that_a_batch_is_split_into_as_few_parts_as_make_it_fit():
    (rung,) = (
        rung for rung in ladder(Recipe(batch_size=64), make_device(), tables) if rung.codes == ("accumulate",)
    )
    assert rung.memory.fits is Fits.YES
    assert rung.recipe.batch_size * rung.recipe.accumulation_steps >= 64
    parts = rung.recipe.accumulation_steps
    larger = replace(rung.recipe, batch_size=64 // (parts - 1))
    assert estimate(larger, make_device(), tables(larger)).memory.fits is not Fits.YES


def test_that_recomputing_saves_memory_and_costs_the_time_of_a_forward_pass():
    rungs = ladder(Recipe(batch_size=64), make_device(), tables)
    (rung,) = (rung for rung in rungs if rung.codes == ("checkpointing",))
    assert rung.gain_bytes == pytest.approx(0.9 * 64 * SAMPLE_BYTES, rel=0.1)
    assert 1.2 < rung.time_ratio.likely < 1.4


def test_that_changes_whose_model_is_not_traced_are_left_out():
    assert not any(
        "lora" in rung.codes or "qlora" in rung.codes for rung in ladder(Recipe(), make_device(), tables)
    )
    assert ladder(Recipe(adapter="lora:8"), make_device(), tables) == ()


def test_that_inference_has_no_ladder():
    assert ladder(Recipe(mode="infer"), make_device(), tables) == ()


def test_that_offloading_says_what_the_host_needs_and_that_its_time_is_assumed():
    def large(recipe):
        table = tables(recipe)
        return table and replace(
            table,
            parameters=10**9,
            trained_parameters=10**9,
            parameter_bytes=4 * 10**9,
            trained_parameter_bytes=4 * 10**9,
        )

    rungs = ladder(Recipe(batch_size=2), make_device(), large)
    (rung,) = (rung for rung in rungs if rung.codes == ("offload",))
    assert rung.memory.host_bytes.likely > 10e9
    assert rung.evidence.value == "D"
    assert rung.time_ratio.low < rung.time_ratio.likely < rung.time_ratio.high


def test_that_several_changes_are_put_together_where_none_alone_is_enough():
    heavy = Recipe(batch_size=1, precision="fp32")

    def huge(recipe):
        share = (0.5 if recipe.checkpointing == "full" else 1.0) * (1.0 if recipe.precision == "fp32" else 0.5)
        return replace(
            make_table(live=[constant(70 * GIB * share)], checkpointing=recipe.checkpointing),
            precision="fp32" if recipe.precision == "fp32" else "amp",
        )

    rungs = ladder(heavy, make_device(), lambda recipe: huge(recipe) if recipe.adapter == "none" else None)
    assert all(rung.memory.fits is not Fits.YES for rung in rungs[:-1])
    assert set(rungs[-1].codes) >= {"amp", "checkpointing"}
    assert rungs[-1].memory.fits is Fits.YES


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 512), st.sampled_from(["adamw", "adam", "momentum"]), st.sampled_from(["ddp", "zero2"]))
def test_that_every_rung_saves_what_it_says(batch, optimizer, strategy):
    recipe, device = Recipe(batch_size=batch, optimizer=optimizer, strategy=strategy), make_device()
    now = estimate(recipe, device, tables(recipe)).memory.total_bytes.likely
    for rung in ladder(recipe, device, tables):
        after = estimate(rung.recipe, device, tables(rung.recipe), rung.gpus).memory.total_bytes.likely
        assert rung.gain_bytes == pytest.approx(now - after)
        assert rung.gain_bytes > 0
