"""Charts as SVG: drawable by a simple renderer, readable in grey, nothing overlapping or cut."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.report.charts import build_charts
from planner.report.svg import HEIGHT, WIDTH, svg_chart
from planner.report.svg_elements import Box, hatch
from planner.report.text_width import shortened, text_width, wrapped
from planner.report.ticks import linear_ticks, log_ticks, scale
from planner.report.types import ChartSpec, ReferenceLine
from planner.report.wording import Wording
from tests.report.conftest import hand_made_messages
from tests.report.fixtures import recommendations as made

GOLDENS = Path(__file__).parent / "goldens"  # GPU_PLANNER_REFRESH_GOLDENS=1 writes them anew
NAMESPACE = "{http://www.w3.org/2000/svg}"


def with_long_names():
    """Every option has a provider's long device name and the job is hard to tell apart."""
    full = made.recommendation()
    long = tuple(
        replace(option, device_name="NVIDIA GeForce RTX 3090 Founders Edition 24 GB") for option in full.options
    )
    return replace(full, options=long)


CASES = [made.recommendation, made.without_local_gpu, made.without_prices, made.nothing_fits, with_long_names]


def specs(case) -> tuple[ChartSpec, ...]:
    return build_charts(case(), made.inputs().terms, Wording(hand_made_messages()))


ALL = [pytest.param(spec, id=f"{case.__name__}-{spec.key}") for case in CASES for spec in specs(case)]


def text_boxes(svg: str) -> list[tuple[str, Box]]:
    boxes = []
    for element in ElementTree.fromstring(svg).iter(f"{NAMESPACE}text"):
        x, y, size = (float(element.get(name)) for name in ("x", "y", "font-size"))
        width = text_width(element.text or "", size, element.get("font-weight") == "bold") * 0.98
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[element.get("text-anchor")]
        if element.get("transform"):  # upright: runs from below
            boxes.append((element.text, Box(x - size * 0.75, y - width * (1 - share), x + 2, y + width * share)))
        else:
            left = x - width * share
            boxes.append((element.text, Box(left, y - size * 0.75, left + width, y + size * 0.2)))
    return boxes


@pytest.mark.parametrize("spec", ALL)
def test_that_no_text_is_cut_or_covered_by_another(spec):
    boxes = text_boxes(svg_chart(spec))
    for words, box in boxes:
        assert -1 <= box.left <= box.right <= WIDTH + 1, words
        assert -1 <= box.top <= box.bottom <= HEIGHT + 1, words
    for (one, first), (other, second) in combinations(boxes, 2):
        assert not first.overlaps(second), f"{one!r} covers {other!r}"


@pytest.mark.parametrize("spec", ALL)
def test_that_only_what_every_renderer_draws_is_used(spec):
    tree = ElementTree.fromstring(svg_chart(spec))
    tags = {element.tag.removeprefix(NAMESPACE) for element in tree.iter()}
    assert tags <= {"svg", "title", "desc", "text", "line", "rect", "circle", "polygon", "polyline"}
    assert not any("style" in element.attrib or "class" in element.attrib for element in tree.iter())
    assert tree.find(f"{NAMESPACE}desc").text == spec.description


@pytest.mark.parametrize("spec", specs(made.recommendation), ids=lambda spec: spec.key)
def test_that_a_chart_is_the_same_text_as_before(spec):
    golden = GOLDENS / f"{spec.key}.svg"
    drawn = svg_chart(spec)
    if os.environ.get("GPU_PLANNER_REFRESH_GOLDENS"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(drawn, encoding="utf-8")
    assert drawn == golden.read_text(encoding="utf-8")


def test_that_an_unknown_value_has_words_and_no_mark():
    known, unknown = (svg_chart(specs(case)[0]) for case in (made.recommendation, made.without_local_gpu))
    assert known.count("<circle") - unknown.count("<circle") == 1
    assert ">not known<" in unknown


def test_that_every_priced_option_is_named_in_the_scatter():
    drawn = svg_chart(specs(made.recommendation)[1])
    names = [words for words, _ in text_boxes(drawn)]
    assert all(f"{count} × RTX 3090" in names for count in range(1, 7))


def test_that_stacked_neighbours_differ_in_grey_or_in_hatch():
    tree = ElementTree.fromstring(svg_chart(specs(made.recommendation)[2]))
    fills = [element.get("fill") for element in tree.iter(f"{NAMESPACE}rect") if element.get("fill") != "none"]
    grey = [sum(int(fill[i : i + 2], 16) * w for i, w in ((1, 0.3), (3, 0.59), (5, 0.11))) for fill in fills[:7]]
    assert all(abs(one - other) > 20 for one, other in pairwise(grey))


def test_that_an_empty_chart_still_draws():
    for spec in specs(made.recommendation):
        empty = replace(spec, series=(), lines=(ReferenceLine("deadline", 5.0),))
        assert ElementTree.fromstring(svg_chart(empty)) is not None


@pytest.mark.parametrize(
    "hostile", ["<script>alert(1)</script>", "a & b \" ' ]]>", "\x00\x1b\ud800x", "\u202eevil", "💥" * 300]
)
def test_that_hostile_names_stay_text(hostile):
    spec = specs(made.recommendation)[0]
    named = replace(spec, title=hostile, description=hostile, categories=(hostile,) * 7)
    tree = ElementTree.fromstring(svg_chart(named).encode())
    assert not list(tree.iter(f"{NAMESPACE}script"))
    assert all(box.right <= WIDTH + 1 for _, box in text_boxes(svg_chart(named)))


@given(st.floats(1e-6, 1e12))
def test_that_linear_ticks_are_few_even_and_within(last):
    ticks = linear_ticks(last)
    assert 2 <= len(ticks) <= 8
    assert ticks[0] == 0
    assert ticks[-1] <= last * (1 + 1e-9)
    steps = {round((b - a) / ticks[1], 6) for a, b in pairwise(ticks)}
    assert steps == {1.0}


@given(st.floats(1e-3, 1e6), st.floats(8, 1e6))
def test_that_a_logarithmic_axis_always_has_ticks_to_read(low, ratio):
    ticks = log_ticks(low, low * ratio)
    assert 2 <= len(ticks) <= 10


@given(st.lists(st.floats(1e-3, 1e9), min_size=1, max_size=8), st.booleans())
def test_that_every_value_lies_within_its_axis(values, log):
    axis = scale(values, 0, 100, log)
    assert all(-1e-6 <= axis.at(value) <= 100 + 1e-6 for value in values)
    assert axis.at(min(values)) <= axis.at(max(values))


@pytest.mark.parametrize("kind", ["rising", "falling", "crossed", "flat", "upright"])
def test_that_hatches_stay_inside_their_box(kind):
    box = Box(10, 20, 47, 33)
    lines = [ElementTree.fromstring(line) for line in hatch(box, kind)]
    assert lines
    for line in lines:
        assert all(10 <= float(line.get(name)) <= 47 for name in ("x1", "x2"))
        assert all(20 <= float(line.get(name)) <= 33 for name in ("y1", "y2"))


@given(st.text(max_size=60), st.floats(20, 200))
def test_that_shortened_and_wrapped_texts_fit(text, width):
    assert text_width(shortened(text, 10, width), 10) <= width
    lines = wrapped(text, 10, width, 3)
    assert 1 <= len(lines) <= 3
    assert all(text_width(line, 10) <= width for line in lines)
