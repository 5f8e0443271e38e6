"""The cards of the machine page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from planner.units import format_bytes
from ui.controllers.detect import DetectController
from ui.files import ask_open
from ui.i18n import marked, say
from ui.models.gpu_model import GpuModel
from ui.settings import Settings
from ui.state import Store
from ui.theme import GRID
from ui.widgets.basic import Card, DataTable, button, label, row, set_role

if TYPE_CHECKING:
    from planner.hardware.snapshot import Check, Host, Interpreter

NOT_AVAILABLE = "N/A"


def _size(count: int) -> str:
    return marked(format_bytes(count))


class GpuCard(Card):
    """All GPUs beside each other, and which of them would train."""

    def __init__(self, store: Store, detect: DetectController) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Graphics cards"))
        self._store, self._detect = store, detect
        self._filling = False
        caption = label(self.tr("&Train on"), "quiet")
        self.choice = QComboBox()
        self.choice.setAccessibleName(self.tr("GPU to train on"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.activated.connect(self._chosen)
        caption.setBuddy(self.choice)
        self.versions = label("", "quiet")
        self._choice_row = QWidget()
        self._choice_row.setLayout(row(caption, self.choice, None))
        self._choice_row.layout().setContentsMargins(0, 0, 0, 0)
        self.body.addLayout(row(label(self.tr("Graphics cards"), "heading"), None, self.versions))
        self.body.addWidget(self._choice_row)
        self.empty = label("", wrap=True)
        self.body.addWidget(self.empty)
        self.model = GpuModel(self)
        name = self.tr("Readings of every GPU")
        self.table = DataTable(self.model, name, fit_height=True, even_columns=True)
        self.body.addWidget(self.table)
        self.body.addStretch(1)
        store.snapshot_changed.connect(self.refresh)
        store.gpu_changed.connect(self.refresh)
        self.refresh()

    def _chosen(self, index: int) -> None:
        self._detect.choose_gpu(self.choice.itemData(index))

    def refresh(self) -> None:
        snapshot = self._store.snapshot
        gpus = snapshot.gpus if snapshot else ()
        self.model.set_gpus(gpus)
        self.table.setVisible(bool(gpus))
        self.empty.setVisible(not gpus)
        self.empty.setText(
            self.tr("Looking at the graphics cards…")
            if snapshot is None
            else self.tr(
                "No GPU was found here. You can still describe the job and compare rented GPUs; "
                "the benchmark then measures the processor."
            )
        )
        self._choice_row.setVisible(bool(gpus))
        self.choice.clear()
        for gpu in gpus:
            self.choice.addItem(f"{gpu.index}: {gpu.name}", gpu.uuid)
        current = self._store.gpu
        if current is not None:
            self.choice.setCurrentIndex(gpus.index(current))
        self.versions.setText(self._versions())

    def _versions(self) -> str:
        snapshot = self._store.snapshot
        if snapshot is None or snapshot.driver_version is None:
            return ""
        cuda = snapshot.cuda_driver_version or NOT_AVAILABLE
        return self.tr("Driver {0}, CUDA up to {1}").format(snapshot.driver_version, cuda)


class HostCard(Card):
    """The computer around the GPUs."""

    def __init__(self, store: Store) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Computer"))
        self._store = store
        self.body.addWidget(label(self.tr("Computer"), "heading"))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID // 2)
        self._grid.setColumnStretch(1, 1)
        self.body.addLayout(self._grid)
        self._values = []
        names = (
            self.tr("System"), self.tr("Processor"), self.tr("Cores"), self.tr("Memory"), self.tr("Disk"),
            self.tr("Power"),
        )  # fmt: skip
        for index, name in enumerate(names):
            value = label("", wrap=True)
            self._grid.addWidget(label(name, "quiet"), index, 0)
            self._grid.addWidget(value, index, 1)
            self._values.append(value)
        store.snapshot_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        snapshot = self._store.snapshot
        texts = self._texts(snapshot.host) if snapshot else ("…",) * len(self._values)
        for value, text in zip(self._values, texts, strict=True):
            value.setText(text)

    def _texts(self, host: Host) -> tuple[str, ...]:
        free = self.tr("{0}, {1} free")
        disk = NOT_AVAILABLE
        if host.disk_total_bytes is not None and host.disk_free_bytes is not None:
            disk = free.format(_size(host.disk_total_bytes), _size(host.disk_free_bytes))
        cores = f"{host.physical_cores or NOT_AVAILABLE} / {host.logical_cores or NOT_AVAILABLE}"
        return (
            host.os_name + (self.tr(" (WSL)") if host.is_wsl else ""),
            host.cpu_name or NOT_AVAILABLE,
            self.tr("{0} (physical / logical)").format(cores),
            free.format(_size(host.memory_total_bytes), _size(host.memory_free_bytes)),
            disk,
            self._power(host),
        )

    def _power(self, host: Host) -> str:
        if host.on_battery is None:
            return self.tr("no battery, or not known")
        charge = "" if host.battery_percent is None else f" ({host.battery_percent:.0f} %)"
        if host.on_battery:
            return self.tr("on battery{0}: plug in before you measure").format(charge)
        return self.tr("plugged in{0}").format(charge)


class CheckCard(Card):
    """Layer by layer: what was found, and what to do about it."""

    def __init__(self, store: Store) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Checks"))
        self._store = store
        self.body.addWidget(label(self.tr("Checks"), "heading"))
        self._list = QVBoxLayout()
        self._list.setSpacing(GRID)
        self.body.addLayout(self._list)
        store.snapshot_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        while (item := self._list.takeAt(0)) is not None:
            item.widget().deleteLater()
        checks = self._store.snapshot.checks if self._store.snapshot else ()
        for check in checks:
            self._list.addWidget(self._line(check))
        if not checks:
            self._list.addWidget(label(self.tr("Not looked at yet."), "quiet"))

    def _line(self, check: Check) -> QWidget:
        marks = {
            "ok": ("✓", "good", self.tr("fine")),
            "failed": ("✗", "bad", self.tr("failed")),
            "unknown": ("?", "warning", self.tr("not known")),
            "skipped": ("–", "quiet", self.tr("not needed")),
        }
        sign, role, word = marks[check.status.value]
        values = dict(check.values)
        title, action = say(f"{check.code}.title", **values), say(f"{check.code}.action", **values)
        line = QWidget()
        line.setAccessibleName(f"{word}: {title} {action}")
        grid = QGridLayout(line)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GRID)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        mark = label(sign, role)
        mark.setFixedWidth(2 * GRID)
        mark.setToolTip(word)
        grid.addWidget(mark, 0, 0)
        grid.addWidget(label(title, wrap=True), 0, 1)
        if check.status.value in ("failed", "unknown"):
            grid.addWidget(label(action, "quiet", wrap=True), 1, 1)
        return line


class PythonCard(Card):
    """Which Python runs the benchmark, and what its torch can do."""

    def __init__(self, store: Store, detect: DetectController, settings: Settings) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Python for the benchmark"))
        self._store, self._detect, self._settings = store, detect, settings
        self.body.addWidget(label(self.tr("Python for the benchmark"), "heading"))
        self.choice = QComboBox()
        self.choice.setAccessibleName(self.tr("Python that runs the benchmark"))
        self.choice.setMinimumWidth(120)
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.activated.connect(lambda index: detect.choose_python(self.choice.itemData(index)))
        browse = button(self.tr("&Browse…"), self._browse, tip=self.tr("Choose another python program"))
        line = QHBoxLayout()
        line.setSpacing(GRID)
        line.addWidget(self.choice, 1)
        line.addWidget(browse)
        self.body.addLayout(line)
        self.state = label("", wrap=True)
        self.advice = label("", "quiet", wrap=True)
        self.body.addWidget(self.state)
        self.body.addWidget(self.advice)
        store.snapshot_changed.connect(self.refresh)
        detect.busy_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        interpreters = self._store.snapshot.interpreters if self._store.snapshot else ()
        self.choice.clear()
        self.choice.setEnabled(bool(interpreters))
        self.state.setVisible(True)
        if not interpreters:
            self.choice.addItem(self.tr("Looking for Pythons…") if self._detect.is_busy else self.tr("None found"))
            set_role(self.state, "quiet")
            self.state.setText(self.tr("Pythons are tried in the background; this can take half a minute."))
            self.state.setVisible(self._detect.is_busy)
            self.advice.setVisible(False)
            return
        for interpreter in interpreters:
            self.choice.addItem(self._name(interpreter), interpreter.path)
        current = self._detect.python or interpreters[0]
        self.choice.setCurrentIndex(interpreters.index(current))
        self.choice.setToolTip(current.path)
        self._describe(current)

    def _name(self, interpreter: Interpreter) -> str:
        torch = f"torch {interpreter.torch_version}" if interpreter.torch_version else self.tr("no torch")
        return f"{interpreter.path}  ·  {torch}"

    def _describe(self, current: Interpreter) -> None:
        if current.problem is not None:
            set_role(self.state, "bad")
            self.state.setText(say(f"check.interpreter.{current.problem}.title"))
            self.advice.setText(say(f"check.interpreter.{current.problem}.action"))
            self.advice.setVisible(True)
            return
        set_role(self.state, "good" if current.has_gpu else "quiet")
        names = ", ".join(device.name for device in current.devices if device.kind != "cpu")
        version = f"Python {current.python_version}, torch {current.torch_version}"
        if names:
            self.state.setText(self.tr("{0} can use: {1}").format(version, names))
        else:
            self.state.setText(self.tr("{0} can use the processor only.").format(version))
        self.advice.setText(current.detail)
        self.advice.setVisible(bool(current.detail))

    def _browse(self) -> None:
        path = ask_open(self, self._settings, self.tr("Choose a python program"), "")
        if path is not None:
            self._detect.choose_python(str(path))
