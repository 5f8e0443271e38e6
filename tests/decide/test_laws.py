"""What holds for any job, any circumstances and any prices."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.decide.draws import draw, quantiles, summary
from planner.decide.types import Recommendation, Terms
from planner.door import plain, validated
from planner.evidence import Range
from planner.hardware.snapshot import Snapshot
from planner.messages import load_messages
from planner.offers.offer import Offer
from planner.pipeline import PlanInputs, evaluate
from planner.predict.scaling import waiting_share
from planner.report.wording import Wording
from planner.workload.job import Job, Recipe
from tests.decide.conftest import CARD, HOST, SMALL_CARD
from tests.decide.made import answer, device, offers

WORDING = Wording(load_messages())
LAW = settings(max_examples=40, deadline=None)


def ranges(low: float, high: float) -> st.SearchStrategy[Range]:
    return st.lists(st.floats(low, high), min_size=3, max_size=3).map(lambda three: Range(*sorted(three)))


jobs = st.builds(
    Job,
    recipe=st.builds(
        Recipe,
        model=st.sampled_from(["preset:resnet50", "preset:tabular_mlp", "preset:bert_large", "preset:gpt2"]),
        mode=st.sampled_from(["train", "infer"]),
        batch_size=st.integers(1, 4096),
    ),
    samples_per_epoch=st.floats(1, 1e10),
    epochs=ranges(0.01, 1e4),
    dataset_bytes=st.sampled_from([0.0, 1.0, 1e9, 150e9, 50e12]),
    kept_batch=st.sampled_from(["global", "per_gpu"]),
    result_bytes=st.floats(0, 1e12),
)
terms = st.builds(
    Terms,
    deadline_h=st.none() | st.floats(1e-3, 1e5),
    budget_usd=st.none() | st.floats(0.01, 1e6),
    upload_mbit_per_s=ranges(0.1, 1e4),
    waiting_cost_usd_per_h=st.sampled_from([0.0, 1.0, 1000.0]),
    electricity_usd_per_kwh=ranges(0, 2),
    setup_h=ranges(0, 10),
    idle_h=ranges(0, 100),
    bus_bandwidth_gbs=st.none() | ranges(0.01, 100),
    platform=st.sampled_from(["linux", "windows"]),
    privacy=st.sampled_from(["public", "internal", "personal", "regulated"]),
    confidence=st.floats(0.5, 0.99),
)
tables = st.lists(
    st.builds(
        Offer,
        provider=st.sampled_from(["irender", "other"]),
        gpu=st.sampled_from(["rtx-3090", "rtx-4090"]),
        gpu_count=st.integers(1, 8),
        price_usd_per_hour=st.none() | st.sampled_from([0.0, 0.2, 8.2, 1e9]),
        price_date=st.none() | st.sampled_from(["2026-08-22", "2024-04", "2030-01-01"]),
        pricing=st.sampled_from(["on-demand", "community", "spot", "quote"]),
        billing_step_s=st.sampled_from([1.0, 60.0, 3600.0]),
    ),
    max_size=6,
).map(tuple)
machines = st.sampled_from(
    [None, *(Snapshot("2026-09-01T00:00:00Z", HOST, gpus) for gpus in ((), (CARD,), (SMALL_CARD,)))]
)
plans = st.builds(
    PlanInputs, job=jobs, terms=terms, offers=tables, snapshot=machines, today=st.sampled_from(["", "2026-09-01"]),
    sample_count=st.just(200),
)  # fmt: skip


def check_shape(found: Recommendation) -> None:
    chosen = found.option(found.chosen) if found.chosen else None
    assert (chosen is None) == (found.verdict == "none_fits")
    assert found.reasons
    if chosen is not None:
        assert {reason.code for reason in chosen.rejected} <= {"no_price"}
        assert chosen.sold
        assert found.confidence == chosen.p_best
    if found.verdict in ("local", "rent"):
        assert found.confidence >= 0.7
    assert sum(option.p_best for option in found.options) <= 1 + 1e-9
    for option in found.options:
        assert option.p_best == 0 or not option.rejected
        assert option.time_s is None or option.time_s.low >= 0
        assert option.cost_usd is None or option.cost_usd.low >= 0
        assert option.p_on_time is None or 0 <= option.p_on_time <= 1


@LAW
@given(plans)
def test_that_any_plan_has_an_answer_of_sound_shape_that_can_be_said(inputs):
    found = evaluate(inputs)
    check_shape(found)
    sentences = [WORDING.verdict(found), *map(WORDING.reason, found.reasons)]
    sentences += [WORDING.reason(reason) for option in found.options for reason in option.rejected]
    assert not any("{" in sentence or "nan" in sentence for sentence in sentences)


@LAW
@given(plans, st.randoms())
def test_that_the_order_of_the_offers_changes_nothing_at_all(inputs, random):
    table = list(inputs.offers)
    random.shuffle(table)
    first, shuffled = evaluate(inputs), evaluate(replace(inputs, offers=tuple(table)))
    assert [option.cost_usd for option in first.options] == [option.cost_usd for option in shuffled.options]
    assert (first.verdict, first.chosen, first.reasons) == (shuffled.verdict, shuffled.chosen, shuffled.reasons)


@settings(max_examples=15, deadline=None)
@given(plans)
def test_that_a_plan_read_back_from_json_gives_the_same_numbers(inputs):
    again = evaluate(validated(PlanInputs, plain(inputs), "plan"))
    first = evaluate(inputs)
    assert [(o.time_s, o.cost_usd, o.p_best) for o in again.options] == [
        (o.time_s, o.cost_usd, o.p_best) for o in first.options
    ]
    assert again.reasons == first.reasons


@LAW
@given(st.integers(1, 4096), st.sampled_from(["global", "per_gpu"]))
def test_that_a_gpu_more_never_lengthens_the_training_but_for_exchange_and_waiting(batch, kept):
    job = Job(Recipe("made", batch_size=batch, optimizer="sgd"), 1e6, Range(1, 1, 1), 0.0, kept)
    found = answer(job=job, bus_bandwidth_gbs=Range.exactly(1e12))
    rented = [option for option in found.options if option.kind == "rent"]
    alone = [o.time_s.likely / (1 + waiting_share(o.gpu_count).likely) for o in rented]
    assert all(more <= fewer * (1 + 1e-6) for fewer, more in itertools.pairwise(alone))


@LAW
@given(st.floats(0.1, 50), st.floats(1, 20), st.floats(0, 100))
def test_that_a_faster_bus_never_costs_more(gbs, factor, waiting):
    slow, fast = (
        answer(bus_bandwidth_gbs=Range.exactly(speed), waiting_cost_usd_per_h=waiting)
        for speed in (gbs, gbs * factor)
    )
    for a, b in zip(slow.options, fast.options, strict=True):
        assert (a.cost_usd is None) == (b.cost_usd is None)
        if a.cost_usd is not None:
            assert b.cost_usd.likely <= a.cost_usd.likely * (1 + 1e-9)
            assert b.time_s.likely <= a.time_s.likely * (1 + 1e-9)


@LAW
@given(st.floats(0, 10), st.floats(1.001, 10))
def test_that_a_dearer_package_is_never_chosen_more_often(price, factor):
    spread = device(sigma_device=0.3)
    cheap, dear = (
        answer(local=spread, rented=spread, prices=offers({1: p}), electricity_usd_per_kwh=Range(0.1, 0.5, 2))
        for p in (price, price * factor)
    )
    assert dear.option("rent-1").p_best <= cheap.option("rent-1").p_best


@given(ranges(0.01, 1e6) | ranges(0.01, 1e6).map(lambda value: Range(0.0, value.likely, value.high)))
def test_that_samples_of_a_range_have_its_percentiles(value):
    samples = quantiles(value, draw(1, 1000).uniform["price"])
    assert samples.min() >= value.low * (1 - 1e-9)
    assert samples.max() <= value.high * (1 + 1e-9)
    found = summary(samples)
    spread = (value.high - value.low) * 0.02 + 1e-9 * value.high
    assert found.likely == pytest.approx(value.likely, rel=0.05, abs=spread)


@given(st.lists(st.floats(0, 1e9), min_size=2, max_size=50))
def test_that_a_summary_is_three_percentiles(values):
    found = summary(np.array(values))
    assert (found.low, found.likely, found.high) == pytest.approx(tuple(np.percentile(values, (5, 50, 95))))


def test_that_all_inputs_are_drawn_independently_and_evenly():
    draws = draw(7, 1000)
    for name, column in draws.uniform.items():
        assert sorted(column) == pytest.approx([(k + 0.5) / 1000 for k in range(1000)])
        assert draws.normal[name].std() == pytest.approx(1.0, abs=0.01)
    for one, other in itertools.combinations(draws.uniform.values(), 2):
        centred = (one - 0.5) * (other - 0.5) * 12
        assert abs(centred.mean()) < 5 / math.sqrt(1000)
