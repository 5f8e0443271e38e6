"""Records what a step executes and which memory is alive while it does."""

from __future__ import annotations

import functools
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map, tree_map_only

from planner.workload.optable import PHASES
from planner.workload.trace.classes import ALLOCATIONS
from planner.workload.trace.cost import Cost, costs_of, tensors_in
from planner.workload.trace.layout import as_cuda_lays_out

FORWARD, BACKWARD, WEIGHT_GRADIENT = (PHASES.index(name) for name in ("forward", "backward", "weight_gradient"))


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


@dataclass(frozen=True, slots=True)
class _Described:
    """A tensor without its memory."""

    shape: torch.Size
    stride: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    @classmethod
    def of(cls, tensor: torch.Tensor) -> _Described:
        return cls(tensor.shape, tensor.stride(), tensor.dtype, tensor.device)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What an operator did with such arguments: models repeat their blocks, and torch's own answer is slow."""

    costs: list[Cost]
    results: Any  # nested _Described; None: run it again, as it returns memory of its arguments or no tensors

    @classmethod
    def of(cls, func: Any, args: Any, kwargs: Any, out: Any) -> _Outcome:
        shares = _shares_memory(args, out)
        free = func.overloadpacket.__name__ in ALLOCATIONS or _is_view(func, shares, out)
        leaves = tree_leaves(out)
        # On the meta device only: what is computed for real must be computed.
        remembered = (
            not shares
            and not func._schema.is_mutable
            and all(leaf is None or (isinstance(leaf, torch.Tensor) and leaf.is_meta) for leaf in leaves)
        )
        return cls(
            [] if free else costs_of(func, args, kwargs, out),
            tree_map_only(torch.Tensor, _Described.of, out) if remembered else None,
        )


def _key(func: Any, args: Any, kwargs: Any) -> Any:
    """What an operator's result can depend on: all arguments, tensors without their contents."""
    return (func, *map(_frozen, args), *((name, _frozen(value)) for name, value in kwargs.items()))


def _frozen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return (*value.shape, *value.stride(), value.dtype, value.device)
    if isinstance(value, list | tuple):
        return (type(value), *map(_frozen, value))
    return type(value), value


def _made(described: Any) -> Any:
    if not isinstance(described, _Described):
        return described
    return torch.empty_strided(described.shape, described.stride, dtype=described.dtype, device=described.device)


class Recorder(TorchDispatchMode):
    """While active, logs every operator into ``recording``. Only memory that operators create on ``device``
    counts: parameters, buffers and inputs made before are left out."""

    def __init__(self, device: str = "meta") -> None:
        super().__init__()
        self.device = device
        self.recording = Recording()
        self.phase = FORWARD
        self._alive: dict[int, _Storage] = {}
        self._known: dict[Any, _Outcome] = {}

    def mark_gradient(self, parameter: torch.Tensor) -> None:
        """Count the memory of ``parameter.grad`` as a gradient, from its creation on."""
        assert parameter.grad is not None
        storage = self._alive.get(parameter.grad.untyped_storage()._cdata)
        if storage is not None:
            storage.is_gradient = True

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func.namespace == "prim":  # questions about a tensor, answered on the host
            return func(*args, **kwargs)
        key = _key(func, args, kwargs)
        known = self._known.get(key)
        if known is None:
            out = as_cuda_lays_out(func.overloadpacket.__name__, args, func(*args, **kwargs))
            known = _Outcome.of(func, args, kwargs, out)
            self._known[key] = known
        elif known.results is None:
            out = func(*args, **kwargs)
        else:
            out = tree_map(_made, known.results)
        self.recording.kernels.extend(Kernel(str(func), self._phase_of(cost), cost) for cost in known.costs)
        self._watch(args, out)
        self.recording.events += 1
        return out

    def _phase_of(self, cost: Cost) -> int:
        return WEIGHT_GRADIENT if self.phase == BACKWARD and cost.is_weight_gradient else self.phase

    def _watch(self, args: Any, out: Any) -> None:
        known = {tensor.untyped_storage()._cdata for tensor in tensors_in(args)}
        for tensor in tensors_in(out):
            memory = tensor.untyped_storage()
            key = memory._cdata
            if key in known or key in self._alive or tensor.device.type != self.device:
                continue
            storage = _Storage(memory.nbytes(), self.recording.events)
            storage.watcher = weakref.ref(memory, functools.partial(self._release, key))
            self._alive[key] = storage
            self.recording.storages.append(storage)

    def _release(self, key: int, _dead: Any) -> None:
        storage = self._alive.pop(key)
        storage.end = self.recording.events
        storage.watcher = None


def _shares_memory(args: Any, out: Any) -> bool:
    """Whether any result lies in memory that the arguments already hold."""
    held = {tensor.untyped_storage()._cdata for tensor in tensors_in(args)}
    return any(tensor.untyped_storage()._cdata in held for tensor in tensors_in(out))


def _is_view(func: Any, shares_memory: bool, out: Any) -> bool:
    """Whether an operator only re-describes memory that its arguments already hold."""
    if torch.Tag.inplace_view in func.tags:
        return True
    return shares_memory and not func._schema.is_mutable and bool(tensors_in(out))
