"""One training step of a latent diffusion model (arXiv 2112.10752) at the shape of Stable Diffusion 1.5."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable

_WIDTHS = (320, 640, 1280, 1280)
_BLOCKS = 2  # per stage on the way down; one more on the way up
_HEADS = 8
_TEXT_TOKENS, _TEXT_WIDTH = 77, 768  # of the text encoder, whose output is an input here
_LATENT_CHANNELS, _PIXELS_PER_LATENT = 4, 8  # of the autoencoder, whose output is an input here


class _ResidualBlock(nn.Module):
    def __init__(self, channels_in: int, channels: int) -> None:
        super().__init__()
        self.norm_in, self.norm_out = nn.GroupNorm(32, channels_in), nn.GroupNorm(32, channels)
        self.conv_in = nn.Conv2d(channels_in, channels, 3, padding=1)
        self.conv_out = nn.Conv2d(channels, channels, 3, padding=1)
        self.time = nn.Linear(4 * _WIDTHS[0], channels)
        self.shortcut = nn.Conv2d(channels_in, channels, 1) if channels_in != channels else nn.Identity()

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        inner = self.conv_in(functional.silu(self.norm_in(x)))
        inner = inner + self.time(functional.silu(time))[:, :, None, None]
        made: torch.Tensor = self.shortcut(x) + self.conv_out(functional.silu(self.norm_out(inner)))
        return made


class _Attention(nn.Module):
    def __init__(self, width: int, source_width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(source_width, width, bias=False) for _ in range(2))
        self.output = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            projected.unflatten(-1, (_HEADS, -1)).transpose(1, 2)
            for projected in (self.query(x), self.key(source), self.value(source))
        )
        attended = functional.scaled_dot_product_attention(query, key, value)
        made: torch.Tensor = self.output(attended.transpose(1, 2).flatten(2))
        return made


class _TransformerBlock(nn.Module):
    """Attention over the positions, attention to the text, gated MLP; on an image, around 1×1 convolutions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(32, width)
        self.conv_in, self.conv_out = nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own, self.to_text = _Attention(width, width), _Attention(width, _TEXT_WIDTH)
        self.up, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, image: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        x = self.conv_in(self.norm(image)).flatten(2).transpose(1, 2)
        normal = self.norms[0](x)
        x = self.own(normal, normal) + x
        x = self.to_text(self.norms[1](x), text) + x
        inner, gate = self.up(self.norms[2](x)).chunk(2, dim=-1)
        x = self.down(inner * functional.gelu(gate)) + x
        made: torch.Tensor = self.conv_out(x.transpose(1, 2).reshape(image.shape)) + image
        return made


class _Stage(nn.Module):
    """Residual blocks by their input channels, each followed by attention where ``attends``."""

    def __init__(self, channels_in: list[int], channels: int, *, attends: bool) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(_ResidualBlock(width, channels) for width in channels_in)
        self.attentions = nn.ModuleList(_TransformerBlock(channels) for _ in channels_in if attends)

    def steps(self) -> Iterator[tuple[nn.Module, nn.Module | None]]:
        """Each block with its attention."""
        return itertools.zip_longest(self.blocks, self.attentions)


