"""Fits or not, live beside the form: the need, what is free, and the largest part."""

from __future__ import annotations

from ui.i18n import say, wording
from ui.state import Store
from ui.widgets.basic import Card, label, row, set_role


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
        self.body.addLayout(line)
        self.layout().setContentsMargins(16, 8, 16, 8)
        store.answer_changed.connect(self.refresh)
        store.selection_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        recommendation, key = self._store.answer.recommendation, self._store.selection
        options = recommendation.options if recommendation else ()
        option = next((one for one in options if one.key == key), None)
        option = option or next((one for one in options if one.memory is not None), None)
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
        self.text.setText(text)
        self.setAccessibleDescription(f"{self.verdict.text()}. {text}")
