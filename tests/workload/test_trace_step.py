"""Tracing a step: what is executed, in which precision, and what memory it keeps."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch import nn  # noqa: E402  torch may be missing
from torch.nn import functional  # noqa: E402

from planner.workload.optable import CLASS_OF_KIND, PHASES  # noqa: E402
from planner.workload.trace import autocast  # noqa: E402
from planner.workload.trace.errors import TraceError  # noqa: E402
from planner.workload.trace.step import checkpoint_blocks, record_inference, record_training  # noqa: E402

pytestmark = pytest.mark.torch

FORWARD, BACKWARD, WEIGHT_GRADIENT = (PHASES.index(name) for name in ("forward", "backward", "weight_gradient"))


def meta(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="meta")


def trained(model, x, autocast_dtype=None):
    return record_training(
        model.to("meta"), {"x": x}, lambda model, inputs: model(inputs["x"]).sum(), autocast_dtype
    )


def kernels(record, op_class, *phases):
    return [
        kernel.cost
        for kernel in record.kernels
        if CLASS_OF_KIND[kernel.cost.kind] == op_class and (not phases or kernel.phase in phases)
    ]


class Calls(nn.Module):
    """A model made of one function."""

    def __init__(self, function):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.function = function

    def forward(self, x):
        return self.function(x * self.weight)


def test_that_a_linear_layer_costs_three_products_and_their_bytes():
    model = nn.Sequential(nn.Linear(8, 16, bias=False), nn.Linear(16, 4, bias=False))
    record = trained(model, meta(5, 8))
    first, second = 2 * 5 * 8 * 16, 2 * 5 * 16 * 4
    assert [cost.flops for cost in kernels(record, "matmul", FORWARD)] == [first, second]
    assert sorted(cost.flops for cost in kernels(record, "matmul", BACKWARD, WEIGHT_GRADIENT)) == sorted(
        [first, second, second]
    )  # the first layer's input needs no gradient
    assert kernels(record, "matmul", FORWARD)[0].bytes == 4 * (5 * 8 + 8 * 16 + 5 * 16)


def test_that_live_memory_of_a_chain_is_what_autograd_keeps():
    model = nn.Sequential(nn.Linear(8, 16, bias=False), nn.ReLU(), nn.Linear(16, 4, bias=False))
    record = trained(model, meta(5, 8))
    hidden, loss_and_its_gradient = 4 * 5 * 16, 4 + 4
    # The peak is at ReLU's backward: its kept result, the gradient that comes and the gradient that goes.
    assert record.live.max() == 3 * hidden + loss_and_its_gradient
    assert record.live[-1] == loss_and_its_gradient
    assert record.gradients[-1] == 4 * (8 * 16 + 16 * 4)
    assert record.gradients[0] == 0


@pytest.mark.parametrize(
    ("layer", "op_class"),
    [
        (nn.Conv2d(8, 16, 3, bias=False), "conv"),
        (nn.Conv2d(8, 16, 1, bias=False), "conv_1x1"),
        (nn.Conv2d(8, 16, 3, groups=4, bias=False), "conv_grouped"),
        (nn.Conv2d(8, 8, 3, groups=8, bias=False), "conv_depthwise"),
        (nn.ConvTranspose2d(8, 16, 2, stride=2, bias=False), "conv"),
        (nn.Conv3d(8, 16, 3, bias=False), "conv"),
    ],
)
def test_that_a_convolution_has_its_class_and_two_equal_gradients(layer, op_class):
    side = (6, 6, 6) if isinstance(layer, nn.Conv3d) else (6, 6)
    x = meta(2, 8, *side).requires_grad_()
    forward, *backward = kernels(trained(layer, x), op_class)
    out = layer.to("meta")(x)
    positions = x[0, 0].numel() if isinstance(layer, nn.ConvTranspose2d) else out[0, 0].numel()
    assert forward.flops == 2 * 2 * positions * layer.weight.numel()
    assert [cost.flops for cost in backward] == [forward.flops] * 2


def test_that_a_view_is_no_kernel_and_no_memory():
    record = trained(Calls(lambda x: x.view(4, 4).t()[1:]), meta(16))
    assert Counter(kernel.operator for kernel in record.kernels if kernel.phase == FORWARD) == {
        "aten.mul.Tensor": 1,
        "aten.sum.default": 1,
    }


def test_that_an_embedding_reads_only_the_rows_it_needs():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(1000, 8)

        def forward(self, x):
            return self.table(x)

    record = trained(Model(), meta(3, 5, dtype=torch.int64))
    forward, backward = kernels(record, "embedding")
    assert forward.bytes == 3 * 5 * 8 + 2 * 4 * 3 * 5 * 8
    assert backward.bytes == 3 * 5 * 8 + 4 + 4 * 1000 * 8  # the sum's gradient is one number, expanded


def test_that_attention_is_one_kernel_without_the_score_matrix():
    def attend(x):
        return functional.scaled_dot_product_attention(x, x, x, is_causal=True)

    length = 512
    record = trained(Calls(attend), meta(2, 4, length, 16))
    forward, backward = kernels(record, "attention")
    assert forward.flops == 2 * (2 * 2 * 4 * length * length * 16) / 2  # two products, half of each
    assert backward.flops == 2.5 * forward.flops
    assert record.live.max() < 4 * 2 * 4 * length * length
    assert not kernels(record, "softmax")


def test_that_an_lstm_is_one_kernel_each_way():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(8, 16, 2, batch_first=True)

        def forward(self, x):
            return self.lstm(x)[0]

    record = trained(Model(), meta(3, 7, 8))
    matrices = 4 * 16 * (8 + 16) + 4 * 16 * (16 + 16)
    assert [cost.flops for cost in kernels(record, "rnn")] == [2 * 21 * matrices, 4 * 21 * matrices]


def test_that_dropout_keeps_a_mask_of_one_byte():
    record = trained(Calls(lambda x: functional.dropout(x, 0.5)), meta(1000))
    assert "aten.native_dropout.default" in {kernel.operator for kernel in record.kernels}
    assert record.live[1] == 4000 + 4000 + 1000


def test_that_autocast_multiplies_in_half_and_normalises_in_full_precision():
    model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 8))
    record = trained(model, meta(5, 8), torch.float16)
    assert {cost.dtype_bytes for cost in kernels(record, "matmul")} == {2}
    assert {cost.dtype_bytes for cost in kernels(record, "norm")} == {4}


def test_that_autocast_casts_a_weight_once_per_pass():
    layer = nn.Linear(8, 8, bias=False)
    record = trained(nn.Sequential(layer, layer, layer), meta(5, 8), torch.float16)
    weight_casts = [cost for cost in kernels(record, "copy", FORWARD) if cost.bytes == (4 + 2) * 64]
    assert len(weight_casts) == 1


def test_that_cross_entropy_reads_half_precision_without_a_cast():
    model = nn.Linear(8, 100).to("meta")
    inputs = {"x": meta(5, 8), "target": meta(5, dtype=torch.int64)}
    record = record_training(
        model, inputs, lambda m, i: functional.cross_entropy(m(i["x"]), i["target"]), torch.float16
    )
    softmax = kernels(record, "softmax", FORWARD)[0]
    assert (softmax.dtype_bytes, softmax.bytes) == (2, (2 + 4) * 5 * 100)
    assert not [cost for cost in kernels(record, "copy") if cost.bytes == (2 + 4) * 5 * 100]


def test_that_smoothed_labels_fall_back_to_full_precision():
    model = nn.Linear(8, 100).to("meta")
    inputs = {"x": meta(5, 8), "target": meta(5, dtype=torch.int64)}
    record = record_training(
        model,
        inputs,
        lambda m, i: functional.cross_entropy(m(i["x"]), i["target"], label_smoothing=0.1),
        torch.float16,
    )
    assert {cost.dtype_bytes for cost in kernels(record, "softmax")} == {4}


def _autocast_names(macro):
    header = Path(torch.__file__).parent / "include/ATen/autocast_mode.h"
    text = header.read_text()
    start = text.index(f"#define {macro}(")
    return set(re.findall(r"_\((\w+)", text[start : text.index("\n\n", start)]))


def test_that_the_autocast_lists_are_those_of_torch():
    inner = re.compile(r"^_|upsample")  # reached through conv…, interpolate, … which are listed
    for macro, ours in {
        "AT_FORALL_LOWER_PRECISION_FP": autocast.LOW_PRECISION,
        "AT_FORALL_FP32": autocast.FULL_PRECISION,
    }.items():
        assert {name for name in _autocast_names(macro) if not inner.search(name)} <= ours
    summed = {name for name in _autocast_names("AT_FORALL_FP32_SET_OPT_DTYPE") if "norm" not in name}
    assert summed == autocast.SUMS | set(autocast.SOFTMAXES)


def _deep_model():
    return nn.Sequential(*(nn.Sequential(nn.Linear(32, 32), nn.GELU(), nn.LayerNorm(32)) for _ in range(8)))


@pytest.mark.parametrize("dtype", [None, torch.float16])
def test_that_checkpointing_runs_the_forward_pass_again_and_keeps_less(dtype):
    plain = trained(_deep_model(), meta(64, 32), dtype)
    model = _deep_model().to("meta")
    checkpoint_blocks(list(model), dtype)
    kept = trained(model, meta(64, 32).requires_grad_(), dtype)
    again = kernels(plain, "matmul", FORWARD, BACKWARD, WEIGHT_GRADIENT)
    assert len(kernels(kept, "matmul")) >= len(again)
    assert {cost.dtype_bytes for cost in kernels(kept, "matmul")} == {2 if dtype else 4}
    assert kept.live.max() < 0.6 * plain.live.max()


def test_that_inference_keeps_nothing_for_a_backward_pass():
    record = record_inference(_deep_model().to("meta"), {"input": meta(64, 32), "target": meta(64)}, None)
    assert record.live.max() <= 3 * 4 * 64 * 32 + 1024
    assert not record.gradients.any()


def test_that_an_unknown_operator_is_named_with_the_place_to_add_it():
    with pytest.raises(TraceError, match=r"aten\.linalg_qr.*classes\.py"):
        trained(Calls(lambda x: torch.linalg.qr(x)[0]), meta(4, 4))
