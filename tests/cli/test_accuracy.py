from __future__ import annotations


def test_that_the_scaling_is_checked_against_published_runs(gpu_plan, answer_of):
    errors = {row["gpu_count"]: row for row in answer_of("accuracy", "--scaling")["scaling"]}
    assert set(errors) == {2, 3, 4, 8}
    assert errors[2]["calibrated"] < errors[2]["linear"]
    shown = gpu_plan("accuracy", "--scaling")
    assert shown.exit_code == 0
    assert f"{errors[2]['calibrated']:.1%}" in shown.output


def test_that_step_times_are_checked_when_nothing_is_named(gpu_plan, answer_of):
    found = answer_of("accuracy")["step_time"]
    shown = gpu_plan("accuracy")
    assert shown.exit_code == 0
    assert f"{found['everything']['mean']:.1%}" in shown.output
    assert found["worst"][0]["model"] in shown.output
    others = answer_of("accuracy")["other_steps"]
    assert {step["model"] for step in others} >= {"bert_base_squad", "bert_large_squad", "resnet50"}
    assert sum(step["low_s"] <= step["measured_s"] <= step["high_s"] for step in others) > len(others) / 2
    for rival in found["rivals"].values():
        assert found["everything"]["mean"] < rival["mean"]
        assert f"{rival['mean']:.1%}" in shown.output
    for name, figures in found["anchored"].items():
        assert name in shown.output
        assert 0 < figures["median"] < figures["p90"]


def test_that_runs_of_ones_own_can_be_checked(gpu_plan, answer_of, tmp_path):
    file = tmp_path / "runs.csv"
    lines = ["host,model,precision,n_gpu,batch_per_gpu,throughput"]
    lines += [f"h,{m},FP32,{n},8,{n * 10}" for m in ("bert_large_squad", "resnet50") for n in (1, 2)]
    file.write_text("\n".join(lines))
    (row,) = answer_of("accuracy", "--scaling", "--runs", file)["scaling"]
    assert (row["run_count"], row["linear"]) == (1, 0.0)
    file.write_text("host,model\nh,resnet50\n")
    refused = gpu_plan("accuracy", "--scaling", "--runs", file)
    assert refused.exit_code == 2
    assert "n_gpu" in refused.stderr
