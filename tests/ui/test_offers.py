"""Prices in the window: what packages hold can be typed, tables imported, and nothing is replaced unasked."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from planner.door import InvalidInputError, Problem
from planner.offers.offer import Offer
from planner.offers.refresh import Refreshed
from tests.ui.conftest import OFFERS
from ui.models.offer_columns import COLUMNS, parse_price, price_text, with_price
from ui.models.offers_model import PRICE_COLUMN, OffersModel
from ui.notices import Severity
from ui.pages.offers_card import OffersCard
from ui.parts import Parts
from ui.window import MainWindow

TABLE = "provider,gpu,gpu_count,price_usd_per_hour,price_date\nirender,RTX 3090,4,2.5,2026-11-30\n"


def card_of(window: MainWindow) -> OffersCard:
    window.show_page("workload")
    window.pages["workload"].tabs.setCurrentIndex(1)  # type: ignore[attr-defined]
    card: OffersCard = window.pages["workload"].offers  # type: ignore[attr-defined]
    return card


def imported(qtbot: QtBot, parts: Parts, card: OffersCard, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Import as a click on the button does."""
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (str(file), ""))
    card.import_file.click()
    qtbot.waitUntil(lambda: not parts.offers.is_busy, timeout=5000)


@pytest.mark.parametrize(
    ("field", "typed", "value", "shown"),
    [
        ("vcpus", "16", 16, "16"),
        ("boot_s", "3", 180.0, "3"),
        ("discount_share", "10 %", 0.1, "10 %"),
        ("upload_billed", "no", False, "no"),
        ("region", "Hanoi, Vietnam", "Hanoi, Vietnam", "Hanoi, Vietnam"),
        ("storage_usd_per_gb_month", "0.07", 0.07, "0.07"),
        ("vcpus", "", None, ""),
        ("billing_step_s", "", 3600.0, "60"),
    ],
)
def test_that_what_a_package_holds_can_be_typed(field: str, typed: str, value: object, shown: str) -> None:
    column = next(one for one in COLUMNS if one.field == field)
    changed = column.changed(OFFERS[0], typed)
    assert getattr(changed, field) == value
    assert column.text(changed) == shown


@pytest.mark.parametrize(
    ("field", "typed"),
    [("vcpus", "many"), ("vcpus", "1.5"), ("discount_share", "200"), ("upload_billed", "perhaps")],
)
def test_that_what_cannot_be_is_refused_with_what_was_typed(field: str, typed: str) -> None:
    column = next(one for one in COLUMNS if one.field == field)
    with pytest.raises(ValueError, match=typed):
        column.changed(OFFERS[0], typed)


@pytest.mark.parametrize(
    ("text", "price", "currency"),
    [
        ("2.40", 2.4, "USD"), ("$2.40", 2.4, "USD"), ("60000 VND", 60_000, "VND"), ("60k₫", 60_000, "VND"),
        ("€2", 2.0, "EUR"), ("2 eur", 2.0, "EUR"), ("", None, "USD"), ("0", 0.0, "USD"),
    ],
)  # fmt: skip
def test_that_prices_are_understood_in_their_currency(text: str, price: float | None, currency: str) -> None:
    assert parse_price(text) == (price, currency)


def test_that_a_foreign_price_is_shown_as_it_was_quoted() -> None:
    offer = with_price(OFFERS[1], "60000 VND")
    assert (offer.price_per_hour, offer.price_usd_per_hour) == (60_000, None)
    assert (price_text(offer), price_text(offer, 0.5)) == ("60,000 ₫", "30,000 ₫")
    assert with_price(offer, "2").price_per_hour is None


def test_that_a_detail_typed_into_the_table_is_no_new_quote(qtbot: QtBot) -> None:
    model = OffersModel()
    model.set_offers(OFFERS)
    with qtbot.waitSignal(model.edited) as edited:
        assert model.setData(model.index(4, 8), "12")
    (changed,) = edited.args
    assert (changed[4].vcpus, changed[4].pricing) == (12, "community")
    assert model.headerData(8, model_orientation()) == "vCPUs ✎"
    assert model.index(0, PRICE_COLUMN).data() == "ask for quote"


