"""Our own plain modules: U-Nets in two and three dimensions, and a multi-layer perceptron on table rows."""

from __future__ import annotations

import itertools

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable


class _DoubleConvolution(nn.Sequential):
    """Convolution, normalisation, ReLU, twice."""

    def __init__(self, dimensions: int, channels_in: int, channels: int) -> None:
        convolution = (nn.Conv2d, nn.Conv3d)[dimensions - 2]
        norm = (nn.BatchNorm2d, nn.InstanceNorm3d)[dimensions - 2]
        super().__init__(
            convolution(channels_in, channels, 3, padding=1, bias=False),
            norm(channels, affine=True),
            nn.ReLU(inplace=True),
            convolution(channels, channels, 3, padding=1, bias=False),
            norm(channels, affine=True),
            nn.ReLU(inplace=True),
        )


class UNet(nn.Module):
    """U-Net (arXiv 1505.04597; 3D: arXiv 1606.06650) with padded convolutions: encoder, decoder with
    transposed convolutions, skip connections, one output channel per class."""

    def __init__(self, dimensions: int, channels_in: int, classes: int, widths: tuple[int, ...]) -> None:
        super().__init__()
        up = (nn.ConvTranspose2d, nn.ConvTranspose3d)[dimensions - 2]
        pairs = list(itertools.pairwise(widths))
        self.down = nn.ModuleList(
            _DoubleConvolution(dimensions, narrow, wide)
            for narrow, wide in zip((channels_in, *widths), widths, strict=False)
        )
        self.pool = (nn.MaxPool2d, nn.MaxPool3d)[dimensions - 2](2)
        self.up = nn.ModuleList(up(wide, narrow, 2, stride=2) for narrow, wide in reversed(pairs))
        self.merge = nn.ModuleList(
            _DoubleConvolution(dimensions, 2 * narrow, narrow) for narrow, _ in reversed(pairs)
        )
        self.head = (nn.Conv2d, nn.Conv3d)[dimensions - 2](widths[0], classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        skipped = []
        for stage, block in enumerate(self.down):
            x = block(self.pool(x) if stage else x)
            skipped.append(x)
        skipped.pop()
        for up, merge in zip(self.up, self.merge, strict=True):
            x = merge(torch.cat([skipped.pop(), up(x)], dim=1))
        logits: torch.Tensor = self.head(x)
        return logits


def _pixelwise_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    return functional.cross_entropy(model(inputs["x"]), inputs["target"])


def _unet_blocks(model: nn.Module) -> list[nn.Module]:
    return [*model.down, *model.merge]


def _unet2d() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        with torch.device("meta"):
            return UNet(2, channels_in=3, classes=2, widths=(64, 128, 256, 512, 1024)).to(dtype)

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        return {
            "x": torch.empty(batch, 3, size, size, dtype=dtype, device="meta"),
            "target": torch.empty(batch, size, size, dtype=torch.int64, device="meta"),
        }

    return Traceable(
        name="unet2d",
        size_kind="image",
        size_unit=32,
        default_size=256,
        size_min=64,
        size_max=1024,
        trace_sizes=(192, 224, 256),
        build=build,
        inputs=inputs,
        loss=_pixelwise_loss,
        blocks=_unet_blocks,
    )


def _unet3d() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        with torch.device("meta"):
            return UNet(3, channels_in=4, classes=4, widths=(32, 64, 128, 256, 320)).to(dtype)

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        return {
            "x": torch.empty(batch, 4, size, size, size, dtype=dtype, device="meta"),
            "target": torch.empty(batch, size, size, size, dtype=torch.int64, device="meta"),
        }

    return Traceable(
        name="unet3d",
        size_kind="volume",
        size_unit=16,
        default_size=128,
        size_min=32,
        size_max=256,
        trace_sizes=(64, 96, 128),
        build=build,
        inputs=inputs,
        loss=_pixelwise_loss,
        blocks=_unet_blocks,
    )


def _tabular_mlp() -> Traceable:
    features, width, hidden_layers = 28, 512, 4

    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        layers: list[nn.Module] = []
        with torch.device("meta"):
            for layer in range(hidden_layers):
                layers += [
                    nn.Linear(width if layer else features, width),
                    nn.BatchNorm1d(width),
                    nn.ReLU(inplace=True),
                    nn.Dropout(0.1),
                ]
            return nn.Sequential(*layers, nn.Linear(width, 1)).to(dtype)

    def inputs(batch: int, _size: int, dtype: torch.dtype) -> Inputs:
        return {
            "input": torch.empty(batch, features, dtype=dtype, device="meta"),
            "target": torch.empty(batch, 1, dtype=dtype, device="meta"),
        }

    def loss(model: nn.Module, batch: Inputs) -> torch.Tensor:
        return functional.binary_cross_entropy_with_logits(model(batch["input"]), batch["target"])

    return Traceable(
        name="tabular_mlp",
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


def plain_models() -> list[Traceable]:
    """U-Net 2D and 3D with pixel-wise cross-entropy, an MLP with binary cross-entropy."""
    return [_unet2d(), _unet3d(), _tabular_mlp()]
