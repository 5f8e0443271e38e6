"""Models of Hugging Face from their config.json alone, where transformers is not installed.

Small re-implementations with torch: the same layers, parameters and order of operations as in transformers, and
nothing that only generation, padding or saved weights need. Rotary positions cost the same whatever their scaling,
sliding windows are taken as full causal attention (transformers' fused path is traced the same way).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from planner.workload.trace.errors import SourceError
from planner.workload.trace.models.blocks import repeated_blocks
from planner.workload.trace.models.building import building_on
from planner.workload.trace.models.hf_plain_decoder import DECODER_KINDS, Decoder, decoder_shape
from planner.workload.trace.models.hf_plain_encoder import Bert, Vit, bert_longest, vit_size
from planner.workload.trace.models.hf_plain_gpt2 import Gpt2, gpt2_longest
from planner.workload.trace.models.hf_plain_layers import Settings
from planner.workload.trace.models.hf_plain_t5 import T5
from planner.workload.trace.models.hf_tasks import (
    InputShape,
    Task,
    image_input,
    plain_loss,
    task_inputs,
    task_of,
    tokens_input,
)
from planner.workload.trace.models.sizes import image_size_only, sequence_sizes
from planner.workload.trace.tracer import Traceable

# The class of a configuration that names none, and the ends of the names that are known for its type.
_LANGUAGE = ("ForCausalLM", ("ForCausalLM", "LMHeadModel", "ForSequenceClassification"))
_HEADS: dict[str, tuple[str, tuple[str, ...]]] = {
    **dict.fromkeys((*DECODER_KINDS, "gpt2"), _LANGUAGE),
    "bert": (
        "ForMaskedLM",
        ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering"),
    ),
    "t5": ("ForConditionalGeneration", ("ForConditionalGeneration",)),
    "vit": ("ForImageClassification", ("ForImageClassification",)),
}
PLAIN_TYPES = tuple(_HEADS)


@dataclass(frozen=True)
class _Plain:
    """A model by its image size (ignored by others), its input and the sizes it takes."""

    make: Callable[[int], nn.Module]
    shape: InputShape
    sizes: dict[str, Any]


def plain_model(settings: Mapping[str, Any], eager_attention: bool, device: str) -> Traceable:
    """The model of a configuration. Raises SourceError: unknown_model, unsupported_model."""
    kind = str(settings["model_type"])
    if kind not in _HEADS:
        raise SourceError("unsupported_model", f"without transformers only {', '.join(PLAIN_TYPES)} are known")
    head = _head(kind, settings)
    task = task_of(head)
    assert task is not None
    plain = _plain(kind, Settings(settings), head, task)

    def build(size: int, dtype: torch.dtype) -> nn.Module:
        with building_on(device):
            return plain.make(size).to(dtype)

    return Traceable(
        name=f"hf:{kind}{head}",
        build=build,
        inputs=task_inputs(plain.shape, task),
        loss=plain_loss(task),
        blocks=repeated_blocks,
        eager_attention=eager_attention,
        **plain.sizes,
    )


def _head(kind: str, settings: Mapping[str, Any]) -> str:
    usual, known = _HEADS[kind]
    named = settings.get("architectures") or ()
    found = [end for name in named for end in known if isinstance(name, str) and name.endswith(end)]
    if named and not found and any(task_of(str(name)) for name in named):
        raise SourceError(
            "unsupported_model", f"{named[0]} needs transformers; without it {kind} is known as {', '.join(known)}"
        )
    return found[0] if found else usual


def _plain(kind: str, settings: Settings, head: str, task: Task) -> _Plain:
    if kind == "vit":
        channels = settings.whole("num_channels", 3)
        only = image_size_only(vit_size(settings))
        return _Plain(lambda size: Vit(settings, size), image_input(channels), only)
    if kind == "bert":
        return _Plain(lambda _: Bert(settings, head, task), tokens_input(), sequence_sizes(bert_longest(settings)))
    if kind == "t5":
        return _Plain(lambda _: T5(settings), tokens_input(), sequence_sizes(None))
    classifies = task == "label"
    if kind == "gpt2":
        longest = gpt2_longest(settings)
        return _Plain(lambda _: Gpt2(settings, classifies=classifies), tokens_input(), sequence_sizes(longest))
    shape = decoder_shape(DECODER_KINDS[kind], settings)
    return _Plain(lambda _: Decoder(shape, classifies=classifies), tokens_input(), sequence_sizes(shape.longest))
