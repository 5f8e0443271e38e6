"""Adapters on a frozen model: LoRA (arXiv 2106.09685), and QLoRA (arXiv 2305.14314) on a base of 4 bits a weight.

As in common LoRA tools, every linear layer gets one but the last, which makes the output: it stays frozen where it
scores the words of a vocabulary, and is trained whole where it is new for the data set (classes).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from planner.workload.adapter import Adapter
from planner.workload.trace.errors import SourceError
from planner.workload.trace.models.blocks import Layer
from planner.workload.trace.tracer import Traceable

# 4-bit weights share a scale in groups of 64. The scales are kept in 8 bits and share an fp32 scale in groups of
# 256 ("double quantisation", arXiv 2305.14314, section 3).
_WEIGHTS_PER_SCALE = 64
_SCALES_PER_SCALE = 256

torch.library.define(
    "planner::dequantize_4bit",
    "(Tensor packed, Tensor scales, Tensor scales_of_scales, SymInt rows, SymInt columns, ScalarType dtype)"
    " -> Tensor",
)


@torch.library.register_fake("planner::dequantize_4bit")
def _dequantized(
    packed: torch.Tensor, _scales: Any, _scales_of_scales: Any, rows: int, columns: int, dtype: torch.dtype
) -> torch.Tensor:
    return packed.new_empty((rows, columns), dtype=dtype)


class _ProductWith4Bits(torch.autograd.Function):
    """x · weightᵀ + bias with a weight that is unpacked for each product, forward and backward, and not kept."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, layer: FourBitLinear) -> torch.Tensor:
        ctx.layer = layer
        return functional.linear(x, layer.unpacked(), layer.bias)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, None]:
        return torch.matmul(grads[0], ctx.layer.unpacked()), None


class FourBitLinear(nn.Module):
    """A frozen linear layer whose weight is stored in 4 bits; it is computed in ``dtype``."""

    def __init__(self, base: nn.Module, dtype: torch.dtype) -> None:
        super().__init__()
        self.in_features, self.out_features = _features(base)
        self.dtype = dtype
        count = self.in_features * self.out_features
        scales = math.ceil(count / _WEIGHTS_PER_SCALE)
        self.packed = nn.Parameter(_empty(base, math.ceil(count / 2), torch.uint8), requires_grad=False)
        self.packed.weights_held = count
        # No weights of the model, so they count as buffers.
        self.register_buffer("scales", _empty(base, scales, torch.uint8))
        self.register_buffer(
            "scales_of_scales", _empty(base, math.ceil(scales / _SCALES_PER_SCALE), torch.float32)
        )
        self.bias = base.bias

    @property
    def weight(self) -> torch.Tensor:
        """For models that ask in which type a layer computes. Empty: nobody may compute with it."""
        return self.packed.new_empty(0, dtype=self.dtype)

    def unpacked(self) -> torch.Tensor:
        """The weight (out_features, in_features), made by one kernel."""
        weight: torch.Tensor = torch.ops.planner.dequantize_4bit(
            self.packed, self.scales, self.scales_of_scales, self.out_features, self.in_features, self.dtype
        )
        return weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        product: torch.Tensor = _ProductWith4Bits.apply(x.to(self.dtype), self)
        return product.to(x.dtype)


class LoraLinear(Layer):
    """A frozen linear layer plus a trained product of two thin ones with weights of ``dtype``."""

    def __init__(self, base: nn.Module, rank: int, dtype: torch.dtype) -> None:
        super().__init__()
        in_features, out_features = _features(base)
        device = next(base.parameters()).device
        self.base = base.requires_grad_(False)
        self.down = nn.Linear(in_features, rank, bias=False, dtype=dtype, device=device)
        self.up = nn.Linear(rank, out_features, bias=False, dtype=dtype, device=device)
        self.scale = 2.0  # alpha / rank; any number costs the same

    @property
    def weight(self) -> torch.Tensor:
        """That of the frozen layer, for models that look at it."""
        weight: torch.Tensor = self.base.weight
        return weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        adapted: torch.Tensor = self.base(x) + self.up(self.down(x)) * self.scale
        return adapted


def add_adapter(model: nn.Module, adapter: Adapter, dtype: torch.dtype) -> None:
    """Freeze ``model`` and put an adapter with weights of ``dtype`` on its linear layers.

    Raises SourceError (unsupported_model) for a model without any.
    """
    base_dtype = next(model.parameters()).dtype
    model.requires_grad_(False)
    *layers, output = _linear_layers(model) or [("", None)]
    if output[1] is None or not layers:
        raise SourceError("unsupported_model", "it has no linear layers but its output for an adapter to sit on")
    for path, layer in layers:
        base = FourBitLinear(layer, base_dtype) if adapter.kind == "qlora" else layer
        parent, _, child = path.rpartition(".")
        setattr(model.get_submodule(parent), child, LoraLinear(base, adapter.rank, dtype))
    if not _scores_words(model, output[1]):
        output[1].to(dtype).requires_grad_(True)


def adapted(source: Traceable, adapter: Adapter, precision: str) -> Traceable:
    """The same model with an adapter. Its base is bf16, as is autocast; with "fp32" all is fp32."""
    base_dtype = torch.float32 if precision == "fp32" else torch.bfloat16

    def build(size: int, dtype: torch.dtype) -> nn.Module:
        model = source.build(size, base_dtype)
        add_adapter(model, adapter, dtype)
        return model

    return replace(source, build=build, autocast_dtype=torch.bfloat16)


def _linear_layers(model: nn.Module) -> list[tuple[str, nn.Module]]:
    """By path, in the order of the model. Those within torch's own attention are not called as layers."""
    within = {
        part
        for module in model.modules()
        if isinstance(module, nn.MultiheadAttention)
        for part in module.modules()
    }
    return [
        (path, layer)
        for path, layer in model.named_modules()
        if (isinstance(layer, nn.Linear) or _is_transposed(layer)) and layer not in within
    ]


def _is_transposed(layer: nn.Module) -> bool:
    """Conv1D of transformers is a linear layer whose weight is stored the other way round."""
    return type(layer).__name__ == "Conv1D" and type(layer).__module__ == "transformers.pytorch_utils"


def _features(layer: nn.Module) -> tuple[int, int]:
    """Inputs and outputs of a linear layer."""
    if isinstance(layer, nn.Linear | FourBitLinear):
        return layer.in_features, layer.out_features
    return layer.nx, layer.nf


def _scores_words(model: nn.Module, output: nn.Module) -> bool:
    words = {module.num_embeddings for module in model.modules() if isinstance(module, nn.Embedding)}
    return _features(output)[1] in words


def _empty(like: nn.Module, count: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.empty(count, dtype=dtype, device=like.weight.device)
