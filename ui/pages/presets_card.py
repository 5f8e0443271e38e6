"""The presets: a list that a few letters narrow down."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem

from ui.controllers.plan import PlanController
from ui.i18n import marked, say
from ui.state import Store
from ui.widgets.basic import Card, label


class PresetsCard(Card):
    """Choosing one fills what the user has not typed."""

    def __init__(self, store: Store, plan: PlanController) -> None:
        super().__init__("")
        self._store, self._plan = store, plan
        self.setAccessibleName(self.tr("Models"))
        self.body.addWidget(label(self.tr("Model"), "heading"))
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Search: resnet, bert, language…"))
        self.search.setAccessibleName(self.tr("Search the models"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.body.addWidget(self.search)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Models"))
        self.list.setMinimumWidth(190)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.currentItemChanged.connect(self._chosen)
        self.body.addWidget(self.list)
        self.about = label("", "caption", wrap=True)
        self.body.addWidget(self.about)
        self.body.addStretch(1)
        plan.presets_changed.connect(self._fill)
        store.draft_changed.connect(self.refresh)
        self._fill()

    def _fill(self) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        for info in self._plan.presets:
            item = QListWidgetItem(say(info.title_code))
            item.setData(Qt.ItemDataRole.UserRole, info.name)
            item.setData(Qt.ItemDataRole.UserRole + 1, f"{item.text()} {info.name} {info.family}".lower())
            self.list.addItem(item)
        self.list.blockSignals(False)
        rows = max(self.list.count(), 6)
        self.list.setFixedHeight(max(self.list.sizeHintForRow(0), 26) * rows + 8)  # the page scrolls, not the list
        self._filter(self.search.text())
        self.refresh()

    def _filter(self, text: str) -> None:
        words = text.lower().split()
        for row in range(self.list.count()):
            item = self.list.item(row)
            item.setHidden(not all(word in item.data(Qt.ItemDataRole.UserRole + 1) for word in words))

    def _chosen(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._plan.choose_preset(item.data(Qt.ItemDataRole.UserRole))

    def refresh(self) -> None:
        model = self._store.draft.texts["model"] if self._store.draft else ""
        name = model.removeprefix("preset:")
        self.list.blockSignals(True)
        for row in range(self.list.count()):
            if self.list.item(row).data(Qt.ItemDataRole.UserRole) == name:
                self.list.setCurrentRow(row)
        self.list.blockSignals(False)
        info = self._plan.preset(name)
        if info is None:
            self.about.setText(model)
            return
        self.about.setText(
            self.tr("Usual data: {0}, {1} samples.").format(info.dataset.name, marked(f"{info.dataset.samples:,}"))
        )
        self.about.setToolTip(f"{info.model_source.definition}\n{info.dataset.source}")
