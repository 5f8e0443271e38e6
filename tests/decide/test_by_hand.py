"""Times, bills, verdicts and switch points of round numbers, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.decide.types import Reason, Recommendation
from planner.evidence import Range
from planner.predict.scaling import waiting_share
from tests.decide.made import BATCH, JOB, NOTHING, answer, device, offers, table


def reason(found: Recommendation, code: str) -> dict:
    values = [dict(item.values) for item in found.reasons if item.code == code]
    assert values, f"no {code} in {[item.code for item in found.reasons]}"
    return values[0]


def codes(reasons: tuple[Reason, ...]) -> list[str]:
    return [item.code for item in reasons]


def test_that_n_cards_take_a_share_of_the_steps_and_exchange_gradients():
    found = answer()
    for count in (1, 2, 4, 6):
        added_s = 2 * (count - 1) / count * 1e9 / 10e9 + waiting_share(count).likely
        hours = 10 * 360 / count * (1 + added_s) / 3600
        assert found.option(f"rent-{count}").time_s.likely / 3600 == pytest.approx(hours, rel=1e-3)
        assert found.option(f"rent-{count}").speedup.likely == pytest.approx(count / (1 + added_s), rel=1e-3)


def test_that_a_kept_global_batch_keeps_the_number_of_steps():
    found = answer(job=replace(JOB, kept_batch="global"))
    for count in (1, 2, 4):
        step_s = (1 + waiting_share(count).likely) / count + 2 * (count - 1) / count * 0.1
        assert found.option(f"rent-{count}").time_s.likely == pytest.approx(3600 * step_s, rel=1e-3)
    assert found.option("rent-6").batch_per_gpu == 84  # 500 does not divide by six: the fullest card has 84
    step_s = (1 + waiting_share(6).likely) * 84 / BATCH + 10 / 6 * 0.1
    assert found.option("rent-6").time_s.likely == pytest.approx(3600 * step_s, rel=1e-3)


def test_that_a_batch_too_small_to_share_is_not_enlarged_in_silence():
    job = replace(JOB, recipe=replace(JOB.recipe, batch_size=4), samples_per_epoch=4 * 360, kept_batch="global")
    found = answer(job=job)
    assert "batch" in codes(found.option("rent-6").rejected)
    assert "batch" not in codes(found.option("rent-4").rejected)
    assert found.option("rent-6").time_s.likely >= found.option("rent-4").time_s.likely


def test_that_all_phases_are_billed_and_the_bill_rounds_up():
    hour = Range.exactly(1.0)
    prices = tuple(replace(offer, billing_step_s=3600.0) for offer in offers({1: 2.0}))
    found = answer(
        job=replace(JOB, dataset_bytes=36e9, result_bytes=3.6e9),  # 1 h and 0.1 h at 100 Mbit/s · 0.8
        prices=prices, boot_h=Range.exactly(0.25), setup_h=Range.exactly(0.5), idle_h=hour,
    )  # fmt: skip
    option = found.option("rent-1")
    hours = {phase.code: phase.duration_s.likely / 3600 for phase in option.phases}
    expected = {"boot": 0.25, "upload": 1.0, "setup": 0.5, "run": 1.0, "download": 0.1, "idle": 1.0}
    assert hours == pytest.approx(expected, rel=1e-3)
    assert list(hours) == list(expected)
    assert option.time_s.likely / 3600 == pytest.approx(2.85, rel=1e-3)  # nobody waits for the idle hour
    assert option.cost_usd.likely == pytest.approx(4 * 2.0)  # 3.85 h are billed as 4


def test_that_local_electricity_is_card_and_computer_over_the_power_supply():
    found = answer(local=device(power_w=330.0), host_power_w=120.0, electricity_usd_per_kwh=Range.exactly(0.2))
    assert found.option("local").cost_usd.likely == pytest.approx(0.45 / 0.9 * 0.2, rel=1e-3)


def test_that_waiting_people_make_the_faster_option_the_cheaper():
    alone, busy = answer(), answer(waiting_cost_usd_per_h=100.0)
    assert alone.chosen == "rent-1"
    assert busy.chosen == "rent-6"
    waiting = next(part for part in busy.option("rent-6").cost if part.code == "waiting")
    assert waiting.usd.likely == pytest.approx(busy.option("rent-6").time_s.likely / 3600 * 100.0)


def test_that_a_package_wins_by_price_when_its_speed_up_exceeds_its_price():
    found = answer(prices=offers({1: 10.0, 4: 20.0}))  # twice the price, 3.5 times the speed
    assert found.chosen == "rent-4"
    assert found.verdict == "rent"


def test_that_the_bandwidth_from_which_cards_pay_follows_the_formula():
    # B* = 2 (N − 1) / N · G / (t · (N / S − 1 − w)) with S = 1: where N cards are as fast as one
    found = answer(prices=offers({1: 1.0, 4: 4.0}), bus_bandwidth_gbs=Range(1.0, 2.0, 4.0))
    switch = reason(found, "bandwidth")
    assert switch["switch_gbs"] == pytest.approx(2 * 3 / 4 * 1.0 / (4 - 1 - waiting_share(4).likely), rel=1e-3)
    at_switch = answer(bus_bandwidth_gbs=Range.exactly(switch["switch_gbs"]))
    assert at_switch.option("rent-4").time_s.likely == pytest.approx(3600, rel=1e-4)


def test_that_options_cost_the_same_at_the_switch_points_named():
    terms = {"waiting_cost_usd_per_h": 8.0, "bus_bandwidth_gbs": Range.exactly(1.0)}
    prices = offers({1: 1.0, 4: 6.0})
    found = answer(prices=prices, **terms)
    gbs = reason(found, "switch.bandwidth")["switch_gbs"]
    usd = reason(found, "switch.price")["switch_usd_per_h"]
    by_bus = answer(prices=prices, **{**terms, "bus_bandwidth_gbs": Range.exactly(gbs)})
    by_price = answer(prices=offers({1: 1.0, 4: usd}), **terms)
    for equal in (by_bus, by_price):
        one, four = (equal.option(key).cost_usd.likely for key in ("rent-1", "rent-4"))
        assert four == pytest.approx(one, rel=1e-2)


def test_that_the_deadline_named_is_the_one_that_rules_the_choice_out():
    spread = device(sigma_device=0.3)
    hours = reason(answer(rented=spread), "switch.deadline")["deadline_h"]
    assert answer(rented=spread, deadline_h=hours * 1.001).chosen == "rent-1"
    assert answer(rented=spread, deadline_h=hours * 0.99).chosen != "rent-1"


def test_that_when_all_are_late_the_deadline_that_could_be_kept_is_named():
    found = answer(rented=device(sigma_device=0.3), deadline_h=0.01)
    assert found.verdict == "none_fits"
    possible = reason(found, "deadline_possible")
    assert possible["option"] == "rent-6"
    kept = answer(rented=device(sigma_device=0.3), deadline_h=possible["deadline_h"] * 1.001)
    assert kept.chosen == "rent-6"


def test_that_being_late_counts_against_the_cheaper_option():
    slow = device(sigma_device=0.3)
    hours = reason(answer(rented=slow), "switch.deadline")["deadline_h"] * 1.02
    found = answer(rented=slow, deadline_h=hours)
    assert found.chosen == "rent-1"
    assert 0.9 < found.option("rent-1").p_on_time < 0.95
    assert found.confidence == pytest.approx(found.option("rent-1").p_on_time)  # where it is late, others are best


def test_that_the_budget_rules_out_what_costs_more_and_nothing_else():
    found = answer(prices=offers({1: 1.0, 4: 8.0}), budget_usd=1.5, waiting_cost_usd_per_h=0.0)
    assert codes(found.option("rent-4").rejected) == ["budget"]
    assert found.option("rent-1").rejected == ()
    poor = answer(prices=offers({1: 1.0, 4: 8.0}), budget_usd=0.5)
    assert poor.verdict == "none_fits"
    assert poor.reasons[0].code == "budget"
    assert dict(poor.reasons[0].values)["option"] == "rent-1"  # the one that came nearest


# Memory near the limit ---------------------------------------------------------------------------------------


def near_the_limit(likely_share: float):
    """A local card whose memory is the job's likely need times this."""
    needed = answer(local=device()).option("local").memory.total_bytes
    return device(memory_bytes=needed.likely * likely_share + device().memory_reserved_bytes)


