"""The plans that were opened or saved last, newest first."""

from __future__ import annotations

from pathlib import Path

from ui.settings import Option, Settings

_RECENT = Option("files/recent", "")
_MOST = 8


def recent_files(settings: Settings) -> tuple[Path, ...]:
    """Those that still exist."""
    paths = [Path(line) for line in settings.get(_RECENT).split("|") if line]
    return tuple(path for path in paths if path.is_file())


def remember_file(settings: Settings, path: Path) -> None:
    others = [one for one in recent_files(settings) if one != path.absolute()]
    settings.set(_RECENT, "|".join(map(str, [path.absolute(), *others][:_MOST])))


def forget_files(settings: Settings) -> None:
    settings.set(_RECENT, "")
