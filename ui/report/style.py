"""Sizes, colours and fonts of the printed report: light, and dark enough for a grey printer."""

from __future__ import annotations

from PySide6.QtGui import QBrush, QColor, QFont, QTextCharFormat

from ui.report.fonts import report_font_family

BODY_PT, SMALL_PT, HEADING_PT, TITLE_PT, VERDICT_PT = 9.5, 8.0, 13.0, 20.0, 12.0
INK, QUIET, RULE, SHADE = QColor("#1a1a1a"), QColor("#595959"), QColor("#bfbfbf"), QColor("#eef2f7")


def font(size_pt: float, bold: bool = False) -> QFont:
    made = QFont(report_font_family())
    made.setPointSizeF(size_pt)
    made.setBold(bold)
    made.setFeature(QFont.Tag("liga"), 0)  # a reader that searches for "fits" finds no ligature of "fi"
    return made


def characters(size_pt: float, bold: bool, colour: QColor) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font(size_pt, bold))
    made.setForeground(QBrush(colour))
    return made
