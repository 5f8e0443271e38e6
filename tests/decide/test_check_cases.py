"""The cases in which a decision is known from outside: what must come out, and what must bind."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from planner.decide.types import Terms
from planner.evidence import Range
from planner.hardware.snapshot import Snapshot
from planner.offers.offer import Offer
from tests.decide import made
from tests.decide.conftest import HOST, packages

NO_GPU = Snapshot("2026-09-01T00:00:00Z", HOST, ())


def seller(price_per_card=0.5, **more) -> tuple[Offer, ...]:
    """The packages at a linear price, each with what ``more`` says."""
    return tuple(
        Offer("irender", "rtx-3090", n, n * price_per_card, price_date="2026-08-22", **more) for n in (1, 2, 4, 6)
    )


def reason(found, code):
    return dict(next(r for r in found.reasons if r.code == code).values)


def test_that_a_tiny_model_stays_local(answer):
    found = answer(recipe={"model": "preset:tabular_mlp", "batch_size": 1024}, job={"dataset_bytes": 1e8})
    assert (found.verdict, found.chosen) == ("local", "local")


def test_that_cards_that_wait_for_four_processors_gain_nothing(answer, codes):
    """ResNet-50 trains at several hundred images a second; 4 vCPUs of one host read 200 to 800, for any N."""
    starved = tuple(replace(o, vcpus=4) for o in seller())
    found = answer(offers=starved, snapshot=NO_GPU, job={"dataset_bytes": 150e9}, terms={"objective": "fastest"})
    one, six = (found.option(key) for key in ("rent-1", "rent-6"))
    assert six.speedup.likely < 1.2 * one.speedup.likely
    assert six.step_total_s.likely * 6 > 4 * six.step.seconds.likely
    assert "input" in codes(found)


def test_that_a_slow_loader_here_is_mended_before_renting(answer, codes):
    found = answer(job={"core_samples_per_s": Range(5, 6, 8), "dataset_bytes": 150e9})
    assert "input_local" in codes(found)
    assert reason(found, "input_local")["input_samples_per_s"].likely == pytest.approx(96)  # 16 processors


def test_that_large_gradients_on_an_unknown_bus_are_measured_first(answer, codes):
    """BERT-large in fp32, batch 8, bus of 1.3 to 12 GB/s: one card and four change places inside that range."""
    found = answer(
        recipe={"model": "preset:bert_large", "batch_size": 8, "precision": "fp32"},
        job={"samples_per_epoch": 4e5, "epochs": Range.exactly(2), "kept_batch": "per_gpu"},
        terms={"bus_bandwidth_gbs": Range(1.3, 4, 12), "waiting_cost_usd_per_h": 6.0},
        offers=seller(1.0), snapshot=NO_GPU,
    )  # fmt: skip
    assert found.verdict == "measure_first"
    assert found.reasons[0].code == "measure.bus_bandwidth"
    assert reason(found, "measure_value")["value_usd"] > 0
    assert reason(found, "measure_value")["probe_usd"] > 0
    assert any(p.option == "rent-4" and 1 < (p.faster_above_gbs or 0) < 4.5 for p in found.switch_points)


def test_that_an_adapter_scales_over_any_bus(answer):
    found = answer(
        recipe={"model": "preset:llama3_8b_lora", "batch_size": 4, "precision": "bf16", "adapter": "lora:16"},
        job={"kept_batch": "per_gpu", "samples_per_epoch": 5e4, "epochs": Range.exactly(3)},
        terms={"bus_bandwidth_gbs": Range(0.6, 1.0, 2.0)},
    )  # fmt: skip
    four = found.option("rent-4")
    assert four.communication.total_s.likely < 0.15 * four.step.seconds.likely
    assert four.speedup.likely > 3.4


def test_that_a_slow_line_is_what_binds(answer):
    found = answer(
        job={"dataset_bytes": 150e9, "epochs": Range.exactly(5)}, terms={"upload_mbit_per_s": Range(15, 20, 25)},
        snapshot=NO_GPU,
    )  # fmt: skip
    upload = next(p for p in found.option("rent-4").phases if p.code == "upload")
    assert upload.duration_s.likely == pytest.approx(150e9 * 8 / (20e6 * 0.8), rel=0.01)
    assert found.reasons[0].code in ("upload", "measure.upload")


def test_that_personal_data_does_not_go_to_another_country(answer):
    found = answer(
        terms={"privacy": "personal", "data_country": "DE"}, offers=seller(region="Vietnam"), snapshot=NO_GPU
    )
    assert found.chosen is None
    assert found.reasons[0].code == "country"
    at_home = answer(
        terms={"privacy": "personal", "data_country": "DE"}, offers=seller(region="Paris, France"), snapshot=NO_GPU
    )
    assert at_home.chosen is not None
    filed = {"privacy": "personal", "data_country": "DE", "transfer_assessed": True}
    assert answer(terms=filed, offers=seller(region="Vietnam"), snapshot=NO_GPU).chosen is not None


def test_that_windows_gets_independent_jobs_or_none(answer, codes):
    """One training cannot use four cards there; four trainings can."""
    one = answer(terms={"platform": "windows", "objective": "fastest"})
    assert "windows" in {r.code for r in one.option("rent-4").rejected}
    four = answer(terms={"platform": "windows", "objective": "fastest"}, job={"runs": 4}, snapshot=NO_GPU)
    assert four.option("rent-4").side_by_side
    assert not four.option("rent-4").rejected
    assert four.chosen == "rent-4"


def test_that_the_system_of_an_offer_counts_and_not_the_usual_one(answer):
    found = answer(offers=seller(os="Windows Server 2022"))
    assert "windows" in {r.code for r in found.option("rent-4").rejected}
    linux = answer(offers=seller(os="Ubuntu 22.04"), terms={"platform": "windows"})
    assert "windows" not in {r.code for r in linux.option("rent-4").rejected}


def test_that_a_sweep_trains_a_run_on_each_card(answer, codes):
    found = answer(job={"runs": 20, "epochs": Range.exactly(3)}, terms={"objective": "fastest"}, snapshot=NO_GPU)
    six = found.option("rent-6")
    assert six.side_by_side
    assert six.communication is None
    assert reason(found, "side_by_side")["run_count"] == 20
    # 20 runs in rounds of 6: four rounds against twenty.
    assert six.speedup.likely == pytest.approx(20 / 4, rel=0.01)


def test_that_two_hundred_hours_a_month_pay_for_a_card(answer, codes):
    """700 USD, 24 months, 40 % resale, 0.17 USD/kWh: 41 h a month against 0.50 USD an hour."""
    found = answer(terms={"hours_per_month": 200, "card_usd": Range.exactly(700)}, snapshot=NO_GPU)
    assert found.break_even_h_per_month.likely == pytest.approx(41, abs=2)
    assert "buy" in codes(found)
    assert "buy_not" in codes(answer(terms={"hours_per_month": 20}, snapshot=NO_GPU))


def test_that_four_cards_win_by_price_when_they_speed_up_more_than_they_cost():
    found = made.answer(prices=made.offers({1: 1.0, 2: 2.0, 4: 2.5, 6: 6.0}))
    four = found.option("rent-4")
    assert found.chosen == "rent-4"
    assert four.speedup.likely > 2.5


@pytest.mark.parametrize("dataset_bytes", [0.0, 50e12])
def test_that_no_data_and_fifty_terabytes_are_both_answered(answer, dataset_bytes):
    found = answer(job={"dataset_bytes": dataset_bytes}, snapshot=NO_GPU)
    upload = next(p for p in found.option("rent-1").phases if p.code == "upload")
    assert upload.duration_s.likely == pytest.approx(dataset_bytes * 8 / (100e6 * 0.8), rel=0.01)
    assert found.reasons


def test_that_ten_thousand_offers_change_neither_the_answer_nor_their_order(answer):
    others = tuple(Offer(f"p{n}", "rtx-4090", 1, 5.0 + n % 7, price_date="2026-08-22") for n in range(10_000))
    few, many = answer(), answer(offers=(*others, *packages(0.5, 1.0, 2.0, 3.0)))
    assert [o.cost_usd for o in many.options] == [o.cost_usd for o in few.options]
    shuffled = answer(offers=(*packages(0.5, 1.0, 2.0, 3.0), *reversed(others)))
    assert (shuffled.chosen, shuffled.newer.cost_usd) == (many.chosen, many.newer.cost_usd)


@pytest.mark.parametrize("hours", [0.0, -5.0])
def test_that_a_deadline_in_the_past_is_refused_by_name(hours):
    with pytest.raises(ValueError, match="deadline_h must be more than 0"):
        Terms(deadline_h=hours)


@pytest.mark.parametrize("price", [-1.0, 1e12, float("nan"), float("inf")])
def test_that_absurd_prices_are_refused_by_name(price):
    with pytest.raises(ValueError, match="price_usd_per_hour"):
        Offer("x", "rtx-3090", 1, price)


def test_that_a_dollar_price_absurdly_high_still_gives_a_finite_bill(answer):
    found = answer(offers=packages(1e9, 1e9, 1e9, 1e9))
    assert found.chosen == "local"
    assert found.option("rent-1").cost_usd.high < 1e15


def test_that_late_costs_money_where_that_was_said_and_rules_out_where_not():
    one = made.answer(deadline_h=0.5, late_usd=10.0, prices=made.offers({1: 1.0}))
    assert not one.option("rent-1").rejected
    assert one.option("rent-1").cost_usd.likely == pytest.approx(11.0, rel=0.01)
    assert made.answer(deadline_h=0.5, prices=made.offers({1: 1.0})).chosen is None


def test_that_tax_storage_minimum_and_discount_are_on_the_bill():
    """One hour at 1 USD; 2 h at least; 10 % off; 146 GB for 2 h at 0.5 USD a GB and month; 20 % tax."""
    (offer,) = made.offers({1: 1.0})
    offer = replace(
        offer, minimum_s=7200.0, discount_share=0.1, storage_usd_per_gb_month=0.5, egress_usd_per_gb=0.1
    )
    job = replace(made.JOB, dataset_bytes=0.0, result_bytes=0.0)
    found = made.answer(job=job, prices=(offer,), tax_share=0.2).option("rent-1")
    parts = {part.code: part.usd.likely for part in found.cost}
    assert parts["rent"] == pytest.approx(1.8)
    assert parts["tax"] == pytest.approx(0.2 * (parts["rent"] + parts["storage"]))
    assert found.cost_usd.likely == pytest.approx(sum(parts.values()))


def test_that_an_interruptible_machine_pays_for_saving_and_repeating():
    """C = 18 s, M = 1 h, R = 0.1 h: W = 360 s, lost 18/360 + 360/7200 + 0.1 = 20 % of the hour."""
    spot = made.offers({1: 1.0}, pricing="spot")
    more = {"checkpoint_s": 18.0, "interrupted_every_h": 1.0, "restart_h": 0.1}
    found = made.answer(prices=spot, **{name: Range.exactly(value) for name, value in more.items()})
    lost = next(p.duration_s.likely for p in found.option("rent-1").phases if p.code == "interrupted")
    assert lost == pytest.approx(720, rel=0.01)
    assert reason(found, "interruptions")["interval_s"] == pytest.approx(360)


def test_that_an_upload_that_is_not_billed_takes_time_and_no_money():
    job = replace(made.JOB, dataset_bytes=36e9)  # one hour
    billed, free = (
        made.answer(job=job, prices=made.offers({1: 1.0}, upload_billed=told)).option("rent-1")
        for told in (True, False)
    )
    assert free.time_s.likely == billed.time_s.likely
    assert billed.cost_usd.likely - free.cost_usd.likely == pytest.approx(1.0, rel=1e-3)


def test_that_points_are_shown_and_not_subtracted():
    plain, pointed = (made.answer(prices=made.offers({1: 1.0}, points_share=p)) for p in (0.0, 0.2))
    assert pointed.option("rent-1").cost_usd == plain.option("rent-1").cost_usd
    assert reason(pointed, "points")["points_share"] == 0.2


def test_that_a_faster_setting_is_tried_before_renting(answer, codes):
    found = answer(recipe={"precision": "fp32"})
    assert "fix.amp" in codes(found)
    assert 0.2 < reason(found, "fix.amp")["saved_share"] < 0.8
    assert "fix.amp" not in codes(answer(recipe={"precision": "amp"}))


def test_that_one_newer_card_is_compared_and_never_chosen(answer, codes):
    newer = Offer("other", "rtx-4090", 1, 0.3, price_date="2026-08-22")
    found = answer(offers=(*seller(), newer), snapshot=NO_GPU)
    assert found.newer.key == "newer-1"
    assert "4090" in found.newer.device_name
    assert found.newer.step.seconds.likely < found.option("rent-1").step.seconds.likely
    assert found.chosen != "newer-1"
    assert "newer_card" in codes(found)
    older = Offer("other", "rtx-2080-ti", 1, 0.01, price_date="2026-08-22")
    assert answer(offers=(*seller(), older)).newer is None


def test_that_a_newer_card_that_would_wait_for_its_input_is_not_taken_for_its_speed(answer):
    """Where the input limits both, the cheaper one is as fast."""
    fast = Offer("a", "h100-pcie", 1, 3.0, price_date="2026-08-22")
    cheap = Offer("b", "rtx-4090", 1, 0.3, price_date="2026-08-22")
    starved = {"core_samples_per_s": Range(5, 6, 8), "dataset_bytes": 150e9}
    found = answer(offers=(*seller(), fast, cheap), terms={"objective": "fastest"}, job=starved)
    assert "4090" in found.newer.device_name
    able = answer(offers=(*seller(), fast, cheap), terms={"objective": "fastest", "deadline_h": 500})
    assert "H100" in able.newer.device_name
    assert able.newer.p_on_time is not None


def test_that_a_bridge_speeds_up_a_pair_and_no_more():
    pcie, bridged = (
        made.answer(prices=made.offers({2: 2.0, 4: 4.0}, interconnect=told), bus_bandwidth_gbs=None)
        for told in ("PCIe", "NVLink")
    )
    assert (
        bridged.option("rent-2").communication.seconds.likely < pcie.option("rent-2").communication.seconds.likely
    )
    assert bridged.option("rent-4").communication == pcie.option("rent-4").communication


def test_that_private_people_rent_no_newer_card_for_personal_data(answer):
    newer = Offer("other", "rtx-4090", 1, 0.3, price_date="2026-08-22", pricing="community")
    assert answer(offers=(*seller(), newer)).newer is not None
    assert answer(offers=(*seller(), newer), terms={"privacy": "personal"}).newer is None


def test_that_the_questions_before_money_are_all_answered(answer):
    found = answer(snapshot=NO_GPU, terms={"privacy": "personal"})
    answers = {gate.code: gate.answer for gate in found.gates}
    assert set(answers) == {"licence", "privacy", "country", "platform", "availability", "support"}
    assert answers["licence"] == answers["country"] == answers["privacy"] == "ask"
    assert answers["platform"] == "passed"


def test_that_own_cards_in_a_hall_meet_the_driver_licence(answer):
    assert {r.code for r in answer(terms={"own_datacentre": True}).option("local").rejected} == {"licence"}


def test_that_the_input_that_moves_the_cost_most_comes_first(answer):
    found = answer(snapshot=NO_GPU, offers=packages(None, None, None, None) + seller_of_others())
    swings = [one.swing_usd for one in found.sensitivities]
    assert swings == sorted(swings, reverse=True)
    assert found.sensitivities[0].code == "price"
    assert found.regret_usd is not None
    assert found.regret_usd >= 0


def seller_of_others() -> tuple[Offer, ...]:
    prices = {"a": 0.1, "b": 0.5, "c": 2.0}
    return tuple(Offer(name, "rtx-3090", 1, usd, price_date="2026-08-22") for name, usd in prices.items())


def test_that_the_day_of_the_prices_is_compared_with_today(codes):
    assert "stale_prices" not in codes(made.answer())
    old = tuple(replace(o, price_date="2026-07-01") for o in made.offers({1: 1.0}))
    assert (
        reason(made.answer(prices=old), "stale_prices")["day_count"] == (date(2026, 9, 2) - date(2026, 7, 1)).days
    )


def test_that_what_the_purchase_and_the_energy_rest_on_is_in_the_register(answer):
    values = {one.code: one.value for one in answer(terms={"hours_per_month": 200}).assumptions}
    assert (values["card_kept_months"], values["card_resale_share"]) == (24.0, 0.4)
    assert values["server_power_w"] == 350.0
    assert values["hours_per_month"] == 200
