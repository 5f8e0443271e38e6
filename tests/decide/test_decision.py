"""The answer in cases that a person can judge, and laws that every answer obeys."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.decide.types import Terms
from planner.door import InvalidInputError
from planner.evidence import Evidence, Range
from planner.hardware.snapshot import Snapshot
from planner.pipeline import PlanInputs, evaluate
from planner.workload.job import Job, Recipe
from tests.decide.conftest import CARD, HOST, SMALL_CARD, packages

LAW = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_that_a_small_job_stays_on_the_card_that_is_here(answer, codes):
    found = answer(job={"epochs": Range(1, 2, 3)})
    assert found.verdict == "local"
    assert found.confidence > 0.95
    assert codes(found)[0] == "local_cheaper"


def test_that_without_a_gpu_one_rents_and_is_told_why(answer, codes):
    found = answer(snapshot=Snapshot("2026-09-01T00:00:00Z", HOST))
    assert found.verdict == "rent"
    assert found.option("local").time_s is None
    assert codes(found)[0] == "no_local_gpu"


def test_that_a_deadline_can_make_more_cards_necessary(answer, codes):
    card = {"bus_bandwidth_gbs": Range(9, 10, 11)}
    alone = answer(terms=card).option("local").time_s
    found = answer(terms={**card, "deadline_h": alone.likely / 3600 * 0.6})
    assert found.verdict == "rent"
    assert found.option(found.chosen).gpu_count > 1
    assert found.option(found.chosen).p_on_time >= Terms().confidence
    assert any(reason.code == "deadline" for reason in found.option("local").rejected)
    assert codes(found)[0] == "deadline"


def test_that_an_impossible_deadline_is_said_and_nothing_is_recommended(answer, codes):
    found = answer(terms={"deadline_h": 0.01})
    assert found.verdict == "none_fits"
    assert found.chosen is None
    assert codes(found)[0] == "deadline"


def test_that_a_job_too_large_for_the_local_card_is_rejected_with_numbers(answer):
    found = answer(recipe={"batch_size": 384}, snapshot=Snapshot("2026-09-01T00:00:00Z", HOST, (SMALL_CARD,)))
    (reason,) = found.option("local").rejected
    assert reason.code == "memory"
    values = dict(reason.values)
    assert values["needed_bytes"].likely > values["available_bytes"]
    assert 0 < values["largest_batch_count"] < 384
    assert found.verdict in ("rent", "measure_first")


def test_that_a_job_that_fits_nowhere_gets_no_recommendation(answer):
    found = answer(recipe={"batch_size": 65_536}, job={"kept_batch": "per_gpu"})
    assert found.verdict == "none_fits"
    assert all(any(r.code == "memory" for r in option.rejected) for option in found.options)


def test_that_a_slow_line_is_named_as_the_limit(answer, codes):
    found = answer(
        job={"dataset_bytes": 150e9, "epochs": Range(5, 6, 7)},
        terms={"upload_mbit_per_s": Range(15, 20, 25)},
        snapshot=None,
    )
    assert "upload" in codes(found)
    upload = next(phase for phase in found.option("rent-1").phases if phase.code == "upload")
    assert upload.duration_s.likely == pytest.approx(150e9 * 8 / (20e6 * 0.8), rel=0.02)


def test_that_a_lora_job_scales_where_a_full_one_does_not(answer):
    slow_bus = {"bus_bandwidth_gbs": Range(1.3, 4, 12)}
    lora = {"model": "preset:llama3_8b_lora", "batch_size": 1, "precision": "bf16", "checkpointing": "full"}
    full = {"model": "preset:bert_large", "batch_size": 8, "precision": "fp32"}
    four = {
        name: answer(recipe=recipe, job={"kept_batch": "per_gpu"}, terms=slow_bus).option("rent-4").speedup
        for name, recipe in (("lora", lora), ("full", full))
    }
    assert four["lora"].likely > 3.5 > four["full"].likely
    assert four["full"].high - four["full"].low > 1  # the bus decides, and the range says so


def test_that_a_tiny_model_stays_here_whatever_renting_costs(answer, codes):
    found = answer(
        recipe={"model": "preset:tabular_mlp", "batch_size": 1024},
        job={"samples_per_epoch": 1e5, "epochs": Range(5, 10, 20), "dataset_bytes": 1e8},
        offers=packages(0.0, 0.0, 0.0, 0.01),
        terms={"waiting_cost_usd_per_h": 1.0},
    )
    assert (found.verdict, found.chosen) == ("local", "local")
    assert "no_gain" in codes(found)


def test_that_the_upload_is_the_first_reason_where_it_takes_most_of_the_time(answer, codes):
    found = answer(
        job={"dataset_bytes": 150e9, "epochs": Range(5, 6, 7)},
        terms={"upload_mbit_per_s": Range(15, 20, 25)},
        snapshot=Snapshot("2026-09-01T00:00:00Z", HOST, (SMALL_CARD,)),
    )
    assert codes(found)[0] == "upload"


def test_that_an_unknown_bus_makes_bert_large_a_case_for_measuring(answer, codes):
    found = answer(
        recipe={"model": "preset:bert_large", "batch_size": 32, "precision": "fp32"},
        job={"samples_per_epoch": 1e5, "epochs": Range(3, 3, 3)},
        terms={"bus_bandwidth_gbs": Range(1.3, 4, 12), "waiting_cost_usd_per_h": 20.0},
        snapshot=None,
    )
    assert found.verdict == "measure_first"
    assert codes(found)[0] == "measure.bus_bandwidth"


def test_that_lora_needs_no_bus_to_pay_off_in_time(answer):
    lora = {"model": "preset:llama3_8b_lora", "batch_size": 1, "precision": "bf16", "checkpointing": "full"}
    found = answer(
        recipe=lora,
        job={"kept_batch": "per_gpu", "samples_per_epoch": 5e4, "epochs": Range(3, 3, 3), "dataset_bytes": 1e8},
        terms={"bus_bandwidth_gbs": Range(0.6, 1.3, 12), "waiting_cost_usd_per_h": 100.0},
        snapshot=None,
    )
    assert (found.verdict, found.chosen) == ("rent", "rent-6")


def test_that_native_windows_leaves_only_single_cards(answer):
    found = answer(terms={"platform": "windows"}, snapshot=None)
    for option in found.options[2:]:
        assert any(reason.code == "windows" for reason in option.rejected)
    assert found.chosen == "rent-1"
    assert "windows" in [reason.code for reason in found.reasons]


def test_that_personal_data_does_not_go_to_community_hosts(answer):
    table = tuple(replace(offer, pricing="community") for offer in packages(0.1, 0.2, 0.4, 0.6))
    found = answer(terms={"privacy": "personal"}, offers=table)
    assert found.chosen == "local"
    assert any(reason.code == "privacy_community" for reason in found.option("rent-1").rejected)


def test_that_without_any_price_no_rental_wins_and_its_cost_is_unknown(answer):
    found = answer(offers=packages(None, None, None, None))
    assert found.chosen == "local"
    assert found.option("rent-1").cost_usd is None
    assert found.option("rent-1").time_s is not None


def test_that_a_missing_quote_is_asked_for(answer, codes):
    comparable = (*packages(None, None, None, None), replace(packages(0.4, 1, 2, 3)[0], provider="other"))
    assert "ask_quote" in codes(answer(offers=comparable))


def test_that_an_unknown_price_that_decides_is_to_be_found_out_first(answer, codes):
    # A slow local card, people waiting, and a price known to a factor of forty.
    comparable = (
        *packages(None, None, None, None),
        replace(packages(0.2, 1, 2, 3)[0], provider="cheap"),
        replace(packages(8.0, 1, 2, 3)[0], provider="dear"),
    )
    slow = replace(CARD, catalogue_id="gtx-1070")
    found = answer(
        offers=comparable,
        terms={"waiting_cost_usd_per_h": 1.0},
        recipe={"batch_size": 32},
        snapshot=Snapshot("2026-09-01T00:00:00Z", HOST, (slow,)),
    )
    assert found.verdict == "measure_first"
    assert codes(found)[0] == "measure.price"


def test_that_counts_nobody_sells_are_shown_and_never_recommended(answer):
    found = answer(offers=packages(5.0, 5.0, 5.0, 5.0))
    for count in (3, 5):
        option = found.option(f"rent-{count}")
        assert not option.sold
        assert option.time_s is not None
        assert option.p_best == 0.0


def test_that_a_benchmark_of_another_card_is_not_used(answer, inputs):
    snapshot = Snapshot("2026-09-01T00:00:00Z", HOST, (CARD,))
    assert answer(snapshot=snapshot).option("local").evidence is not Evidence.MEASURED_BENCHMARK


def test_that_a_card_the_driver_lost_is_not_planned_with(answer):
    found = answer(snapshot=Snapshot("2026-09-01T00:00:00Z", HOST, (replace(CARD, lost=True),)))
    assert any(reason.code == "no_local_gpu" for reason in found.option("local").rejected)


@pytest.mark.parametrize("model", ["preset:nothing", "timm:resnet18", "resnet50"])
def test_that_a_model_that_cannot_be_planned_is_an_input_error(answer, model):
    with pytest.raises(InvalidInputError):
        answer(recipe={"model": model})


def test_that_the_same_seed_gives_the_same_plan(answer):
    first, again, other = answer(), answer(), answer(seed=7)
    assert first.options[1].cost_usd == again.options[1].cost_usd
    assert [o.p_best for o in first.options] == [o.p_best for o in again.options]
    assert first.options[1].time_s != other.options[1].time_s


def test_that_the_shares_of_the_best_add_up(answer):
    assert sum(option.p_best for option in answer().options) == pytest.approx(1.0)


@LAW
@given(st.floats(0.05, 5), st.floats(1.01, 10))
def test_that_cost_rises_with_price(answer, price, factor):
    cheap = answer(offers=packages(price, price, price, price)).option("rent-2").cost_usd
    dear = answer(offers=packages(price, price * factor, price, price)).option("rent-2").cost_usd
    assert dear.low > cheap.low
    assert dear.high > cheap.high


@LAW
@given(st.floats(0.5, 20), st.floats(1.01, 5))
def test_that_bandwidth_never_hurts(answer, gbs, factor):
    slow = answer(terms={"bus_bandwidth_gbs": Range(gbs, gbs, gbs)}).option("rent-4")
    fast = answer(terms={"bus_bandwidth_gbs": Range(gbs, gbs * factor, gbs * factor)}).option("rent-4")
    assert fast.time_s.likely <= slow.time_s.likely
    assert fast.speedup.likely >= slow.speedup.likely


@LAW
@given(st.floats(1, 500), st.floats(1, 10))
def test_that_a_later_deadline_is_never_harder_to_meet(answer, hours, factor):
    soon, later = answer(terms={"deadline_h": hours}), answer(terms={"deadline_h": hours * factor})
    for a, b in zip(soon.options, later.options, strict=True):
        assert b.p_on_time >= a.p_on_time


@LAW
@given(st.sampled_from(["preset:resnet50", "preset:bert_base", "preset:gpt2"]), st.integers(6, 96))
def test_that_a_gpu_more_never_lengthens_the_computation(answer, model, batch):
    found = answer(recipe={"model": model, "batch_size": batch})
    steps = [option.step.seconds.likely for option in found.options if option.kind == "rent"]
    assert all(more <= fewer * (1 + 1e-9) for fewer, more in itertools.pairwise(steps))


@LAW
@given(st.permutations(packages(0.5, 1.0, 2.0, 3.0)))
def test_that_the_order_of_the_offers_changes_nothing(answer, table):
    assert [o.cost_usd for o in answer(offers=tuple(table)).options] == [o.cost_usd for o in answer().options]


def test_that_the_default_plan_has_an_answer():
    assert evaluate(PlanInputs(job=Job(Recipe()))).chosen is None  # no machine, no offers: nothing to recommend


def test_that_assumptions_are_registered_with_source_and_edits(answer):
    found = answer(terms={"setup_h": Range(1, 2, 3)})
    lines = {assumption.code: assumption for assumption in found.assumptions}
    assert lines["setup_h"].edited
    assert not lines["idle_h"].edited
    assert lines["price_4_usd_per_h"].source == "price_list"
    assert "bus_4_gbs" in lines


def test_that_a_card_of_unknown_power_still_has_a_price(answer, monkeypatch):
    from planner import pipeline

    real = pipeline.local_device
    monkeypatch.setattr(pipeline, "local_device", lambda *args: replace(real(*args), power_w=None))
    found = answer()
    assert found.option("local").cost_usd.likely > 0
    assert next(a for a in found.assumptions if a.code == "gpu_power_w").source == "default"
