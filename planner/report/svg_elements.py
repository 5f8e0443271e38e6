"""Small pieces of SVG. Only what SVG Tiny 1.2 has: Qt draws nothing else (no clip paths, patterns or CSS)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planner.report.markup import markup_safe

FONT_FAMILY = "DejaVu Sans Condensed"
TEXT_SIZE = 11.0
INK, QUIET, GRID, PAPER = "#1a1a1a", "#595959", "#d9d9d9", "#ffffff"

Anchor = Literal["start", "middle", "end"]
Hatch = Literal["none", "rising", "falling", "crossed", "flat", "upright"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in drawing units, y downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def number(value: float) -> str:
    """Fixed one-decimal coordinates keep the text of a chart the same on every machine."""
    return f"{value + 0.0:.1f}"


def line(
    x1: float, y1: float, x2: float, y2: float, colour: str = INK, width: float = 1.0, dashes: str = ""
) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
        f'stroke="{colour}" stroke-width="{number(width)}"{dashed}/>'
    )


def rect(box: Box, fill: str, stroke: str = "none", width: float = 0.8) -> str:
    return (
        f'<rect x="{number(box.left)}" y="{number(box.top)}" width="{number(box.right - box.left)}" '
        f'height="{number(box.bottom - box.top)}" fill="{fill}" stroke="{stroke}" stroke-width="{number(width)}"/>'
    )


def text(
    x: float,
    y: float,
    content: str,
    anchor: Anchor = "start",
    size: float = TEXT_SIZE,
    colour: str = INK,
    bold: bool = False,
    upright: bool = False,
) -> str:
    """One line of text with its baseline at ``y``; ``upright`` turns it to read from below."""
    weight = ' font-weight="bold"' if bold else ""
    turned = f' transform="rotate(-90 {number(x)} {number(y)})"' if upright else ""
    return (
        f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" font-family="{FONT_FAMILY}" '
        f'font-size="{number(size)}" fill="{colour}"{weight}{turned}>{markup_safe(content)}</text>'
    )


def path_of(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in points)


def polyline(points: list[tuple[float, float]], colour: str, width: float = 1.6, dashes: str = "") -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<polyline points="{path_of(points)}" fill="none" stroke="{colour}" '
        f'stroke-width="{number(width)}"{dashed}/>'
    )


def polygon(points: list[tuple[float, float]], fill: str, stroke: str = "none") -> str:
    return f'<polygon points="{path_of(points)}" fill="{fill}" stroke="{stroke}" stroke-width="1.0"/>'


def marker(x: float, y: float, shape: int, colour: str, filled: bool, radius: float = 4.5) -> str:
    """Circle, square, diamond or triangle (0 … 3), full or hollow."""
    fill = colour if filled else PAPER
    if shape % 4 == 0:
        return (
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}" '
            f'stroke="{colour}" stroke-width="1.5"/>'
        )
    corners = {
        1: [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2: [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
        3: [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
    }[shape % 4]
    return polygon([(x + dx * radius, y + dy * radius) for dx, dy in corners], fill, colour)


def whisker(x: float, low: float, high: float, colour: str, width: float, cap: float = 5.0) -> list[str]:
    """A vertical range with caps; positions, not values."""
    return [
        line(x, low, x, high, colour, width),
        line(x - cap, low, x + cap, low, colour, width),
        line(x - cap, high, x + cap, high, colour, width),
    ]


def hatch(box: Box, kind: Hatch, colour: str = INK, gap: float = 6.0) -> list[str]:
    """Lines inside ``box`` that tell fills apart on a grey print."""
    lines: list[str] = []
    if kind in ("rising", "crossed"):
        lines += _diagonals(box, colour, gap, rising=True)
    if kind in ("falling", "crossed"):
        lines += _diagonals(box, colour, gap, rising=False)
    if kind == "flat":
        steps = int((box.bottom - box.top) / gap)
        lines += [
            line(box.left, box.top + gap * (step + 0.5), box.right, box.top + gap * (step + 0.5), colour, 0.6)
            for step in range(steps)
        ]
    if kind == "upright":
        steps = int((box.right - box.left) / gap)
        lines += [
            line(box.left + gap * (step + 0.5), box.top, box.left + gap * (step + 0.5), box.bottom, colour, 0.6)
            for step in range(steps)
        ]
    return lines


def _diagonals(box: Box, colour: str, gap: float, rising: bool) -> list[str]:
    """45° lines cut to the box by hand."""
    width, height = box.right - box.left, box.bottom - box.top
    lines = []
    for step in range(1, int((width + height) / gap) + 1):
        offset = step * gap  # x + depth of the line, from the corner it starts at
        start, end = max(0.0, offset - height), min(width, offset)
        if end <= start:
            continue
        first, last = offset - start, offset - end
        if rising:
            y1, y2 = box.top + first, box.top + last
        else:
            y1, y2 = box.bottom - first, box.bottom - last
        lines.append(line(box.left + start, y1, box.left + end, y2, colour, 0.6))
    return lines
