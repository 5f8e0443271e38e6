"""A recommender with large embeddings: DLRM (arXiv 1906.00091) at the size its authors train on Criteo's Kaggle
set."""

from __future__ import annotations

import itertools

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable

_DENSE = 13
_WIDTH = 16  # of every embedding
# Different values of the 26 categories (https://github.com/facebookresearch/dlrm, README, MIT).
_CATEGORIES = (
    1460, 583, 10_131_227, 2_202_608, 305, 24, 12_517, 633, 3, 93_145, 5683, 8_351_593, 3194, 27, 14_992,
    5_461_306, 10, 5652, 2173, 4, 7_046_547, 18, 15, 286_181, 105, 142_572,
)  # fmt: skip


def _perceptron(*widths: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers)


class Dlrm(nn.Module):
    """(b, 13) numbers and (b, 26) categories to (b,) scores of a click."""

    def __init__(self) -> None:
        super().__init__()
        vectors = len(_CATEGORIES) + 1
        self.tables = nn.ModuleList(nn.Embedding(count, _WIDTH) for count in _CATEGORIES)
        self.bottom = _perceptron(_DENSE, 512, 256, 64, _WIDTH)
        pairs = vectors * (vectors - 1) // 2
        self.top = nn.Sequential(*_perceptron(_WIDTH + pairs, 512, 256), nn.Linear(256, 1))
        self.register_buffer("pairs", torch.empty(2, pairs, dtype=torch.int64))

    def forward(self, dense: torch.Tensor, categories: torch.Tensor) -> torch.Tensor:
        numbers = self.bottom(dense)
        found = [table(column) for table, column in zip(self.tables, categories.unbind(1), strict=True)]
        vectors = torch.stack([numbers, *(vector.to(numbers.dtype) for vector in found)], dim=1)
        products = torch.bmm(vectors, vectors.transpose(1, 2))
        chosen = products[:, self.pairs[0], self.pairs[1]]
        scores: torch.Tensor = self.top(torch.cat((numbers, chosen), dim=1))[:, 0]
        return scores


def _dlrm() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        with torch.device("meta"):
            return Dlrm().to(dtype)

    def inputs(batch: int, _size: int, dtype: torch.dtype) -> Inputs:
        return {
            "dense": torch.empty(batch, _DENSE, dtype=dtype, device="meta"),
            "categories": torch.empty(batch, len(_CATEGORIES), dtype=torch.int64, device="meta"),
            "target": torch.empty(batch, dtype=torch.float32, device="meta"),
        }

    def loss(model: nn.Module, batch: Inputs) -> torch.Tensor:
        scores = model(batch["dense"], batch["categories"])
        return functional.binary_cross_entropy_with_logits(scores.float(), batch["target"])

    return Traceable(
        name="dlrm_criteo",
        size_kind="none",
        size_unit=1,
        default_size=0,
        size_min=0,
        size_max=0,
        trace_sizes=(0,),
        build=build,
        inputs=inputs,
        loss=loss,
    )


def recommender_models() -> list[Traceable]:
    """DLRM with 26 embeddings of 34 million rows together."""
    return [_dlrm()]
