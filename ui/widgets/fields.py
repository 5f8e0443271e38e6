"""Form fields: the text as typed, what is wrong with it in words, and whether it is still an assumption."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from ui.draft import Draft
from ui.theme import GRID
from ui.widgets.basic import label


class FieldRow(QWidget):
    """Base: a caption with its mark above, a problem below."""

    typed = Signal(str, str)  # key, text

    def __init__(self, caption: str, hint: str) -> None:
        super().__init__()
        self.caption_text = caption.replace("&", "")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(3)
        top = QHBoxLayout()
        top.setSpacing(GRID)
        self.caption = label(caption)
        top.addWidget(self.caption)
        top.addStretch(1)
        self.mark = label("", "caption")
        top.addWidget(self.mark)
        self._layout.addLayout(top)
        self.problem = label("", "problem", wrap=True)
        self.hint = label(hint, "caption", wrap=True)

    def _finish(self) -> None:
        self._layout.addWidget(self.problem)
        self._layout.addWidget(self.hint)
        self.problem.hide()
        self.hint.setVisible(bool(self.hint.text()))

    def _show_state(self, assumed: bool, problem: str) -> None:
        self.mark.setText(self.tr("assumed") if assumed else "")
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))


class PlanEdit(QLineEdit):
    """A line whose undo is that of the whole plan: the keys go on to the window."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            keys = QKeySequence.StandardKey
            if event.matches(keys.Undo) or event.matches(keys.Redo):
                event.ignore()
                return False
        return super().event(event)


class QuantityField(FieldRow):
    """One or three texts (low, likely, high)."""

    def __init__(
        self, keys: Sequence[tuple[str, str]], caption: str, hint: str = "", placeholder: str = ""
    ) -> None:
        """``keys``: (field, caption below the caption: "Low", or "" for a single text)."""
        super().__init__(caption, hint)
        self.edits: dict[str, QLineEdit] = {}
        line = QHBoxLayout()
        line.setSpacing(GRID // 2)
        for key, part in keys:
            edit = PlanEdit()
            edit.setPlaceholderText(placeholder or part)
            edit.setAccessibleName(f"{self.caption_text}, {part}" if part else self.caption_text)
            edit.setToolTip(part)
            edit.setMinimumWidth(48)
            edit.textEdited.connect(lambda text, key=key: self.typed.emit(key, text))
            self.edits[key] = edit
            line.addWidget(edit)
        self.caption.setBuddy(next(iter(self.edits.values())))
        self._layout.addLayout(line)
        self._finish()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.edits)

    def refresh(self, draft: Draft, problems: Mapping[str, str]) -> None:
        for key, edit in self.edits.items():
            text = draft.texts.get(key, "")
            if edit.text() != text:
                edit.setText(text)
            invalid = key in problems
            if bool(edit.property("invalid")) != invalid:
                edit.setProperty("invalid", invalid)
                edit.style().unpolish(edit)
                edit.style().polish(edit)
            edit.setAccessibleDescription(problems.get(key, ""))
        given = any(draft.texts.get(key) for key in self.edits)
        assumed = given and not any(key in draft.edited for key in self.edits)
        self._show_state(assumed, next((problems[key] for key in self.edits if key in problems), ""))


class ChoiceField(FieldRow):
    """One of a few values."""

    def __init__(self, key: str, caption: str, choices: Sequence[tuple[str, str]], hint: str = "") -> None:
        """``choices``: (value, its name)."""
        super().__init__(caption, hint)
        self.key = key
        self.box = QComboBox()
        self.box.setAccessibleName(self.caption_text)
        self.box.setMinimumWidth(80)
        for value, name in choices:
            self.box.addItem(name, value)
        self.box.activated.connect(lambda index: self.typed.emit(key, self.box.itemData(index)))
        self.caption.setBuddy(self.box)
        self._layout.addWidget(self.box)
        self._finish()

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.key,)

    def refresh(self, draft: Draft, problems: Mapping[str, str]) -> None:
        value = draft.texts.get(self.key, "")
        index = self.box.findData(value)
        if index < 0:  # an opened plan may hold a value this list does not
            self.box.addItem(value, value)
            index = self.box.count() - 1
        self.box.setCurrentIndex(index)
        self._show_state(self.key not in draft.edited, problems.get(self.key, ""))


Field = QuantityField | ChoiceField


def connect_all(fields: Sequence[Field], on_typed: Callable[[str, str], None]) -> None:
    for field in fields:
        field.typed.connect(on_typed)
