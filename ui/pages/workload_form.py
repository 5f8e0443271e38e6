"""The form of the job: groups of fields, two columns, each problem at its field."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from ui.controllers.plan import PlanController
from ui.i18n import tr
from ui.state import Store
from ui.theme import GRID
from ui.widgets.basic import Card, label
from ui.widgets.fields import ChoiceField, Field, QuantityField, connect_all


def _precisions() -> tuple[tuple[str, str], ...]:
    return (
        ("fp32", tr("Form", "fp32 – single")),
        ("tf32", tr("Form", "tf32 – tensor cores")),
        ("amp", tr("Form", "amp – fp16 mixed")),
        ("amp_bf16", tr("Form", "amp – bf16 mixed")),
        ("bf16", tr("Form", "bf16 – pure")),
    )


_OPTIMIZERS = (
    ("sgd", "SGD"), ("momentum", "SGD + momentum"), ("adam", "Adam"), ("adamw", "AdamW"),
    ("adamw8bit", "AdamW 8-bit"), ("paged_adamw8bit", "AdamW 8-bit, paged"),
    ("adafactor", "Adafactor"), ("lion", "Lion"),
)  # fmt: skip


class WorkloadForm(QWidget):
    """Shows the store's draft; every keystroke goes to the controller."""

    def __init__(self, store: Store, plan: PlanController) -> None:
        super().__init__()
        self._store, self._plan = store, plan
        self.fields: list[Field] = []
        self.general_problem = label("", "problem", wrap=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * GRID)
        layout.addWidget(self.general_problem)
        columns = QHBoxLayout()
        columns.setSpacing(2 * GRID)
        left, right = QVBoxLayout(), QVBoxLayout()
        for column, groups in (
            (left, (self._training(),)),
            (right, (self._data(), self._limits(), self._renting())),
        ):
            column.setSpacing(2 * GRID)
            for group in groups:
                column.addWidget(group)
            column.addStretch(1)
            columns.addLayout(column, 1)
        layout.addLayout(columns)
        connect_all(self.fields, plan.type_text)
        store.draft_changed.connect(self.refresh)
        store.answer_changed.connect(self.refresh)
        plan.presets_changed.connect(self.refresh)
        self.refresh()

    def _group(self, title: str, fields: list[Field], columns: int) -> Card:
        card = Card(title)
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID + 4)
        for column in range(columns):
            grid.setColumnStretch(column, 1)
        for index, field in enumerate(fields):
            grid.addWidget(field, index // columns, index % columns, Qt.AlignmentFlag.AlignTop)
        card.body.addLayout(grid)
        self.fields += fields
        return card

    def _training(self) -> Card:
        self.size = QuantityField([("input_size", "")], self.tr("Image size"))
        return self._group(
            self.tr("Training"),
            [
                QuantityField([("batch_size", "")], self.tr("&Batch size per GPU")),
                self.size,
                ChoiceField("precision", self.tr("P&recision"), _precisions()),
                ChoiceField("optimizer", self.tr("Opti&mizer"), _OPTIMIZERS),
                ChoiceField(
                    "memory_format",
                    self.tr("Memory forma&t"),
                    (
                        ("contiguous", self.tr("contiguous (NCHW)")),
                        ("channels_last", self.tr("channels last (NHWC)")),
                    ),
                ),
                ChoiceField(
                    "checkpointing",
                    self.tr("Activation chec&kpointing"),
                    (("none", self.tr("none – fastest")), ("full", self.tr("full – least memory"))),
                ),
                ChoiceField(
                    "execution",
                    self.tr("Execution"),
                    (("eager", self.tr("eager – PyTorch's default")), ("compile", self.tr("torch.compile"))),
                ),
                ChoiceField(
                    "kept_batch",
                    self.tr("&With more GPUs keep"),
                    (
                        ("global", self.tr("the batch of all GPUs")),
                        ("per_gpu", self.tr("the batch of each GPU")),
                    ),
                ),
                QuantityField(
                    [("timed_step", "")],
                    self.tr("One step here, if you timed it"),
                    self.tr("0.25 s, 250 ms: the rented step follows from it"),
                    self.tr("not timed"),
                ),
            ],
            1,
        )

    def _data(self) -> Card:
        parts = self._range_parts("epochs")
        return self._group(
            self.tr("Data"),
            [
                QuantityField([("samples", "")], self.tr("&Samples per epoch"), self.tr("1.2M, 50k")),
                QuantityField([("dataset", "")], self.tr("&Data-set size"), self.tr("150 GB, 800 MiB")),
                QuantityField(parts, self.tr("Epo&chs"), self.tr("low, likely, high")),
                QuantityField([("runs", "")], self.tr("Runs"), self.tr("with other settings, as in a sweep")),
            ],
            2,
        )

    def _limits(self) -> Card:
        none = self.tr("none")
        return self._group(
            self.tr("Time and money"),
            [
                QuantityField(
                    [("deadline", "")], self.tr("Deadli&ne, from now"), self.tr("36 h, 2d 6h, 90 min"), none
                ),
                QuantityField([("budget", "")], self.tr("B&udget, USD"), self.tr("for this job"), none),
                QuantityField(
                    [("waiting_cost", "")], self.tr("Cost of wa&iting, USD/h"), self.tr("of all who wait")
                ),
                QuantityField(
                    [("late", "")], self.tr("Cost of being late, USD"), self.tr("empty: late is ruled out"), none
                ),
                ChoiceField(
                    "objective",
                    self.tr("Keep small"),
                    (("least_cost", self.tr("the cost")), ("fastest", self.tr("the time"))),
                ),
                QuantityField(
                    [("hours_per_month", "")],
                    self.tr("Training a month, hours"),
                    self.tr("to compare with buying a card"),
                    none,
                ),
            ],
            2,
        )

    def _renting(self) -> Card:
        return self._group(
            self.tr("Renting"),
            [
                QuantityField(
                    self._range_parts("upload"), self.tr("Upl&oad, Mbit/s"), self.tr("low, likely, high")
                ),
                QuantityField(
                    self._range_parts("bus"),
                    self.tr("Bandwidth between GPUs, GB/s"),
                    self.tr("of the rented host; empty: not known"),
                ),
                QuantityField([("tax", "")], self.tr("Tax, %"), self.tr("on the seller's bill")),
                ChoiceField(
                    "host_class",
                    self.tr("Rented cards have"),
                    (
                        ("unknown", self.tr("a connection not known")),
                        ("direct", self.tr("own PCIe lanes each")),
                        ("shared", self.tr("few or shared PCIe lanes")),
                        ("nvlink", self.tr("an NVLink bridge")),
                    ),
                ),
                ChoiceField(
                    "platform",
                    self.tr("Rented system"),
                    (("linux", "Linux"), ("windows", "Windows")),
                ),
                ChoiceField(
                    "privacy",
                    self.tr("The data is"),
                    (
                        ("public", self.tr("public")),
                        ("internal", self.tr("internal")),
                        ("personal", self.tr("personal")),
                        ("regulated", self.tr("regulated")),
                    ),
                ),
                QuantityField(
                    [("data_country", "")],
                    self.tr("Collected in"),
                    self.tr("country of personal data: VN, DE, …"),
                    self.tr("not said"),
                ),
            ],
            2,
        )

    def _range_parts(self, name: str) -> list[tuple[str, str]]:
        names = (("low", self.tr("low")), ("likely", self.tr("likely")), ("high", self.tr("high")))
        return [(f"{name}_{part}", text) for part, text in names]

    def refresh(self) -> None:
        draft = self._store.draft
        self.setEnabled(draft is not None)
        if draft is None:
            return
        problems = {**self._store.answer.problems, **self._store.reading.problems}
        if not self._store.answer.stale:
            problems = dict(self._store.reading.problems)
        for field in self.fields:
            field.refresh(draft, problems)
        shown = {key for field in self.fields for key in field.keys}
        rest = [text for key, text in problems.items() if key not in shown]
        self.general_problem.setText("\n".join(rest))
        self.general_problem.setVisible(bool(rest))
        self._fit_to_preset(draft.texts["model"].removeprefix("preset:"))

    def _fit_to_preset(self, name: str) -> None:
        """Images have a size, texts a length, tables neither."""
        info = self._plan.preset(name)
        kind = info.size_kind if info else "other"
        captions = {
            "image": self.tr("Image size, pixels"),
            "volume": self.tr("Volume size, voxels"),
            "sequence": self.tr("Sequence length, tokens"),
            "other": self.tr("Image size or sequence length"),
        }
        self.size.setVisible(kind != "none")
        caption = captions.get(kind, "")
        self.size.caption.setText(caption)
        self.size.edits["input_size"].setAccessibleName(caption)
        if info is not None and kind != "none":
            self.size.hint.setText(self.tr("{0} to {1}").format(info.size_min, info.size_max))
        self.size.hint.setVisible(info is not None and kind != "none")
