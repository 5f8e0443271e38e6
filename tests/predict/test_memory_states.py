"""Bytes per trained parameter, as published for each way of training."""

from __future__ import annotations

import pytest

from planner.predict.memory_states import training_states
from planner.predict.memory_table import MemoryTable
from planner.workload.job import Recipe
from tests.predict.made import make_table

PARAMETERS = 1_000_000_000


def table(width: int, frozen_bytes: int = 0) -> MemoryTable:
    return MemoryTable.of(
        make_table(
            parameters=PARAMETERS,
            trained_parameters=PARAMETERS,
            parameter_bytes=width * PARAMETERS + frozen_bytes,
            trained_parameter_bytes=width * PARAMETERS,
        )
    )


def kept(recipe: Recipe, gpus: int = 1, width: int = 4) -> float:
    """Bytes per parameter between the passes, all gradients included."""
    states = training_states(table(width), recipe, gpus)
    gradients = states.gradient_share * width * PARAMETERS
    return (states.parameters + gradients + states.optimizer.likely) / PARAMETERS


def test_that_torch_keeps_everything_in_the_width_of_the_weights():
    assert kept(Recipe(precision="amp_bf16")) == 16
    assert kept(Recipe(precision="bf16"), width=2) == 8
    assert kept(Recipe(precision="fp32", optimizer="momentum")) == 12


@pytest.mark.parametrize("width", [2, 4], ids=["traced in bf16", "traced under autocast"])
def test_that_deepspeed_keeps_16_bit_weights_and_fp32_masters_however_the_model_was_traced(width):
    assert kept(Recipe(strategy="zero1"), width=width) == pytest.approx(16)
    assert kept(Recipe(strategy="zero1"), 4, width) == pytest.approx(4 + 12 / 4)
    assert kept(Recipe(strategy="zero2"), 4, width) == pytest.approx(2 + 14 / 4)
    assert kept(Recipe(strategy="zero3"), 4, width) == pytest.approx(16 / 4)


def test_that_zero_2_and_3_reach_18_bytes_a_shard_at_the_update():
    for strategy, whole in (("zero2", 2), ("zero3", 0)):
        states = training_states(table(2), Recipe(strategy=strategy), 4)
        assert kept(Recipe(strategy=strategy), 4, 2) + states.step_temporaries / PARAMETERS == pytest.approx(
            whole + 18 / 4
        )


def test_that_fsdp_shards_all_states_and_gathers_16_bit_weights():
    states = training_states(table(4), Recipe(strategy="fsdp"), 8)
    assert kept(Recipe(strategy="fsdp"), 8) == pytest.approx(16 / 8)
    assert 0 < states.gathered < 2 * PARAMETERS


def test_that_ddp_pools_nothing_and_copies_the_gradients_for_the_exchange():
    assert kept(Recipe(), 8) == kept(Recipe())
    assert training_states(table(4), Recipe(), 8).gradient_copies == 4 * PARAMETERS


def test_that_zero_3_does_not_shard_4_bit_weights_but_fsdp_does():
    frozen = 8 * PARAMETERS
    for strategy, share in (("zero3", 1), ("fsdp", 1 / 8)):
        recipe = Recipe(strategy=strategy, adapter="qlora:16", precision="bf16")
        states = training_states(table(2, frozen), recipe, 8)
        assert states.parameters == pytest.approx(frozen * share + 2 * PARAMETERS / 8)


def test_that_8_bit_states_stay_8_bit_beside_fp32_masters():
    assert kept(Recipe(strategy="zero2", optimizer="adamw8bit")) == pytest.approx(2 + 2 + 4 + 2.03, abs=0.01)


def test_that_the_host_needs_what_deepspeed_asks_for_at_most():
    """DeepSpeed's estimators: ZeRO-2 P · max(4 N, 16) · 1.5, ZeRO-3 P · max(4 N, 18) · 1.5 bytes."""
    for strategy, gpus, per_parameter in (("zero2", 2, 16), ("zero2", 8, 32), ("zero3", 2, 18), ("zero3", 8, 32)):
        states = training_states(table(2), Recipe(strategy=strategy, offload="optimizer"), gpus)
        assert states.host.high == pytest.approx(1.5 * per_parameter * PARAMETERS)


def test_that_offloading_leaves_the_gpu_its_weights_and_a_bucket_of_gradients():
    states = training_states(table(2), Recipe(strategy="zero3", offload="optimizer"), 4)
    assert states.optimizer.high == states.step_temporaries == 0
    assert states.parameters == 2 * PARAMETERS / 4
    everything = training_states(table(2), Recipe(strategy="zero3", offload="all"), 4)
    assert everything.parameters == 0
    assert everything.gathered > 0
