"""What this machine is planned with: which of its GPUs, and what is known of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.door import InvalidInputError
from planner.evidence import Evidence
from planner.hardware.snapshot import Gpu, Snapshot
from planner.pipeline import PlanInputs, evaluate, local_device, local_gpu
from planner.units import GIB
from tests.decide.conftest import CARD, HOST, SMALL_CARD
from tests.predict.made import make_result, probe

MYSTERY = Gpu(0, "GPU-9", "Mystery GPU", memory_total_bytes=12 * GIB)
MATMUL, COPY = probe("matmul", "fp32", 1e-3, flops=1e10), probe("copy", "", 1e-3, moved=4e8)


def machine(*gpus: Gpu) -> Snapshot:
    return Snapshot("2026-09-01T00:00:00Z", HOST, gpus)


def test_that_the_chosen_gpu_trains_and_else_the_first_that_answers():
    lost = replace(CARD, uuid="GPU-0", lost=True)
    here = machine(lost, CARD, SMALL_CARD)
    assert local_gpu(here, None) == CARD
    assert local_gpu(here, "GPU-2") == SMALL_CARD
    assert local_gpu(here, "GPU-0") == CARD  # lost since it was chosen
    assert local_gpu(machine(), None) is None
    assert local_gpu(None, None) is None


def test_that_a_benchmark_goes_before_the_data_sheet():
    measured = local_device(machine(CARD), None, make_result(MATMUL, COPY, gpu_uuid="gpu-1"))
    assert measured is not None
    assert measured.evidence is Evidence.MEASURED_BENCHMARK


@pytest.mark.parametrize(
    "other",
    [
        {"gpu_uuid": "GPU-2"},
        {"gpu_uuid": None, "device_kind": "cpu", "device_name": "CPU"},
    ],
)
def test_that_a_benchmark_of_another_device_does_not_count(other):
    device = local_device(machine(CARD), None, make_result(MATMUL, COPY, **other))
    assert device is not None
    assert device.evidence is not Evidence.MEASURED_BENCHMARK


def test_that_a_processors_benchmark_does_not_count_for_a_gpu_without_uuid():
    nameless = replace(CARD, uuid=None)
    cpu = make_result(MATMUL, COPY, gpu_uuid=None, device_kind="cpu", device_name="CPU")
    device = local_device(machine(nameless), None, cpu)
    assert device is not None
    assert not device.is_cpu


def test_that_without_a_gpu_the_processor_trains_once_it_is_measured():
    cpu = make_result(MATMUL, COPY, gpu_uuid=None, device_kind="cpu", device_name="CPU")
    device = local_device(machine(), None, cpu)
    assert device is not None
    assert device.is_cpu
    assert local_device(machine(), None, None) is None


def test_that_a_benchmark_cut_short_falls_back_on_the_data_sheet():
    cut_short = make_result(probe("pointwise", "fp32", 1e-3, moved=1e8), gpu_uuid="GPU-9")
    assert local_device(machine(MYSTERY), None, cut_short) is None
    known = local_device(machine(CARD), None, replace(cut_short, gpu_uuid="GPU-1", probes=()))
    assert known is not None


def test_that_a_gpu_of_which_nothing_is_known_is_named():
    found = evaluate(PlanInputs(snapshot=machine(MYSTERY), today="2026-09-01"))
    (reason,) = found.option("local").rejected
    assert reason.code == "unknown_gpu"
    assert dict(reason.values)["device"] == "Mystery GPU"
    assert found.option("local").device_name == "Mystery GPU"


def test_that_a_gpu_whose_data_sheet_has_no_bandwidth_does_not_stop_the_plan():
    apple = Gpu(0, None, "Apple M5 Max", catalogue_id="apple-m5-max")
    found = evaluate(PlanInputs(snapshot=machine(apple), today="2026-09-01"))
    assert [reason.code for reason in found.option("local").rejected] == ["unknown_gpu"]
    assert found.option("rent-1").time_s is not None


def test_that_an_unlisted_gpu_is_planned_with_once_it_is_measured():
    found = evaluate(
        PlanInputs(snapshot=machine(MYSTERY), benchmark=make_result(MATMUL, COPY, gpu_uuid="GPU-9"), today="")
    )
    assert found.option("local").time_s is not None
    assert found.option("local").evidence is Evidence.MEASURED_BENCHMARK


@pytest.mark.parametrize("wrong", [{"sample_count": 99}, {"sample_count": 100_001}, {"seed": -1}])
def test_that_inputs_out_of_bounds_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        PlanInputs(**wrong)


def test_that_a_timed_step_decides_the_local_time_and_moves_to_the_rented_card():
    plain = PlanInputs(snapshot=machine(CARD), today="2026-09-01")
    before = {option.key: option.step for option in evaluate(plain).options}
    twice = replace(plain.job, timed_step_s=2 * before["local"].seconds.likely)
    after = {option.key: option.step for option in evaluate(replace(plain, job=twice)).options}
    assert after["local"].seconds.likely == pytest.approx(2 * before["local"].seconds.likely)
    assert after["local"].evidence is Evidence.MEASURED_JOB
    assert after["rent-1"].seconds.likely == pytest.approx(2 * before["rent-1"].seconds.likely)


def test_that_a_timed_step_needs_a_machine_it_was_timed_on():
    job = replace(PlanInputs().job, timed_step_s=0.5)
    with pytest.raises(InvalidInputError, match="timed_step_s"):
        evaluate(PlanInputs(job=job, today="2026-09-01"))
