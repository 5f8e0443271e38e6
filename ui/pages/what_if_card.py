"""What if one input were another: choose it, move along its range, see where the choice changes.

The answers along the range are worked out on a thread, a moment after the plan has stopped changing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QComboBox, QSlider, QVBoxLayout, QWidget

from planner.door import InvalidInputError
from ui.charts.card import ChartCard
from ui.i18n import wording
from ui.jobs.thread import Task, Tasks
from ui.notices import Notices
from ui.settings import Settings
from ui.state import Answer, Store
from ui.theme import GRID, Theme
from ui.widgets.basic import label, row

if TYPE_CHECKING:
    from planner.report.what_if import WhatIf

_CALM_MS = 200  # without a keystroke before the range is worked out


class WhatIfCard(QWidget):
    """The choice of the input, its chart, and a slider along its range with the answer there."""

    def __init__(self, store: Store, tasks: Tasks, theme: Theme, settings: Settings, notices: Notices) -> None:
        super().__init__()
        self._tasks = tasks
        self._answer, self._selection = Answer(), store.selection
        self._task: Task | None = None
        self.found: WhatIf | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_CALM_MS)
        self._timer.timeout.connect(self._work_out)
        self.choice = QComboBox()
        self.choice.setAccessibleName(self.tr("Input to change"))
        self.choice.currentIndexChanged.connect(lambda _index: self._ask())
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(self.tr("Value looked at"))
        self.slider.setPageStep(4)
        self.slider.valueChanged.connect(lambda _value: self._draw())
        self.sentence = label("", wrap=True)
        self.card = ChartCard(self.tr("What if"), theme, settings, notices)
        self.card.selected.connect(store.select)
        caption = label(self.tr("&Change"))
        caption.setBuddy(self.choice)
        self.card.body.insertLayout(0, row(caption, self.choice, self.slider, spacing=2 * GRID))
        self.card.body.insertWidget(1, self.sentence)
        self._show_state(self.tr("Being worked out…"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.card)

    @property
    def code(self) -> str:
        return str(self.choice.currentData())

    def show_answer(self, answer: Answer, selection: str | None) -> None:
        """Work the range out anew if the plan is another; a selection alone is only marked."""
        self._fill_choice()
        changed = answer.inputs is not self._answer.inputs
        self._answer, self._selection = answer, selection
        if changed or self.found is None:
            self._ask()
        else:
            self._draw()

    def _fill_choice(self) -> None:
        """Once: its captions are sentences of the domain, which are not loaded before the first answer."""
        if self.choice.count():
            return
        from planner.report.what_if import INPUTS

        self.choice.blockSignals(True)
        for code in INPUTS:
            self.choice.addItem(wording().messages.say(f"chart.what_if.input.{code}"), code)
        self.choice.blockSignals(False)

    def _ask(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._timer.start()

    def _work_out(self) -> None:
        inputs, code = self._answer.inputs, self.code
        if inputs is None:
            return
        self._show_state(self.tr("Being worked out…"))

        def work(cancelled: object) -> WhatIf | None:
            from planner.report.what_if import what_if

            assert callable(cancelled)
            return what_if(inputs, code, cancelled)

        self._task = self._tasks.run(work, self._take)

    def _take(self, found: WhatIf | None, error: Exception | None) -> None:
        self._task = None
        if isinstance(error, InvalidInputError):
            self._show_state(" ".join(problem.what for problem in error.problems))
            return
        if error is not None:
            raise error
        if found is None:
            return
        self.found = found
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(found.grid) - 1)
        self.slider.setValue(self._nearest(found))
        self.slider.blockSignals(False)
        self.slider.setEnabled(True)
        self._draw()

    def _nearest(self, found: WhatIf) -> int:
        """Of the even values: where the plan itself is, else the middle."""
        middle = len(found.grid) // 2
        now = found.now
        if now is None:
            return middle
        return min(range(len(found.grid)), key=lambda index: abs(found.grid[index] - now))

    def _show_state(self, text: str) -> None:
        self.sentence.setText(text)
        self.slider.setEnabled(False)

    def _draw(self) -> None:
        if self.found is None:
            return
        from planner.report.what_if_chart import what_if_chart, what_if_sentence

        here = self.found.grid[min(self.slider.value(), len(self.found.grid) - 1)]
        told = what_if_sentence(self.found, here, wording())
        self.sentence.setText(told)
        self.slider.setAccessibleDescription(told)
        at_plan = self.found.now is not None and here == self.found.grid[self._nearest(self.found)]
        budget = self._answer.inputs.terms.budget_usd if self._answer.inputs else None
        spec = what_if_chart(self.found, wording(), None if at_plan else here, budget)
        self.card.show_spec(spec, self._selection)
