"""Decoders of the Llama kind (Llama, Mistral, Qwen2, Qwen3, Gemma 1 to 3) from their configurations alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.models.hf_plain_layers import (
    RmsNorm,
    Settings,
    attend_with_cap,
    capped,
    in_heads,
    joined,
    rotary_angles,
    rotated,
)


@dataclass(frozen=True)
class DecoderKind:
    """What a model type always has, and the defaults of its configuration class."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int | None  # None: as many as heads
    head_dim: int | None  # None: hidden_size / heads
    longest: int
    activation_field: str = "hidden_act"
    activation: str = "silu"
    qkv_bias: bool | None = False  # None: as attention_bias says
    output_bias: bool | None = False
    qk_norm: bool = False
    gemma: bool = False  # scaled embeddings, norms around 1
    norms_after: bool = False  # attention and MLP are normalised behind them, too
    ties_embeddings: bool = False
    attention_cap: float | None = None
    logit_cap: float | None = None


# Defaults: configuration_*.py of transformers 5.24 (https://github.com/huggingface/transformers, Apache-2.0).
_GEMMA = DecoderKind(
    256_000, 3072, 24_576, 28, 16, 16, 256, 8192, activation="gelu_pytorch_tanh",
    qkv_bias=None, output_bias=None, gemma=True, ties_embeddings=True,
)  # fmt: skip
_GEMMA2 = replace(
    _GEMMA, hidden_size=2304, intermediate_size=9216, layers=26, heads=8, kv_heads=4, norms_after=True,
    activation_field="hidden_activation", attention_cap=50.0, logit_cap=30.0,
)  # fmt: skip
_GEMMA3 = replace(
    _GEMMA2, vocab_size=262_208, longest=131_072, qk_norm=True, attention_cap=None, logit_cap=None
)  # fmt: skip
DECODER_KINDS = {
    "llama": DecoderKind(32_000, 4096, 11_008, 32, 32, None, None, 2048, qkv_bias=None, output_bias=None),
    "mistral": DecoderKind(32_000, 4096, 14_336, 32, 32, 8, None, 131_072),
    "qwen2": DecoderKind(151_936, 4096, 22_016, 32, 32, 32, None, 32_768, qkv_bias=True),
    "qwen3": DecoderKind(
        151_936, 4096, 22_016, 32, 32, 32, 128, 32_768, qkv_bias=None, output_bias=None, qk_norm=True
    ),
    "gemma": _GEMMA,
    "gemma2": _GEMMA2,
    "gemma3_text": _GEMMA3,
}


@dataclass(frozen=True)
class DecoderShape:
    """One decoder, read from its configuration."""

    kind: DecoderKind
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    longest: int
    activation: Callable[[torch.Tensor], torch.Tensor]
    qkv_bias: bool
    output_bias: bool
    mlp_bias: bool
    dropout: float
    ties_embeddings: bool
    attention_cap: float | None
    logit_cap: float | None
    labels: int


