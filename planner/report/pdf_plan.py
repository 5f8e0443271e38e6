"""The plan file inside a report's PDF, and what a reader's window shows beside the pages."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from planner.door import InvalidInputError, Problem

ATTACHMENT = "plan.json"
_MAGIC = b"%PDF-"
# What a reader of damaged files can stumble over.
_DAMAGE = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, OverflowError, zlib.error)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """``page`` counts from 0."""

    title: str
    page: int


@dataclass(frozen=True, slots=True)
class About:
    """Metadata of the file."""

    title: str
    author: str
    subject: str
    keywords: str
    language: str


def is_pdf(content: bytes) -> bool:
    return content.startswith(_MAGIC)


def plan_in_pdf(content: bytes, source: str) -> bytes:
    """The plan file attached to a report. Raises InvalidInputError where there is none or the PDF is damaged."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        found = PdfReader(io.BytesIO(content)).attachments.get(ATTACHMENT)
    except (PyPdfError, *_DAMAGE) as error:
        raise InvalidInputError(source, (Problem("", f"the PDF is damaged ({error}): export it again"),)) from None
    if not found:
        what = f"no {ATTACHMENT} is attached to this PDF: take one that GPU Planner exported, or the plan file"
        raise InvalidInputError(source, (Problem("", what),))
    return bytes(found[0])


def completed(pdf: bytes, about: About, bookmarks: Sequence[Bookmark]) -> bytes:
    """``pdf`` with bookmarks and metadata; what is attached stays."""
    from pypdf import PdfWriter
    from pypdf.generic import NameObject, TextStringObject

    writer = PdfWriter(clone_from=io.BytesIO(pdf))
    writer.add_metadata(
        {
            "/Title": about.title,
            "/Author": about.author,
            "/Subject": about.subject,
            "/Keywords": about.keywords,
        }
    )
    writer.root_object[NameObject("/Lang")] = TextStringObject(about.language)
    for bookmark in bookmarks:
        writer.add_outline_item(title=bookmark.title, page_number=bookmark.page)
    writer.page_mode = "/UseOutlines"
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
