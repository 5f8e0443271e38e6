"""Prices out of other programs' files, in other currencies, and what they would change."""

from __future__ import annotations

import contextlib
import io
import json
import urllib.error
import zipfile
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError
from planner.offers.catalogue import write_offers
from planner.offers.currency import (
    ExchangeRate,
    in_usd,
    load_rates,
    missing_currencies,
    parse_rates,
    rates_text,
    save_rates,
    shipped_rates,
    typed_rates,
)
from planner.offers.difference import changes, merged
from planner.offers.importers import import_file, import_text
from planner.offers.offer import Offer
from planner.offers.refresh import PROVIDERS, RefreshCancelledError, refresh

DAY = "2026-11-30"
GPUHUNT = """\
instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags
a,EU-1,0.34,8,46.0,1,RTX3090,24.0,False,,nvidia,
b,US-1,0.30,6,30.0,1,RTX3090,24.0,False,,nvidia,
c,US-1,0.19,8,46.0,1,RTX3090,24.0,True,100,nvidia,
d,US-1,2.40,64,256.0,4,A100,80.0,False,,nvidia,
e,US-1,0.10,8,46.0,0,,,False,,,
f,US-1,1.10,8,46.0,1,v5litepod,16.0,False,,google,
"""
SKYPILOT = """\
InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo
2x_RTX3090,RTX3090,2.0,16.0,94.0,0.86,0.44,US,{}
cpu_only,,,16.0,94.0,0.86,,US,
1x_RTX3090,RTX3090,1.0,8.0,47.0,0.43,,DE,{}
"""


def offer(provider="x", count=1, price=0.5, **more) -> Offer:
    return Offer(provider, "rtx-3090", count, price, price_date=DAY, **more)


def test_that_gpuhunts_catalogue_gives_the_cheapest_of_each_package():
    found = import_text(GPUHUNT, "runpod.csv", "runpod", DAY)
    prices = {(o.gpu, o.gpu_count, o.pricing): o.price_usd_per_hour for o in found.offers}
    a100 = next(o for o in found.offers if o.gpu.startswith("a100"))
    assert prices[("rtx-3090", 1, "on-demand")] == 0.30
    assert prices[("rtx-3090", 1, "spot")] == 0.19
    assert (a100.gpu_count, a100.vcpus, a100.ram_gb, a100.region) == (4, 64, 256.0, "US-1")
    assert all(o.provider == "runpod" and o.price_date == DAY and o.source for o in found.offers)


def test_that_what_is_no_gpu_of_the_catalogue_is_left_out_and_said():
    (problem,) = import_text(GPUHUNT, "runpod.csv", "runpod", DAY).skipped
    assert "v5litepod" in str(problem)


def test_that_skypilots_catalogue_gives_both_kinds_of_price(tmp_path):
    folder = tmp_path / "runpod"
    folder.mkdir()
    (folder / "vms.csv").write_text(SKYPILOT)
    found = import_file(folder / "vms.csv", "", DAY).offers
    assert {(o.provider, o.gpu_count, o.pricing, o.price_usd_per_hour) for o in found} == {
        ("runpod", 2, "on-demand", 0.86), ("runpod", 2, "spot", 0.44), ("runpod", 1, "on-demand", 0.43),
    }  # fmt: skip


def test_that_our_own_tables_come_in_as_csv_and_as_json(tmp_path):
    mine = (offer(), offer(count=2, price=None))
    (tmp_path / "mine.csv").write_text(write_offers(mine))
    fields = ("provider", "gpu", "gpu_count", "price_usd_per_hour", "price_date")
    rows = [{name: getattr(o, name) for name in fields} for o in mine]
    (tmp_path / "list.json").write_text(json.dumps(rows))
    (tmp_path / "object.json").write_text(json.dumps({"offers": rows}))
    for name in ("mine.csv", "list.json", "object.json"):
        assert import_file(tmp_path / name, "", DAY).offers == mine


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1}', "list of offers"),
        ('[{"provider": "x"}]', "offers.0.gpu"),
        ('[{"provider": "x", "gpu": "rtx-3090", "gpu_count": 1, "price_usd_per_hour": -1}]', "at least 0"),
        ("a,b\n1,2\n", "unknown columns"),
        (GPUHUNT.splitlines()[0] + "\nx,US,zero,8,46,1,RTX3090,24,False,,nvidia,\n", "zero"),
        (GPUHUNT.splitlines()[0] + "\nx,US,-3,8,46,1,RTX3090,24,False,,nvidia,\n", "at least 0"),
        (GPUHUNT.splitlines()[0] + "\nx,US,nan,8,46,1,RTX3090,24,False,,nvidia,\n", "ordinary size"),
        (GPUHUNT.splitlines()[0] + "\n", "no row"),
        ("", "columns"),
        ("[", "not valid JSON"),
    ],
)
def test_that_a_file_that_is_no_table_of_offers_says_what_is_wrong(text, says):
    with pytest.raises(InvalidInputError, match=says):
        import_text(text, "file", "x", DAY)


