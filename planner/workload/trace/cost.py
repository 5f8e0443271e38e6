"""FLOPs and bytes of one executed operator, from the shapes of its tensors.

FLOPs are those of matrix arithmetic (torch's own formulas, ``torch.utils.flop_counter``; a multiply-add is
2); everything else is bound by memory and counts 0. Bytes are what must be read and written at least once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import conv_flop_count, flop_registry

from planner.workload.trace.classes import convolution_class, op_class
from planner.workload.trace.fused import attention_flops, lstm_flops

# Contents of their tensor arguments are not read.
_WRITE_ONLY = frozenset({"fill_", "zero_", "zeros_like", "ones_like", "full_like", "new_zeros"})
# Only as many elements of the table (first argument) are read as are written.
_GATHERING = frozenset({"embedding", "index", "index_select", "gather", "nll_loss_forward"})


@dataclass(frozen=True, slots=True)
class Cost:
    """One kernel, or what is counted as one. ``dtype_bytes``: width of the arithmetic's operands."""

    op_class: str
    dtype_bytes: int
    flops: int
    bytes: int


def tensors_in(tree: Any) -> list[torch.Tensor]:
    """All tensors in nested arguments or results."""
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


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


def _convolution_backward(args: Any, out: Any) -> list[Cost]:
    """Data, weight and bias gradient apart: they are separate kernels.

    The data and the weight gradient have the multiply-adds of the forward convolution each. torch's own
    backward formula does the same but forgets the groups in the weight gradient (torch 2.13).
    """
    grad_out, image, weight, transposed, groups = args[0], args[1], args[2], args[7], args[9]
    grad_image, grad_weight, grad_bias = out
    kind = convolution_class(weight, groups, transposed=transposed)
    width = weight.element_size()
    flops = conv_flop_count(image.shape, weight.shape, grad_out.shape, transposed=transposed)
    costs = []
    if grad_image is not None:
        costs.append(Cost(kind, width, flops, _sum_bytes(grad_out, weight, grad_image)))
    if grad_weight is not None:
        costs.append(Cost(kind, width, flops, _sum_bytes(grad_out, image, grad_weight)))
    if grad_bias is not None:
        costs.append(Cost("reduce", width, 0, _sum_bytes(grad_out, grad_bias)))
    return costs


def costs_of(func: Any, args: Any, kwargs: Any, out: Any) -> list[Cost]:
    """What an executed operator costs: one entry, or several where one operator is several kernels.

    Raises TraceError for an operator without a class.
    """
    name = func.overloadpacket.__name__
    if name == "convolution_backward":
        return _convolution_backward(args, out)
    is_convolution = name == "convolution"
    kind = convolution_class(args[1], args[8], transposed=args[6]) if is_convolution else op_class(func)
    width = _operand_bytes(tensors_in((args, kwargs)) + tensors_in(out))
    return [Cost(kind, width, _flops(func, args, kwargs, out), _bytes_moved(name, args, kwargs, out))]