def model_orientation() -> object:
    from PySide6.QtCore import Qt

    return Qt.Orientation.Horizontal


def test_that_an_import_is_looked_at_before_it_counts(
    qtbot: QtBot, parts: Parts, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card, before = card_of(window), parts.store.offers
    file = tmp_path / "mine.csv"
    file.write_text(TABLE)
    imported(qtbot, parts, card, file, monkeypatch)
    assert parts.store.offers == before
    assert card.dialog.table.model().index(0, 4).data() == "$2.50"
    card.dialog.leave.click()
    assert parts.store.offers == before
    imported(qtbot, parts, card, file, monkeypatch)
    card.dialog.take.click()
    taken = next(o for o in parts.store.offers if (o.provider, o.gpu_count) == ("irender", 4))
    assert taken.price_usd_per_hour == 2.5
    card.undo.click()
    assert parts.store.offers == before


def test_that_a_file_that_is_no_table_changes_nothing_and_says_why(
    qtbot: QtBot, parts: Parts, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card, before = card_of(window), parts.store.offers
    file = tmp_path / "mine.csv"
    file.write_text("a,b\n1,2\n")
    imported(qtbot, parts, card, file, monkeypatch)
    notice = next(one for one in parts.notices.shown if one.name == "import")
    assert notice.severity is Severity.WARNING
    assert "unknown columns" in notice.details
    assert parts.store.offers == before


def test_that_fetching_offline_is_said_and_the_prices_stay(
    qtbot: QtBot, parts: Parts, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(*_args: object) -> Refreshed:
        raise InvalidInputError("gpuhunt", (Problem("aws", "no answer, is this computer online?"),))

    monkeypatch.setattr("planner.offers.refresh.refresh", offline)
    card, before = card_of(window), parts.store.offers
    card.fetch.click()
    qtbot.waitUntil(lambda: not parts.offers.is_busy, timeout=5000)
    notice = next(one for one in parts.notices.shown if one.name == "import")
    assert "online" in notice.details
    assert parts.store.offers == before


def test_that_fetched_prices_come_with_progress_and_are_looked_at(
    qtbot: QtBot, parts: Parts, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetched(_today: str, progress: object, _cancelled: object) -> Refreshed:
        progress(0, 9, "runpod")  # type: ignore[operator]
        return Refreshed((Offer("runpod", "rtx-3090", 1, 0.3),), (Problem("aws", "no answer"),))

    monkeypatch.setattr("planner.offers.refresh.refresh", fetched)
    card = card_of(window)
    steps: list[tuple[int, int, str]] = []
    parts.offers.progress.connect(lambda *step: steps.append(step))
    with qtbot.waitSignal(parts.offers.found, timeout=5000):
        card.fetch.click()
    assert steps == [(0, 9, "runpod")]
    assert any("aws" in one.details for one in parts.notices.shown if one.name == "import")
    card.dialog.take.click()
    assert parts.store.offers[-1].provider == "runpod"


def test_that_typed_exchange_rates_count_and_wrong_ones_are_said(
    qtbot: QtBot, parts: Parts, window: MainWindow
) -> None:
    from planner.offers.currency import load_rates, user_rates_file

    card = card_of(window)
    card.rates.setText("0.5 EUR")
    card.rates.editingFinished.emit()
    assert [(rate.currency, rate.units_per_usd) for rate in parts.store.rates] == [("EUR", 0.5)]
    qtbot.waitUntil(user_rates_file().exists, timeout=5000)
    assert load_rates() == parts.store.rates
    inputs = parts.store.inputs()
    assert inputs is not None
    assert inputs.rates == parts.store.rates
    card.rates.setText("some EUR")
    card.rates.editingFinished.emit()
    assert any(one.name == "rates" for one in parts.notices.shown)
    assert card.rates.text() == "some EUR"
    assert parts.store.rates[0].units_per_usd == 0.5
