"""Attention that the fused kernels do not take is traced in its parts."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from planner.workload.trace.fused import FusedKernels  # noqa: E402

pytestmark = pytest.mark.torch


def meta(*shape: int):
    return torch.zeros(shape, device="meta", requires_grad=True)


def test_that_a_learned_mask_gets_its_gradient():
    q, k, v, mask = meta(2, 3, 5, 8), meta(2, 3, 5, 8), meta(2, 3, 5, 8), meta(1, 3, 5, 5)
    with FusedKernels():
        functional.scaled_dot_product_attention(q, k, v, attn_mask=mask).sum().backward()
    assert mask.grad is not None
    assert mask.grad.shape == mask.shape


def test_that_windows_in_a_dimension_of_their_own_are_served():
    q, k, v = meta(2, 3, 4, 5, 8), meta(2, 3, 4, 5, 8), meta(2, 3, 4, 5, 8)
    with FusedKernels():
        out = functional.scaled_dot_product_attention(q, k, v)
    assert out.shape == q.shape
