"""Fits or not, live beside the form: the need, what is free, the largest part, and what makes it smaller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QPushButton

from ui.controllers.ladder import LadderController
from ui.i18n import language, say, wording
from ui.state import Store
from ui.widgets.basic import Card, label, row, set_role

if TYPE_CHECKING:
    from planner.decide.types import Option


class MemoryLine(Card):
    """Of the option that is looked at."""

    def __init__(self, store: Store) -> None:
        super().__init__("")
        self._store = store
        self.setAccessibleName(self.tr("Memory"))
        self.verdict = label("")
        self.text = label("", "quiet", wrap=True)
        line = row(self.verdict)
        line.addWidget(self.text, 1)
        self._ladder = LadderController(store)
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill_menu)
        self.smaller = QPushButton(self.tr("Take less…"))
        self.smaller.setAccessibleName(self.tr("Changes that take less memory"))
        self.smaller.setMenu(self.menu)
        line.addWidget(self.smaller)
        self.body.addLayout(line)
        self.layout().setContentsMargins(16, 8, 16, 8)
        store.answer_changed.connect(self.refresh)
        store.selection_changed.connect(self.refresh)
        self.refresh()

    def _option(self) -> Option | None:
        """The one that is looked at, else the first whose memory is known."""
        recommendation, key = self._store.answer.recommendation, self._store.selection
        options = recommendation.options if recommendation else ()
        option = next((one for one in options if one.key == key), None)
        return option or next((one for one in options if one.memory is not None), None)

    def _fill_menu(self) -> None:
        """The ladder of the option, worked out when it is asked for."""
        from planner.messages import load_messages
        from planner.report.ladder_words import rung_cost, rung_title

        self.menu.clear()
        option, messages = self._option(), load_messages(language())
        rungs = self._ladder.rungs(option) if option is not None else ()
        for rung in rungs:
            action = self.menu.addAction(f"{rung_title(rung, messages)} – {rung_cost(rung, messages)}")
            # The GPUs that are rented are chosen below, not in the form.
            action.setEnabled(rung.gpus == option.gpu_count)
            action.triggered.connect(lambda _checked=False, one=rung: self._ladder.apply(one, option))
        if not rungs:
            self.menu.addAction(self.tr("Nothing known here makes it take less.")).setEnabled(False)

    def refresh(self) -> None:
        option = self._option()
        self.smaller.setVisible(option is not None and option.memory is not None)
        if option is None or option.memory is None:
            self.verdict.setText(self.tr("Memory"))
            set_role(self.verdict, "quiet")
            self.text.setText(self.tr("not known yet"))
            return
        memory = option.memory
        words = wording()
        signs = {"yes": ("✓", "good"), "no": ("✗", "bad"), "unsure": ("?", "warning")}
        sign, role = signs[memory.fits.value]
        self.verdict.setText(f"{sign} {say(f'memory.fits.{memory.fits.value}')}")
        set_role(self.verdict, "quiet" if self._store.answer.stale else role)
        text = self.tr("{0}: needs {1} of {2} per GPU; largest part: {3}. Largest batch per GPU: {4}.").format(
            words.option(option),
            words.value("total_bytes", memory.total_bytes),
            words.value("free_bytes", memory.available_bytes),
            say(f"memory.part.{memory.largest_part.code}"),
            words.value("batch", memory.largest_batch_size),
        )
        if memory.host_bytes is not None:
            text += " " + self.tr("RAM of the host: {0}.").format(words.value("host_bytes", memory.host_bytes))
        self.text.setText(text)
        self.text.setToolTip(
            "\n".join(
                f"{say(f'memory.phase.{phase.code}')}: {words.value('phase_bytes', phase.bytes)}"
                for phase in memory.phases
            )
        )
        self.setAccessibleDescription(f"{self.verdict.text()}. {text}")
