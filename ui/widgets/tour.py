"""The tour: a sentence or two for each page, above the page itself. It blocks nothing and can be left any time."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout

from ui.theme import GRID
from ui.widgets.basic import button, label


class TourBar(QFrame):
    """``page_wanted`` brings the page that a step is about; ``ended``: closed, or gone through."""

    page_wanted = Signal(str)
    sample_wanted = Signal()
    ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setAccessibleName(self.tr("Tour"))
        self._step = 0
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * GRID, GRID, GRID, GRID)
        layout.setSpacing(GRID)
        self.number = label("", "quiet")
        self.text = label("", wrap=True)
        layout.addWidget(self.number)
        layout.addWidget(self.text, 1)
        self.sample = button(self.tr("Fill in a sample"), self.sample_wanted.emit, "flat")
        self.back = button(self.tr("Back"), lambda: self._go(self._step - 1), "flat")
        self.further = button(self.tr("Next"), lambda: self._go(self._step + 1), "primary")
        self.leave = button(self.tr("End the tour"), self.end, "flat")
        for one in (self.sample, self.back, self.further, self.leave):
            layout.addWidget(one)
        self.hide()

    def steps(self) -> tuple[tuple[str, str], ...]:
        """(page, what to know about it)"""
        return (
            (
                "machine",
                self.tr("GPUs, and what they need to work, are found by themselves. Nothing leaves this machine."),
            ),
            (
                "benchmark",
                self.tr("Optional: one button measures the GPU in minutes. Until then its data sheet counts."),
            ),
            (
                "workload",
                self.tr("Choose a model and say how you train it. What you leave alone stays an assumption."),
            ),
            (
                "answer",
                self.tr("The sentence on top says what to do. Each number is a range; click an option to see it."),
            ),
            (
                "report",
                self.tr("Give your team the answer as a PDF, and the plan as a file that gives it again."),
            ),
        )

    @property
    def step(self) -> int:
        return self._step

    def start(self, step: int = 0) -> None:
        self.show()
        self._go(step)
        self.further.setFocus()

    def end(self) -> None:
        self.hide()
        self.ended.emit()

    def _go(self, step: int) -> None:
        steps = self.steps()
        if step >= len(steps):
            self.end()
            return
        self._step = max(step, 0)
        page, text = steps[self._step]
        self.number.setText(self.tr("{0} of {1}").format(self._step + 1, len(steps)))
        self.text.setText(text)
        self.sample.setVisible(page == "workload")
        self.back.setEnabled(self._step > 0)
        last = self._step == len(steps) - 1
        self.further.setText(self.tr("Done") if last else self.tr("Next"))
        self.further.setAccessibleName(self.further.text())
        self.page_wanted.emit(page)
