"""The item models: sound in Qt's own eyes, and true to the domain."""

from __future__ import annotations

import datetime
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from planner.report.types import Table
from tests.report.fixtures import recommendations
from tests.ui.conftest import OFFERS
from ui.models.gpu_model import GpuModel
from ui.models.offers_model import PRICE_COLUMN, OffersModel
from ui.models.table_model import TableModel

pytestmark = pytest.mark.usefixtures("qapp")
TABLE = Table(
    ("Option", "Cost"), (("local", "$2"), ("4 cards", "$15")), (False, True), ("local", "rent-4"), (False, True)
)


def texts(model: object, role: int = Qt.ItemDataRole.DisplayRole) -> list[list[object]]:
    return [
        [model.index(row, column).data(role) for column in range(model.columnCount())]  # type: ignore[attr-defined]
        for row in range(model.rowCount())  # type: ignore[attr-defined]
    ]


def test_that_the_table_model_is_sound(qtmodeltester: ModelTester) -> None:
    model = TableModel(TABLE)
    qtmodeltester.check(model)
    model.set_table(replace(TABLE, rows=TABLE.rows[:1], keys=("local",)))
    qtmodeltester.check(model)


def test_that_a_table_keeps_text_alignment_and_emphasis() -> None:
    model = TableModel(TABLE)
    assert texts(model) == [["local", "$2"], ["4 cards", "$15"]]
    assert model.headerData(1, Qt.Orientation.Horizontal) == "Cost"
    assert model.index(0, 1).data(Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight
    assert [model.index(row, 0).data(Qt.ItemDataRole.FontRole).bold() for row in (0, 1)] == [False, True]
    assert (model.key(1), model.row_of("local"), model.row_of("rent-6")) == ("rent-4", 0, None)


def test_that_the_gpu_model_is_sound_with_two_one_and_no_gpus(qtmodeltester: ModelTester) -> None:
    gpu = recommendations.snapshot().gpus[0]
    model = GpuModel()
    for gpus in ((), (gpu,), (gpu, replace(gpu, index=1, name="GPU B")), ()):
        model.set_gpus(gpus)
        qtmodeltester.check(model)


def test_that_what_the_driver_refuses_reads_na_and_never_0() -> None:
    gpu = replace(
        recommendations.snapshot().gpus[0],
        memory_total_bytes=None,
        memory_free_bytes=None,
        compute_capability=None,
        power_limit_w=None,
    )
    model = GpuModel()
    model.set_gpus((gpu,))
    values = {str(row[0]): str(row[1]) for row in texts(model)}
    assert values["Memory, total / free"] == "N/A"
    assert values["Utilisation"] == "N/A"
    assert values["Power limit / default"] == "N/A"
    assert "0" not in values["Computing processes"]


def test_that_a_lost_gpu_says_so() -> None:
    model = GpuModel()
    model.set_gpus((replace(recommendations.snapshot().gpus[0], lost=True),))
    assert "lost" in str(texts(model)[0][1])


@pytest.fixture
def offers() -> OffersModel:
    model = OffersModel()
    model.today = datetime.date(2026, 3, 1)
    model.set_offers(OFFERS)
    return model


def test_that_the_offers_model_is_sound(qtmodeltester: ModelTester, offers: OffersModel) -> None:
    qtmodeltester.check(offers)
    offers.setData(offers.index(0, PRICE_COLUMN), "1.5")
    qtmodeltester.check(offers)


def test_that_a_package_without_a_price_asks_for_a_quote(offers: OffersModel) -> None:
    assert offers.index(0, PRICE_COLUMN).data() == "ask for quote"
    assert offers.index(4, PRICE_COLUMN).data() == "$0.22"


def test_that_only_prices_can_be_typed(offers: OffersModel) -> None:
    editable = [bool(offers.flags(offers.index(0, column)) & Qt.ItemFlag.ItemIsEditable) for column in range(8)]
    assert [column for column, can in enumerate(editable) if can] == [PRICE_COLUMN]


def test_that_a_typed_price_becomes_a_quote_of_today(qtbot: QtBot, offers: OffersModel) -> None:
    with qtbot.waitSignal(offers.edited) as edited:
        assert offers.setData(offers.index(2, PRICE_COLUMN), "$1.80")
    quote = edited.args[0][2]
    assert (quote.price_usd_per_hour, quote.price_date, quote.pricing) == (1.8, "2026-03-01", "quote")
    assert edited.args[0][:2] == OFFERS[:2]
    assert offers.index(2, 4).data() == "$0.45"


def test_that_an_emptied_price_is_unknown_again_and_not_0(qtbot: QtBot, offers: OffersModel) -> None:
    with qtbot.waitSignal(offers.edited) as edited:
        offers.setData(offers.index(4, PRICE_COLUMN), "")
    assert edited.args[0][4].price_usd_per_hour is None


@pytest.mark.parametrize("text", ["cheap", "-1", "1,5"])
def test_that_what_is_no_price_is_refused_in_words(qtbot: QtBot, offers: OffersModel, text: str) -> None:
    with qtbot.waitSignal(offers.refused) as refused, qtbot.assertNotEmitted(offers.edited):
        assert not offers.setData(offers.index(0, PRICE_COLUMN), text)
    assert text in refused.args[0]


def test_that_an_old_price_is_marked_stale(offers: OffersModel) -> None:
    assert offers.index(4, 6).data() == "2026-02-20"
    offers.today = datetime.date(2026, 4, 1)
    assert "stale" in offers.index(4, 6).data()
