"""Models whose operators depend on the values in their tensors: followed on the CPU with random data.

The path that this data takes stands for all. Operators of ours, which exist as shapes only, get CPU kernels here;
their gradients are zeros, as nothing decides by them within one step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.errors import SourceError
from planner.workload.trace.fused import LSTM_KEPT
from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable

# Two steps of it, with gradients and everything that is kept, must fit beside other programs.
LARGEST_MODEL_BYTES = 1 << 30
_SEED = 0
_PATH_OF = "one path, followed with random data"


def with_data(on_meta: Traceable, on_cpu: Callable[[], Traceable]) -> Traceable:
    """The model that ``on_cpu`` gives, with random inputs; ``on_meta``: the same model without memory.

    Token numbers stay below the size of the smallest embedding, classes are 0. Autocast is to bf16, which moves
    the same bytes as fp16 and for which the CPU has more kernels. Raises SourceError
    (data_dependent_control_flow) for a model that is too large for that.
    """
    shapes = on_meta.build(on_meta.default_size, torch.float32)
    held = sum(parameter.numel() * parameter.element_size() for parameter in shapes.parameters())
    if held > LARGEST_MODEL_BYTES:
        limit = f"with {held / 1e9:.1f} GB of weights it is too large to be followed with data instead"
        raise SourceError("data_dependent_control_flow", limit)
    source = on_cpu()
    tokens = min(
        (module.num_embeddings for module in shapes.modules() if isinstance(module, nn.Embedding)), default=2
    )

    def build(size: int, dtype: torch.dtype) -> nn.Module:
        torch.manual_seed(_SEED)
        return source.build(size, dtype)

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        generator = torch.Generator().manual_seed(_SEED)
        made = source.inputs(batch, size, dtype)
        return {name: _filled(name, tensor, tokens, generator) for name, tensor in made.items()}

    return replace(
        source,
        name=f"{source.name} ({_PATH_OF})",
        build=build,
        inputs=inputs,
        autocast_dtype=torch.bfloat16,
    )


def _filled(name: str, like: torch.Tensor, tokens: int, generator: torch.Generator) -> torch.Tensor:
    """One sample, repeated: so the path is the same for every batch, and its cost grows with it."""
    sample = like.shape[1:]
    if like.is_floating_point():
        made = torch.randn(sample, generator=generator).to(like.dtype)
    elif name == "target":
        made = torch.zeros(sample, dtype=like.dtype)
    else:
        made = torch.randint(0, tokens, sample, generator=generator, dtype=like.dtype)
    return made.expand(like.shape).contiguous()


@torch.library.impl("planner::attention", "CPU")
def _attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    with _unreplaced():
        out = functional.scaled_dot_product_attention(
            q, k, v, mask, is_causal=causal, enable_gqa=k.shape[1] != q.shape[1]
        )
    return out, q.new_zeros(q.shape[:-1], dtype=torch.float32)


@torch.library.impl("planner::attention_backward", "CPU")
def _attention_backward(
    _grad: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *_kept: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)


@torch.library.impl("planner::lstm", "CPU")
def _lstm(
    x: torch.Tensor, weights: list[torch.Tensor], hidden_size: int, layers: int, directions: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    start = x.new_zeros((layers * directions, len(x), hidden_size))
    has_biases = any(weight.dim() == 1 for weight in weights)
    with _unreplaced():
        out, *last = torch._VF.lstm(
            x, (start, start), weights, has_biases, layers, 0.0, False, directions == 2, True
        )
    return out, torch.stack(last), x.new_zeros((*out.shape[:2], layers * directions * hidden_size * LSTM_KEPT))


@torch.library.impl("planner::lstm_backward", "CPU")
def _lstm_backward(
    _grad: torch.Tensor, x: torch.Tensor, weights: list[torch.Tensor], *_kept: torch.Tensor
) -> list[torch.Tensor]:
    return [torch.zeros_like(tensor) for tensor in (x, *weights)]


def _unreplaced() -> Any:
    """Within it, torch's own functions are called, not those the tracer puts in their place."""
    return torch._C.DisableTorchFunction()
