"""CUDA's autocast on the meta device.

torch's own autocast acts on tensors that lie on the device only, and a CPU build has no CUDA tensors; its CPU
autocast has other lists. So the calls of the model are caught and their arguments cast, as documented in
"CUDA Ops that can autocast" (https://docs.pytorch.org/docs/stable/amp.html), with the cache that casts each
weight once per forward pass.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

# fmt: off
LOW_PRECISION = frozenset((
    "linear", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "convolution", "matmul", "__matmul__", "__rmatmul__", "mm", "mv", "bmm", "addmm",
    "addmv", "addr", "addbmm", "baddbmm", "chain_matmul", "linalg_vecdot", "vecdot", "linalg_multi_dot",
    "multi_dot", "einsum", "prelu", "scaled_dot_product_attention", "lstm", "gru", "lstm_cell", "gru_cell",
    "rnn_tanh_cell", "rnn_relu_cell",
))
FULL_PRECISION = frozenset((
    "layer_norm", "native_layer_norm", "rms_norm", "group_norm", "cosine_similarity",
    "acos", "asin", "cosh", "erfinv", "exp", "expm1", "log", "log10", "log1p", "log2", "reciprocal", "rsqrt",
    "sinh", "tan", "pow", "__pow__", "__rpow__", "softplus", "logsumexp", "renorm", "dist", "pdist", "cdist",
    "norm", "frobenius_norm", "nuclear_norm", "nll_loss", "nll_loss2d", "mse_loss", "l1_loss",
    "smooth_l1_loss", "huber_loss", "kl_div", "binary_cross_entropy_with_logits", "cosine_embedding_loss",
    "hinge_embedding_loss", "margin_ranking_loss", "multilabel_margin_loss", "multi_margin_loss",
    "soft_margin_loss", "triplet_margin_loss", "poisson_nll_loss", "interpolate",
))
# fmt: on
# They read low precision, add and return fp32: no cast in between.
SUMS = frozenset(("sum", "prod", "cumsum", "cumprod"))
SOFTMAXES = {"softmax": torch._softmax, "log_softmax": torch._log_softmax}


def _softmax(name: str, x: torch.Tensor, dim: int, **_others: Any) -> torch.Tensor:
    """Softmax in fp32. CUDA reads fp16 without a cast in between; bf16 is cast first, and all is on the CPU."""
    reads_half = x.dtype is torch.float16 and x.device.type != "cpu"
    result: torch.Tensor = SOFTMAXES[name](x if reads_half else x.float(), dim, reads_half)
    return result


def _cross_entropy(scores: torch.Tensor, target: torch.Tensor, weight: Any = None, **options: Any) -> Any:
    """Cross-entropy on class indices in its two parts, so that the softmax reads fp16 as on CUDA."""
    if options.get("label_smoothing") or target.is_floating_point():
        return functional.cross_entropy(_raised(scores), target, weight, **options)
    options.pop("label_smoothing", None)
    log_probabilities = _softmax("log_softmax", scores, 1 if scores.dim() > 1 else 0)
    return functional.nll_loss(log_probabilities, target, weight, **options)


class Autocast(TorchFunctionMode):
    """Casts the arguments of calls as CUDA's autocast to ``dtype`` does. One instance per forward pass."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype
        self._cast_weights: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def _lowered(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dtype not in (
            torch.float16,
            torch.bfloat16,
            torch.float32,
        ):
            return value
        if value.dtype is self.dtype:
            return value
        if not (value.is_leaf and value.requires_grad and value.dtype is torch.float32):
            return value.to(self.dtype)
        if id(value) not in self._cast_weights:  # the weight is kept beside its copy: ids of the dead recur
            self._cast_weights[id(value)] = (value, value.to(self.dtype))
        return self._cast_weights[id(value)][1]

    def __exit__(self, *exception: Any) -> None:
        self._cast_weights.clear()
        super().__exit__(*exception)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in LOW_PRECISION:
            args, kwargs = tree_map(self._lowered, (args, kwargs))
        elif name in FULL_PRECISION:
            args, kwargs = tree_map(_raised, (args, kwargs))
        elif name in SUMS and args[0].is_floating_point():
            kwargs = {"dtype": torch.float32, **kwargs}
        elif func is functional.cross_entropy:
            return _cross_entropy(*args, **kwargs)
        elif name in SOFTMAXES and kwargs.get("dtype") is None:
            return _softmax(name, *args, **kwargs)
        return func(*args, **kwargs)


def _raised(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16):
        return value.float()
    return value
