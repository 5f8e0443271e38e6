"""Prices of the day from gpuhunt's published catalogues: the domain's only network access, and only on request.

The catalogues are zip files with one CSV each, made daily by https://github.com/dstackai/gpuhunt. Its package
could load them too, but brings requests and hides which provider failed; this is the standard library's urllib.
"""

from __future__ import annotations

import io
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from planner.door import InvalidInputError, Problem
from planner.offers.importers import SIZE_LIMIT_BYTES, Imported, import_text
from planner.offers.offer import Offer

CATALOGUES = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3"
PROVIDERS = ("aws", "azure", "cloudrift", "gcp", "lambdalabs", "nebius", "oci", "runpod", "verda")
TIMEOUT_S = 20.0

Fetch = Callable[[str], bytes]
Progress = Callable[[int, int, str], None]  # providers done, of how many, the one being asked


class RefreshCancelledError(Exception):
    """The user changed their mind; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """``failed``: providers that could not be read, with why; their old prices stay."""

    offers: tuple[Offer, ...]
    failed: tuple[Problem, ...]


def fetch(url: str) -> bytes:
    """Raises OSError when offline, timed out, refused or too large."""
    with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:  # https only, see CATALOGUES
        data: bytes = answer.read(SIZE_LIMIT_BYTES + 1)
    if len(data) > SIZE_LIMIT_BYTES:
        raise OSError(f"{url}: larger than {SIZE_LIMIT_BYTES // 2**20} MiB")
    return data


def refresh(
    today: str,
    progress: Progress = lambda _done, _count, _provider: None,
    cancelled: Callable[[], bool] = lambda: False,
    fetch: Fetch = fetch,
    providers: tuple[str, ...] = PROVIDERS,
) -> Refreshed:
    """Ask for every provider's catalogue. ``today`` dates the prices.

    Raises InvalidInputError when none could be read (offline: the first reason says so), RefreshCancelledError.
    """
    offers: list[Offer] = []
    failed: list[Problem] = []
    for done, provider in enumerate(providers):
        if cancelled():
            raise RefreshCancelledError
        progress(done, len(providers), provider)
        try:
            offers += _catalogue(provider, today, fetch).offers
        except OSError as error:
            failed.append(Problem(provider, _why(error)))
        except InvalidInputError as error:
            failed += [Problem(provider, str(problem)) for problem in error.problems]
    progress(len(providers), len(providers), "")
    if not offers:
        raise InvalidInputError("gpuhunt", tuple(failed))
    return Refreshed(tuple(offers), tuple(failed))


def _why(error: OSError) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return f"no answer, is this computer online? ({reason})"


def _catalogue(provider: str, today: str, fetch: Fetch) -> Imported:
    """Raises OSError, or InvalidInputError for an answer that is no catalogue."""
    version = fetch(f"{CATALOGUES}/{provider}/version").decode("utf-8", "replace").strip()
    if not version.replace("-", "").replace(".", "").isalnum():
        raise InvalidInputError(provider, (Problem("version", f"not a version: {version[:40]!r}"),))
    data = fetch(f"{CATALOGUES}/{provider}/{version}/catalog.zip")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            information = archive.getinfo(f"{provider}.csv")
            if information.file_size > SIZE_LIMIT_BYTES:
                raise InvalidInputError(provider, (Problem("", "unpacked too large for a catalogue"),))
            text = archive.read(information).decode("utf-8-sig")
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise InvalidInputError(provider, (Problem("", f"not a catalogue ({error})"),)) from None
    return import_text(text, f"{provider}.csv", provider, today)
