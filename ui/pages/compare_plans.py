"""Compare the plan in the window with one from a file: key numbers side by side, and what makes the difference."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from planner.door import InvalidInputError
from planner.report.types import Table
from ui.files import ask_open
from ui.i18n import tr, wording
from ui.models.table_model import TableModel
from ui.notices import Severity
from ui.parts import Parts
from ui.theme import GRID
from ui.widgets.basic import DataTable, button, label, row

if TYPE_CHECKING:
    from planner.pipeline import PlanInputs
    from planner.report.diff import PlanDiff

_NOTICE = "compare"

_MOST_SENTENCES = 8  # of inputs that differ; the others are counted

Compared = tuple["PlanDiff", tuple["PlanInputs", "PlanInputs"]]


def ask_and_compare(window: QWidget, parts: Parts) -> None:
    """Ask for the other plan's file, a plan or a report that carries one."""
    kinds = tr("ComparePlans", "Plans and reports (*.json *.pdf)")
    path = ask_open(window, parts.settings, tr("ComparePlans", "Compare with plan"), kinds)
    if path is not None:
        compare_with(path, window, parts)


def compare_with(path: Path, window: QWidget, parts: Parts) -> None:
    """Work both plans out on a thread, then show them. The plan in the window stays as it is."""
    present = parts.store.inputs()
    if present is None:
        text = tr(
            "ComparePlans", "The form has problems: correct the marked fields on the page Workload, then compare."
        )
        parts.notices.show(_NOTICE, Severity.WARNING, text)
        return

    def work(_cancelled: object) -> Compared:
        from planner.report.diff import compare_plans
        from planner.report.plan_file import read_plan

        other = read_plan(path).inputs
        return compare_plans(other, present), (other, present)

    def done(result: Compared | None, error: Exception | None) -> None:
        if result is None:
            text = tr(
                "ComparePlans", "{0} could not be compared: it is no plan, or one that cannot be planned here."
            )
            problems = error.problems if isinstance(error, InvalidInputError) else (error,)
            parts.notices.show(_NOTICE, Severity.ERROR, text.format(path.name), "\n".join(map(str, problems)))
            return
        parts.notices.clear(_NOTICE)
        CompareDialog(*result, path.name, window).show()

    parts.tasks.run(work, done)


class CompareDialog(QDialog):
    """Not modal: it can stand beside the window while the plan is changed; it shows the plan as it was then."""

    def __init__(
        self, found: PlanDiff, inputs: tuple[PlanInputs, PlanInputs], other_name: str, parent: QWidget
    ) -> None:
        super().__init__(parent)
        from planner.report.compare_table import compare_table
        from planner.report.diff_words import input_sentences, outcome_sentences, reason_sentences

        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("{0} and this plan").format(other_name))
        self.resize(980, 600)
        names = (other_name, self.tr("This plan"))
        self._table: Table = compare_table(found, inputs, names, wording())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        self.outcome = label(outcome_sentences(found, wording())[0], "sentence", wrap=True)
        layout.addWidget(self.outcome)
        self.table = DataTable(TableModel(self._table, self), self.tr("Key numbers of both plans"), elastic=0)
        layout.addWidget(self.table, 1)
        sentences = input_sentences(found, wording())
        shown = [*sentences[:_MOST_SENTENCES]]
        if len(sentences) > _MOST_SENTENCES:
            shown.append(self.tr("and {0} more").format(len(sentences) - _MOST_SENTENCES))
        layout.addWidget(label(self.tr("What differs in the inputs"), "heading"))
        self.inputs = label("\n".join(f"•  {sentence}" for sentence in shown), "quiet", wrap=True)
        layout.addWidget(self.inputs)
        self.reasons = label("\n".join(reason_sentences(found, wording())), wrap=True)
        self.reasons.setVisible(bool(self.reasons.text()))
        layout.addWidget(self.reasons)
        self.copy = button(self.tr("Co&py the table"), self._copy)
        self.leave = button(self.tr("&Close"), self.close)
        layout.addLayout(row(None, self.copy, self.leave))

    def _copy(self) -> None:
        """With tabs: spreadsheets and chats understand it."""
        lines = ("\t".join(cells) for cells in (self._table.columns, *self._table.rows))
        QGuiApplication.clipboard().setText("\n".join(lines))
