"""A model from the user's Python file. Their code runs in this process: only the tracing child calls this."""

from __future__ import annotations

import inspect
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.errors import SourceError
from planner.workload.trace.models.blocks import repeated_blocks
from planner.workload.trace.models.building import building_on
from planner.workload.trace.models.sizes import sequence_sizes
from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable

_IMAGE_SIZE = 224
_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)


def python_model(file: Path, function: str, eager_attention: bool, device: str = "meta") -> Traceable:
    """The module that ``function()`` of ``file`` returns, fed by what its first layer takes.

    Images for a Conv2d, token numbers for an Embedding, vectors for a Linear. The loss is cross-entropy on the
    first output. Raises SourceError: user_code_failed, unsupported_model.
    """
    make = _function(file, function)

    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        with building_on(device):
            model = make()
        if not isinstance(model, nn.Module):
            raise SourceError("user_code_failed", f"{function}() returned {type(model).__name__}, no nn.Module")
        return model.to(device, dtype)

    model = build(0, torch.float32)
    name = next(iter(inspect.signature(model.forward).parameters), "x")
    sizes, first_input = _first_input(model)

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        return {name: first_input(batch, size, dtype)}

    return Traceable(
        name=f"py:{file.name}:{function}",
        build=build,
        inputs=inputs,
        loss=lambda model, batch: _loss(model(**batch), batch[name]),
        blocks=repeated_blocks,
        eager_attention=eager_attention,
        **sizes,
    )


def _function(file: Path, function: str) -> Callable[[], Any]:
    sys.path.insert(0, str(file.parent))  # what the file imports from beside it
    found = runpy.run_path(str(file)).get(function)
    if not callable(found):
        raise SourceError("user_code_failed", f"{file.name} has no function {function}")
    return found


def _first_input(model: nn.Module) -> tuple[dict[str, Any], Callable[[int, int, torch.dtype], torch.Tensor]]:
    """Size fields of a Traceable and the maker of a batch, by the first layer that has weights."""
    kinds = (*_CONVOLUTIONS, nn.Embedding, nn.Linear, nn.LSTM, nn.GRU)
    layer: Any = next((module for module in model.modules() if isinstance(module, kinds)), None)
    if isinstance(layer, nn.Conv2d):
        only = dict.fromkeys(("size_unit", "default_size", "size_min", "size_max"), _IMAGE_SIZE)
        fields = {"size_kind": "image", **only, "trace_sizes": (_IMAGE_SIZE,)}
        channels = layer.in_channels
        return fields, lambda b, size, dtype: torch.empty(b, channels, size, size, dtype=dtype, device="meta")
    if isinstance(layer, nn.Embedding):
        return sequence_sizes(None), lambda b, size, _: torch.empty(b, size, dtype=torch.int64, device="meta")
    if isinstance(layer, nn.Linear):
        fields = {"size_kind": "none", **dict.fromkeys(("size_unit", "default_size", "size_min", "size_max"), 0)}
        width = layer.in_features
        return {**fields, "trace_sizes": (0,)}, lambda b, _, dtype: torch.empty(
            b, width, dtype=dtype, device="meta"
        )
    kind = type(layer).__name__ if layer is not None else "none with weights"
    what = f"its first layer is {kind}; inputs are known for Conv2d, Embedding and Linear"
    raise SourceError("unsupported_model", what)


def _loss(output: Any, features: torch.Tensor) -> torch.Tensor:
    """Cross-entropy where the output looks like class scores, else the mean: either is a sliver of the step."""
    while isinstance(output, tuple | list):
        output = output[0]
    if isinstance(output, dict):
        output = next(iter(output.values()))
    if output.dim() < 2 or output.shape[1] < 2:
        return output.float().mean()
    if output.dim() == 3 and features.dim() == 2:  # (b, s, classes), one for each token
        output = output.flatten(0, 1)
    target = torch.zeros((output.shape[0], *output.shape[2:]), dtype=torch.int64, device=output.device)
    return functional.cross_entropy(output, target)
