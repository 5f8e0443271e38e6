"""How good is this?: errors against published measurements, ours beside simpler methods, the worst cases too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ui.i18n import say, wording
from ui.models.table_model import TableModel
from ui.widgets.basic import Card, DataTable, Page, label

if TYPE_CHECKING:
    from planner.report.types import Section


class AccuracyPage(Page):
    """Depends on nothing that the user does: the figures come with the program."""

    def __init__(self) -> None:
        from planner.report.accuracy_section import accuracy_page

        super().__init__(say("accuracy.title"), say("accuracy.subtitle"))
        for section in accuracy_page(wording()):
            self.body.addWidget(_SectionCard(section))
        self.body.addStretch(1)


class _SectionCard(Card):
    """One section: its paragraphs, then its tables."""

    def __init__(self, section: Section) -> None:
        super().__init__(section.title)
        self.setAccessibleName(section.title)
        for text in section.paragraphs:
            self.body.addWidget(label(text, wrap=True))
        for table in section.tables:
            shown = DataTable(TableModel(table, self), section.title, fit_height=True, elastic=0)
            self.body.addWidget(shown)
