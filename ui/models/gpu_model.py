"""The GPUs of this machine: a row per reading, a column per GPU. What the driver refuses is "N/A"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from planner.units import format_bytes
from ui.i18n import marked, written
from ui.models.table_model import LEFT

if TYPE_CHECKING:
    from planner.hardware.snapshot import Gpu, PcieLink

Index = QModelIndex | QPersistentModelIndex
NOT_AVAILABLE = "N/A"


def _amount(value: float | None, unit: str) -> str:
    return NOT_AVAILABLE if value is None else f"{written(value)} {unit}"


def _pair(one: float | None, other: float | None, unit: str) -> str:
    """ "1,300 / 9,500 MHz"; N/A for what is not told."""
    texts = [NOT_AVAILABLE if value is None else written(value, 4) for value in (one, other)]
    known = one is not None or other is not None
    return f"{texts[0]} / {texts[1]} {unit}" if known else NOT_AVAILABLE


def _memory(gpu: Gpu) -> str:
    if gpu.memory_total_bytes is None:
        return NOT_AVAILABLE
    free = NOT_AVAILABLE if gpu.memory_free_bytes is None else marked(format_bytes(gpu.memory_free_bytes))
    return f"{marked(format_bytes(gpu.memory_total_bytes))} / {free}"


def _link(generation: int | None, width: int | None) -> str:
    if generation is None and width is None:
        return NOT_AVAILABLE
    return f"{generation or '?'}.0 ×{width or '?'}"


def _pcie(link: PcieLink) -> str:
    now, most = _link(link.generation, link.width), _link(link.max_generation, link.max_width)
    return now if now == most else f"{now} / {most}"


class GpuModel(QAbstractTableModel):
    """Shows the GPUs of a snapshot."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gpus: tuple[Gpu, ...] = ()
        self._rows: tuple[tuple[str, Callable[[Gpu], str]], ...] = self._readings()

    def set_gpus(self, gpus: tuple[Gpu, ...]) -> None:
        self.beginResetModel()
        self._gpus = gpus
        self.endResetModel()

    def _readings(self) -> tuple[tuple[str, Callable[[Gpu], str]], ...]:
        return (
            (self.tr("State"), self._state),
            (self.tr("Memory, total / free"), _memory),
            (self.tr("Compute capability"), lambda gpu: gpu.compute_capability or NOT_AVAILABLE),
            (self.tr("Utilisation"), lambda gpu: _amount(gpu.utilisation_percent, "%")),
            (self.tr("Temperature"), lambda gpu: _amount(gpu.temperature_c, "°C")),
            (self.tr("Power draw"), lambda gpu: _amount(gpu.power_draw_w, "W")),
            (self.tr("Power limit / default"), self._power_limit),
            (self.tr("Clock, core / memory"), self._clocks),
            (self.tr("PCIe link, now / best"), lambda gpu: _pcie(gpu.pcie)),
            (self.tr("Bus address"), lambda gpu: gpu.pci_bus_id or NOT_AVAILABLE),
            (self.tr("Drives a display"), self._display),
            (self.tr("Computing processes"), self._processes),
            (self.tr("UUID"), lambda gpu: gpu.uuid or NOT_AVAILABLE),
        )

    def _state(self, gpu: Gpu) -> str:
        return self.tr("lost: the driver stopped answering") if gpu.lost else self.tr("answers")

    def _power_limit(self, gpu: Gpu) -> str:
        return _pair(gpu.power_limit_w, gpu.power_limit_default_w, "W")

    def _clocks(self, gpu: Gpu) -> str:
        return _pair(gpu.sm_clock_mhz, gpu.memory_clock_mhz, "MHz")

    def _display(self, gpu: Gpu) -> str:
        if gpu.display_active is None:
            return NOT_AVAILABLE
        return self.tr("yes") if gpu.display_active else self.tr("no")

    def _processes(self, gpu: Gpu) -> str:
        return NOT_AVAILABLE if gpu.process_count is None else str(gpu.process_count)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() or not self._gpus else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() or not self._gpus else 1 + len(self._gpus)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            name, read = self._rows[index.row()]
            return read(self._gpus[index.column() - 1]) if index.column() else name
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        if section == 0:
            return self.tr("Reading")
        name = self._gpus[section - 1].name
        short = role == Qt.ItemDataRole.DisplayRole
        return name.removeprefix("NVIDIA ").removeprefix("GeForce ") if short else name
