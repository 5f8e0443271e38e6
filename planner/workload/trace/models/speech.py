"""Speech recognition: wav2vec 2.0 from transformers (https://github.com/huggingface/transformers, Apache-2.0)."""

from __future__ import annotations

import torch
from torch import nn

from planner.workload.trace.models.hf_import import attention_name, import_transformers
from planner.workload.trace.models.hf_tasks import InputShape, frames_loss, task_inputs
from planner.workload.trace.tracer import Traceable

_SECOND = 16_000  # samples of sound


def _wav2vec2_base() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        transformers = import_transformers()
        # The defaults are the base model of arXiv 2006.11477. No layers and no sound are left out at random.
        config = transformers.Wav2Vec2Config(layerdrop=0.0, apply_spec_augment=False)
        with torch.device("meta"):
            model: nn.Module = transformers.Wav2Vec2ForCTC._from_config(
                config, attn_implementation=attention_name()
            )
        model.freeze_feature_encoder()  # as fine-tuning does
        return model.to(dtype)

    return Traceable(
        name="wav2vec2_base",
        size_kind="sequence",
        size_unit=_SECOND,
        default_size=12 * _SECOND,
        size_min=_SECOND,
        size_max=30 * _SECOND,
        trace_sizes=(_SECOND, 2 * _SECOND, 3 * _SECOND),
        build=build,
        inputs=task_inputs(InputShape("input_values", lambda size: (size,)), "frames"),
        loss=frames_loss,
        blocks=lambda model: list(model.wav2vec2.encoder.layers),
    )


def speech_models() -> list[Traceable]:
    """wav2vec 2.0 base, fine-tuned to write what it hears."""
    return [_wav2vec2_base()]
