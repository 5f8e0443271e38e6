from __future__ import annotations

import csv
import io

from planner.benchmark.export import COLUMNS, as_csv
from planner.benchmark.result import Conditions
from tests.benchmark.made import result


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_that_a_row_has_the_probes_numbers_and_the_readings_meanwhile():
    (row,) = rows_of(as_csv(result(conditions=(Conditions("copy", 9, sm_clock_mhz=1700.0, throttle_reasons=4),))))
    assert (row["probe"], row["op_class"], float(row["time_s"])) == ("copy", "copy", 1e-3)
    assert float(row["bytes_per_s"]) == 1e12
    assert (row["sm_clock_mhz"], row["throttle_reasons"], row["samples"]) == ("1700.0", "4", "9")
    assert tuple(row) == COLUMNS


def test_that_what_is_not_known_is_empty_and_not_zero():
    (row,) = rows_of(as_csv(result()))
    assert (row["flops_per_s"], row["power_w"], row["throttle_reasons"]) == ("", "", "")
