"""Operators that a GPU runs as one kernel but the meta device takes apart.

``FusedKernels`` replaces scaled-dot-product attention, LSTM and dropout, wherever a model calls them, by one
operator each, with the memory that the fused kernels of CUDA keep: attention keeps q, k, v, the output and one
fp32 number a row (FlashAttention, arXiv 2205.14135), not the s² scores; an LSTM keeps its gates; dropout keeps
a mask of one byte. The operators have shapes and derivatives only: they exist on the meta device.
"""

# Signatures are those of torch's functions and of the operators' schemas, used or not.
# ruff: noqa: ARG001

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils.flop_counter import sdpa_flop_count

from planner.workload.trace.errors import TraceError

# Kept by an LSTM for its backward pass, in elements of the hidden width per position and layer: four gates,
# the cell state, the hidden state. cuDNN does not document its reserve; this is what the backward pass needs.
LSTM_KEPT = 6
# Attention backward recomputes the scores: five products instead of two (arXiv 2205.14135, appendix B).
_ATTENTION_BACKWARD_RATIO = 2.5
_LSTM_BACKWARD_RATIO = 2  # data and weight gradient


torch.library.define(
    "planner::attention",
    "(Tensor q, Tensor k, Tensor v, Tensor? mask, bool causal) -> (Tensor out, Tensor row_sums)",
)
torch.library.define(
    "planner::attention_backward",
    "(Tensor grad, Tensor q, Tensor k, Tensor v, Tensor? mask, bool causal, Tensor out, Tensor row_sums)"
    " -> (Tensor, Tensor, Tensor)",
)
torch.library.define(
    "planner::lstm",
    "(Tensor x, Tensor[] weights, int hidden_size, int layers, int directions)"
    " -> (Tensor out, Tensor state, Tensor reserve)",
)
torch.library.define(
    "planner::lstm_backward",
    "(Tensor grad, Tensor x, Tensor[] weights, Tensor out, Tensor reserve) -> Tensor[]",
)

torch.library.define("planner::roi_align", "(Tensor features, int regions, int side) -> Tensor")
torch.library.define("planner::roi_align_backward", "(Tensor grad, Tensor features) -> Tensor")


@torch.library.register_fake("planner::attention")
def _attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """q (b, heads, s, d); k, v the same or with fewer heads. Output like q, row sums (b, heads, s)."""
    return q.new_empty((*q.shape[:-1], v.shape[-1])), q.new_empty(q.shape[:-1], dtype=torch.float32)


@torch.library.register_fake("planner::attention_backward")
def _attention_backward(
    grad: torch.Tensor, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *kept: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)


def _keep_attention(ctx: Any, inputs: Any, output: Any) -> None:
    q, k, v, mask, ctx.causal = inputs
    ctx.save_for_backward(q, k, v, mask, *output)
    ctx.mark_non_differentiable(output[1])


def _differentiate_attention(ctx: Any, grad: torch.Tensor, _grad_row_sums: Any) -> tuple[Any, ...]:
    q, k, v, mask, out, row_sums = ctx.saved_tensors
    backward = torch.ops.planner.attention_backward
    return (*backward(grad, q, k, v, mask, ctx.causal, out, row_sums), None, None)


torch.library.register_autograd("planner::attention", _differentiate_attention, setup_context=_keep_attention)


def attention_flops(name: str, *args: Any) -> int:
    """FLOPs of an attention operator: half under a causal mask, whose upper triangle kernels skip."""
    if name == "attention":
        (q, k, v, _, causal), ratio = args[:5], 1.0
    else:
        (q, k, v, _, causal), ratio = args[1:6], _ATTENTION_BACKWARD_RATIO
    full = sdpa_flop_count(q.shape, k.shape, v.shape)
    return int(full * ratio * (0.5 if causal else 1.0))


