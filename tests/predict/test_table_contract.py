from __future__ import annotations

import csv
import io

import pytest

from planner.door import InvalidInputError, Problem
from planner.hardware.catalogue import lookup
from planner.predict.device import device_from_catalogue
from planner.predict.table_contract import INPUT_COLUMNS, OUTPUT_COLUMNS, estimate_table

MLP = {"model": "preset:tabular_mlp"}
LSTM = {"model": "preset:lstm"}


def resolve(name):
    spec = lookup(name)
    if spec is None:
        raise InvalidInputError("gpu", (Problem("gpu", f"{name!r} is not in the catalogue"),))
    return device_from_catalogue(spec)


def answer(row):
    return next(estimate_table([row], resolve))


def test_that_an_empty_row_but_for_the_model_gets_all_defaults():
    out = answer(dict.fromkeys(INPUT_COLUMNS, "") | MLP)
    assert out["error"] == ""
    assert all(out[column] for column in OUTPUT_COLUMNS if column != "error")
    assert float(out["step_time_low_s"]) < float(out["step_time_s"]) < float(out["step_time_high_s"])
    low, likely, high = (int(out[f"peak_memory_{end}bytes"]) for end in ("low_", "", "high_"))
    assert low < likely < high
    assert out["fits"] in ("yes", "no", "unsure")
    assert out["evidence"] in "ABCD"


def test_that_own_columns_come_first_and_survive():
    out = answer({"note": "mine", **MLP})
    assert list(out) == ["note", "model", *OUTPUT_COLUMNS]
    assert out["note"] == "mine"


@pytest.mark.parametrize(
    ("column", "value", "accepted"),
    [
        ("model", "", "preset:resnet50"),
        ("model", "preset:resnet5", "preset:resnet50"),
        ("model", "hf:some/config.json", "there is no file"),
        ("model", "py:model.py", "py:FILE.py:FUNCTION"),
        ("mode", "tune", "train, infer"),
        ("batch_size", "0", "from 1"),
        ("batch_size", "many", "whole number"),
        ("batch_size", "1e3", "whole number"),
        ("batch_size", "9" * 5000, "whole number"),
        ("batch_size", "²", "whole number"),
        ("image_size", "224", "leave it empty"),
        ("precision", "fp8", "fp32, tf32, amp, amp_bf16, bf16"),
        ("memory_format", "nhwc", "contiguous, channels_last"),
        ("optimizer", "lamb", "adamw"),
        ("gpu", "RTX 9999", "catalogue"),
        ("gpus", "9", "1 to 8"),
        ("bus_bandwidth_gbs", "fast", "GB/s"),
        ("bus_bandwidth_gbs", "nan", "GB/s"),
        ("bus_bandwidth_gbs", "-3", "GB/s"),
        ("strategy", "zero9", "zero2"),
        ("checkpointing", "some", "none, full"),
        ("adapter", "lora:8", "none"),
        ("software", "torch3", "torch2"),
    ],
)
def test_that_a_bad_value_is_named_with_what_would_be_accepted(column, value, accepted):
    out = answer(MLP | {column: value})
    assert accepted in out["error"]
    assert column in out["error"]
    assert "\n" not in out["error"]
    assert len(out["error"]) < 500
    assert not any(out[name] for name in OUTPUT_COLUMNS if name != "error")


def test_that_all_problems_of_a_row_are_told_at_once():
    error = answer(MLP | {"gpus": "0", "precision": "x", "optimizer": "y"})["error"]
    assert all(column in error for column in ("gpus", "precision", "optimizer"))


def test_that_a_size_outside_the_models_range_says_the_range():
    error = answer(LSTM | {"sequence_length": "1000000"})["error"]
    assert error.startswith("sequence_length: ")
    assert "outside" in error
    assert "1000000" in error


def test_that_a_bad_row_stops_no_other():
    rows = [MLP, {"model": "?"}, MLP | {"gpu": "no such"}, MLP]
    errors = [out["error"] for out in estimate_table(rows, resolve)]
    assert [bool(error) for error in errors] == [False, True, True, False]


def test_that_a_gpu_is_looked_up_once_even_when_it_is_refused():
    asked = []

    def remember(name):
        asked.append(name)
        return resolve(name)

    rows = [MLP | {"gpu": name} for name in ("RTX 3090", "none such") * 3]
    list(estimate_table(rows, remember))
    assert asked == ["RTX 3090", "none such"]


def test_that_a_measured_bus_narrows_the_step():
    default, measured = (answer(MLP | {"gpus": "4", "bus_bandwidth_gbs": text}) for text in ("", "4"))
    width = [float(out["step_time_high_s"]) / float(out["step_time_low_s"]) for out in (default, measured)]
    assert width[1] < width[0]


def test_that_rows_from_a_csv_reader_work_as_they_are():
    text = "model,batch_size,gpus\npreset:tabular_mlp,256,2\npreset:lstm,,\n"
    outs = list(estimate_table(csv.DictReader(io.StringIO(text)), resolve))
    assert [out["error"] for out in outs] == ["", ""]
    assert outs[0]["batch_size"] == "256"


def test_that_a_timed_step_moves_from_one_gpu_to_another():
    timed = {"model": "preset:resnet50", "mode": "infer", "batch_size": "256", "local_gpu": "RTX 4090"}
    here, there = (answer(timed | {"local_step_time_s": "0.05", "gpu": gpu}) for gpu in ("RTX 4090", "RTX 3090"))
    assert float(here["step_time_s"]) == pytest.approx(0.05, rel=1e-4)
    assert here["evidence"] == "A"
    assert 0.05 < float(there["step_time_s"]) < 0.12
    assert there["evidence"] == "C"


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        ({"local_step_time_s": "soon"}, "local_step_time_s: 'soon' is not accepted"),
        ({"local_step_time_s": "0"}, "local_step_time_s: '0' is not accepted"),
        ({"local_gpu": "RTX 4090"}, "local_gpu: 'RTX 4090' is not accepted: write local_step_time_s too"),
        ({"local_step_time_s": "0.1", "local_gpu": "RTX 9999"}, "'RTX 9999' is not in the catalogue"),
    ],
)
def test_that_a_timed_step_that_makes_no_sense_is_refused(cells, named):
    assert named in answer(MLP | cells)["error"]
