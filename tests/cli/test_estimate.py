"""`gpu-plan estimate`: one recipe, and the table that scoring scripts use."""

from __future__ import annotations

import csv
import io

import pytest

ROW = {"model": "preset:resnet50", "batch_size": "64", "gpu": "RTX 3090"}


def table_of(*rows: dict[str, str]) -> str:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


@pytest.fixture
def estimated(gpu_plan, tmp_path):
    """Rows answered through files, as a scoring script does it."""

    def run(*rows: dict[str, str]) -> list[dict[str, str]]:
        source, target = tmp_path / "in.csv", tmp_path / "out.csv"
        source.write_text(table_of(*rows), encoding="utf-8")
        result = gpu_plan("estimate", "--table", source, "--out", target)
        assert result.exit_code == 0, result.output
        return list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"), newline="")))

    return run


def test_that_a_table_is_answered_row_by_row_in_order(estimated):
    answers = estimated(ROW, {**ROW, "batch_size": "128"}, {**ROW, "model": "preset:gpt2", "batch_size": "4"})
    assert [row["batch_size"] for row in answers] == ["64", "128", "4"]
    for row in answers:
        low, likely, high = (float(row[key]) for key in ("step_time_low_s", "step_time_s", "step_time_high_s"))
        assert 0 < low < likely < high
        assert row["error"] == ""
    assert float(answers[1]["step_time_s"]) > float(answers[0]["step_time_s"])


def test_that_a_bad_row_names_its_column_and_stops_no_other(estimated):
    bad = [
        {**ROW, "batch_size": "many"},
        {**ROW, "model": "preset:nothing"},
        {**ROW, "precision": "fp13"},
        {**ROW, "gpu": "RTX 9999"},
        {**ROW, "gpus": "0"},
        {**ROW, "image_size": "-3"},
        {**ROW, "bus_bandwidth_gbs": "0"},
        {**ROW, "model": "ops:no_such_table.json"},
        {**ROW, "model": ""},
        {**ROW, "batch_size": "1e400"},
    ]
    *answers, good = estimated(*bad, ROW)
    assert good["error"] == ""
    for row, word in zip(
        answers,
        (
            "batch_size",
            "preset:nothing",
            "precision",
            "RTX 9999",
            "gpus",
            "image_size",
            "bus",
            "no_such_table",
            "model",
            "batch",
        ),
        strict=True,
    ):
        assert word in row["error"]
        assert "\n" not in row["error"]
        assert row["step_time_s"] == ""


def test_that_standard_input_and_output_serve_as_files(gpu_plan):
    result = gpu_plan("estimate", "--table", "-", "--out", "-", stdin=table_of(ROW))
    assert result.exit_code == 0
    (row,) = csv.DictReader(io.StringIO(result.stdout, newline=""))
    assert row["model"] == "preset:resnet50"
    assert float(row["samples_per_s"]) > 0


def test_that_an_unknown_column_is_passed_through_with_a_warning(gpu_plan):
    result = gpu_plan("estimate", "--table", "-", stdin=table_of({**ROW, "batchsize": "7"}))
    assert result.exit_code == 0
    assert "'batchsize'" in result.stderr
    (row,) = csv.DictReader(io.StringIO(result.stdout, newline=""))
    assert row["batchsize"] == "7"


def test_that_a_row_with_surplus_cells_is_the_only_one_without_an_answer(gpu_plan):
    text = "model,batch_size\npreset:resnet50,8\npreset:resnet50,8,9\n"
    rows = list(csv.DictReader(io.StringIO(gpu_plan("estimate", "--table", "-", stdin=text).stdout, newline="")))
    assert rows[0]["error"] == ""
    assert "more cells" in rows[1]["error"]


@pytest.mark.parametrize("text", ["", "batch_size\n8\n", 'model\n"preset:resnet50\n'])
def test_that_a_file_that_is_no_table_is_wrong_input(gpu_plan, text):
    result = gpu_plan("estimate", "--table", "-", stdin=text)
    assert result.exit_code == 2
    assert "line 1" in result.stderr or "line 2" in result.stderr


def test_that_a_missing_file_is_wrong_input(gpu_plan, tmp_path):
    result = gpu_plan("estimate", "--table", tmp_path / "none.csv")
    assert result.exit_code == 2
    assert "no such file" in result.stderr


def test_that_a_table_without_rows_gives_a_table_without_rows(gpu_plan):
    result = gpu_plan("estimate", "--table", "-", stdin="model\n")
    assert result.exit_code == 0
    assert result.stdout.startswith("model,step_time_s")


def test_that_one_recipe_is_answered_in_words_and_in_json(gpu_plan, answer_of):
    recipe = ("estimate", "--model", "preset:resnet50", "--batch-size", "32")
    assert "step time" in gpu_plan(*recipe).output
    assert answer_of(*recipe)["fits"] == "yes"


def test_that_a_recipe_that_does_not_fit_answers_no(gpu_plan):
    assert gpu_plan("estimate", "--model", "preset:resnet50", "--batch-size", "65536").exit_code == 1


def test_that_table_and_recipe_are_not_mixed(gpu_plan):
    result = gpu_plan("estimate", "--table", "x.csv", "--model", "preset:resnet50")
    assert result.exit_code == 2
    assert "--model" in result.stderr


def test_that_a_byte_order_mark_is_no_part_of_the_first_column(gpu_plan):
    result = gpu_plan("estimate", "--table", "-", stdin="\ufeffmodel,batch_size\npreset:resnet50,8.0\n")
    assert result.exit_code == 0, result.stderr
    (row,) = csv.DictReader(io.StringIO(result.stdout, newline=""))
    assert row["error"] == ""


def test_that_a_folder_is_no_table(gpu_plan, tmp_path):
    result = gpu_plan("estimate", "--table", tmp_path)
    assert result.exit_code == 2
    assert "folder" in result.stderr


@pytest.mark.parametrize("typed", ["8_0", "٨", "8.5", "1e3", "+8", "0", "99999999999999"])
def test_that_a_batch_is_a_plain_whole_number(estimated, typed):
    (row,) = estimated({**ROW, "batch_size": typed})
    assert "batch_size" in row["error"]