def test_that_memory_that_may_not_be_enough_is_to_be_tried_first():
    found = answer(local=near_the_limit(1.0))
    assert found.option("local").memory.fits == "unsure"
    assert found.verdict == "measure_first"
    assert found.chosen == "local"
    assert found.confidence == pytest.approx(0.5, abs=0.05)
    assert found.reasons[0].code == "measure.memory"


def test_that_memory_that_is_practically_sure_to_be_enough_is_no_question():
    needed = answer(local=device()).option("local").memory.total_bytes
    share = (needed.likely + 0.7 * (needed.high - needed.likely)) / needed.likely
    found = answer(local=near_the_limit(share))
    assert (found.verdict, found.confidence) == ("local", 1.0)
    assert "measure.memory" not in codes(found.reasons)


def test_that_a_memory_of_unknown_size_is_even_odds():
    found = answer(local=device(memory_bytes=None))
    assert found.verdict == "measure_first"
    assert found.reasons[0].code == "measure.memory_size"


def test_that_one_doubtful_option_alone_is_to_be_tried_too():
    found = answer(local=near_the_limit(1.0), prices=())
    assert (found.verdict, found.chosen, found.runner_up) == ("measure_first", "local", None)
    assert found.reasons[0].code == "measure.memory"


# Prices -------------------------------------------------------------------------------------------------------


