"""GPT-2 from its configuration alone."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.models.hf_plain_layers import Settings, in_heads, joined

# Defaults: configuration_gpt2.py of transformers 5.24 (https://github.com/huggingface/transformers, Apache-2.0).
_VOCABULARY, _LONGEST, _WIDTH, _LAYERS, _HEADS, _DROPOUT = 50_257, 1024, 768, 12, 12, 0.1


def gpt2_longest(settings: Settings) -> int:
    """Positions the model knows. Raises SourceError (unknown_model)."""
    return settings.whole("n_positions", _LONGEST)


class _Layer(nn.Module):
    def __init__(self, settings: Settings) -> None:
        super().__init__()
        width, heads = settings.whole("n_embd", _WIDTH), settings.whole("n_head", _HEADS)
        inner = settings.whole("n_inner", 4 * width)
        self.head_dim = max(width // heads, 1)
        self.attention_dropout = settings.share("attn_pdrop", _DROPOUT)
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.c_out = nn.Linear(width, inner), nn.Linear(inner, width)
        self.activation = settings.activation("activation_function", "gelu_new")
        self.dropout = nn.Dropout(settings.share("resid_pdrop", _DROPOUT))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (in_heads(part, self.head_dim) for part in self.c_attn(self.ln_1(x)).chunk(3, dim=-1))
        attended = functional.scaled_dot_product_attention(
            query, key, value, dropout_p=self.attention_dropout if self.training else 0.0, is_causal=True
        )
        x = self.dropout(self.c_proj(joined(attended))) + x
        made: torch.Tensor = x + self.dropout(self.c_out(self.activation(self.c_fc(self.ln_2(x)))))
        return made


class Gpt2(nn.Module):
    """(b, s) tokens to scores: (b, s, vocabulary), or (b, labels) of the last position with ``classifies``."""

    def __init__(self, settings: Settings, *, classifies: bool) -> None:
        super().__init__()
        width, vocabulary = settings.whole("n_embd", _WIDTH), settings.whole("vocab_size", _VOCABULARY)
        self.wte = nn.Embedding(vocabulary, width)
        self.wpe = nn.Embedding(gpt2_longest(settings), width)
        self.dropout = nn.Dropout(settings.share("embd_pdrop", _DROPOUT))
        self.layers = nn.ModuleList(_Layer(settings) for _ in range(settings.whole("n_layer", _LAYERS)))
        self.ln_f = nn.LayerNorm(width)
        self.classifies = classifies
        if classifies:
            self.score = nn.Linear(width, settings.labels(), bias=False)
        else:
            self.lm_head = nn.Linear(width, vocabulary, bias=False)
            if settings.flag("tie_word_embeddings", True):
                self.lm_head.weight = self.wte.weight

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        positions = torch.arange(input_ids.shape[1], device=input_ids.device).unsqueeze(0)
        x = self.dropout(self.wte(input_ids) + self.wpe(positions))
        for layer in self.layers:
            x = layer(x)
        x = self.ln_f(x)
        if self.classifies:
            chosen: torch.Tensor = self.score(x)[:, -1]
            return chosen
        scores: torch.Tensor = self.lm_head(x).float()
        return scores
