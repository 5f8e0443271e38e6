"""The calibration files, and the fit that makes them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from planner.hardware.catalogue import by_id
from planner.paths import RESOURCES
from planner.predict.device import device_from_catalogue
from planner.predict.efficiencies import TEXTBOOK, efficiencies_for, load_efficiencies, textbook
from planner.workload.optable import KINDS, PHASES

FILES = sorted(file.stem for file in (RESOURCES / "calibration").glob("*.json"))
LEVELS = [TEXTBOOK, "rtx3090", "ada", "blackwell"]


@pytest.mark.parametrize("name", FILES)
def test_that_every_file_names_source_licence_and_date(name):
    data = json.loads((RESOURCES / "calibration" / f"{name}.json").read_text(encoding="utf-8"))
    assert all(data[key] for key in ("schema_version", "what", "source", "licence", "date", "evidence"))


@pytest.mark.parametrize("name", LEVELS)
def test_that_efficiencies_are_complete_and_positive(name):
    for level in load_efficiencies(name):
        for grid in (level.flop, level.byte):
            assert grid.shape == (2, len(PHASES), len(KINDS))
            assert (grid > 0).all()
        assert level.sigma_by_kind.shape == (2, len(KINDS))
        assert (level.sigma_by_kind >= 0).all()
        assert all(0 < sigma < 1 for sigma in level.sigma_model.values())
        assert all(by_id(device) for device in level.devices)


def test_that_the_3090_has_its_own_file_its_architecture_shares_it_and_others_fall_back():
    assert efficiencies_for("rtx-3090", "Ampere")[0].devices == ("rtx-3090",)
    assert efficiencies_for("rtx-3080-ti", "Ampere") == efficiencies_for("rtx-3090", "Ampere")
    assert efficiencies_for("rtx-4070", "Ada Lovelace")[0].devices == ("rtx-4090",)
    assert efficiencies_for("v100-sxm2-16gb", "Volta") == (textbook(),)


def test_that_the_3090_knows_the_published_software_and_todays_apart():
    device = device_from_catalogue(by_id("rtx-3090"))
    old, new = device.at("torch1.12", "train"), device.at("torch2", "train")
    assert (old.software, new.software) == ("torch1.12", "torch2")
    assert old.sigma_model < new.sigma_model  # nobody measured training on torch 2
    assert device.at("torch1.12", "infer").software == "torch2"  # the nearest that is known


def test_that_the_fitted_card_is_surer_than_its_siblings_and_those_than_strangers():
    names = ("rtx-3090", "rtx-3080-ti", "gtx-1080-ti")
    fitted, sibling, stranger = (device_from_catalogue(by_id(name)) for name in names)
    assert fitted.sigma_device < sibling.sigma_device
    assert fitted.evidence < sibling.evidence  # C before D
    assert sibling.sigma_model < stranger.sigma_model


def test_that_the_accuracy_file_tells_of_held_out_families_beside_simpler_methods():
    data = json.loads((RESOURCES / "calibration" / "accuracy_step_time.json").read_text(encoding="utf-8"))
    training = data["training"]
    assert training["all"]["steps"] > 900
    assert all(training["all"]["median"] < rival["median"] / 2 for rival in training["rivals"].values())
    assert 0.85 < training["all"]["coverage"] < 0.95
    assert len(training["worst"]) == 10
    assert {row["memory_format"] for row in training["families"]} == {"contiguous", "channels_last"}
    assert np.isfinite([figures["mean"] for figures in data["anchored"].values()]).all()