def decoder_shape(kind: DecoderKind, settings: Settings) -> DecoderShape:
    """Read a configuration. Raises SourceError (unknown_model) for a field that is not understood."""
    heads = settings.whole("num_attention_heads", kind.heads)
    hidden_size = settings.whole("hidden_size", kind.hidden_size)
    attention_bias = settings.flag("attention_bias", False)
    return DecoderShape(
        kind=kind,
        vocab_size=settings.whole("vocab_size", kind.vocab_size),
        hidden_size=hidden_size,
        intermediate_size=settings.whole("intermediate_size", kind.intermediate_size),
        layers=settings.whole("num_hidden_layers", kind.layers),
        heads=heads,
        kv_heads=settings.whole("num_key_value_heads", kind.kv_heads or heads),
        head_dim=settings.whole("head_dim", kind.head_dim or max(hidden_size // heads, 1)),
        longest=settings.whole("max_position_embeddings", kind.longest),
        activation=settings.activation(kind.activation_field, kind.activation),
        qkv_bias=attention_bias if kind.qkv_bias is None else kind.qkv_bias,
        output_bias=attention_bias if kind.output_bias is None else kind.output_bias,
        mlp_bias=settings.flag("mlp_bias", False),
        dropout=settings.share("attention_dropout", 0.0),
        ties_embeddings=settings.flag("tie_word_embeddings", kind.ties_embeddings),
        attention_cap=settings.cap("attn_logit_softcapping", kind.attention_cap),
        logit_cap=settings.cap("final_logit_softcapping", kind.logit_cap),
        labels=settings.labels(),
    )


class _Attention(nn.Module):
    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()
        width, kv_width = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        self.shape = shape
        self.q_proj = nn.Linear(shape.hidden_size, width, bias=shape.qkv_bias)
        self.k_proj = nn.Linear(shape.hidden_size, kv_width, bias=shape.qkv_bias)
        self.v_proj = nn.Linear(shape.hidden_size, kv_width, bias=shape.qkv_bias)
        self.o_proj = nn.Linear(width, shape.hidden_size, bias=shape.output_bias)
        if shape.kind.qk_norm:
            self.q_norm = RmsNorm(shape.head_dim, gemma=shape.kind.gemma)
            self.k_norm = RmsNorm(shape.head_dim, gemma=shape.kind.gemma)

    def forward(self, x: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        shape, head_dim = self.shape, self.shape.head_dim
        query, key, value = (in_heads(made(x), head_dim) for made in (self.q_proj, self.k_proj, self.v_proj))
        if shape.kind.qk_norm:
            query, key = self.q_norm(query), self.k_norm(key)
        query, key = rotated(query, angles), rotated(key, angles)
        dropout = shape.dropout if self.training else 0.0
        if shape.attention_cap is not None:
            out = attend_with_cap(query, key, value, shape.attention_cap, dropout)
        else:
            out = functional.scaled_dot_product_attention(
                query, key, value, dropout_p=dropout, is_causal=True, enable_gqa=shape.heads != shape.kv_heads
            )
        projected: torch.Tensor = self.o_proj(joined(out))
        return projected


class _GatedMlp(nn.Module):
    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.hidden_size, shape.intermediate_size, bias=shape.mlp_bias)
        self.up_proj = nn.Linear(shape.hidden_size, shape.intermediate_size, bias=shape.mlp_bias)
        self.down_proj = nn.Linear(shape.intermediate_size, shape.hidden_size, bias=shape.mlp_bias)
        self.activation = shape.activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.down_proj(self.activation(self.gate_proj(x)) * self.up_proj(x))
        return made


class _Layer(nn.Module):
    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()

        def norm(exists: bool = True) -> nn.Module:
            return RmsNorm(shape.hidden_size, gemma=shape.kind.gemma) if exists else nn.Identity()

        self.self_attn = _Attention(shape)
        self.mlp = _GatedMlp(shape)
        self.before_attention, self.after_attention = norm(), norm(shape.kind.norms_after)
        self.before_mlp, self.after_mlp = norm(), norm(shape.kind.norms_after)

    def forward(self, x: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        x = x + self.after_attention(self.self_attn(self.before_attention(x), angles))
        made: torch.Tensor = x + self.after_mlp(self.mlp(self.before_mlp(x)))
        return made


class Decoder(nn.Module):
    """(b, s) tokens to scores: (b, s, vocabulary), or (b, labels) of the last position with ``classifies``."""

    def __init__(self, shape: DecoderShape, *, classifies: bool) -> None:
        super().__init__()
        self.shape = shape
        self.embed_tokens = nn.Embedding(shape.vocab_size, shape.hidden_size)
        self.layers = nn.ModuleList(_Layer(shape) for _ in range(shape.layers))
        self.norm = RmsNorm(shape.hidden_size, gemma=shape.kind.gemma)
        self.classifies = classifies
        if classifies:
            self.score = nn.Linear(shape.hidden_size, shape.labels, bias=False)
        else:
            self.lm_head = nn.Linear(shape.hidden_size, shape.vocab_size, bias=False)
            if shape.ties_embeddings:
                self.lm_head.weight = self.embed_tokens.weight

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        x = self.embed_tokens(input_ids)
        if self.shape.kind.gemma:
            x = x * self.shape.hidden_size**0.5
        angles = rotary_angles(input_ids.shape[1], self.shape.head_dim, x)
        for layer in self.layers:
            x = layer(x, angles)
        x = self.norm(x)
        if self.classifies:
            chosen: torch.Tensor = self.score(x)[:, -1]
            return chosen
        return capped(self.lm_head(x), self.shape.logit_cap).float()
