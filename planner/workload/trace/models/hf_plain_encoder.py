"""BERT and ViT from their configurations alone."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.models.hf_plain_layers import Settings, in_heads, joined
from planner.workload.trace.models.hf_tasks import Task

# Defaults: configuration_bert.py and configuration_vit.py of transformers 5.24
# (https://github.com/huggingface/transformers, Apache-2.0).
_WIDTH, _LAYERS, _HEADS, _INNER = 768, 12, 12, 3072


class _Block(nn.Module):
    """Attention and MLP; normalised behind each as in BERT, or before each as in ViT (``norm_first``)."""

    def __init__(self, settings: Settings, *, dropout: float, norm_first: bool) -> None:
        super().__init__()
        width, heads = settings.whole("hidden_size", _WIDTH), settings.whole("num_attention_heads", _HEADS)
        inner, bias = settings.whole("intermediate_size", _INNER), settings.flag("qkv_bias", True)
        self.head_dim = max(width // heads, 1)
        self.norm_first = norm_first
        self.query, self.key, self.value = (nn.Linear(width, width, bias=bias) for _ in range(3))
        self.output = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.attention_norm, self.mlp_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.activation = settings.activation("hidden_act", "gelu")
        self.dropout = nn.Dropout(settings.share("hidden_dropout_prob", dropout))
        self.attention_dropout = settings.share("attention_probs_dropout_prob", dropout)

    def _attended(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (in_heads(made(x), self.head_dim) for made in (self.query, self.key, self.value))
        dropout = self.attention_dropout if self.training else 0.0
        attended = functional.scaled_dot_product_attention(query, key, value, dropout_p=dropout)
        made: torch.Tensor = self.dropout(self.output(joined(attended)))
        return made

    def _mixed(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.dropout(self.down(self.activation(self.up(x))))
        return made

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.norm_first:
            x = self._attended(self.attention_norm(x)) + x
            return self._mixed(self.mlp_norm(x)) + x
        x = self.attention_norm(self._attended(x) + x)
        made: torch.Tensor = self.mlp_norm(self._mixed(x) + x)
        return made


def bert_longest(settings: Settings) -> int:
    """Positions the model knows. Raises SourceError (unknown_model)."""
    return settings.whole("max_position_embeddings", 512)


class _VocabularyHead(nn.Module):
    """Scores of all tokens by the weights of the embedding, which it shares where ``shared`` is given."""

    def __init__(self, settings: Settings, width: int, vocabulary: int, shared: nn.Parameter | None) -> None:
        super().__init__()
        self.dense, self.norm = nn.Linear(width, width), nn.LayerNorm(width)
        self.activation = settings.activation("hidden_act", "gelu")
        self.decoder = nn.Linear(width, vocabulary)
        if shared is not None:
            self.decoder.weight = shared
        else:  # the bias beside the decoder's own is one with it only where they share weights
            self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.decoder(self.norm(self.activation(self.dense(x))))
        return scores


class Bert(nn.Module):
    """(b, s) tokens to scores: (b, s, vocabulary), (b, s, labels), (b, s, 2) or (b, labels), by its head."""

    def __init__(self, settings: Settings, head: str, task: Task) -> None:
        super().__init__()
        width, vocabulary = settings.whole("hidden_size", _WIDTH), settings.whole("vocab_size", 30_522)
        dropout = settings.share("hidden_dropout_prob", 0.1)
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(bert_longest(settings), width)
        self.types = nn.Embedding(settings.whole("type_vocab_size", 2), width)
        self.norm, self.dropout = nn.LayerNorm(width), nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            _Block(settings, dropout=0.1, norm_first=False)
            for _ in range(settings.whole("num_hidden_layers", _LAYERS))
        )
        self.pools = task == "label"
        if self.pools:
            self.pooler = nn.Sequential(nn.Linear(width, width), nn.Tanh())
        self.head: nn.Module
        if head == "ForMaskedLM":
            shared = self.words.weight if settings.flag("tie_word_embeddings", True) else None
            self.head = _VocabularyHead(settings, width, vocabulary, shared)
        elif task == "span":
            self.head = nn.Linear(width, settings.labels())
        else:
            after = nn.Dropout(settings.share("classifier_dropout", dropout))
            self.head = nn.Sequential(after, nn.Linear(width, settings.labels()))

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        positions = torch.arange(input_ids.shape[1], device=input_ids.device).unsqueeze(0)
        x = self.words(input_ids) + self.types(torch.zeros_like(input_ids)) + self.positions(positions)
        x = self.dropout(self.norm(x))
        for layer in self.layers:
            x = layer(x)
        scores: torch.Tensor = self.head(self.pooler(x[:, 0]) if self.pools else x)
        return scores


def vit_size(settings: Settings) -> int:
    """Image side the model was made for. Raises SourceError (unknown_model)."""
    return settings.whole("image_size", 224)


class Vit(nn.Module):
    """(b, channels, size, size) images to (b, labels) scores."""

    def __init__(self, settings: Settings, size: int) -> None:
        super().__init__()
        width, patch = settings.whole("hidden_size", _WIDTH), settings.whole("patch_size", 16)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.patches = nn.Conv2d(settings.whole("num_channels", 3), width, patch, stride=patch)
        self.positions = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, width))
        self.dropout = nn.Dropout(settings.share("hidden_dropout_prob", 0.0))
        self.layers = nn.ModuleList(
            _Block(settings, dropout=0.0, norm_first=True)
            for _ in range(settings.whole("num_hidden_layers", _LAYERS))
        )
        self.norm = nn.LayerNorm(width)
        self.classifier = nn.Linear(width, settings.labels())

    def forward(self, pixel_values: torch.Tensor) -> torch.Tensor:
        x = self.patches(pixel_values).flatten(2).transpose(1, 2)
        x = torch.cat((self.class_token.expand(len(x), -1, -1), x), dim=1) + self.positions
        x = self.dropout(x)
        for layer in self.layers:
            x = layer(x)
        scores: torch.Tensor = self.classifier(self.norm(x)[:, 0])
        return scores
