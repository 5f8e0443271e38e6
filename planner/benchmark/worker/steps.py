"""Two whole training steps, small enough for any device. Their shapes are told, so that predictions of the same
steps can be compared with what was measured."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Callable

import torch
from torch import nn

from .devices import Device
from .protocol import Work


@dataclass(frozen=True)
class CnnShape:
    """Stages of a stride-2 and a stride-1 3×3 convolution with batch norm and ReLU, then a linear classifier."""

    image: int
    widths: tuple[int, ...]
    classes: int = 100

    def describe(self, batch: int) -> str:
        widths = "-".join(map(str, self.widths))
        return f"batch {batch}, image 3×{self.image}×{self.image}, widths {widths}, {self.classes} classes"

    def model(self) -> nn.Module:
        layers: list[nn.Module] = []
        channels = 3
        for width in self.widths:
            for inputs, stride in ((channels, 2), (width, 1)):
                layers += [
                    nn.Conv2d(inputs, width, 3, stride, 1, bias=False),
                    nn.BatchNorm2d(width),
                    nn.ReLU(inplace=True),
                ]
            channels = width
        return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, self.classes))

    def training_flops(self, batch: int) -> float:
        """Forward, data and weight gradients; the image needs no gradient."""
        flops, channels, side = 0, 3, self.image
        for stage, width in enumerate(self.widths):
            side = (side + 1) // 2
            per_input = 2 * 9 * width * side * side
            flops += (2 if stage == 0 else 3) * per_input * channels + 3 * per_input * width
            channels = width
        return float(batch * (flops + 3 * 2 * channels * self.classes))

    def footprint(self, batch: int) -> float:
        """Three saved activations per convolution, as much again for gradients and copies in 16 bit; bytes."""
        sides = [self.image / 2 ** (stage + 1) for stage in range(len(self.widths))]
        activations = sum(2 * width * side * side for width, side in zip(self.widths, sides))  # noqa: B905 - 3.9
        return 6.0 * 4 * batch * activations + 16.0 * 9 * 2 * sum(width * width for width in self.widths)


@dataclass(frozen=True)
class TransformerShape:
    """A decoder's size without its mask: pre-norm blocks with an MLP of four times the width, and a vocabulary."""

    layers: int
    width: int
    heads: int
    length: int
    vocabulary: int

    def describe(self, batch: int) -> str:
        return (
            f"batch {batch}, sequence {self.length}, {self.layers} layers, width {self.width}, "
            f"{self.heads} heads, vocabulary {self.vocabulary}"
        )

    def model(self) -> nn.Module:
        blocks = [
            nn.TransformerEncoderLayer(
                self.width, self.heads, 4 * self.width, dropout=0.0, batch_first=True, norm_first=True
            )
            for _ in range(self.layers)
        ]
        return nn.Sequential(
            nn.Embedding(self.vocabulary, self.width),
            *blocks,
            nn.LayerNorm(self.width),
            nn.Linear(self.width, self.vocabulary, bias=False),
        )

    def training_flops(self, batch: int) -> float:
        """Three times the forward pass: 12 width² weights and 2 · length · width of attention per token."""
        per_token = (
            self.layers * (12 * self.width**2 + 2 * self.length * self.width) + self.width * self.vocabulary
        )
        return 3.0 * 2 * batch * self.length * per_token

    def footprint(self, batch: int) -> float:
        """Activations of about 34 widths per token and layer, logits three times, 16 bytes per parameter."""
        tokens = batch * self.length
        parameters = self.layers * 12 * self.width**2 + 2 * self.width * self.vocabulary
        attention = self.heads * self.length  # scores, where attention is not fused
        activations = self.layers * (34 * self.width + 3 * attention) + 3 * self.vocabulary
        return 4.0 * tokens * activations + 16.0 * parameters


def cnn_step(device: Device, shape: CnnShape, batch: int) -> Work:
    """SGD with momentum; in fp16 mixed precision and channels-last on CUDA, else fp32."""
    model = shape.model().to(device.kind)
    images = torch.randn(batch, 3, shape.image, shape.image, device=device.kind)
    if device.kind == "cuda":
        model, images = model.to(memory_format=torch.channels_last), images.to(memory_format=torch.channels_last)
    labels = torch.randint(shape.classes, (batch,), device=device.kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    loss = nn.CrossEntropyLoss()
    return Work(
        _step(device, model, optimizer, lambda: loss(model(images), labels)), shape.training_flops(batch), 0.0
    )


def transformer_step(device: Device, shape: TransformerShape, batch: int) -> Work:
    """AdamW; in fp16 mixed precision on CUDA, else fp32."""
    model = shape.model().to(device.kind)
    tokens = torch.randint(shape.vocabulary, (batch, shape.length), device=device.kind)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loss = nn.CrossEntropyLoss()
    forward: Callable[[], Any] = lambda: loss(model(tokens).flatten(0, 1), tokens.flatten())  # noqa: E731
    return Work(_step(device, model, optimizer, forward), shape.training_flops(batch), 0.0)


def _gradient_scaler() -> Any:
    new = getattr(torch.amp, "GradScaler", None)  # torch ≥ 2.3
    return new("cuda") if new else torch.cuda.amp.GradScaler()


def _step(device: Device, model: nn.Module, optimizer: Any, loss_of: Callable[[], Any]) -> Callable[[], None]:
    """A function that does one training step."""
    model.train()
    mixed = device.kind == "cuda"
    scaler = _gradient_scaler() if mixed else None

    def call() -> None:
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.float16) if mixed else contextlib.nullcontext():
            loss = loss_of()
        if scaler is None:
            loss.backward()
            optimizer.step()
        else:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

    return call
