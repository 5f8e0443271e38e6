"""Which kind of ``planner.workload.optable.KINDS`` an aten operator belongs to.

Named here are only the operators whose kind torch does not know itself; all others are placed by their tags
(``torch.Tag.pointwise``, ``torch.Tag.reduction``). An operator with neither is refused rather than guessed.
Convolutions, copies and pointwise operators are told apart further by their tensors (``cost``).
"""

from __future__ import annotations

from typing import Any

import torch

from planner.workload.trace.errors import TraceError

# fmt: off
_NAMES_BY_KIND = {
    "linear": ("mm", "addmm", "mv", "addmv", "dot"),
    "bmm": ("bmm", "baddbmm"),
    "attention": ("attention", "attention_backward"),
    "rnn": ("lstm", "lstm_backward"),
    "batch_norm": (
        "native_batch_norm", "native_batch_norm_backward", "_native_batch_norm_legit",
        "_native_batch_norm_legit_no_training",
    ),
    "layer_norm": (
        "native_layer_norm", "native_layer_norm_backward", "_fused_rms_norm", "_fused_rms_norm_backward",
    ),
    "group_norm": ("native_group_norm", "native_group_norm_backward"),
    "softmax": (
        "_softmax", "_softmax_backward_data", "_log_softmax", "_log_softmax_backward_data", "nll_loss_forward",
        "nll_loss_backward", "nll_loss2d_forward", "nll_loss2d_backward",
    ),
    "pointwise": (
        "native_dropout", "native_dropout_backward", "bernoulli_", "uniform_", "normal_", "silu_backward",
        "hardswish", "hardswish_", "hardswish_backward", "hardsigmoid", "hardsigmoid_backward", "hardtanh",
        "hardtanh_", "hardtanh_backward", "leaky_relu_backward", "elu_backward", "softplus_backward",
        "mish_backward", "log_sigmoid_backward", "masked_fill", "masked_fill_", "where", "floor_divide",
        "bernoulli", "glu_backward", "_weight_norm_interface", "_weight_norm_interface_backward",
        "mse_loss_backward", "smooth_l1_loss", "smooth_l1_loss_backward", "huber_loss", "huber_loss_backward",
        "binary_cross_entropy", "binary_cross_entropy_backward",
    ),
    "cast": (
        "_to_copy", "copy_", "clone", "repeat", "triu", "tril", "roll", "flip", "masked_scatter",
        "dequantize_4bit", "_local_scalar_dense",
    ),
    "fill": (
        "fill_", "zero_", "zeros", "zeros_like", "new_zeros", "ones", "ones_like", "new_ones", "full",
        "full_like", "new_full", "arange", "linspace", "eye", "scalar_tensor", "rand", "rand_like", "randn",
        "randn_like", "randint", "randperm",
    ),
    "concat": (
        "cat", "stack", "constant_pad_nd", "slice_backward", "select_backward", "reflection_pad2d",
        "reflection_pad2d_backward", "replication_pad2d", "replication_pad2d_backward", "reflection_pad1d",
        "reflection_pad1d_backward",
    ),
    "gather": (
        "embedding", "embedding_dense_backward", "index", "index_select", "gather", "index_put", "index_put_",
        "_index_put_impl_", "index_add_", "scatter", "scatter_add", "scatter_add_", "im2col", "col2im",
        "unfold_backward", "upsample_nearest2d", "upsample_nearest2d_backward", "upsample_bilinear2d",
        "upsample_bilinear2d_backward", "upsample_bicubic2d", "upsample_bicubic2d_backward",
        "upsample_linear1d", "upsample_linear1d_backward", "upsample_trilinear3d", "upsample_trilinear3d_backward",
        "upsample_nearest3d", "upsample_nearest3d_backward", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa",
        "_upsample_bilinear2d_aa_backward", "_upsample_bicubic2d_aa_backward", "upsample_nearest1d",
        "upsample_nearest1d_backward", "masked_select", "_embedding_bag", "_embedding_bag_dense_backward",
        "grid_sampler_2d", "grid_sampler_2d_backward", "roi_align", "roi_align_backward",
    ),
    "reduce": (
        "sum", "mean", "cumsum", "topk", "sort", "binary_cross_entropy_with_logits", "mse_loss", "nonzero",
        "bincount", "histc", "cumprod", "multinomial", "_unique2", "unique_dim", "unique_consecutive",
    ),
    "max_pool": (
        "max_pool2d_with_indices", "max_pool2d_with_indices_backward", "max_pool3d_with_indices",
        "max_pool3d_with_indices_backward",
    ),
    "average_pool": (
        "avg_pool2d", "avg_pool2d_backward", "avg_pool3d", "avg_pool3d_backward", "_adaptive_avg_pool2d",
        "_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d", "_adaptive_avg_pool3d_backward",
    ),
}
# fmt: on

# Without the overload: "mm" stands for aten::mm, aten::mm.out, …
KIND_BY_NAME = {name: kind for kind, names in _NAMES_BY_KIND.items() for name in names}

# Tensors without contents: memory is handed out, nothing is executed.
ALLOCATIONS = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided"})

# A convolution of so few input channels (an image) fills no tile of the matrix units.
_STEM_CHANNELS = 4


def convolution_kind(weight: torch.Tensor, groups: int, *, transposed: bool) -> str:
    """Kind of a convolution by its (output, input/groups, *kernel) weight, or (input, output/groups, …)."""
    channels_in = weight.shape[0] if transposed else weight.shape[1] * groups
    if groups > 1:
        return "conv_depthwise" if groups == channels_in else "conv_grouped"
    if channels_in <= _STEM_CHANNELS:
        return "conv_stem"
    return "conv_1x1" if all(extent == 1 for extent in weight.shape[2:]) else "conv"


def operator_kind(func: Any) -> str:
    """Kind of an operator overload that is no convolution. Raises TraceError if it has none."""
    name = func.overloadpacket.__name__
    if name in KIND_BY_NAME:
        return KIND_BY_NAME[name]
    if torch.Tag.pointwise in func.tags:
        return "pointwise"
    if torch.Tag.reduction in func.tags:
        return "reduce"
    raise TraceError(
        f"the operator {func} has no kind: add {name!r} to the names in planner/workload/trace/classes.py"
    )