def test_that_a_free_rental_costs_nothing_and_wins():
    found = answer(prices=offers({1: 0.0, 2: 2.0}))
    assert found.option("rent-1").cost_usd == NOTHING
    assert found.chosen == "rent-1"
    assert found.verdict == "rent"


def test_that_a_rental_without_any_price_asks_for_the_quote_and_says_what_it_would_do():
    found = answer(prices=offers({1: None, 2: None}))
    assert (found.verdict, found.chosen) == ("measure_first", "rent-1")
    assert found.reasons[0].code == "no_price"
    assert found.option("rent-1").cost_usd is None


def test_that_the_quote_to_ask_for_is_that_of_the_choice():
    others = (replace(offer, provider="x") for offer in offers({1: 9.0, 4: 9.0, 6: 54.0}))
    prices = (*offers({1: None, 2: None, 4: None, 6: None}), *others)
    found = answer(prices=prices)
    assert found.chosen == "rent-4"
    assert reason(found, "ask_quote")["option"] == "rent-4"
    assert codes(found.reasons)[:2] == ["no_local_gpu", "ask_quote"]  # the bill of a rental hangs on it


def test_that_a_missing_price_is_named_beside_a_local_answer():
    found = answer(local=device(), prices=offers({1: None}))
    assert found.verdict == "local"
    assert "no_price" in codes(found.reasons)


def test_that_equal_costs_take_the_simpler_and_say_when_the_other_is_faster():
    spread = {"rented": device(sigma_device=0.2), "local": device(sigma_device=0.2)}
    terms = {"electricity_usd_per_kwh": Range.exactly(0.4), "host_power_w": 100.0}  # 0.20 USD: as the rental
    same = answer(prices=offers({1: 0.2}), **spread, **terms)
    assert (same.verdict, same.chosen, same.runner_up) == ("either", "local", "rent-1")
    assert same.reasons[0].code == "either_same"
    faster = answer(prices=offers({4: 0.7}), **spread, **terms)
    assert (faster.verdict, faster.chosen, faster.runner_up) == ("either", "local", "rent-4")
    assert faster.reasons[0].code == "either_faster"


def test_that_the_unknown_that_decides_is_named_first():
    # One card costs 1.00. Four cost 2.50 an hour for (1 + 1.5 / B) / 4 h: equal at a bus of B = 2.5 GB/s.
    found = answer(prices=offers({1: 10.0, 4: 25.0}), bus_bandwidth_gbs=Range(1.3, 2.5, 12.0))
    assert found.verdict == "measure_first"
    assert found.reasons[0].code == "measure.bus_bandwidth"
    assert {found.chosen, found.runner_up} == {"rent-1", "rent-4"}


def test_that_a_batch_that_grows_with_the_cards_is_said():
    found = answer(prices=offers({1: 10.0, 6: 24.0}))
    assert found.chosen == "rent-6"
    assert reason(found, "batch_grows")["batch_count"] == 6 * BATCH


def test_that_six_cards_sharing_an_uneven_batch_are_told_so():
    prices = offers({1: 100.0, 6: 1.0})
    found = answer(prices=prices, job=replace(JOB, kept_batch="global"))
    assert found.chosen == "rent-6"
    assert reason(found, "batch_uneven") == {"gpu_count": 6, "batch_count": 500, "per_gpu_count": 84}


def test_that_inference_exchanges_nothing():
    found = answer(job=replace(JOB, recipe=replace(JOB.recipe, mode="infer")), op_table=table())
    assert found.option("rent-4").speedup.likely == pytest.approx(4.0, rel=1e-3)
