"""The offers table, and the price of a package with and without a quote."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError
from planner.offers.catalogue import SHIPPED, load_offers, parse_offers, save_offers, user_file, write_offers
from planner.offers.offer import Offer, PackagePrice
from planner.offers.price import is_stale, package_prices

TODAY = date(2026, 9, 1)


def offer(provider="x", count=1, price=0.5, day="2026-08-22", gpu="rtx-3090", **more) -> Offer:
    return Offer(provider, gpu, count, price, price_date=day, **more)


def package_price(table, provider, gpu, count, **more) -> PackagePrice:
    return package_prices(table, provider, gpu, [count], **more)[count]


def test_that_the_shipped_table_has_irenders_packages_without_a_price():
    packages = [o for o in load_offers() if o.provider == "irender" and o.gpu == "rtx-3090"]
    assert sorted(o.gpu_count for o in packages) == [1, 2, 4, 6]
    assert all(o.price_usd_per_hour is None for o in packages)


def test_that_every_shipped_price_has_a_date_a_source_and_a_licence():
    for row in load_offers():
        if row.price_usd_per_hour is not None:
            assert row.price_date, row
            assert row.source, row
            assert row.licence, row


def test_that_an_edited_table_comes_back_and_the_shipped_one_stays():
    before = SHIPPED.read_bytes()
    edited = (offer(price=0.0, notes='a "quoted", note'), offer(price=None, day=None))
    save_offers(edited)
    assert load_offers() == edited
    assert SHIPPED.read_bytes() == before


def test_that_a_broken_table_names_every_line_and_column():
    text = "provider,gpu,gpu_count,price_usd_per_hour\nx,rtx-3090,one,0.5\nx,rtx-3090,2,-1\nx,rtx-3090,1,0.5\n"
    with pytest.raises(InvalidInputError) as caught:
        parse_offers(text, "offers.csv")
    places = [problem.where for problem in caught.value.problems]
    assert places[0].startswith("line 2")
    assert "gpu_count" in places[0]
    assert places[1].startswith("line 3")
    assert len(places) == 2


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "provider,gpu,gpu_count\nx\n", "provider,gpu,gpu_count\nx,y,1,9\n"]
)
def test_that_what_is_no_offers_table_is_refused(text):
    with pytest.raises(InvalidInputError):
        parse_offers(text, "offers.csv")


@pytest.mark.parametrize(
    ("row", "what"),
    [
        ("x,rtx-3090,1,0.5,yesterday", "price_date must be a date"),
        ("x,RTX 3O90,1,0.5,2026-08-22", "did you mean"),
        ("x,,1,0.5,2026-08-22", "gpu: Field required"),
        (" ,rtx-3090,1,0.5,2026-08-22", "provider"),
        ("x,rtx-3090,0,0.5,2026-08-22", "gpu_count"),
        ("x,rtx-3090,1,nan,2026-08-22", "finite"),
        ("x,rtx-3090,1,1e999,2026-08-22", "finite"),
    ],
)
def test_that_a_wrong_cell_is_named(row, what):
    with pytest.raises(InvalidInputError, match=what) as caught:
        parse_offers("provider,gpu,gpu_count,price_usd_per_hour,price_date\n" + row + "\n", "offers.csv")
    assert caught.value.problems[0].where.startswith("line 2")


def test_that_a_gpu_may_be_written_as_people_write_it():
    (row,) = parse_offers("provider,gpu,gpu_count,price_usd_per_hour\nx,RTX 3090,1,\n", "offers.csv")
    assert row.gpu == "rtx-3090"
    assert row.price_usd_per_hour is None


def test_that_a_user_table_that_is_not_text_is_refused():
    user_file().parent.mkdir(parents=True)
    user_file().write_bytes(b"\xff\xfe\x00p")
    with pytest.raises(InvalidInputError, match="UTF-8"):
        load_offers()


offers = st.builds(
    Offer,
    provider=st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1),
    gpu=st.just("rtx-3090"),
    gpu_count=st.integers(1, 8),
    price_usd_per_hour=st.none() | st.floats(0, 1e4),
    price_date=st.none() | st.just("2026-08-22"),
    vcpus=st.none() | st.integers(1, 64),
)


@given(st.lists(offers, max_size=4).map(tuple))
def test_that_any_table_survives_writing_and_reading(table):
    assert parse_offers(write_offers(table), "memory") == table


def test_that_a_quote_is_the_price():
    price = package_price((offer("irender", 4, 3.2), offer("other", 4, 1.0)), "irender", "rtx-3090", 4)
    assert price.is_quote
    assert price.usd_per_hour is not None
    assert price.usd_per_hour.low == price.usd_per_hour.high == 3.2


def test_that_a_price_of_zero_is_a_price():
    price = package_price((offer("irender", 1, 0.0),), "irender", "rtx-3090", 1)
    assert price.usd_per_hour is not None
    assert price.usd_per_hour.likely == 0.0


def test_that_without_a_quote_the_range_spans_comparable_offers_per_gpu():
    table = (
        offer("irender", 4, None, None),
        offer("cheap", 1, 0.2),
        offer("dear", 4, 2.0),
        offer("spot", 1, 0.01, pricing="spot"),
        offer("old", 1, 0.05, "2024-01-01"),
    )
    price = package_price(table, "irender", "rtx-3090", 4)
    assert not price.is_quote
    assert price.comparable_count == 2
    assert price.usd_per_hour is not None
    assert (price.usd_per_hour.low, price.usd_per_hour.high) == pytest.approx((0.8, 2.0))


def test_that_the_sellers_own_price_level_widens_the_range():
    table = (offer("irender", 1, None, None), offer("irender", 1, 8.2, "2026-04", "rtx-4090"), offer("x", 1, 0.2))
    price = package_price(table, "irender", "rtx-3090", 1)
    assert price.usd_per_hour is not None
    assert price.usd_per_hour.high == pytest.approx(8.2)


def test_that_between_market_and_seller_the_likely_price_is_half_way_in_ratio():
    table = (
        offer("irender", 1, 8.0, "2024-04", "rtx-4090"),
        offer("x", 1, 0.2),
        offer("y", 1, 0.5),
        offer("z", 1, 0.5),
    )
    price = package_price(table, "irender", "rtx-3090", 1)
    assert price.usd_per_hour is not None
    assert price.usd_per_hour.likely == pytest.approx(2.0)
    assert price.comparable_count == 4
    assert price.oldest_price_date == date(2024, 4, 1)  # old, but nothing newer tells the seller's level


def test_that_a_quote_for_one_package_tells_about_the_sellers_others():
    table = (offer("irender", 2, 6.0), offer("irender", 4, None, None), offer("x", 1, 0.2))
    larger = package_price(table, "irender", "rtx-3090", 4)
    smaller = package_price(table, "irender", "rtx-3090", 1)
    assert larger.usd_per_hour is not None
    assert smaller.usd_per_hour is not None
    assert not larger.is_quote
    assert larger.usd_per_hour.low < larger.usd_per_hour.likely == larger.usd_per_hour.high == 12.0
    assert smaller.usd_per_hour.low == smaller.usd_per_hour.likely == 3.0 < smaller.usd_per_hour.high


def test_that_the_newest_price_of_an_offer_counts():
    table = (offer("irender", 1, 0.3, "2025-01-01"), offer("irender", 1, 0.9, "2026-08-01"))
    price = package_price(table, "irender", "rtx-3090", 1)
    assert price.usd_per_hour is not None
    assert price.usd_per_hour.likely == 0.9


def test_that_a_quote_goes_before_the_list_and_interruptible_machines_come_last():
    table = (offer("a", 1, 0.5), offer("a", 1, 0.7, pricing="quote"), offer("a", 1, 0.1, pricing="spot"))
    assert package_price(table, "a", "rtx-3090", 1).usd_per_hour.likely == 0.7
    assert package_price(table[::2], "a", "rtx-3090", 1).usd_per_hour.likely == 0.5
    assert package_price(table[2:], "a", "rtx-3090", 1).usd_per_hour.likely == 0.1


def test_that_private_hosts_are_avoided_where_there_are_others():
    table = (offer("a", 1, 0.5, pricing="on-demand (secure)"), offer("a", 1, 0.2, pricing="community"))
    assert package_price(table, "a", "rtx-3090", 1).usd_per_hour.likely == 0.2
    assert package_price(table, "a", "rtx-3090", 1, avoid_community=True).usd_per_hour.likely == 0.5
    assert package_price(table, "b", "rtx-3090", 1, avoid_community=True).usd_per_hour.low == 0.5
    only = package_price(table[1:], "a", "rtx-3090", 1, avoid_community=True)
    assert only.offer is not None
    assert only.offer.pricing == "community"  # for the gate to say why not


def test_that_a_count_nobody_sells_has_a_price_but_no_offer():
    price = package_price((offer("irender", 1, None, None), offer("x", 1, 0.2)), "irender", "rtx-3090", 5)
    assert price.offer is None
    assert price.usd_per_hour is not None
    assert price.usd_per_hour.likely == pytest.approx(1.0)


def test_that_with_nothing_to_compare_the_price_is_unknown_and_not_zero():
    assert package_price((), "irender", "rtx-3090", 2).usd_per_hour is None


@given(
    st.permutations([offer("a", 1, 0.2), offer("b", 2, 1.0), offer("c", 4, 1.9), offer("irender", 2, None, None)])
)
def test_that_the_order_of_the_offers_changes_nothing(table):
    ordered = package_price(tuple(sorted(table, key=lambda o: o.provider)), "irender", "rtx-3090", 2)
    assert package_price(tuple(table), "irender", "rtx-3090", 2).usd_per_hour == ordered.usd_per_hour


def test_that_a_price_is_stale_after_a_fortnight():
    assert not is_stale(offer(day="2026-08-20"), TODAY)
    assert is_stale(offer(day="2026-08-10"), TODAY)
    assert is_stale(offer(day="2026-04"), TODAY)
    assert is_stale(replace(offer(), price_date=None), TODAY)
    assert not is_stale(offer(price=None, day=None), TODAY)
