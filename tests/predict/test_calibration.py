"""The calibration files, and the fit that makes them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from planner.hardware.catalogue import by_id
from planner.paths import RESOURCES
from planner.predict.calibration.fit import CELLS, Fit, fit
from planner.predict.calibration.measured import PUBLISHED, Limits, read_measured, table_path
from planner.predict.device import device_from_catalogue
from planner.predict.efficiencies import TEXTBOOK, efficiencies_for, load_efficiencies
from planner.predict.step_time import predict_step_time
from planner.workload.optable import OP_CLASSES
from planner.workload.table_file import save_table
from tests.predict.made import make_device, make_table, per_sample

FILES = sorted(file.stem for file in (RESOURCES / "calibration").glob("*.json"))
EFFICIENCIES = [name for name in FILES if name != "bus_bandwidth"]


@pytest.mark.parametrize("name", FILES)
def test_that_every_file_names_source_licence_and_date(name):
    data = json.loads((RESOURCES / "calibration" / f"{name}.json").read_text(encoding="utf-8"))
    assert all(data[key] for key in ("schema_version", "what", "source", "licence", "date", "evidence"))


@pytest.mark.parametrize("name", EFFICIENCIES)
def test_that_efficiencies_are_complete_and_positive(name):
    known = load_efficiencies(name)
    for grid in (known.flop, known.byte):
        assert grid.shape == (2, 3, len(OP_CLASSES))
        assert (grid > 0).all()
    assert all(0 < sigma < 1 for sigma in known.sigma_model.values())
    assert all(by_id(device) for device in known.devices)


def test_that_the_3090_has_its_own_file_and_others_fall_back():
    assert efficiencies_for("rtx-3090").devices == ("rtx-3090",)
    assert efficiencies_for("rtx-4090").id == TEXTBOOK


def test_that_the_fitted_card_is_surer_than_one_that_is_not():
    fitted, other = (device_from_catalogue(by_id(name)) for name in ("rtx-3090", "rtx-3080-ti"))
    assert fitted.sigma_model < other.sigma_model
    assert fitted.evidence < other.evidence  # C before D


@pytest.fixture
def measured(tmp_path):
    """Twelve made-up architectures of four families whose times follow known efficiencies exactly."""
    random = np.random.default_rng(7)
    truth = make_device(
        bandwidth_bytes_per_s=1e12,
        byte_efficiency=np.full(len(OP_CLASSES), 0.4),
        flop_efficiency=dict.fromkeys(("fp32", "tf32", "fp16", "bf16"), np.full(len(OP_CLASSES), 0.8)),
        launch_s=4e-6,
    )
    lines = ["model,family,memory_format,batch_size,image_size,step_time_ms"]
    for index in range(12):
        ops = [
            (name, phase, 2, 10, per_sample(random.uniform(1e7, 1e10)), per_sample(random.uniform(1e5, 1e8)))
            for name in ("conv", "conv_1x1", "pointwise", "norm")
            for phase in ("forward", "backward")
        ]
        table = make_table(ops)
        save_table(table_path(tmp_path, f"net{index}", 224), table)
        step = predict_step_time(table, PUBLISHED, truth).seconds.likely
        lines.append(f"timm:net{index},family{index % 4},contiguous,{PUBLISHED.batch_size},224,{step * 1e3}")
    file = tmp_path / "measured.csv"
    file.write_text("\n".join([*lines, "timm:never_traced,family9,contiguous,1,224,1"]), encoding="utf-8")
    return read_measured(file, tmp_path, Limits(half_flops=1e14, full_flops=1e13, bytes=1e12))


def test_that_only_traced_architectures_are_read(measured):
    assert len(measured.architecture) == 12
    assert "never_traced" not in measured.architecture


def test_that_the_fit_and_the_prediction_share_one_formula(measured):
    """With the true efficiencies the fitting side gives the times that the prediction gave."""
    log_efficiency = np.stack([np.full((2, CELLS), np.log(0.8)), np.full((2, CELLS), np.log(0.4))], axis=1)
    seconds = Fit(log_efficiency, 4e-6).seconds(measured)
    assert seconds == pytest.approx(measured.step_s, rel=1e-9)


def test_that_the_fit_finds_times_it_can_express(measured):
    before = Fit(np.log(np.broadcast_to([[[0.5], [0.7]]], (2, 2, CELLS))), 4e-6).seconds(measured)
    after = fit(measured, 0.5, 0.7, 4e-6).seconds(measured)

    def error(seconds):
        return np.abs(np.log(seconds / measured.step_s)).mean()

    assert error(after) < 0.02 < error(before)


def test_that_choosing_steps_keeps_their_rows_together(measured):
    keep = np.array([family == "family1" for family in measured.family])
    chosen = measured.choose(keep)
    ideal = Fit(np.zeros((2, 2, CELLS)), 0.0)
    assert ideal.seconds(chosen) == pytest.approx(ideal.seconds(measured)[keep])