@torch.library.register_fake("planner::lstm")
def _lstm(
    x: torch.Tensor, weights: list[torch.Tensor], hidden_size: int, layers: int, directions: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """x (b, s, features). Output (b, s, directions·h), last states (2, layers·directions, b, h), reserve."""
    batch, length, _ = x.shape
    stacked = layers * directions
    state = x.new_empty((2, stacked, batch, hidden_size))
    reserve = x.new_empty((batch, length, stacked * hidden_size * LSTM_KEPT))
    return x.new_empty((batch, length, directions * hidden_size)), state, reserve


@torch.library.register_fake("planner::lstm_backward")
def _lstm_backward(
    grad: torch.Tensor, x: torch.Tensor, weights: list[torch.Tensor], out: torch.Tensor, reserve: torch.Tensor
) -> list[torch.Tensor]:
    return [torch.empty_like(tensor) for tensor in (x, *weights)]


def _keep_lstm(ctx: Any, inputs: Any, output: Any) -> None:
    out, state, reserve = output
    ctx.save_for_backward(inputs[0], *inputs[1], out, reserve)
    ctx.mark_non_differentiable(state, reserve)


def _differentiate_lstm(ctx: Any, grad: torch.Tensor, *_unused: Any) -> tuple[Any, ...]:
    x, *weights, out, reserve = ctx.saved_tensors
    grads = torch.ops.planner.lstm_backward(grad, x, weights, out, reserve)
    return grads[0], grads[1:], None, None, None


torch.library.register_autograd("planner::lstm", _differentiate_lstm, setup_context=_keep_lstm)


def lstm_flops(name: str, *args: Any) -> int:
    """FLOPs of an LSTM operator: every weight matrix meets every position once."""
    x, weights = args[:2] if name == "lstm" else args[1:3]
    positions = x.shape[0] * x.shape[1]
    matrices = sum(weight.numel() for weight in weights if weight.dim() == 2)
    return 2 * positions * matrices * (1 if name == "lstm" else _LSTM_BACKWARD_RATIO)


@torch.library.register_fake("planner::roi_align")
def _roi_align(features: torch.Tensor, regions: int, side: int) -> torch.Tensor:
    """features (b, c, h, w) to the same number of regions of each image (arXiv 1703.06870): (b·regions, c, side,
    side)."""
    return features.new_empty((len(features) * regions, features.shape[1], side, side))


@torch.library.register_fake("planner::roi_align_backward")
def _roi_align_backward(_grad: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(features)


def _keep_features(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.features = torch.empty_like(inputs[0], device="meta")  # the kernel keeps their shape only


def _differentiate_roi_align(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
    return torch.ops.planner.roi_align_backward(grad, ctx.features), None, None


torch.library.register_autograd("planner::roi_align", _differentiate_roi_align, setup_context=_keep_features)


def _attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,  # fused kernels draw it on the fly: no memory, no extra pass
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    # Fused kernels take (batch, heads, length, width) and give a mask no gradient; torch composes the others.
    if query.dim() != 4 or (attn_mask is not None and attn_mask.requires_grad):
        return _attend_in_parts(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    out: torch.Tensor = torch.ops.planner.attention(query, key, value, attn_mask, is_causal)[0]
    return out


def _run_lstm(
    x: torch.Tensor,
    state: Any,
    weights: list[torch.Tensor],
    has_biases: bool,
    layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    if not batch_first:
        raise TraceError("an LSTM must be built with batch_first=True to be traced")
    directions = 2 if bidirectional else 1
    out, last, _ = torch.ops.planner.lstm(x, weights, state[0].shape[-1], layers, directions)
    return out, last[0], last[1]


def _drop(x: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    return torch.native_dropout(x, p, True)[0] if training and p > 0 else x


class FusedKernels(TorchFunctionMode):
    """While active, calls with a fused kernel reach the operators of this module."""

    _replacements: dict[Any, Callable[..., Any]] = {
        functional.scaled_dot_product_attention: _attend,
        torch._VF.lstm: _run_lstm,
        functional.dropout: _drop,
    }

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self._replacements.get(func, func)(*args, **(kwargs or {}))


class EagerAttention(TorchFunctionMode):
    """While active, scaled-dot-product attention is two products and a softmax, as before torch 2. Entered
    inside ``Autocast``, which then sees each of them."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is functional.scaled_dot_product_attention:
            return _attend_in_parts(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


def _attend_in_parts(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    if enable_gqa and key.shape[1] != query.shape[1]:
        groups = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
    scores = torch.matmul(query * (scale or query.shape[-1] ** -0.5), key.transpose(-2, -1))
    if is_causal:
        shape = scores.shape[-2:]
        future = torch.ones(shape, dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
    if attn_mask is not None:
        scores = scores + attn_mask
    shares = functional.dropout(functional.softmax(scores, dim=-1), dropout_p, dropout_p > 0)
    return torch.matmul(shares, value)
