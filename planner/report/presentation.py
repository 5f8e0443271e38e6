"""How a team wants its report: what is in it, on which paper, under whose name."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, replace
from typing import Literal

from planner.report.types import Report, Section

Form = Literal["full", "short"]
Paper = Literal["a4", "letter"]

MOST_LOGO_BYTES = 200_000
_LONGEST_TEXT = 2000
# What a decision-maker reads: two or three pages.
SHORT_FORM = ("verdict", "options", "against", "signoff")
# Without these a report says nothing, or cannot be checked.
ALWAYS = ("verdict", "signoff")
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"


@dataclass(frozen=True, slots=True)
class Presentation:
    """Kept in the plan file beside the inputs; it changes no number. ``comments``: (section key, text)."""

    form: Form = "full"
    paper: Paper = "a4"
    team: str = ""
    logo: str = ""  # PNG or JPEG in base64
    left_out: tuple[str, ...] = ()  # keys of sections
    comments: tuple[tuple[str, str], ...] = ()

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        if len(self.team) > _LONGEST_TEXT or any(len(text) > _LONGEST_TEXT for _, text in self.comments):
            raise ValueError(f"team and comments may have up to {_LONGEST_TEXT:,} characters each")
        if self.logo:
            logo_bytes(self.logo)


def logo_bytes(logo: str) -> bytes:
    """The picture. Raises ValueError for what is not base64, no PNG or JPEG, or too large for a report."""
    try:
        data = base64.b64decode(logo, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("logo must be a PNG or JPEG file in base64") from None
    if not data.startswith((_PNG, _JPEG)):
        raise ValueError("logo must be a PNG or JPEG file")
    if len(data) > MOST_LOGO_BYTES:
        raise ValueError(f"logo must have at most {MOST_LOGO_BYTES // 1000} kB, got {len(data) // 1000} kB")
    return data


def as_logo(data: bytes) -> str:
    """A picture's file content as it is kept. Raises ValueError as ``logo_bytes``."""
    logo = base64.b64encode(data).decode("ascii")
    logo_bytes(logo)
    return logo


def presented(report: Report, presentation: Presentation) -> Report:
    """The report with the sections that are wanted, each with its comment, under the team's name."""
    comments = dict(presentation.comments)

    def wanted(section: Section) -> bool:
        short = presentation.form == "short" and section.key not in SHORT_FORM
        return section.key in ALWAYS or not (short or section.key in presentation.left_out)

    sections = tuple(
        replace(section, comment=comments.get(section.key, "")) for section in report.sections if wanted(section)
    )
    logo = logo_bytes(presentation.logo) if presentation.logo else b""
    return replace(report, sections=sections, team=presentation.team, logo=logo, paper=presentation.paper)
