"""Answer: the sentence, why, all options side by side, and the charts. Choosing an option marks it everywhere."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout

from ui.i18n import tr, wording
from ui.jobs.thread import Tasks
from ui.models.table_model import TableModel
from ui.notices import Notices
from ui.pages.answer_charts import AnswerCharts
from ui.pages.option_table import options_table
from ui.settings import Settings
from ui.state import Answer, Store
from ui.theme import GRID, Theme
from ui.widgets.basic import Card, DataTable, Page, label


class AnswerPage(Page):
    """Shows the store's answer. Charts are drawn only while the page is visible."""

    def __init__(self, store: Store, tasks: Tasks, theme: Theme, settings: Settings, notices: Notices) -> None:
        super().__init__(tr("AnswerPage", "Answer"))
        self._store = store
        self._drawn: tuple[Answer | None, str | None] = (None, None)
        self.body.addWidget(self._verdict_card())
        self._charts = AnswerCharts(store, tasks, theme, settings, notices)
        self.charts = self._charts.cards
        self.body.addWidget(self._charts)
        self.body.addWidget(self._options_card())
        self.body.addStretch(1)
        store.answer_changed.connect(self.refresh)
        store.selection_changed.connect(self.refresh)
        self.refresh()

    def show_charts(self, tab: str) -> None:
        """Turn to one of the tabs of charts."""
        self._charts.show_tab(tab)

    def _verdict_card(self) -> Card:
        card = Card("")
        card.setAccessibleName(self.tr("Verdict"))
        self.sentence = label("", "sentence", wrap=True)
        card.body.addWidget(self.sentence)
        self.reasons = QVBoxLayout()
        self.reasons.setSpacing(GRID // 2)
        card.body.addLayout(self.reasons)
        self._reason_labels: list[QLabel] = []
        return card

    def _options_card(self) -> Card:
        card = Card(self.tr("All options"))
        self.model = TableModel(parent=self)
        self.table = DataTable(self.model, self.tr("All options"), fit_height=True, elastic=0)
        self.table.clicked.connect(lambda index: self._store.select(self.model.key(index.row())))
        self.table.activated.connect(lambda index: self._store.select(self.model.key(index.row())))
        card.body.addWidget(self.table)
        self.why_not = label("", "quiet", wrap=True)
        card.body.addWidget(self.why_not)
        return card

    def showEvent(self, _event: object) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Redraw what changed; nothing while another page is shown."""
        answer, selection = self._store.answer, self._store.selection
        drawn, drawn_selection = self._drawn
        # The answer itself is kept and compared: the id() of one that is gone may be another's.
        if not self.isVisible() or (drawn is answer and drawn_selection == selection):
            return
        self._drawn = (answer, selection)
        self._charts.setVisible(answer.recommendation is not None)  # empty axes say nothing
        if answer.recommendation is None or answer.inputs is None:
            waiting = self.tr("The first answer is being worked out.")
            self.sentence.setText(next(iter(answer.problems.values()), waiting))
            return
        words, recommendation = wording(), answer.recommendation
        self.sentence.setText(words.verdict(recommendation))
        self._show_reasons([words.reason(reason) for reason in recommendation.reasons[1:4]])
        self.model.set_table(options_table(recommendation, words))
        chosen_row = self.model.row_of(selection)
        if chosen_row is not None:
            self.table.selectRow(chosen_row)
        self._explain(selection)
        self._charts.show_answer(answer, selection)

    def _show_reasons(self, texts: list[str]) -> None:
        while len(self._reason_labels) < len(texts):
            line = label("", "quiet", wrap=True)
            self._reason_labels.append(line)
            self.reasons.addWidget(line)
        for index, line in enumerate(self._reason_labels):
            line.setVisible(index < len(texts))
            line.setText(f"•  {texts[index]}" if index < len(texts) else "")

    def _explain(self, selection: str | None) -> None:
        """Why the selected option is ruled out, if it is."""
        recommendation = self._store.answer.recommendation
        option = (
            next((one for one in recommendation.options if one.key == selection), None) if recommendation else None
        )
        reasons = [wording().reason(reason) for reason in option.rejected] if option else []
        self.why_not.setVisible(bool(reasons))
        if option is not None and reasons:
            name = wording().option(option)
            self.why_not.setText(self.tr("{0} is ruled out: {1}").format(name, " ".join(reasons)))
