"""Parts that the transformers of ``hf_plain`` share, executed as Hugging Face's own code executes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.errors import SourceError


def _gelu_by_tanh_in_parts(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


def _gelu_by_tanh(x: torch.Tensor) -> torch.Tensor:
    return functional.gelu(x, approximate="tanh")


_ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_new": _gelu_by_tanh_in_parts,
    "gelu_pytorch_tanh": _gelu_by_tanh,
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": functional.silu,
    "swish": functional.silu,
    "tanh": torch.tanh,
}


class Settings:
    """A config.json, read field by field: what is missing has the default of Hugging Face's configuration.

    Every reader raises SourceError (unknown_model) with the field's name for a value of another kind.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings

    def whole(self, name: str, default: int) -> int:
        """A whole number above 0."""
        return self._read(name, default, lambda value: type(value) is int and value > 0, "a whole number above 0")

    def share(self, name: str, default: float) -> float:
        """A number from 0 to 1, such as a dropout."""
        kind = "a number from 0 to 1"
        return float(self._read(name, default, lambda x: type(x) in (int, float) and 0 <= x <= 1, kind))

    def cap(self, name: str, default: float | None) -> float | None:
        """A number above 0, or none."""
        if name in self._settings and self._settings[name] is None:
            return None
        return self._read(name, default, lambda x: type(x) in (int, float) and x > 0, "a number above 0 or null")

    def flag(self, name: str, default: bool) -> bool:
        """true or false."""
        return self._read(name, default, lambda value: type(value) is bool, "true or false")

    def activation(self, name: str, default: str) -> Callable[[torch.Tensor], torch.Tensor]:
        """An activation function by its name."""
        known = f"one of {', '.join(_ACTIVATIONS)}"
        return _ACTIVATIONS[self._read(name, default, lambda value: value in _ACTIVATIONS, known)]

    def text(self, name: str, default: str) -> str:
        """A word."""
        return self._read(name, default, lambda value: isinstance(value, str), "a text")

    def labels(self) -> int:
        """Number of classes: that of id2label, else num_labels, else 2."""
        named = self._read("id2label", {}, lambda value: isinstance(value, dict), "a table of names")
        return len(named) or self.whole("num_labels", 2)

    def _read(self, name: str, default: Any, accepted: Callable[[Any], bool], kind: str) -> Any:
        value = self._settings.get(name)
        if value is None:
            return default
        if not accepted(value):
            raise SourceError("unknown_model", f"{name} is {value!r}, but must be {kind}")
        return value


class RmsNorm(nn.Module):
    """Root-mean-square normalisation (arXiv 1910.07467) computed in fp32. Gemma's scales by
    1 + weight, in fp32, too."""

    def __init__(self, width: int, *, gemma: bool = False) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.gemma = gemma

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        full = x.float()
        normal = full * torch.rsqrt(full.pow(2).mean(-1, keepdim=True) + 1e-6)
        if self.gemma:
            return (normal * (1.0 + self.weight.float())).type_as(x)
        scaled: torch.Tensor = self.weight * normal.to(x.dtype)
        return scaled


class T5Norm(nn.Module):
    """The same norm as T5 has it: the input keeps its precision until it meets the scale."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
        if self.weight.dtype in (torch.float16, torch.bfloat16):
            x = x.to(self.weight.dtype)
        scaled: torch.Tensor = self.weight * x
        return scaled


def rotary_angles(length: int, head_dim: int, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines of rotary positions (arXiv 2104.09864), (1, 1, s, head_dim) each, like ``like``."""
    half = torch.arange(0, head_dim, 2, device=like.device).float() / head_dim
    frequencies = torch.arange(length, device=like.device).float()[None, :, None] * (1.0 / 10_000.0**half)
    angles = torch.cat((frequencies, frequencies), dim=-1).unsqueeze(1)
    return angles.cos().to(like.dtype), angles.sin().to(like.dtype)


def rotated(x: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """x (b, heads, s, head_dim) turned by its positions."""
    cosines, sines = angles
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return (x * cosines) + (torch.cat((-second, first), dim=-1) * sines)


def in_heads(x: torch.Tensor, head_dim: int) -> torch.Tensor:
    """(b, s, heads · head_dim) to (b, heads, s, head_dim)."""
    return x.view(*x.shape[:-1], -1, head_dim).transpose(1, 2)


def joined(x: torch.Tensor) -> torch.Tensor:
    """(b, heads, s, head_dim) to (b, s, heads · head_dim)."""
    return x.transpose(1, 2).flatten(2)


def capped(x: torch.Tensor, cap: float | None) -> torch.Tensor:
    """Numbers softly kept within ± cap (arXiv 2408.00118)."""
    return x if cap is None else torch.tanh(x / cap) * cap


def attend_with_cap(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, cap: float, dropout: float
) -> torch.Tensor:
    """Causal attention with capped scores, which no fused kernel of torch computes: in its parts."""
    groups = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(groups, 1) if groups > 1 else x for x in (key, value))
    scores = capped(torch.matmul(query, key.transpose(-2, -1)) * query.shape[-1] ** -0.5, cap)
    future = torch.full(scores.shape[-2:], torch.finfo(scores.dtype).min, dtype=scores.dtype, device=scores.device)
    scores = scores + future.triu(1)
    shares = functional.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
    return torch.matmul(functional.dropout(shares, dropout, dropout > 0), value)
