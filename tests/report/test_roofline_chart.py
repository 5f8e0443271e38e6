"""The roofline: limits, the job's operators under them, and what was measured here."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.pipeline import PlanInputs, evaluate, roofline
from planner.predict.roofline import Roofline
from planner.report.roofline_chart import roofline_chart
from planner.report.svg import svg_chart
from planner.workload.job import Job, Recipe
from tests.report.fixtures import recommendations as made


def found(inputs: PlanInputs, key: str = "local") -> Roofline:
    result = roofline(inputs, evaluate(inputs).option(key))
    assert result is not None
    return result


def test_that_the_classes_are_those_of_the_step_and_stay_below_the_limits():
    line = found(replace(made.inputs(), benchmark=None))
    step = evaluate(replace(made.inputs(), benchmark=None)).option("local").step
    assert step is not None
    assert {"conv", "norm"} <= {work.code for work in line.classes}
    assert line.seconds == pytest.approx(step.by_class_s.sum(), rel=0.3)  # without waiting and the optimizer
    assert line.classes == tuple(sorted(line.classes, key=lambda work: -work.seconds))
    for work in line.classes:
        assert work.bytes / work.seconds <= 1.2 * line.bandwidth_bytes_per_s
        assert work.flops / work.seconds <= 1.2 * line.matrix_flops_per_s
    assert not line.probes
    assert line.measured_flops_per_s is None


def test_that_probes_of_this_machine_are_drawn_beside_the_data_sheet(wording):
    line = found(made.inputs())
    assert [work.code for work in line.probes] == ["gemm_fp16_4096", "copy"]
    assert line.measured_flops_per_s == pytest.approx(1.37e11 / 2e-3)
    assert line.measured_bytes_per_s == pytest.approx(3.2e11)
    chart = roofline_chart(line, wording)
    names = [series.name for series in chart.series]
    assert any("best measured here" in name for name in names)
    probes = next(series for series in chart.series if series.notes and "copy" in series.notes)
    assert probes.y[0] == pytest.approx(68.5)
    assert probes.x[1] == min(x for series in chart.series for x in series.x)  # it only moves data: the left edge
    assert any("gemm_fp16_4096" in row[0] for row in chart.table.rows)
    assert svg_chart(chart).startswith("<svg")


def test_that_probes_say_nothing_about_the_rented_card():
    assert not found(made.inputs(), "rent-2").probes
    assert "3090" in found(made.inputs(), "rent-2").device_name


def test_that_every_class_has_its_row_with_what_holds_it_up(wording):
    line = found(replace(made.inputs(), benchmark=None))
    chart = roofline_chart(line, wording)
    assert len(chart.table.rows) == len(line.classes)
    held = {row[0]: row[5] for row in chart.table.rows}
    assert held["Normalisation"] == "memory"
    assert held["Convolution, larger than 1×1"] == "arithmetic"
    assert all(len(row) == len(chart.table.columns) == len(chart.table.numeric) for row in chart.table.rows)
    assert chart.description.endswith(".")


def test_that_the_roof_is_never_above_either_limit(wording):
    line = found(replace(made.inputs(), benchmark=None))
    roof = roofline_chart(line, wording).series[0]
    for x, y in zip(roof.x, roof.y, strict=True):
        assert y is not None
        limit = min(line.matrix_flops_per_s, x * line.bandwidth_bytes_per_s)
        assert y * 1e12 == pytest.approx(limit)


def test_that_there_is_no_roofline_of_what_is_not_known():
    inputs = replace(made.inputs(), snapshot=None, benchmark=None, gpu_uuid=None)
    assert roofline(inputs, evaluate(inputs).option("local")) is None
    unknown = replace(inputs, job=Job(recipe=Recipe(model="preset:unheard_of")))
    assert roofline(unknown, evaluate(inputs).option("rent-1")) is None
