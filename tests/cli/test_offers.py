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