def test_that_binary_files_are_refused(tmp_path):
    (tmp_path / "x.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInputError, match="UTF-8"):
        import_file(tmp_path / "x.csv", "", DAY)


@given(st.text(max_size=200))
def test_that_no_text_breaks_the_import(text):
    with contextlib.suppress(InvalidInputError):
        assert import_text(text, "file", "x", DAY).offers == ()


def test_that_foreign_prices_become_usd_at_the_rate_given():
    dong = offer(price=None, currency="VND", price_per_hour=26_300.0)
    euro = offer(provider="y", price=None, currency="EUR", price_per_hour=0.43)
    rates = (ExchangeRate("VND", 26_300, DAY), ExchangeRate("EUR", 0.86, DAY))
    assert [o.price_usd_per_hour for o in in_usd((dong, euro, offer()), rates)] == [1.0, pytest.approx(0.5), 0.5]


def test_that_a_price_without_a_rate_has_no_usd_price_rather_than_a_wrong_one():
    dong = offer(price=7.0, currency="VND", price_per_hour=26_300.0)
    (found,) = in_usd((dong,), ())
    assert found.price_usd_per_hour is None
    assert missing_currencies((dong, offer()), ()) == ("VND",)


@given(st.floats(1e-3, 1e6), st.floats(1e-3, 1e6))
def test_that_a_dearer_dollar_makes_foreign_offers_cheaper(price, units):
    offers = (offer(price=None, currency="EUR", price_per_hour=price),)
    before, after = (in_usd(offers, (ExchangeRate("EUR", u, DAY),))[0] for u in (units, 2 * units))
    assert after.price_usd_per_hour == pytest.approx(before.price_usd_per_hour / 2)


def test_that_an_absurd_price_names_the_offer_and_its_rate():
    offers = (offer(price=None, currency="EUR", price_per_hour=1e12),)
    with pytest.raises(InvalidInputError, match=r"x: 1e\+12 EUR at 0.001 per USD"):
        in_usd(offers, (ExchangeRate("EUR", 1e-3, DAY),))


@pytest.mark.parametrize(
    "row", ["USD,1,2026-01", "euro,1,2026-01", "EUR,0,2026-01", "EUR,-1,2026-01", "EUR,1,soon"]
)
def test_that_a_rate_that_cannot_be_is_refused_with_its_line(row):
    with pytest.raises(InvalidInputError, match="line 2"):
        parse_rates(f"currency,units_per_usd,date\n{row}\n", "rates.csv")


def test_that_typed_rates_are_of_today_and_untouched_ones_stay_as_they_were():
    known = (ExchangeRate("EUR", 0.86, "2025-10", "bank"), ExchangeRate("VND", 26_300, "2025-10", "bank"))
    assert typed_rates(rates_text(known), known, DAY, "me") == known
    changed = typed_rates("0.9 eur, 26300 VND", known, DAY, "me")
    assert changed == (ExchangeRate("EUR", 0.9, DAY, "me"), known[1])
    assert typed_rates("", known, DAY, "me") == ()


@pytest.mark.parametrize("text", ["EUR", "much EUR", "0 EUR", "1 USD", "1 EURO", "0.86 EUR 26300 VND"])
def test_that_what_is_no_rate_is_said(text):
    with pytest.raises(ValueError, match="what one US dollar buys"):
        typed_rates(text, (), DAY, "me")


def test_that_own_rates_are_kept_and_come_back_exactly():
    assert load_rates() == shipped_rates()
    mine = (ExchangeRate("EUR", 1 / 3, DAY, 'a "bank", mine'),)
    save_rates(mine)
    assert load_rates() == mine


def test_that_shipped_rates_are_dated_and_sourced():
    assert {rate.currency for rate in shipped_rates()} == {"EUR", "VND"}
    assert all(rate.date and rate.source for rate in shipped_rates())


def test_that_changes_are_told_apart_and_taking_them_leaves_the_rest():
    mine = (offer(price=0.5), offer(provider="y", price=1.0), offer(price=9.0, pricing="quote"))
    new = (offer(price=0.4), offer(provider="y", price=1.0), offer(provider="z"))
    found = changes(mine, new)
    assert [(c.kind, c.after.provider) for c in found] == [("changed", "x"), ("new", "z")]
    assert found[0].share == pytest.approx(-0.2)
    assert merged(mine, found) == (new[0], mine[1], mine[2], new[2])
    assert merged(mine, found[1:]) == (*mine, new[2])


def test_that_the_same_price_of_another_day_is_only_a_new_date():
    mine = offer()
    (found,) = changes((mine,), (replace(mine, price_date="2026-12-01"),))
    assert (found.kind, found.share) == ("dated", 0.0)


@given(st.lists(st.builds(offer, st.sampled_from("xyz"), st.integers(1, 4), st.floats(0, 10)), max_size=12))
def test_that_nothing_is_left_to_change_after_taking_all(incoming):
    mine = (offer(), offer(provider="y"))
    after = merged(mine, changes(mine, incoming))
    assert changes(after, incoming) == ()
    assert {o.key for o in after} == {o.key for o in (*mine, *incoming)}


def _zipped(name: str, text: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, text)
    return data.getvalue()


def test_that_a_refresh_asks_every_provider_and_says_which_failed():
    asked, steps = [], []

    def fetch(url: str) -> bytes:
        asked.append(url)
        provider = url.split("/")[4]
        if provider == "aws":
            raise urllib.error.URLError("no route to host")
        if provider == "oci":
            return b"20261130" if url.endswith("version") else b"<html>"
        return b"20261130" if url.endswith("version") else _zipped(f"{provider}.csv", GPUHUNT)

    found = refresh(DAY, lambda *step: steps.append(step), fetch=fetch)
    assert {problem.where for problem in found.failed} == {"aws", "oci"}
    assert {o.provider for o in found.offers} == {*PROVIDERS} - {"aws", "oci"}
    assert steps[-1] == (len(PROVIDERS), len(PROVIDERS), "")
    assert all(url.startswith("https://") for url in asked)


def test_that_a_computer_that_is_offline_is_told_so():
    def fetch(url: str) -> bytes:
        raise urllib.error.URLError("Temporary failure in name resolution")

    with pytest.raises(InvalidInputError, match="online"):
        refresh(DAY, fetch=fetch)


def test_that_a_refresh_can_be_stopped():
    with pytest.raises(RefreshCancelledError):
        refresh(DAY, cancelled=lambda: True, fetch=lambda url: b"")
