from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from planner.door import InvalidInputError
from planner.evidence import Evidence
from planner.hardware.catalogue import by_id, load_catalogue
from planner.predict.device import device_from_benchmark, device_from_catalogue
from planner.predict.step_time import predict_step_time
from planner.workload.job import Recipe
from planner.workload.optable import KINDS
from tests.predict.made import GIB, constant, make_result, make_table, probe

RTX_3090 = by_id("rtx-3090")
GEMM = [("linear", "forward", 2, 1, constant(1e13), constant(1e8))]
INFER = Recipe(mode="infer", batch_size=1)


def test_that_a_headless_3090_leaves_torch_the_22_5_gib_that_reports_show():
    device = device_from_catalogue(RTX_3090)
    context = 0.7 * GIB
    assert device.memory_bytes / GIB == pytest.approx(23.7, abs=0.01)
    assert (device.memory_bytes - device.memory_reserved_bytes - context) / GIB == pytest.approx(22.5, abs=0.1)


def test_that_a_display_and_a_rented_card_are_told_apart_from_the_published_one():
    plain = device_from_catalogue(RTX_3090)
    assert device_from_catalogue(RTX_3090, display=True).memory_reserved_bytes > plain.memory_reserved_bytes
    assert device_from_catalogue(RTX_3090, rented=True).sigma_device > plain.sigma_device


def test_that_every_catalogue_gpu_gives_a_device_or_says_what_is_missing():
    for spec in load_catalogue():
        if spec.bandwidth_bytes_per_s is None:
            with pytest.raises(InvalidInputError, match="bandwidth"):
                device_from_catalogue(spec)
        else:
            device = device_from_catalogue(spec)
            assert predict_step_time(make_table(), Recipe(), device).seconds.likely > 0
            assert device.memory_bytes > device.memory_reserved_bytes


def test_that_a_gpu_without_matrix_units_computes_16_bit_at_the_fp32_rate():
    device = device_from_catalogue(by_id("gtx-1080-ti"))
    assert device.peak_flops_per_s["fp16"] == device.peak_flops_per_s["fp32"]


def test_that_a_probe_predicts_itself():
    """A device measured with a matrix product takes the measured time for that product."""
    result = make_result(probe("matmul", "fp16", 0.25, flops=1e13, moved=1e8), probe("launch", "", 5e-6))
    device = device_from_benchmark(result, RTX_3090)
    assert predict_step_time(make_table(GEMM), INFER, device).seconds.likely == pytest.approx(0.25, rel=1e-3)
    assert device.evidence is Evidence.MEASURED_BENCHMARK


def test_that_measured_bandwidth_replaces_the_default():
    moved = [("cast", "forward", 4, 1, constant(0), constant(1e10))]
    device = device_from_benchmark(make_result(probe("copy", "fp32", 0.02, moved=1e10)), RTX_3090)
    assert predict_step_time(make_table(moved), INFER, device).seconds.likely == pytest.approx(0.02, rel=1e-3)


def test_that_bf16_borrows_from_fp16_and_other_classes_keep_the_default():
    device = device_from_benchmark(make_result(probe("matmul", "fp16", 0.25, flops=1e13)), RTX_3090)
    column = KINDS.index("linear")
    default = device_from_benchmark(make_result(), RTX_3090)
    assert np.array_equal(device.flop_efficiency["bf16"][..., column], device.flop_efficiency["fp16"][..., column])
    assert np.array_equal(device.flop_efficiency["fp16"][..., 0], default.flop_efficiency["fp16"][..., 0])


def test_that_a_class_nobody_probed_widens_the_interval():
    measured = device_from_benchmark(make_result(probe("matmul", "fp16", 0.25, flops=1e13)), RTX_3090)
    attention = make_table([("attention", "forward", 2, 1, constant(1e13), constant(1e8))])
    known = predict_step_time(make_table(GEMM), INFER, measured)
    unknown = predict_step_time(attention, INFER, measured)
    assert unknown.sigma_model > known.sigma_model


def test_that_an_unsteady_device_is_less_sure():
    steady = probe("matmul", "fp16", 0.25, flops=1e13)
    unsteady = replace(steady, time_low_s=0.15, time_high_s=0.4)
    calm, wild = (device_from_benchmark(make_result(p), RTX_3090).sigma_device for p in (steady, unsteady))
    assert wild > calm


def test_that_a_gpu_missing_from_the_catalogue_works_from_measurements():
    result = make_result(
        probe("matmul", "fp32", 0.5, flops=5e12),
        probe("matmul", "fp16", 0.25, flops=1e13),
        probe("copy", "fp32", 0.02, moved=1e10),
    )
    device = device_from_benchmark(result)
    assert predict_step_time(make_table(GEMM), INFER, device).seconds.likely == pytest.approx(0.25, rel=1e-3)
    assert device.memory_bytes == 12 * GIB
    assert device.power_w == 300


def test_that_a_cpu_needs_no_context_and_its_launches_run_on_itself():
    probes = (
        probe("matmul", "fp32", 1.0, flops=1e11),
        probe("copy", "fp32", 0.1, moved=1e9),
        probe("launch", "", 8e-6),
    )
    device = device_from_benchmark(make_result(*probes, device_kind="cpu", device_memory_bytes=16 * GIB))
    assert device.is_cpu
    assert device.memory_bytes == 16 * GIB
    assert 0 < device.memory_reserved_bytes < 8 * GIB  # the system needs its share
    assert (device.launch_s, device.host_op_s) == (8e-6, (0.0, 0.0, 0.0))


def test_that_missing_probes_are_all_named():
    with pytest.raises(InvalidInputError, match=r"matmul fp32.*copy"):
        device_from_benchmark(make_result())
