"""Where models are built: on the meta device, without weights and without the time to draw them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

# What the initialisation of weights is made of: torch's own functions and the methods they call.
_IN_PLACE = frozenset(
    ("normal_", "uniform_", "trunc_normal_", "erfinv_", "mul_", "add_", "sub_", "div_", "clamp_", "fill_", "zero_")
)


class _WithoutValues(TorchFunctionMode):
    """Skips what would only change values, which tensors on the meta device do not have: a third of the time."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in _IN_PLACE:
            target = args[0] if args else kwargs.get("tensor")
            if isinstance(target, torch.Tensor) and target.is_meta:
                return target
        return func(*args, **kwargs)


@contextlib.contextmanager
def building_on(device: str) -> Iterator[None]:
    """Modules made within lie on ``device``, "meta" or "cpu"."""
    with torch.device(device), _WithoutValues() if device == "meta" else contextlib.nullcontext():
        yield
