"""T5 from its configuration alone: encoder and decoder with a learned bias by distance on every score."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.models.hf_plain_layers import Settings, T5Norm, in_heads, joined

# Defaults: configuration_t5.py of transformers 5.24 (https://github.com/huggingface/transformers, Apache-2.0).
_VOCABULARY, _WIDTH, _HEAD_DIM, _INNER, _LAYERS, _HEADS, _DROPOUT = 32_128, 512, 64, 2048, 6, 8, 0.1


class _Attention(nn.Module):
    def __init__(self, settings: Settings, *, causal: bool, has_bias: bool) -> None:
        super().__init__()
        width, self.head_dim = settings.whole("d_model", _WIDTH), settings.whole("d_kv", _HEAD_DIM)
        self.heads, self.causal = settings.whole("num_heads", _HEADS), causal
        inner = self.heads * self.head_dim
        self.q, self.k, self.v = (nn.Linear(width, inner, bias=False) for _ in range(3))
        self.o = nn.Linear(inner, width, bias=False)
        self.dropout = settings.share("dropout_rate", _DROPOUT)
        self.farthest = settings.whole("relative_attention_max_distance", 128)
        buckets = settings.whole("relative_attention_num_buckets", 32)
        self.bias = nn.Embedding(buckets, self.heads) if has_bias else None

    def bias_of(self, query_length: int, key_length: int, like: torch.Tensor) -> torch.Tensor:
        """(1, heads, query_length, key_length) to be added to the scores; zeros without a learned bias."""
        if self.bias is None:
            return torch.zeros(1, self.heads, query_length, key_length, dtype=like.dtype, device=like.device)
        at = torch.arange(query_length, device=like.device)[:, None]
        distance = torch.arange(key_length, device=like.device)[None, :] - at
        return self.bias(self._bucket(distance)).permute(2, 0, 1).unsqueeze(0)

    def _bucket(self, distance: torch.Tensor) -> torch.Tensor:
        assert self.bias is not None
        buckets = self.bias.num_embeddings
        side = torch.zeros_like(distance)
        if self.causal:
            distance = -torch.min(distance, side)
        else:
            buckets //= 2
            side = (distance > 0).long() * buckets
            distance = distance.abs()
        near = max(buckets // 2, 1)
        steps = torch.log(distance.float() / near) / math.log(self.farthest / near) * (buckets - near)
        far = torch.min(near + steps.long(), torch.full_like(distance, buckets - 1))
        return side + torch.where(distance < near, distance, far)

    def forward(self, x: torch.Tensor, source: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        query = in_heads(self.q(x), self.head_dim)
        key, value = in_heads(self.k(source), self.head_dim), in_heads(self.v(source), self.head_dim)
        if self.causal:
            places = torch.arange(x.shape[1], device=x.device)
            bias = torch.where(places[:, None] >= places[None, :], bias, torch.finfo(key.dtype).min)
        attended = functional.scaled_dot_product_attention(
            query, key, value, bias.contiguous(), self.dropout if self.training else 0.0, scale=1.0
        )
        made: torch.Tensor = self.o(joined(attended))
        return made


class _Mlp(nn.Module):
    def __init__(self, settings: Settings) -> None:
        super().__init__()
        width, inner = settings.whole("d_model", _WIDTH), settings.whole("d_ff", _INNER)
        kind = settings.text("feed_forward_proj", "relu")
        self.is_gated = kind.startswith("gated-")
        named = {"gated-gelu": "gelu_new"}.get(kind, kind.removeprefix("gated-"))
        self.activation = Settings({"feed_forward_proj": named}).activation("feed_forward_proj", "relu")
        self.wi = nn.Linear(width, inner, bias=False)
        if self.is_gated:
            self.wi_1 = nn.Linear(width, inner, bias=False)
        self.wo = nn.Linear(inner, width, bias=False)
        self.dropout = nn.Dropout(settings.share("dropout_rate", _DROPOUT))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = self.activation(self.wi(x))
        if self.is_gated:
            inner = inner * self.wi_1(x)
        made: torch.Tensor = self.wo(self.dropout(inner).to(self.wo.weight.dtype))
        return made


class _Block(nn.Module):
    def __init__(self, settings: Settings, *, decodes: bool, has_bias: bool) -> None:
        super().__init__()
        width = settings.whole("d_model", _WIDTH)
        self.attention = _Attention(settings, causal=decodes, has_bias=has_bias)
        self.cross = _Attention(settings, causal=False, has_bias=False) if decodes else None
        self.mlp = _Mlp(settings)
        self.norms = nn.ModuleList(T5Norm(width) for _ in range(3 if decodes else 2))
        self.dropout = nn.Dropout(settings.share("dropout_rate", _DROPOUT))

    def forward(
        self, x: torch.Tensor, bias: torch.Tensor, encoded: torch.Tensor | None, cross_bias: torch.Tensor | None
    ) -> torch.Tensor:
        normal = self.norms[0](x)
        x = x + self.dropout(self.attention(normal, normal, bias))
        if self.cross is not None:
            x = x + self.dropout(self.cross(self.norms[1](x), encoded, cross_bias))
        made: torch.Tensor = x + self.dropout(self.mlp(self.norms[-1](x)))
        return made


class _Stack(nn.Module):
    def __init__(self, settings: Settings, layers: int, *, decodes: bool) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            _Block(settings, decodes=decodes, has_bias=index == 0) for index in range(layers)
        )
        self.norm = T5Norm(settings.whole("d_model", _WIDTH))
        self.dropout = nn.Dropout(settings.share("dropout_rate", _DROPOUT))

    def forward(self, x: torch.Tensor, encoded: torch.Tensor | None = None) -> torch.Tensor:
        x = self.dropout(x)
        first = self.blocks[0]
        bias = first.attention.bias_of(x.shape[1], x.shape[1], x)
        cross_bias = None if encoded is None else first.cross.bias_of(x.shape[1], encoded.shape[1], x)
        for block in self.blocks:
            x = block(x, bias, encoded, cross_bias)
        made: torch.Tensor = self.dropout(self.norm(x))
        return made


class T5(nn.Module):
    """(b, s) tokens to (b, s, vocabulary) scores of an answer of the same length."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.width, vocabulary = settings.whole("d_model", _WIDTH), settings.whole("vocab_size", _VOCABULARY)
        layers = settings.whole("num_layers", _LAYERS)
        self.shared = nn.Embedding(vocabulary, self.width)
        self.encoder = _Stack(settings, layers, decodes=False)
        self.decoder = _Stack(settings, settings.whole("num_decoder_layers", layers), decodes=True)
        self.lm_head = nn.Linear(self.width, vocabulary, bias=False)
        # The first T5 scales its outputs; version 1.1 says by tie_word_embeddings = false that it does not. The
        # weights are shared in both, as transformers trains them.
        self.lm_head.weight = self.shared.weight
        self.scales = settings.flag("tie_word_embeddings", True)

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        encoded = self.encoder(self.shared(input_ids))
        # The answer moved right by one place; here the question stands for it.
        start = torch.zeros_like(input_ids[:, :1])
        decoded = self.decoder(self.shared(torch.cat((start, input_ids[:, :-1]), dim=1)), encoded)
        scores: torch.Tensor = self.lm_head(decoded * self.width**-0.5 if self.scales else decoded)
        return scores
