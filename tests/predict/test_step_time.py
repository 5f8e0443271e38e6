from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError
from planner.evidence import Evidence
from planner.predict.step_time import SIGMA_OTHER_RECIPE, SIGMA_SOFTWARE, predict_step_time
from planner.workload.job import OPTIMIZERS, Recipe
from planner.workload.optable import KINDS, OP_CLASSES, PHASES
from tests.predict.made import constant, make_device, make_table, per_sample, tables

INFER = Recipe(mode="infer", batch_size=10)
# With flops alone the smooth maximum is exact, so times can be written down.
FLOPS = per_sample(1e12)


def seconds(table, recipe=INFER, **device):
    return predict_step_time(table, recipe, make_device(**device)).seconds.likely


@pytest.mark.parametrize(
    ("kind", "width", "precision", "expected_s"),
    [
        ("linear", 2, "amp", 1e13 / 0.5e14),  # matrix units in fp16
        ("linear", 4, "fp32", 1e13 / 0.5e13),  # torch's default: no TF32 in matrix products
        ("linear", 4, "tf32", 1e13 / 2.5e13),
        ("conv", 4, "fp32", 1e13 / 2.5e13),  # torch's default: TF32 in convolutions
        ("conv_depthwise", 2, "amp", 1e13 / 0.5e13),  # no matrix units
        ("pointwise", 2, "amp", 1e13 / 0.5e13),
    ],
)
def test_that_each_kind_computes_at_the_peak_of_its_arithmetic(kind, width, precision, expected_s):
    table = make_table(
        [(kind, "forward", width, 1, FLOPS, constant(0))], precision=precision[:4].replace("tf32", "fp32")
    )
    assert seconds(table, replace(INFER, precision=precision)) == pytest.approx(expected_s)


def test_that_an_op_takes_the_slower_of_arithmetic_and_traffic():
    flop_bound = make_table([("linear", "forward", 2, 1, FLOPS, per_sample(1e6))])
    byte_bound = make_table([("linear", "forward", 2, 1, per_sample(1e6), per_sample(1e11))])
    balanced = make_table([("linear", "forward", 2, 1, FLOPS, per_sample(2e10))])
    assert seconds(flop_bound) == pytest.approx(0.2)
    assert seconds(byte_bound) == pytest.approx(1.0)
    assert 0.2 < seconds(balanced) <= 0.2 * 2**0.25 + 1e-12  # both limits slow an op at the ridge


def test_that_inference_runs_the_forward_pass_only():
    table = make_table([("linear", phase, 2, 1, FLOPS, constant(0)) for phase in ("forward", "backward")])
    train = seconds(table, replace(INFER, mode="train", optimizer="sgd"))
    assert seconds(table) == pytest.approx(0.2)
    assert train > 0.4  # and the optimizer


def test_that_many_small_ops_wait_for_the_host():
    table = make_table([("pointwise", "forward", 4, 1000, constant(0), constant(1e3))])
    step = predict_step_time(table, INFER, make_device(launch_s=2e-6, host_op_s=(12e-6, 10e-6, 6e-6)))
    assert step.seconds.likely == pytest.approx(12e-3, rel=0.01)
    assert step.launch_share > 0.99


def test_that_a_step_that_waits_for_the_host_is_as_uncertain_as_the_host():
    few, many = (make_table([("linear", "forward", 2, n, per_sample(1e12 / n), constant(0))]) for n in (1, 10**5))
    host = {"host_op_s": (12e-6, 10e-6, 6e-6), "sigma_host": 0.5}
    busy, waiting = (predict_step_time(table, INFER, make_device(**host)).sigma_model for table in (few, many))
    assert busy == pytest.approx(0.2)
    assert waiting == pytest.approx(math.hypot(0.2, 0.5), rel=0.01)


def test_that_class_times_add_up_to_the_step():
    table = make_table([(name, "forward", 4, 3, FLOPS, per_sample(1e9)) for name in KINDS])
    step = predict_step_time(table, Recipe(), make_device(launch_s=1e-5, host_op_s=(1.0, 1.0, 1.0)))
    assert step.by_class_s.sum() == pytest.approx(step.seconds.likely)
    assert (step.by_class_s > 0).all()


