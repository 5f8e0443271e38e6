"""FLOPs and bytes of one executed operator, from the shapes of its tensors.

FLOPs are those of matrix arithmetic (torch's own formulas, ``torch.utils.flop_counter``; a multiply-add is
2); everything else is bound by memory and counts 0. Bytes are what must be read and written at least once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.flop_counter import conv_flop_count, flop_registry

from planner.workload.trace.classes import KIND_BY_NAME, convolution_kind, operator_kind
from planner.workload.trace.fused import attention_flops, lstm_flops
from planner.workload.trace.layout import (
    CONTIGUOUS_ONLY,
    convolution_format,
    dimension_order,
    is_channels_last,
)

# Contents of their tensor arguments are not read.
_WRITE_ONLY = frozenset({"fill_", "zero_", "zeros_like", "ones_like", "full_like", "new_zeros"})
# Only as many elements of the table (first argument) are read as are written.
_GATHERING = frozenset({"embedding", "index", "index_select", "gather", "nll_loss_forward"})


@dataclass(frozen=True, slots=True)
class Cost:
    """One kernel, or what is counted as one. ``dtype_bytes``: width of the arithmetic's operands.

    Products (convolutions as implicit ones) are ``groups`` times (m, k) · (k, n); other kernels have zeros.
    """

    kind: str
    dtype_bytes: int
    flops: int
    bytes: int
    m: int = 0
    n: int = 0
    k: int = 0
    groups: int = 1
    kernel: int = 1  # elements of a convolution's window
    stride: int = 1  # of a convolution
    is_weight_gradient: bool = False
    channels_last: bool = False  # images or volumes that lie so


def tensors_in(tree: Any) -> list[torch.Tensor]:
    """All tensors in nested arguments or results. (torch's own pytree takes five times as long.)"""
    if isinstance(tree, torch.Tensor):
        return [tree]
    if isinstance(tree, dict):
        tree = tree.values()
    elif not isinstance(tree, list | tuple):
        return []
    return [tensor for branch in tree for tensor in tensors_in(branch)]


def tensor_bytes(tensor: torch.Tensor) -> int:
    """Bytes behind a tensor; elements repeated by expansion (stride 0) count once."""
    elements = 1
    for extent, stride in zip(tensor.shape, tensor.stride(), strict=True):
        elements *= extent if stride else min(extent, 1)
    return elements * tensor.element_size()


def _sum_bytes(*tensors: torch.Tensor | None) -> int:
    return sum(tensor_bytes(tensor) for tensor in tensors if tensor is not None)


def _operand_bytes(tensors: list[torch.Tensor]) -> int:
    """Item size of the first floating-point tensor; integer-only operators work at 4 bytes or less."""
    for tensor in tensors:
        if tensor.is_floating_point():
            return min(tensor.element_size(), 4)
    return 4


def _bytes_moved(name: str, args: Any, kwargs: Any, out: Any) -> int:
    inputs, outputs = tensors_in((args, kwargs)), tensors_in(out)
    written = _sum_bytes(*outputs)
    if name in _WRITE_ONLY:
        return written
    if name == "copy_":  # copy_(target, source): the target is not read
        return written + _sum_bytes(*inputs[1:])
    if name in _GATHERING:
        return 2 * written + _sum_bytes(*inputs[1:])
    return written + _sum_bytes(*inputs)


def _flops(func: Any, args: Any, kwargs: Any, out: Any) -> int:
    name = func.overloadpacket.__name__
    if name in ("attention", "attention_backward"):
        return attention_flops(name, *args)
    if name in ("lstm", "lstm_backward"):
        return lstm_flops(name, *args)
    formula = flop_registry.get(func.overloadpacket)
    return int(formula(*args, **kwargs, out_val=out)) if formula else 0


@dataclass(frozen=True, slots=True)
class _Convolution:
    """A convolution and its gradients as products. ``positions_*``: pixels times batch."""

    kind: str
    width: int
    flops: int
    positions_in: int
    positions_out: int
    channels_in: int  # of one group
    channels_out: int
    groups: int
    kernel: int
    stride: int
    channels_last: bool

    def cost(self, moved: int, m: int, n: int, k: int, *, is_weight_gradient: bool = False) -> Cost:
        return Cost(
            self.kind, self.width, self.flops, moved, m, n, k, self.groups, self.kernel, self.stride,
            is_weight_gradient, self.channels_last,
        )  # fmt: skip

    def forward(self, moved: int) -> Cost:
        return self.cost(moved, self.positions_out, self.channels_out, self.channels_in * self.kernel)

    def data_gradient(self, moved: int) -> Cost:
        return self.cost(moved, self.positions_in, self.channels_in, self.channels_out * self.kernel)

    def weight_gradient(self, moved: int) -> Cost:
        m, n = self.channels_out, self.channels_in * self.kernel
        return self.cost(moved, m, n, self.positions_out, is_weight_gradient=True)


def _convolution(
    image: torch.Tensor,
    weight: torch.Tensor,
    result: torch.Tensor,
    stride: list[int],
    transposed: bool,
    groups: int,
) -> _Convolution:
    """``image`` in, ``result`` out (or its gradient)."""
    return _Convolution(
        kind=convolution_kind(weight, groups, transposed=transposed),
        width=weight.element_size(),
        flops=conv_flop_count(image.shape, weight.shape, result.shape, transposed=transposed),
        positions_in=image.numel() // image.shape[1],
        positions_out=result.numel() // result.shape[1],
        channels_in=image.shape[1] // groups,
        channels_out=result.shape[1] // groups,
        groups=groups,
        kernel=math.prod(weight.shape[2:]),
        stride=max(stride),
        channels_last=convolution_format(image, weight) is not torch.contiguous_format,
    )


def _convolution_forward(args: Any, out: torch.Tensor) -> list[Cost]:
    """The convolution, bringing its input into its order of memory, and the bias, a kernel of its own."""
    image, weight, bias, stride = args[:4]
    transposed, groups = args[6], args[8]
    costs = [
        *_relayouts([image], convolution_format(image, weight)),
        _convolution(image, weight, out, stride, transposed, groups).forward(_sum_bytes(image, weight, out)),
    ]
    if bias is not None:
        costs.append(
            Cost("pointwise_broadcast", out.element_size(), 0, 2 * tensor_bytes(out) + tensor_bytes(bias))
        )
    return costs


def _relayouts(tensors: list[torch.Tensor], memory_format: torch.memory_format) -> list[Cost]:
    """Copies of those of ``tensors`` that do not lie densely in ``memory_format``."""
    costs = []
    for tensor in tensors:
        if not tensor.is_contiguous(memory_format=memory_format):
            wanted = torch.empty_like(tensor, memory_format=memory_format)
            kind = "cast" if dimension_order(wanted) == dimension_order(tensor) else "transpose"
            costs.append(Cost(kind, tensor.element_size(), 0, tensor_bytes(tensor) + tensor_bytes(wanted)))
    return costs


def _convolution_backward(args: Any, out: Any) -> list[Cost]:
    """Data, weight and bias gradient apart: they are separate kernels.

    The data and the weight gradient have the multiply-adds of the forward convolution each. torch's own
    backward formula does the same but forgets the groups in the weight gradient (torch 2.13).
    """
    grad_out, image, weight = args[:3]
    stride, transposed, groups = args[4], args[7], args[9]
    grad_image, grad_weight, grad_bias = out
    convolution = _convolution(image, weight, grad_out, stride, transposed, groups)
    costs = _relayouts([grad_out], convolution_format(image, weight))
    if grad_image is not None:
        costs.append(convolution.data_gradient(_sum_bytes(grad_out, weight, grad_image)))
    if grad_weight is not None:
        costs.append(convolution.weight_gradient(_sum_bytes(grad_out, image, grad_weight)))
    if grad_bias is not None:
        costs.append(Cost("reduce", convolution.width, 0, _sum_bytes(grad_out, grad_bias)))
    return costs


def _product(name: str, args: Any, width: int, flops: int, moved: int) -> Cost:
    """(b)mm and relatives. A left operand that lies transposed is summed over its rows: a weight gradient."""
    left, right = args[1:3] if name in ("addmm", "baddbmm", "addmv") else args[:2]
    if left.dim() < 2:  # dot
        return Cost("linear", width, flops, moved, 1, 1, left.numel())
    m, k = left.shape[-2:]
    n = right.shape[-1] if right.dim() == left.dim() else 1
    return Cost(
        KIND_BY_NAME[name], width, flops, moved, m, n, k,
        groups=left.shape[0] if left.dim() == 3 else 1,
        is_weight_gradient=left.dim() == 2 and left.stride(0) == 1 and left.shape[0] > 1 and k > 1,
    )  # fmt: skip


def _attention(name: str, args: Any, width: int, flops: int, moved: int) -> Cost:
    """m queries, n keys, heads of width k; groups are batch times heads."""
    query, key = args[:2] if name == "attention" else args[1:3]
    return Cost(
        "attention", width, flops, moved, query.shape[-2], key.shape[-2], query.shape[-1],
        groups=query.shape[0] * query.shape[1],
    )  # fmt: skip


def _by_layout(kind: str, inputs: list[torch.Tensor], out: torch.Tensor | None) -> str:
    """Pointwise operators and copies by how their operands lie: together, repeated, or across each other."""
    if out is None or kind not in ("pointwise", "cast"):
        return kind
    order = dimension_order(out)
    full = [tensor for tensor in inputs if tensor.numel() == out.numel() and len(dimension_order(tensor)) > 1]
    if any(dimension_order(tensor) != order for tensor in full if len(dimension_order(tensor)) == len(order)):
        return "pointwise_mismatched" if kind == "pointwise" else "transpose"
    repeats = any(1 < tensor.numel() < out.numel() or 0 in tensor.stride() for tensor in inputs)
    return "pointwise_broadcast" if kind == "pointwise" and repeats else kind


def costs_of(func: Any, args: Any, kwargs: Any, out: Any) -> list[Cost]:
    """What an executed operator costs: one entry, or several where one operator is several kernels.

    Raises TraceError for an operator without a kind.
    """
    name = func.overloadpacket.__name__
    if name == "convolution":
        return _convolution_forward(args, out)
    if name == "convolution_backward":
        return _convolution_backward(args, out)
    kind = operator_kind(func)
    inputs, outputs = tensors_in((args, kwargs)), tensors_in(out)
    width, moved = _operand_bytes(inputs + outputs), _bytes_moved(name, args, kwargs, out)
    if kind in ("linear", "bmm"):
        return [_product(name, args, width, _flops(func, args, kwargs, out), moved)]
    if kind == "attention":
        return [_attention(name, args, width, _flops(func, args, kwargs, out), moved)]
    sources = inputs[1:] if name == "copy_" else inputs
    kind = _by_layout(kind, sources, outputs[0] if outputs else None)
    copies = _relayouts(inputs[:2], torch.contiguous_format) if name in CONTIGUOUS_ONLY else []
    channels_last = any(map(is_channels_last, sources or outputs))
    flops = _flops(func, args, kwargs, out)
    return [*copies, Cost(kind, width, flops, moved, channels_last=channels_last)]
