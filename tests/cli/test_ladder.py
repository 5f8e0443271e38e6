"""`gpu-plan estimate --ladder`: what makes a recipe take less memory."""

from __future__ import annotations

import json

import pytest

TOO_LARGE = ("estimate", "--model", "preset:gpt2", "--batch-size", "64", "--ladder")


def test_that_changes_that_make_it_fit_come_first_with_gain_and_time(gpu_plan):
    result = gpu_plan(*TOO_LARGE, "--json")
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    assert found["memory"]["fits"] == "no"
    rungs = found["ladder"]
    assert rungs[0]["memory"]["fits"] == "yes"
    assert {rung["codes"][0] for rung in rungs} >= {"accumulate", "checkpointing", "optimizer"}
    need = found["memory"]["total_bytes"]["likely"]
    for rung in rungs:
        assert rung["gain_bytes"] == pytest.approx(need - rung["memory"]["total_bytes"]["likely"])
        assert rung["time_ratio"]["likely"] > 0


def test_that_the_need_is_told_by_phase_in_words(gpu_plan):
    result = gpu_plan(*TOO_LARGE)
    assert result.exit_code == 1
    assert "does not fit" in result.output
    assert "set by: forward and backward pass" in result.output
    assert "activation checkpointing" in result.output


def test_that_several_gpus_with_ddp_are_told_not_to_pool_memory(gpu_plan):
    sentence = "does not pool memory"
    assert sentence in gpu_plan(*TOO_LARGE, "--gpus", "2").output
    assert sentence not in gpu_plan(*TOO_LARGE, "--gpus", "2", "--strategy", "fsdp").output


def test_that_a_table_of_recipes_has_no_ladder(gpu_plan):
    result = gpu_plan("estimate", "--table", "-", "--ladder")
    assert result.exit_code == 2
    assert "one recipe" in result.output


def test_that_an_offload_its_strategy_does_not_have_is_refused_by_its_column(gpu_plan):
    result = gpu_plan("estimate", "--model", "preset:gpt2", "--offload", "all")
    assert result.exit_code == 2
    assert "zero3 or fsdp" in result.output
