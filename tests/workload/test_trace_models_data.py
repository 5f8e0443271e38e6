"""Models that decide by the values in their tensors: followed on the CPU with data, or refused with the reason."""

from __future__ import annotations

import pytest

from planner.workload.optable import OP_CLASSES, basis

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch.nn import functional  # noqa: E402  torch may be missing

from planner.workload.trace import concrete  # noqa: E402
from planner.workload.trace.child import _table, classified  # noqa: E402
from planner.workload.trace.errors import SourceError  # noqa: E402
from planner.workload.trace.fused import FusedKernels  # noqa: E402

pytestmark = pytest.mark.torch

MODELS = """
import torch
from torch import nn
from torch.nn import functional


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.other = nn.Linear(32, 32), nn.Linear(32, 32)

    def forward(self, x):
        x = self.layer(x)
        return self.other(x) if x.abs().sum() > 0 else x


class Straight(Branching):
    def forward(self, x):
        return self.other(self.layer(x))


class Routed(nn.Module):
    # Each token goes to one of two experts, as in a mixture of experts.
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.router = nn.Linear(32, 2)
        self.experts = nn.ModuleList(nn.Linear(32, 32) for _ in range(2))
        self.lstm = nn.LSTM(32, 32, batch_first=True)

    def forward(self, tokens):
        x = self.words(tokens)
        heads = x.unflatten(-1, (4, 8)).transpose(1, 2)
        x = x + functional.scaled_dot_product_attention(heads, heads, heads).transpose(1, 2).flatten(2)
        x, _ = self.lstm(x)
        chosen = self.router(x).argmax(-1)
        out = torch.zeros_like(x)
        for index, expert in enumerate(self.experts):
            places = (chosen == index).nonzero(as_tuple=True)
            out = out.index_put(places, functional.softmax(expert(x[places]), -1).to(x.dtype))
        return out


class Large(Branching):
    def __init__(self):
        super().__init__()
        self.more = nn.Linear(20_000, 20_000)


def branching():
    return Branching()


def straight():
    return Straight()


def routed():
    return Routed()


def large():
    return Large()
"""


@pytest.fixture
def asked(tmp_path):
    """Requests for the models of one file, as the tracing child reads them."""
    file = tmp_path / "models.py"
    file.write_text(MODELS, encoding="utf-8")

    def request(function, **options):
        return {
            "name": f"py:{file}:{function}", "kind": "py", "target": str(file), "function": function,
            "precision": "amp", "checkpointing": "none", "attention": "fused", "size": None,
            "memory_format": "contiguous", "adapter": "none",
        } | options  # fmt: skip

    return request


def flops(table, batch):
    return float(table.count @ (table.flops @ basis(batch, 1.0)))


@pytest.mark.parametrize("precision", ["fp32", "amp", "bf16"])
def test_that_a_branch_is_followed_with_data_and_the_table_says_so(asked, precision):
    followed = _table(asked("branching", precision=precision))
    assert "random data" in followed.model
    straight = _table(asked("straight", precision=precision))
    assert "random data" not in straight.model
    assert flops(followed, 64) == flops(straight, 64)
    assert followed.parameters == straight.parameters


@pytest.mark.parametrize("precision", ["fp32", "amp"])
def test_that_a_model_with_experts_is_followed_at_the_length_asked_for(asked, precision):
    table = _table(asked("routed", precision=precision, size=24))
    assert "random data" in table.model
    assert (table.size_min, table.size_max) == (24, 24)
    assert {"attention", "rnn"} <= {OP_CLASSES[index] for index in table.op_class}
    # Every token meets exactly one expert, and the router: 32 × 32 and 32 × 2, forward.
    forward = (table.phase == 0) & (table.op_class == OP_CLASSES.index("matmul"))
    per_sample = table.count[forward] @ (table.flops[forward] @ basis(1, 1.0))
    assert per_sample == pytest.approx(2 * 24 * 32 * (32 + 2))


def test_that_a_model_too_large_for_data_is_refused_with_both_reasons(asked):
    request = asked("large")
    with pytest.raises(SourceError) as caught:
        _table(request)
    code, detail = classified(caught.value, request)
    assert code == "data_dependent_control_flow"
    assert "models.py, line 14" in detail
    assert "1.6 GB of weights" in detail


def test_that_another_failure_is_not_hidden_behind_data(asked):
    with pytest.raises(SourceError, match="no function nothing"):
        _table(asked("nothing"))


def test_that_our_attention_computes_what_torch_computes():
    assert concrete  # its import gives the operators their CPU kernels
    query, key = torch.randn(2, 4, 5, 8), torch.randn(2, 2, 5, 8)
    expected = functional.scaled_dot_product_attention(query, key, key, is_causal=True, enable_gqa=True)
    with FusedKernels():
        found = functional.scaled_dot_product_attention(query, key, key, is_causal=True, enable_gqa=True)
    assert torch.allclose(found, expected, atol=1e-6)


def test_that_our_lstm_computes_what_torch_computes():
    lstm, x = torch.nn.LSTM(6, 7, 2, batch_first=True, bidirectional=True), torch.randn(3, 5, 6)
    expected, (hidden, cell) = lstm(x)
    with FusedKernels():
        found, (found_hidden, found_cell) = lstm(x)
    for one, other in ((found, expected), (found_hidden, hidden), (found_cell, cell)):
        assert torch.allclose(one, other, atol=1e-6)
