"""Light and dark, following the system live. Colours are tokens: no widget names a colour of its own."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

GRID = 8  # px: every distance is a multiple of it, or half of it


@dataclass(frozen=True, slots=True)
class Tokens:
    """One colour scheme. Text tokens keep a contrast of at least 4.5:1 on ``surface`` and ``window``."""

    dark: bool
    window: str
    side: str
    surface: str
    field: str
    ink: str
    quiet: str
    border: str
    strong_border: str  # of controls: 3:1 against the surface
    accent: str
    accent_hover: str
    on_accent: str
    tint: str  # selected rows, the recommended option
    good: str
    warning: str
    warning_tint: str
    bad: str
    bad_tint: str
    chart_strong: str
    chart_plain: str
    chart_band: str
    parts: tuple[str, ...]  # stacked parts, told apart by lightness too


LIGHT = Tokens(
    dark=False,
    window="#f5f6f8",
    side="#eceff3",
    surface="#ffffff",
    field="#ffffff",
    ink="#1a2027",
    quiet="#566270",
    border="#dde2e8",
    strong_border="#8893a0",
    accent="#0a5fb4",
    accent_hover="#084e95",
    on_accent="#ffffff",
    tint="#e3eefa",
    good="#19733a",
    warning="#875300",
    warning_tint="#fdf3dd",
    bad="#b3261e",
    bad_tint="#fdeceb",
    chart_strong="#0a4f9c",
    chart_plain="#6f94bd",
    chart_band="#d3e1f0",
    parts=("#2f6aa8", "#f0c27a", "#2b8a6e", "#c9b3e0", "#a33f3f", "#9fc4e8", "#6a4c93", "#b9d9b0", "#5f6b78"),
)
DARK = Tokens(
    dark=True,
    window="#14171b",
    side="#101316",
    surface="#1c2026",
    field="#14171b",
    ink="#e7ebf0",
    quiet="#9eaab7",
    border="#2f363f",
    strong_border="#6c7885",
    accent="#6db2fa",
    accent_hover="#94c7fc",
    on_accent="#0b1622",
    tint="#1f3448",
    good="#62cb83",
    warning="#e8b75c",
    warning_tint="#332a17",
    bad="#ff938a",
    bad_tint="#3a211f",
    chart_strong="#7cbcff",
    chart_plain="#54759a",
    chart_band="#2a3d52",
    parts=("#3f78b5", "#b9873a", "#3fae8b", "#8a74b5", "#d96a6a", "#8fb8e0", "#b08be0", "#5d8f53", "#8a97a6"),
)


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb". Formula: WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


class Theme(QObject):
    """The present colour scheme. ``changed`` fires after palette and style sheet are in place."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choice = "system"
        self.tokens = DARK if self._system_is_dark() else LIGHT
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    def choose(self, choice: str) -> None:
        """ "system", "light" or "dark"."""
        if choice not in ("system", "light", "dark"):
            raise ValueError(f"no colour scheme {choice!r}")
        self._choice = choice
        self._system_changed()

    def apply(self) -> None:
        """Put the scheme onto the application."""
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.setPalette(palette(self.tokens))
        # Replacing a sheet by another takes 490 ms for 600 widgets; clearing it first, 120 ms (Qt 6.11).
        application.setStyleSheet("")
        application.setStyleSheet(style_sheet(self.tokens))
        self.changed.emit()

    def _system_is_dark(self) -> bool:
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark

    def _system_changed(self) -> None:
        dark = self._system_is_dark() if self._choice == "system" else self._choice == "dark"
        tokens = DARK if dark else LIGHT
        if tokens is not self.tokens:
            self.tokens = tokens
            self.apply()


def palette(tokens: Tokens) -> QPalette:
    """Qt's palette, for what no style sheet reaches: file dialogs, tool tips, placeholder text."""
    result = QPalette()
    roles = QPalette.ColorRole
    for role, colour in (
        (roles.Window, tokens.window),
        (roles.WindowText, tokens.ink),
        (roles.Base, tokens.field),
        (roles.AlternateBase, tokens.window),
        (roles.Text, tokens.ink),
        (roles.Button, tokens.surface),
        (roles.ButtonText, tokens.ink),
        (roles.ToolTipBase, tokens.surface),
        (roles.ToolTipText, tokens.ink),
        (roles.PlaceholderText, tokens.quiet),
        (roles.Highlight, tokens.accent),
        (roles.HighlightedText, tokens.on_accent),
        (roles.Link, tokens.accent),
        (roles.Mid, tokens.border),
        (roles.Accent, tokens.accent),
    ):
        result.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(tokens.quiet))
    return result


