"""What runs now, in the status bar: its name, how far it is, and a button that ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from ui.theme import GRID
from ui.widgets.basic import button, label


@dataclass(frozen=True)
class Job:
    """``share``: done so far, 0 to 1; None: cannot be told. ``cancel``: None where it ends by itself at once."""

    page: str
    text: str
    share: float | None = None
    cancel: Callable[[], object] | None = None


class JobLine(QWidget):
    """Shows the jobs given last; Cancel ends the first that can be."""

    def __init__(self) -> None:
        super().__init__()
        self._jobs: tuple[Job, ...] = ()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(GRID, 0, GRID, 0)
        layout.setSpacing(GRID)
        self.text = label("")
        self.bar = QProgressBar()
        self.bar.setFixedWidth(120)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.stop = button(self.tr("Cancel"), self._cancel, "flat", self.tr("Stop what runs now"))
        for one in (self.text, self.bar, self.stop):
            layout.addWidget(one)
        self.show_jobs(())

    def show_jobs(self, jobs: Sequence[Job]) -> None:
        self._jobs = tuple(jobs)
        self.setVisible(bool(jobs))
        self.text.setText("   ".join(job.text for job in jobs))
        self.stop.setVisible(any(job.cancel for job in jobs))
        share = next((job.share for job in jobs if job.share is not None), None)
        self.bar.setVisible(share is not None)  # one that only runs to and fro tells nothing and never rests
        self.bar.setValue(round(100 * (share or 0.0)))

    def _cancel(self) -> None:
        job = next((job for job in self._jobs if job.cancel), None)
        if job is not None and job.cancel is not None:
            job.cancel()
