"""Orders of dimensions in memory: which kernels they choose, and which hidden copies they cost."""

from __future__ import annotations

from collections import Counter

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch import nn  # noqa: E402  torch may be missing

from planner.workload.optable import PHASES  # noqa: E402
from planner.workload.trace.layout import is_channels_last, laid_out, laid_out_model  # noqa: E402
from planner.workload.trace.step import record_training  # noqa: E402

pytestmark = pytest.mark.torch

FORWARD = PHASES.index("forward")


def step(model, *shape, memory_format="contiguous"):
    images = laid_out({"x": torch.empty(*shape, device="meta")}, memory_format)
    model = laid_out_model(model.to("meta"), memory_format)
    return record_training(model, images, lambda model, inputs: model(inputs["x"]).sum(), None)


def kinds(record, phase=FORWARD):
    return Counter(kernel.cost.kind for kernel in record.kernels if kernel.phase == phase)


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (torch.empty(8, 4, 5, 5), False),
        (torch.empty(8, 4, 5, 5).to(memory_format=torch.channels_last), True),
        (torch.empty(64, 32, 1, 1), False),  # a pointwise kernel, where every order is contiguous
        (torch.empty(64, 32, 1, 1).to(memory_format=torch.channels_last), True),
        (torch.empty(2, 3, 4, 5, 6).to(memory_format=torch.channels_last_3d), True),
        (torch.empty(8, 4), False),
    ],
)
def test_that_the_order_of_a_tensor_is_found_as_torch_finds_it(tensor, expected):
    assert is_channels_last(tensor) is expected


def test_that_every_kernel_of_a_convolutional_net_works_in_the_format_of_its_input():
    def net():
        return nn.Sequential(
            nn.Conv2d(8, 16, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 8, 1, bias=False)
        )

    for memory_format in ("contiguous", "channels_last"):
        record = step(net(), 2, 8, 6, 6, memory_format=memory_format)
        spatial = [kernel.cost for kernel in record.kernels if kernel.cost.kind.startswith(("conv", "batch_norm"))]
        assert {cost.channels_last for cost in spatial} == {memory_format == "channels_last"}
        assert kinds(record)["transpose"] == 0


def test_that_a_contiguous_input_meets_a_channels_last_weight_after_a_copy():
    model = laid_out_model(nn.Conv2d(8, 16, 3, bias=False).to("meta"), "channels_last")
    record = step(model, 2, 8, 6, 6)
    assert kinds(record)["transpose"] == 1


def test_that_a_layer_norm_copies_an_input_that_lies_across_it():
    class Tokens(nn.Module):
        def __init__(self, across):
            super().__init__()
            self.across, self.norm = across, nn.LayerNorm(16)

        def forward(self, x):
            return self.norm(x.transpose(1, 2) if self.across else x)

    assert kinds(step(Tokens(False), 2, 9, 16))["transpose"] == 0
    assert kinds(step(Tokens(True), 2, 16, 9))["transpose"] == 1


def test_that_operands_across_each_other_and_repeated_ones_are_told_apart():
    class Sum(nn.Module):
        def __init__(self, other):
            super().__init__()
            self.other, self.weight = other, nn.Parameter(torch.ones(1))

        def forward(self, x):
            return x * self.weight + self.other(x)

    assert kinds(step(Sum(lambda x: x * 2), 4, 5, 6))["pointwise_mismatched"] == 0
    assert kinds(step(Sum(lambda x: x.transpose(1, 2)), 4, 6, 6))["pointwise_mismatched"] == 1
    assert kinds(step(Sum(lambda x: x[:1]), 4, 5, 6))["pointwise_broadcast"] >= 1


def test_that_the_weight_gradient_of_a_linear_layer_is_summed_over_the_positions():
    record = step(nn.Sequential(nn.Linear(8, 16, bias=False), nn.Tanh()), 5, 8)
    (weight,) = [k.cost for k in record.kernels if PHASES[k.phase] == "weight_gradient"]
    assert (weight.m, weight.n, weight.k) == (16, 8, 5)


def test_that_a_convolution_is_three_implicit_products():
    record = step(
        nn.Sequential(nn.Conv2d(4, 8, 1), nn.Conv2d(8, 16, 3, stride=2, groups=2, bias=False)), 3, 4, 7, 7
    )
    found = {
        PHASES[k.phase]: (k.cost.m, k.cost.n, k.cost.k, k.cost.groups, k.cost.kernel, k.cost.stride)
        for k in record.kernels
        if k.cost.kind == "conv_grouped"
    }
    assert found == {
        "forward": (3 * 3 * 3, 8, 4 * 9, 2, 9, 2),
        "backward": (3 * 7 * 7, 4, 8 * 9, 2, 9, 2),
        "weight_gradient": (8, 4 * 9, 3 * 3 * 3, 2, 9, 2),
    }
