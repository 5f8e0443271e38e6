"""Which class of ``OP_CLASSES`` an aten operator belongs to.

Named here are only the operators whose class torch does not know itself; all others are placed by their tags
(``torch.Tag.pointwise``, ``torch.Tag.reduction``). An operator with neither is refused rather than guessed.
"""

from __future__ import annotations

from typing import Any

import torch

from planner.workload.trace.errors import TraceError

# fmt: off
_NAMES_BY_CLASS = {
    "matmul": ("mm", "addmm", "mv", "addmv", "dot"),
    "bmm": ("bmm", "baddbmm"),
    "attention": ("attention", "attention_backward"),
    "rnn": ("lstm", "lstm_backward"),
    "norm": (
        "native_batch_norm", "native_batch_norm_backward", "_native_batch_norm_legit",
        "_native_batch_norm_legit_no_training", "native_layer_norm", "native_layer_norm_backward",
        "native_group_norm", "native_group_norm_backward", "_fused_rms_norm", "_fused_rms_norm_backward",
    ),
    "softmax": (
        "_softmax", "_softmax_backward_data", "_log_softmax", "_log_softmax_backward_data", "nll_loss_forward",
        "nll_loss_backward", "nll_loss2d_forward", "nll_loss2d_backward",
    ),
    "pointwise": (
        "native_dropout", "native_dropout_backward", "bernoulli_", "uniform_", "normal_", "silu_backward",
        "hardswish", "hardswish_", "hardswish_backward", "hardsigmoid", "hardsigmoid_backward", "hardtanh",
        "hardtanh_", "hardtanh_backward", "leaky_relu_backward", "elu_backward", "softplus_backward",
        "mish_backward", "log_sigmoid_backward", "masked_fill", "masked_fill_", "where",
    ),
    "copy": (
        "_to_copy", "copy_", "clone", "cat", "stack", "constant_pad_nd", "slice_backward", "select_backward",
        "fill_", "zero_", "zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full",
        "full_like", "new_full", "arange", "linspace", "eye", "scalar_tensor", "repeat", "triu", "tril", "roll",
        "flip", "reflection_pad2d", "reflection_pad2d_backward", "replication_pad2d",
        "replication_pad2d_backward", "im2col", "col2im", "unfold_backward", "index_put", "index_put_",
        "_index_put_impl_", "index_add_", "scatter", "scatter_add", "scatter_add_", "upsample_nearest2d",
        "upsample_nearest2d_backward", "upsample_bilinear2d", "upsample_bilinear2d_backward",
        "upsample_bicubic2d", "upsample_bicubic2d_backward",
    ),
    "reduce": (
        "sum", "mean", "cumsum", "topk", "sort", "binary_cross_entropy_with_logits", "mse_loss",
    ),
    "pool": (
        "max_pool2d_with_indices", "max_pool2d_with_indices_backward", "max_pool3d_with_indices",
        "max_pool3d_with_indices_backward", "avg_pool2d", "avg_pool2d_backward", "avg_pool3d",
        "avg_pool3d_backward", "_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d",
        "_adaptive_avg_pool3d_backward",
    ),
    "embedding": ("embedding", "embedding_dense_backward", "index", "index_select", "gather"),
}
# fmt: on

# Without the overload: "mm" stands for aten::mm, aten::mm.out, …
CLASS_BY_NAME = {name: op_class for op_class, names in _NAMES_BY_CLASS.items() for name in names}

# Tensors without contents: memory is handed out, nothing is executed.
ALLOCATIONS = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"})


def convolution_class(weight: torch.Tensor, groups: int, *, transposed: bool) -> str:
    """Class of a convolution by its (output, input/groups, *kernel) weight, or (input, output/groups, …)."""
    if groups > 1:
        channels_in = weight.shape[0] if transposed else weight.shape[1] * groups
        return "conv_depthwise" if groups == channels_in else "conv_grouped"
    return "conv_1x1" if all(extent == 1 for extent in weight.shape[2:]) else "conv"


def op_class(func: Any) -> str:
    """Class of an operator overload that is no convolution. Raises TraceError if it has none."""
    name = func.overloadpacket.__name__
    if name in CLASS_BY_NAME:
        return CLASS_BY_NAME[name]
    if torch.Tag.pointwise in func.tags:
        return "pointwise"
    if torch.Tag.reduction in func.tags:
        return "reduce"
    raise TraceError(
        f"the operator {func} has no class: add {name!r} to the names in planner/workload/trace/classes.py"
    )
