"""File dialogs that begin where the last one ended."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from ui.settings import LAST_FOLDER, Settings


def ask_open(parent: QWidget, settings: Settings, title: str, kinds: str) -> Path | None:
    """A file to read; None: the user thought better of it."""
    name, _ = QFileDialog.getOpenFileName(parent, title, settings.last_folder(), kinds)
    return _remember(settings, name)


def ask_save(parent: QWidget, settings: Settings, title: str, kinds: str, suggestion: str) -> Path | None:
    """A file to write, with the suffix of ``suggestion`` when none was typed."""
    start = str(Path(settings.last_folder()) / suggestion)
    name, _ = QFileDialog.getSaveFileName(parent, title, start, kinds)
    path = _remember(settings, name)
    return path.with_suffix(Path(suggestion).suffix) if path is not None and not path.suffix else path


def _remember(settings: Settings, name: str) -> Path | None:
    if not name:
        return None
    settings.set(LAST_FOLDER, str(Path(name).parent))
    return Path(name)