def style_sheet(tokens: Tokens) -> str:
    """The style of all widgets. Roles are dynamic properties: ``widget.setProperty("role", "card")``."""
    from planner.paths import RESOURCES

    icons = (RESOURCES / "icons").as_posix()
    arrow = f"{icons}/arrow-down-{'dark' if tokens.dark else 'light'}.svg"
    tick = f"{icons}/tick-{'dark' if tokens.dark else 'light'}.svg"
    return f"""
QWidget {{ color: {tokens.ink}; }}
QMainWindow, QWidget[role="page"], QScrollArea,
QWidget[role="page"] QStackedWidget {{ background: {tokens.window}; }}
QScrollArea {{ border: none; }}
QFrame[role="card"] {{ background: {tokens.surface}; border: 1px solid {tokens.border}; border-radius: 8px; }}
QFrame[role="strip"] {{ background: {tokens.surface}; border: none; border-bottom: 1px solid {tokens.border}; }}
QWidget[role="side"] {{ background: {tokens.side}; border-right: 1px solid {tokens.border}; }}
QFrame[role="card"] QLabel, QFrame[role="strip"] QLabel, QFrame[role="bar"] QLabel {{ background: transparent; }}
QLabel[role="title"] {{ font-size: 14pt; font-weight: 600; }}
QLabel[role="headline"] {{ font-size: 16pt; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: 11pt; font-weight: 600; }}
QLabel[role="sentence"] {{ font-size: 11pt; }}
QLabel[role="chart-title"] {{ font-size: 10pt; font-weight: 600; }}
QLabel[role="value"] {{ font-size: 13pt; font-weight: 600; }}
QLabel[role="quiet"] {{ color: {tokens.quiet}; }}
QLabel[role="caption"] {{ color: {tokens.quiet}; font-size: 8pt; }}
QLabel[role="good"] {{ color: {tokens.good}; }}
QLabel[role="warning"] {{ color: {tokens.warning}; }}
QLabel[role="problem"], QLabel[role="bad"] {{ color: {tokens.bad}; }}
QFrame[role="strip"] QLabel[role="chip"] {{ color: {tokens.warning}; background: {tokens.warning_tint};
    border-radius: 4px; padding: 2px 8px; font-weight: 600; }}
QFrame[role="bar"] {{ border-radius: 6px; border: 1px solid {tokens.border}; background: {tokens.surface}; }}
QFrame[severity="warning"] {{ background: {tokens.warning_tint}; border-color: {tokens.warning}; }}
QFrame[severity="error"] {{ background: {tokens.bad_tint}; border-color: {tokens.bad}; }}
QLineEdit, QComboBox, QPlainTextEdit {{ background: {tokens.field}; border: 1px solid {tokens.strong_border};
    border-radius: 5px; padding: 4px 8px; selection-background-color: {tokens.accent};
    selection-color: {tokens.on_accent}; }}
QLineEdit:focus, QComboBox:focus, QPlainTextEdit:focus {{ border: 2px solid {tokens.accent}; padding: 3px 7px; }}
QTableView QLineEdit, QTableView QLineEdit:focus {{ padding: 0 6px; border-radius: 0; }}
QLineEdit[invalid="true"] {{ border: 2px solid {tokens.bad}; padding: 3px 7px; }}
QLineEdit:disabled, QComboBox:disabled {{ color: {tokens.quiet}; border-color: {tokens.border}; }}
QComboBox::drop-down {{ border: none; width: 24px; }}
QComboBox::down-arrow {{ image: url("{arrow}"); width: 12px; height: 12px; }}
QComboBox QAbstractItemView {{ background: {tokens.surface}; border: 1px solid {tokens.strong_border};
    selection-background-color: {tokens.tint}; selection-color: {tokens.ink}; outline: none; padding: 4px; }}
QCheckBox {{ spacing: 8px; background: transparent; padding: 2px; }}
QCheckBox::indicator {{ width: 16px; height: 16px; border: 1px solid {tokens.strong_border}; border-radius: 4px;
    background: {tokens.field}; }}
QCheckBox::indicator:checked {{ background: {tokens.accent}; border-color: {tokens.accent};
    image: url("{tick}"); }}
QCheckBox:focus {{ border: 2px solid {tokens.accent}; border-radius: 5px; padding: 0; }}
QPushButton {{ background: {tokens.surface}; border: 1px solid {tokens.strong_border}; border-radius: 5px;
    padding: 6px 16px; }}
QPushButton:hover {{ background: {tokens.tint}; border-color: {tokens.accent}; }}
QPushButton:pressed {{ background: {tokens.border}; }}
QPushButton:focus {{ border: 2px solid {tokens.accent}; padding: 5px 15px; }}
QPushButton:disabled {{ color: {tokens.quiet}; border-color: {tokens.border}; background: {tokens.window}; }}
QPushButton[role="primary"] {{ background: {tokens.accent}; color: {tokens.on_accent};
    border: 1px solid {tokens.accent}; font-weight: 600; }}
QPushButton[role="primary"]:hover {{ background: {tokens.accent_hover}; border-color: {tokens.accent_hover}; }}
QPushButton[role="primary"]:focus {{ border: 2px solid {tokens.ink}; }}
QPushButton[role="primary"]:disabled {{ background: {tokens.border}; color: {tokens.quiet};
    border-color: {tokens.border}; }}
QPushButton[role="flat"], QToolButton {{ background: transparent; border: 1px solid transparent;
    border-radius: 5px; padding: 4px 8px; color: {tokens.accent}; }}
QPushButton[role="flat"]:hover, QToolButton:hover {{ background: {tokens.tint}; }}
QPushButton[role="flat"]:focus, QToolButton:focus {{ border: 2px solid {tokens.accent}; padding: 3px 7px; }}
QToolButton:checked {{ background: {tokens.tint}; }}
QToolButton::menu-indicator {{ image: none; }}
QProgressBar {{ background: {tokens.border}; border: none; border-radius: 4px; max-height: 8px; min-height: 8px; }}
QProgressBar::chunk {{ background: {tokens.accent}; border-radius: 4px; }}
QTableView, QListView, QListWidget {{ background: {tokens.surface}; border: none; gridline-color: {tokens.border};
    selection-background-color: {tokens.tint}; selection-color: {tokens.ink}; outline: none; }}
QTableView:focus, QListView:focus, QListWidget:focus {{ border: 2px solid {tokens.accent}; border-radius: 4px; }}
QTableView {{ border: 2px solid transparent; }}
QListView, QListWidget {{ border: 2px solid transparent; }}
QListView::item, QListWidget::item {{ padding: 6px 8px; border-radius: 4px; }}
QListView::item:selected, QListWidget::item:selected {{ background: {tokens.tint}; color: {tokens.ink}; }}
QTableView::item {{ padding: 2px 8px; border-bottom: 1px solid {tokens.border}; }}
QTableView::item:selected {{ background: {tokens.tint}; color: {tokens.ink}; }}
QHeaderView {{ background: {tokens.surface}; border: none; }}
QHeaderView::section {{ background: {tokens.surface}; color: {tokens.quiet}; border: none;
    border-bottom: 1px solid {tokens.strong_border}; padding: 4px 8px; font-weight: 600; }}
QTableCornerButton::section {{ background: {tokens.surface}; border: none; }}
QTabWidget::pane {{ border: none; }}
QTabBar::tab {{ background: transparent; color: {tokens.quiet}; padding: 6px 16px; border: none;
    border-bottom: 2px solid {tokens.border}; font-weight: 600; }}
QTabBar::tab:selected {{ color: {tokens.ink}; border-bottom: 2px solid {tokens.accent}; }}
QTabBar::tab:focus {{ color: {tokens.accent}; }}
QToolTip {{ background: {tokens.surface}; color: {tokens.ink}; border: 1px solid {tokens.strong_border};
    padding: 4px; }}
QMenu {{ background: {tokens.surface}; border: 1px solid {tokens.strong_border}; padding: 4px; }}
QMenu::item {{ padding: 6px 24px; border-radius: 4px; }}
QMenu::item:selected {{ background: {tokens.tint}; }}
QMenuBar {{ background: {tokens.side}; }}
QMenuBar::item:selected {{ background: {tokens.tint}; }}
QStatusBar {{ background: {tokens.side}; color: {tokens.quiet}; border-top: 1px solid {tokens.border}; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {tokens.strong_border}; border-radius: 4px; margin: 2px; min-height: 32px;
    min-width: 32px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QSplitter::handle {{ background: transparent; }}
"""
