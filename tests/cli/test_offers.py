from __future__ import annotations

import json

from planner.offers.catalogue import load_offers, user_file

MINE = """\
provider,gpu,gpu_count,price_usd_per_hour,price_date,currency,price_per_hour
irender,RTX 3090,4,,2026-11-30,VND,60000
"""


def test_that_prices_are_shown_before_they_are_replaced(gpu_plan, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("provider,gpu,gpu_count,price_usd_per_hour,price_date\nirender,RTX 3090,4,2.5,2026-11-30\n")
    looked = gpu_plan("offers", "import", file)
    assert looked.exit_code == 0
    assert "$2.50" in looked.output
    assert not user_file().exists()
    assert gpu_plan("offers", "import", file, "--yes").exit_code == 0
    package = next(o for o in load_offers() if (o.provider, o.gpu, o.gpu_count) == ("irender", "rtx-3090", 4))
    assert package.price_usd_per_hour == 2.5
    assert "Nothing new" in gpu_plan("offers", "import", file).output


def test_that_a_foreign_price_is_kept_as_quoted_and_counts_in_the_plan(gpu_plan, answer_of, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text(MINE)
    found = json.loads(gpu_plan("offers", "import", file, "--yes", "--json").stdout)
    assert found["saved"]
    assert "60,000 ₫" in gpu_plan("offers").output
    options = answer_of("plan", "--no-detect", "--model", "preset:resnet50")["options"]
    price = next(option for option in options if option["key"] == "rent-4")["price"]["usd_per_hour"]
    assert 2 < price["likely"] < 2.5


def test_that_a_file_that_is_no_table_is_wrong_input(gpu_plan, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("a,b\n1,2\n")
    result = gpu_plan("offers", "import", file, "--yes")
    assert result.exit_code == 2
    assert "mine.csv" in result.stderr
    assert not user_file().exists()


def test_that_a_quote_may_be_in_another_currency_at_a_rate_that_is_typed(answer_of):
    found = answer_of("plan", "--no-detect", "--quote", "4=60000VND", "--rate", "vnd=30000")
    option = next(option for option in found["options"] if option["key"] == "rent-4")
    assert option["price"]["usd_per_hour"] == {"low": 2.0, "likely": 2.0, "high": 2.0}


def test_that_a_quote_in_an_unknown_currency_asks_for_the_rate(gpu_plan):
    result = gpu_plan("plan", "--no-detect", "--quote", "4=100XXX")
    assert "XXX: there is no exchange rate" in result.output


def test_that_circumstances_of_the_decision_can_be_typed(answer_of):
    found = answer_of(
        "plan", "--no-detect", "--quote", "1=0.5", "--tax", "10%", "--late-cost", 100, "--deadline", "3d",
        "--runs", 4, "--hours-per-month", 200, "--objective", "fastest", "--data-country", "DE",
    )  # fmt: skip
    values = {assumption["code"]: assumption["value"] for assumption in found["assumptions"]}
    typed = {"tax_share": 0.1, "late_usd": 100.0, "runs": 4, "objective": "fastest", "data_country": "DE"}
    assert {name: values[name] for name in typed} == typed
    assert {"tax", "late"} <= {part["code"] for part in found["options"][1]["cost"]}


def test_that_a_wrong_country_or_rate_is_wrong_input(gpu_plan):
    for arguments in (("--data-country", "Germany"), ("--rate", "VND=0"), ("--rate", "VND"), ("--quote", "4=abc")):
        result = gpu_plan("plan", "--no-detect", *arguments)
        assert result.exit_code == 2, arguments
        assert result.stderr
