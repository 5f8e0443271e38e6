"""The look of a report: form, paper, team, logo, and which sections stand in it with which comment."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QVBoxLayout,
)

from planner.report.presentation import ALWAYS, SHORT_FORM
from ui.controllers.presentation import PresentationController
from ui.controllers.report import ReportController
from ui.i18n import tr
from ui.widgets.basic import Card, button, label, row

_KEY = Qt.ItemDataRole.UserRole
_LONGEST_TEAM = 200
_LIST_HEIGHT, _COMMENT_HEIGHT = 150, 64


class LookCard(Card):
    """Every change is in the preview at once, and is remembered."""

    def __init__(self, report: ReportController, look: PresentationController) -> None:
        super().__init__(tr("LookCard", "Look"))
        self._report, self._look = report, look
        self._filling = False
        self._beside = row()
        self.body.addLayout(self._beside)
        self.form = self._choice(self.tr("Fo&rm"), (("full", self.tr("Everything")), ("short", self.tr("Short"))))
        self.paper = self._choice(self.tr("Paper si&ze"), (("a4", "A4"), ("letter", "Letter")))
        caption = label(self.tr("Tea&m"), "quiet")
        self.team = QLineEdit()
        self.team.setMaxLength(_LONGEST_TEAM)
        self.team.setPlaceholderText(self.tr("Printed at the foot of every page"))
        self.team.setAccessibleName(self.tr("Team"))
        self.team.textEdited.connect(lambda text: self._look.change(team=text))
        caption.setBuddy(self.team)
        self.body.addWidget(caption)
        self.body.addWidget(self.team)
        self.logo = button(self.tr("&Choose a logo…"), self.choose_logo)
        self.no_logo = button(self.tr("Remove the logo"), lambda: self._look.change(logo=""), "flat")
        self.body.addLayout(row(self.logo, self.no_logo, None))
        self._add_sections()
        self.form.currentIndexChanged.connect(lambda _index: self._chosen(form=self.form.currentData()))
        self.paper.currentIndexChanged.connect(lambda _index: self._chosen(paper=self.paper.currentData()))

    def _choice(self, caption: str, choices: tuple[tuple[str, str], ...]) -> QComboBox:
        column, above, box = QVBoxLayout(), label(caption, "quiet"), QComboBox()
        box.setAccessibleName(caption.replace("&", ""))
        for value, name in choices:
            box.addItem(name, value)
        above.setBuddy(box)
        column.addWidget(above)
        column.addWidget(box)
        self._beside.addLayout(column, 1)
        return box

    def _add_sections(self) -> None:
        caption = label(self.tr("Sect&ions"), "quiet")
        self.sections = QListWidget()
        self.sections.setAccessibleName(self.tr("Sections of the report"))
        self.sections.setFixedHeight(_LIST_HEIGHT)
        self.sections.setWordWrap(True)
        self.sections.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.sections.itemChanged.connect(self._checked)
        self.sections.currentItemChanged.connect(lambda _now, _before: self._show_comment())
        caption.setBuddy(self.sections)
        self.comment = QPlainTextEdit()
        self.comment.setFixedHeight(_COMMENT_HEIGHT)
        self.comment.setTabChangesFocus(True)
        self.comment.textChanged.connect(self._commented)
        self.problem = label("", "problem", wrap=True)
        self.problem.hide()
        for widget in (caption, self.sections, self.comment, self.problem):
            self.body.addWidget(widget)

    def refresh(self) -> None:
        """Show what is remembered; what is typed just now is left alone."""
        value = self._look.value
        self._filling = True
        self.form.setCurrentIndex(self.form.findData(value.form))
        self.paper.setCurrentIndex(self.paper.findData(value.paper))
        if self.team.text() != value.team:
            self.team.setText(value.team)
        self.no_logo.setVisible(bool(value.logo))
        self._fill_sections()
        self._filling = False
        self._show_comment()

    def _fill_sections(self) -> None:
        value = self._look.value
        wanted = [
            (key, title)
            for key, title in self._report.section_titles()
            if value.form == "full" or key in (*SHORT_FORM, *ALWAYS)
        ]
        if wanted != [(item.data(_KEY), item.text()) for item in self._items()]:
            current = self.current_key()
            self.sections.clear()
            for key, title in wanted:
                item = QListWidgetItem(title, self.sections)
                item.setData(_KEY, key)
                fixed = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
                item.setFlags(fixed if key in ALWAYS else fixed | Qt.ItemFlag.ItemIsUserCheckable)
            keys = [key for key, _title in wanted]
            if keys:
                self.sections.setCurrentRow(keys.index(current) if current in keys else 0)
        for item in self._items():
            shown = item.data(_KEY) in ALWAYS or item.data(_KEY) not in value.left_out
            item.setCheckState(Qt.CheckState.Checked if shown else Qt.CheckState.Unchecked)

    def _items(self) -> list[QListWidgetItem]:
        return [self.sections.item(index) for index in range(self.sections.count())]

    def current_key(self) -> str | None:
        """Key of the section whose comment is shown."""
        item = self.sections.currentItem()
        return item.data(_KEY) if item is not None else None

    def _show_comment(self) -> None:
        if self._filling:
            return
        key, item = self.current_key(), self.sections.currentItem()
        text = dict(self._look.value.comments).get(key, "") if key else ""
        name = self.tr("Comment on “{0}”").format(item.text()) if item is not None else self.tr("Comment")
        self.comment.setEnabled(key is not None)
        self.comment.setAccessibleName(name)
        self.comment.setPlaceholderText(name)
        if self.problem.isHidden() and self.comment.toPlainText().strip() != text.strip():
            self._filling = True
            self.comment.setPlainText(text)
            self._filling = False

    def _chosen(self, **fields: str) -> None:
        if not self._filling:
            self._look.change(**fields)

    def _checked(self, item: QListWidgetItem) -> None:
        if not self._filling:
            self._look.show_section(item.data(_KEY), item.checkState() is Qt.CheckState.Checked)

    def _commented(self) -> None:
        key = self.current_key()
        if self._filling or key is None:
            return
        try:
            self._look.comment(key, self.comment.toPlainText())
        except ValueError as error:
            self.problem.setText(str(error))
            self.problem.show()
        else:
            self.problem.hide()

    def choose_logo(self) -> None:
        """Ask for a PNG or JPEG."""
        title, kinds = self.tr("Choose a logo"), self.tr("Pictures (*.png *.jpg *.jpeg)")
        name, _ = QFileDialog.getOpenFileName(self, title, "", kinds)
        if name:
            self._look.take_logo(Path(name))