def test_that_the_layout_and_the_phase_choose_their_own_efficiency():
    efficiency = np.full((2, len(PHASES), len(KINDS)), 0.5)
    efficiency[1, PHASES.index("inference")] = 1.0  # channels last
    sizes = {"size_kind": "image", "default_size": 32, "size_unit": 32, "size_min": 32, "size_max": 512}
    op = ("conv", "forward", 2, 1, FLOPS, constant(0))
    device = {"flop_efficiency": dict.fromkeys(("fp32", "tf32", "fp16", "bf16"), efficiency)}
    assert seconds(make_table([op], **sizes), **device) == pytest.approx(0.2)
    laid_out = make_table([op], **sizes, memory_format="channels_last")
    assert seconds(laid_out, replace(INFER, memory_format="channels_last"), **device) == pytest.approx(0.1)
    with pytest.raises(InvalidInputError, match="memory_format"):
        seconds(laid_out, **device)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_that_every_optimizer_costs_time_and_torch_1_12_no_less(optimizer):
    table, recipe = make_table(), Recipe(optimizer=optimizer, precision="amp_bf16")
    device = make_device(launch_s=4e-6)
    new = predict_step_time(table, recipe, device)
    old = predict_step_time(table, replace(recipe, software="torch1.12"), device)
    column = OP_CLASSES.index("optimizer")
    assert 0 < new.by_class_s[column] <= old.by_class_s[column]


def test_that_plain_sgd_reads_two_tensors_and_writes_one():
    step = predict_step_time(make_table(), Recipe(optimizer="sgd", precision="amp_bf16"), make_device())
    assert step.by_class_s[OP_CLASSES.index("optimizer")] == pytest.approx(3 * 100e6 / 1e12)


def test_that_another_software_level_and_unknown_kinds_widen_the_interval():
    table = make_table()
    by_kind = np.where(np.array(KINDS) == "linear", 0.5, 0.0)
    train = Recipe()
    fitted = make_device(software="torch2", mode="train", fitted_precisions=("amp",))
    known = predict_step_time(table, train, fitted)
    drifted = predict_step_time(table, train, replace(fitted, software="torch1.12"))
    inference = predict_step_time(table, INFER, replace(fitted, evidence=Evidence.PUBLISHED))
    assert inference.evidence is Evidence.ASSUMED
    unknown = predict_step_time(table, INFER, make_device(sigma_by_kind=by_kind))
    assert inference.sigma_model == pytest.approx(math.hypot(0.2, SIGMA_OTHER_RECIPE))
    assert known.sigma_model == pytest.approx(0.2)
    assert drifted.sigma_model == pytest.approx(math.hypot(0.2, SIGMA_SOFTWARE))
    assert unknown.sigma_model == pytest.approx(math.hypot(0.2, 0.5))
    assert drifted.seconds.likely == known.seconds.likely


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"precision": "fp32"}, "precision"),
        ({"checkpointing": "full"}, "checkpointing"),
        ({"input_size": 5}, "size"),
    ],
)
def test_that_a_table_refuses_a_recipe_it_was_not_traced_for(changes, field):
    sized = make_table(size_kind="image", default_size=224, size_unit=32, size_min=32, size_max=512)
    with pytest.raises(InvalidInputError, match=field):
        predict_step_time(sized, replace(INFER, **changes), make_device())


def test_that_a_sequence_has_no_memory_format():
    efficiency = np.full((2, len(PHASES), len(KINDS)), 0.5)
    efficiency[1] = 1.0
    device = {"flop_efficiency": dict.fromkeys(("fp32", "tf32", "fp16", "bf16"), efficiency)}
    table = make_table([("linear", "forward", 2, 1, FLOPS, constant(0))])
    assert seconds(table, replace(INFER, memory_format="channels_last"), **device) == seconds(table, **device)


def test_that_fused_attention_is_not_sold_as_torch_1_12():
    table = make_table([("attention", "forward", 2, 1, FLOPS, constant(0))])
    with pytest.raises(InvalidInputError, match=r"software: torch 1\.12 has no fused attention"):
        predict_step_time(table, replace(INFER, software="torch1.12"), make_device())


@given(tables, st.integers(1, 4096), st.sampled_from(["train", "infer"]))
def test_that_a_larger_batch_never_takes_less_time(table, batch, mode):
    device = make_device(launch_s=4e-6, host_op_s=(12e-6, 10e-6, 6e-6))
    small = predict_step_time(table, Recipe(batch_size=batch, mode=mode), device).seconds
    large = predict_step_time(table, Recipe(batch_size=2 * batch, mode=mode), device).seconds
    assert large.likely >= small.likely * (1 - 1e-12)


@given(tables, st.floats(1, 10), st.floats(1, 10))
def test_that_a_better_device_is_never_slower(table, faster, wider):
    device = make_device(launch_s=4e-6)
    better = replace(
        device,
        peak_flops_per_s={name: faster * peak for name, peak in device.peak_flops_per_s.items()},
        bandwidth_bytes_per_s=wider * device.bandwidth_bytes_per_s,
    )
    recipe = Recipe()
    slow, fast = (predict_step_time(table, recipe, each).seconds.likely for each in (device, better))
    assert fast <= slow * (1 + 1e-12)
