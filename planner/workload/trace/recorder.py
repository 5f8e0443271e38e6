"""Records what a step executes and which memory is alive while it does."""

from __future__ import annotations

import functools
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from planner.workload.optable import PHASES
from planner.workload.trace.classes import ALLOCATIONS
from planner.workload.trace.cost import Cost, costs_of, tensors_in

FORWARD, BACKWARD = PHASES.index("forward"), PHASES.index("backward")


@dataclass(frozen=True, slots=True)
class Kernel:
    """One executed kernel; ``operator`` is its name, for messages only."""

    operator: str
    phase: int
    cost: Cost


@dataclass(slots=True)
class _Storage:
    """Memory that an operator created: alive from event ``start`` until before event ``end``."""

    bytes: int
    start: int
    end: int | None = None
    is_gradient: bool = False
    watcher: Any = None


@dataclass
class Recording:
    """Kernels in order, and memory by event. An event is one operator that was executed, views included."""

    kernels: list[Kernel] = field(default_factory=list)
    storages: list[_Storage] = field(default_factory=list)
    events: int = 0

    def live_bytes(self, *, gradients: bool) -> np.ndarray[Any, np.dtype[np.int64]]:
        """(events,) bytes alive right after each event: parameter gradients, or everything else."""
        change = np.zeros(self.events + 1, dtype=np.int64)
        for storage in self.storages:
            if storage.is_gradient == gradients:
                change[storage.start] += storage.bytes
                if storage.end is not None:
                    change[storage.end] -= storage.bytes
        return np.cumsum(change[: self.events])


class Recorder(TorchDispatchMode):
    """While active, logs every operator into ``recording``. Only memory that operators create counts:
    parameters, buffers and inputs made before are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.recording = Recording()
        self.phase = FORWARD
        self._alive: dict[int, _Storage] = {}

    def mark_gradient(self, parameter: torch.Tensor) -> None:
        """Count the memory of ``parameter.grad`` as a gradient, from its creation on."""
        assert parameter.grad is not None
        storage = self._alive.get(parameter.grad.untyped_storage()._cdata)
        if storage is not None:
            storage.is_gradient = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if func.namespace == "prim":  # questions about a tensor, answered on the host
            return out
        name = func.overloadpacket.__name__
        if name not in ALLOCATIONS and not _is_view(func, args, out):
            self.recording.kernels.extend(
                Kernel(str(func), self.phase, cost) for cost in costs_of(func, args, kwargs, out)
            )
        self._watch(args, out)
        self.recording.events += 1
        return out

    def _watch(self, args: Any, out: Any) -> None:
        known = {tensor.untyped_storage()._cdata for tensor in tensors_in(args)}
        for tensor in tensors_in(out):
            memory = tensor.untyped_storage()
            key = memory._cdata
            if key in known or key in self._alive or tensor.device.type != "meta":
                continue
            storage = _Storage(memory.nbytes(), self.recording.events)
            storage.watcher = weakref.ref(memory, functools.partial(self._release, key))
            self._alive[key] = storage
            self.recording.storages.append(storage)

    def _release(self, key: int, _dead: Any) -> None:
        storage = self._alive.pop(key)
        storage.end = self.recording.events
        storage.watcher = None


def _is_view(func: Any, args: Any, out: Any) -> bool:
    """Whether an operator only re-describes memory that its arguments already hold."""
    if torch.Tag.inplace_view in func.tags:
        return True
    if func._schema.is_mutable:
        return False
    held = {tensor.untyped_storage()._cdata for tensor in tensors_in(args)}
    results = tensors_in(out)
    return bool(results) and all(tensor.untyped_storage()._cdata in held for tensor in results)