class DiffusionUNet(nn.Module):
    """(b, 4, h, w) noisy latents, (b,) times and (b, 77, 768) text to the noise, like the latents."""

    def __init__(self) -> None:
        super().__init__()
        first, last = _WIDTHS[0], _WIDTHS[-1]
        self.time = nn.Sequential(nn.Linear(first, 4 * first), nn.SiLU(), nn.Linear(4 * first, 4 * first))
        self.conv_in = nn.Conv2d(_LATENT_CHANNELS, first, 3, padding=1)
        self.down, self.shrink = nn.ModuleList(), nn.ModuleList()
        skipped = [first]
        for level, width in enumerate(_WIDTHS):
            before = _WIDTHS[max(level - 1, 0)]
            self.down.append(_Stage([before, width], width, attends=level < 3))
            skipped += [width] * _BLOCKS
            if level < 3:
                self.shrink.append(nn.Conv2d(width, width, 3, stride=2, padding=1))
                skipped.append(width)
        self.middle = nn.ModuleList(
            (_ResidualBlock(last, last), _TransformerBlock(last), _ResidualBlock(last, last))
        )
        self.up, self.grow = nn.ModuleList(), nn.ModuleList()
        width = last
        for level in reversed(range(len(_WIDTHS))):
            inputs = [width if block == 0 else _WIDTHS[level] for block in range(_BLOCKS + 1)]
            inputs = [size + skipped.pop() for size in inputs]
            width = _WIDTHS[level]
            self.up.append(_Stage(inputs, width, attends=level < 3))
            if level:
                self.grow.append(nn.Conv2d(width, width, 3, padding=1))
        self.norm_out, self.conv_out = nn.GroupNorm(32, first), nn.Conv2d(first, _LATENT_CHANNELS, 3, padding=1)

    def _embedded(self, times: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        half = _WIDTHS[0] // 2
        frequencies = torch.exp(torch.arange(half, device=times.device) * (-9.21 / half))  # down to 1/10,000
        angles = times[:, None].float() * frequencies[None]
        made: torch.Tensor = self.time(torch.cat((angles.cos(), angles.sin()), dim=-1).to(like.dtype))
        return made

    def forward(self, x: torch.Tensor, times: torch.Tensor, text: torch.Tensor) -> torch.Tensor:
        time = self._embedded(times, x)
        x = self.conv_in(x)
        skipped = [x]
        for level, stage in enumerate(self.down):
            for block, attention in stage.steps():
                x = block(x, time)
                x = attention(x, text) if attention is not None else x
                skipped.append(x)
            if level < len(self.shrink):
                x = self.shrink[level](x)
                skipped.append(x)
        first, attention, second = self.middle
        x = second(attention(first(x, time), text), time)
        for level, stage in enumerate(self.up):
            for block, attention in stage.steps():
                x = block(torch.cat((x, skipped.pop()), dim=1), time)
                x = attention(x, text) if attention is not None else x
            if level < len(self.grow):
                x = self.grow[level](functional.interpolate(x, scale_factor=2.0, mode="nearest"))
        made: torch.Tensor = self.conv_out(functional.silu(self.norm_out(x)))
        return made

    def repeated(self) -> list[nn.Module]:
        """What activation checkpointing runs again."""
        return [part for part in self.modules() if isinstance(part, _ResidualBlock | _TransformerBlock)]


def _sd15_unet() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        with torch.device("meta"):
            return DiffusionUNet().to(dtype)

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        side = size // _PIXELS_PER_LATENT
        latents = torch.empty(batch, _LATENT_CHANNELS, side, side, dtype=dtype, device="meta")
        return {
            "x": latents,
            "times": torch.empty(batch, dtype=torch.int64, device="meta"),
            "text": torch.empty(batch, _TEXT_TOKENS, _TEXT_WIDTH, dtype=dtype, device="meta"),
            "target": torch.empty_like(latents),
        }

    def loss(model: nn.Module, batch: Inputs) -> torch.Tensor:
        return functional.mse_loss(
            model(batch["x"], batch["times"], batch["text"]).float(), batch["target"].float()
        )

    return Traceable(
        name="sd15_unet",
        size_kind="image",
        size_unit=64,
        default_size=512,
        size_min=256,
        size_max=1024,
        trace_sizes=(256, 320, 384),
        build=build,
        inputs=inputs,
        loss=loss,
        blocks=lambda model: model.repeated(),
        # In fp32 its 860 million weights take 14 GB with Adam: it is trained in 16 bits.
        precisions=("amp", "bf16"),
    )


def diffusion_models() -> list[Traceable]:
    """The U-Net of Stable Diffusion 1.5, which predicts the noise in latents."""
    return [_sd15_unet()]
