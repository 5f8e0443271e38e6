"""What the program remembers of its user: versioned, in the data folder, each option with its default here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from planner.paths import data_dir

SCHEMA_VERSION = 1
T = TypeVar("T", str, bool, int)


@dataclass(frozen=True)
class Option(Generic[T]):
    """One remembered thing. A value of another type in the file counts as not there."""

    key: str
    default: T


CHOSEN_PYTHON = Option("benchmark/python", "")
LAST_FOLDER = Option("files/last_folder", "")
THEME = Option("appearance/theme", "system")
LANGUAGE = Option("appearance/language", "system")
_GEOMETRY = "window/geometry"


class Settings:
    """An INI file that Qt locks and replaces atomically."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or data_dir() / "settings.ini"
        self._store = QSettings(str(self._file), QSettings.Format.IniFormat)
        version = self._store.value("schema_version")
        if version is not None and not str(version).isdigit():
            self._store.clear()  # not a settings file of ours: begin again
        self._store.setValue("schema_version", SCHEMA_VERSION)

    def get(self, option: Option[T]) -> T:
        kind = type(option.default)
        value = self._store.value(option.key, option.default)
        if kind is bool:
            return kind(str(value).lower() == "true")
        try:
            return kind(value)
        except (TypeError, ValueError):
            return option.default

    def set(self, option: Option[T], value: T) -> None:
        self._store.setValue(option.key, value)

    def save_geometry(self, window: QMainWindow) -> None:
        self._store.setValue(_GEOMETRY, window.saveGeometry())
        self._store.sync()

    def restore_geometry(self, window: QMainWindow) -> bool:
        """Put the window where it was, unless its screen is gone. False: the default place stays."""
        value = self._store.value(_GEOMETRY)
        before = window.geometry()
        if not isinstance(value, QByteArray) or not window.restoreGeometry(value):
            return False
        title_bar = window.geometry().adjusted(0, 0, 0, 32 - window.height())
        if any(screen.availableGeometry().intersects(title_bar) for screen in QGuiApplication.screens()):
            return True
        window.setGeometry(before)
        return False

    def last_folder(self) -> str:
        folder = self.get(LAST_FOLDER)
        return folder if folder and Path(folder).is_dir() else str(Path.home())
