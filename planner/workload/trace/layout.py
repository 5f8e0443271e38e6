"""In which order tensors lie in memory, and which order cuDNN gives its results."""

from __future__ import annotations

from typing import Any

import torch

from planner.workload.job import MemoryFormat

# Kernels that first copy operands which lie otherwise.
CONTIGUOUS_ONLY = frozenset({
    "native_layer_norm", "native_layer_norm_backward", "_fused_rms_norm", "_fused_rms_norm_backward", "_softmax",
    "_softmax_backward_data", "_log_softmax", "_log_softmax_backward_data",
})  # fmt: skip
_CHANNELS_LAST = {4: torch.channels_last, 5: torch.channels_last_3d}


def dimension_order(tensor: torch.Tensor) -> tuple[int, ...]:
    """Dimensions of more than one element, slowest in memory first. Repeated ones (stride 0) are left out."""
    dims = [d for d in range(tensor.dim()) if tensor.shape[d] > 1 and tensor.stride(d)]
    return tuple(sorted(dims, key=lambda d: (-tensor.stride(d), d)))


def is_channels_last(tensor: torch.Tensor) -> bool:
    """By its strides, as torch itself decides it (``is_channels_last_strides_2d`` in c10): a 1×1 kernel is so only
    if it was laid out so."""
    if tensor.dim() not in _CHANNELS_LAST or tensor.stride(1) == 0:
        return False
    least = 0
    for dim in (1, *range(tensor.dim() - 1, 1, -1), 0):
        stride = tensor.stride(dim)
        if tensor.shape[dim] == 0 or stride < least or (dim == 0 and least == tensor.stride(1)):
            return False
        least = stride * max(tensor.shape[dim], 1)
    return True


def convolution_format(image: torch.Tensor, weight: torch.Tensor) -> torch.memory_format:
    """The order a convolution works in: channels last if either operand lies so."""
    if is_channels_last(image) or is_channels_last(weight):
        return _CHANNELS_LAST[image.dim()]
    return torch.contiguous_format


def _wanted(memory_format: MemoryFormat, dimensions: int) -> torch.memory_format | None:
    return _CHANNELS_LAST.get(dimensions) if memory_format == "channels_last" else None


def laid_out_model(model: torch.nn.Module, memory_format: MemoryFormat) -> torch.nn.Module:
    """The model with its convolution weights in this format, as ``model.to(memory_format=…)`` does."""
    for parameter in model.parameters():
        wanted = _wanted(memory_format, parameter.dim())
        if wanted is not None:
            parameter.data = parameter.data.to(memory_format=wanted)
    return model


def laid_out(inputs: dict[str, torch.Tensor], memory_format: MemoryFormat) -> dict[str, torch.Tensor]:
    """Images and volumes in this format; other inputs as they are."""
    formats = {name: _wanted(memory_format, tensor.dim()) for name, tensor in inputs.items()}
    return {
        name: tensor if wanted is None else tensor.to(memory_format=wanted)
        for (name, tensor), wanted in zip(inputs.items(), formats.values(), strict=True)
    }


def _lies(tensor: torch.Tensor, memory_format: torch.memory_format) -> bool:
    if memory_format is torch.contiguous_format:
        return tensor.is_contiguous()
    return is_channels_last(tensor)


def _laid_out(tensor: torch.Tensor | None, memory_format: torch.memory_format) -> torch.Tensor | None:
    if tensor is None or _lies(tensor, memory_format):
        return tensor
    made = torch.empty_like(tensor, memory_format=memory_format)
    return made if tensor.is_meta else made.copy_(tensor)


def as_cuda_lays_out(name: str, args: Any, out: Any) -> Any:
    """The result of an operator on the meta device in the order in memory that CUDA's kernel gives it."""
    if name == "convolution":
        return _laid_out(out, convolution_format(args[0], args[1]))
    if name == "convolution_backward":
        memory_format = convolution_format(args[1], args[2])
        return (*(_laid_out(gradient, memory_format) for gradient in out[:2]), out[2])
    if name in CONTIGUOUS_ONLY and isinstance(out, tuple):
        return (_laid_out(out[0], torch.contiguous_format), *out[1:])
    return out
