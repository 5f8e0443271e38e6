"""What peak memory depends on of an op table: no ops, only what is alive."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from planner.predict.types import Floats
from planner.workload.optable import OP_CLASSES, OpTable, SizeKind, positions_at

_CONVOLUTIONS = np.isin(OP_CLASSES, ("conv", "conv_1x1", "conv_depthwise", "conv_grouped"))


@dataclass(frozen=True)
class MemoryTable:
    """Fields are those of ``planner.workload.optable.OpTable`` with the same names and meanings."""

    size_kind: SizeKind
    size_unit: int
    convolves: bool  # cuDNN is used, and its workspaces
    live_bytes: Floats  # (P, 6)
    live_gradient_bytes: Floats  # (P,)
    live_bytes_infer: Floats  # (Q, 6)
    parameters: int
    trained_parameters: int
    parameter_bytes: int
    trained_parameter_bytes: int
    buffer_bytes: int
    input_bytes: Floats  # (6,)

    @classmethod
    def of(cls, table: OpTable) -> MemoryTable:
        """The part of an op table that memory depends on."""
        kept = {field.name: getattr(table, field.name) for field in fields(cls) if field.name != "convolves"}
        return cls(convolves=bool(_CONVOLUTIONS[table.op_class].any()), **kept)

    @property
    def trained_width(self) -> float:
        """Bytes of one trained parameter as stored; 0 where nothing is trained."""
        return self.trained_parameter_bytes / self.trained_parameters if self.trained_parameters else 0.0

    @property
    def frozen_bytes(self) -> float:
        """Bytes of the weights that are not trained."""
        return float(self.parameter_bytes - self.trained_parameter_bytes)

    def positions(self, size: int) -> float:
        """n of ``planner.workload.optable`` for an image size or a sequence length."""
        return positions_at(self.size_kind, self.size_unit, size)
