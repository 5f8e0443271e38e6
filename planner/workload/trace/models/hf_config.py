"""Any model of Hugging Face by its config.json: through transformers, or from the JSON alone (``hf_plain``).

Code that a configuration points to is never loaded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

from planner.workload.trace.errors import SourceError
from planner.workload.trace.models.blocks import repeated_blocks
from planner.workload.trace.models.building import building_on
from planner.workload.trace.models.hf_import import attention_name, import_transformers
from planner.workload.trace.models.hf_plain import PLAIN_TYPES, plain_model
from planner.workload.trace.models.hf_tasks import (
    InputShape,
    image_input,
    library_loss,
    task_inputs,
    task_of,
    tokens_input,
)
from planner.workload.trace.models.sizes import image_size_only, sequence_sizes, sound_sizes
from planner.workload.trace.tracer import Traceable

# Where to look for the class of a configuration that names none: what its kind of model is pre-trained on.
_USUAL_TASKS = ("MASKED_LM", "CAUSAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "IMAGE_CLASSIFICATION", "CTC")
_USUAL_TASKS_OF_PAIRS = ("SPEECH_SEQ_2_SEQ", "SEQ_TO_SEQ_CAUSAL_LM")  # encoder and decoder
# Layers and samples that a training leaves out at random: all are executed here.
_LEFT_OUT_AT_RANDOM = ("layerdrop", "encoder_layerdrop", "decoder_layerdrop")


def hf_model(path: Path, eager_attention: bool, device: str = "meta") -> Traceable:
    """The model of a config.json, trained on its own task.

    Raises SourceError: transformers_missing, unknown_model, unsupported_model.
    """
    settings = _settings(path)
    try:
        transformers = import_transformers()
    except ImportError as error:
        if settings["model_type"] not in PLAIN_TYPES:
            known = f"{error}; without it these types are known: {', '.join(PLAIN_TYPES)}"
            raise SourceError("transformers_missing", known) from error
        return plain_model(settings, eager_attention, device)
    return library_model(transformers, settings, eager_attention, device)


def _settings(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_bytes())
    except ValueError as error:
        raise SourceError("unknown_model", f"not valid JSON ({error})") from error
    if not isinstance(settings, dict) or not isinstance(settings.get("model_type"), str):
        raise SourceError("unknown_model", "the configuration has no model_type")
    return settings


def library_model(transformers: Any, settings: dict[str, Any], eager_attention: bool, device: str) -> Traceable:
    """The model of a configuration as transformers has it.

    Raises SourceError: unknown_model, unsupported_model.
    """
    config = _config(transformers, settings)
    model_class, config = _class(transformers, settings, config)
    task = task_of(model_class.__name__)
    assert task is not None
    shape, sizes = _input(model_class, config)

    def build_on(device: str, attention: str, size: int) -> nn.Module:
        fresh = _class(transformers, settings, _config(transformers, settings))[1]
        if shape.name == "pixel_values" and hasattr(fresh, "image_size"):
            fresh.image_size = size
        with building_on(device):
            model: nn.Module = model_class._from_config(fresh, attn_implementation=attention)
        return model

    attention, wants_mask = _attention(config, lambda name: build_on("meta", name, sizes["default_size"]))
    companions = ["attention_mask"] if wants_mask and shape.is_index else []
    if config.is_encoder_decoder:
        companions.append("decoder_input_ids")
    return Traceable(
        name=f"hf:{model_class.__name__}",
        build=lambda size, dtype: build_on(device, attention, size).to(dtype),
        inputs=task_inputs(shape, task, companions),
        loss=library_loss(task),
        blocks=repeated_blocks,
        eager_attention=eager_attention,
        **sizes,
    )


def _attention(config: Any, build: Callable[[str], nn.Module]) -> tuple[str, bool]:
    """The attention to ask for, and whether it wants a mask.

    Fused attention is asked for in either case: where it is to be executed in parts, the tracer takes it apart.
    A model that has no place for it is traced with its own products and softmax, whose mask transformers makes by
    looking into the tokens unless it is given one.
    """
    if not getattr(config, "attn_logit_softcapping", None):
        name = attention_name()
        try:
            build(name)
        except (ValueError, KeyError):  # what transformers raises for an attention that a model does not know
            return "eager", True
        return name, False
    return "eager", True


def _config(transformers: Any, settings: dict[str, Any]) -> Any:
    rest = {key: value for key, value in settings.items() if key not in ("model_type", "auto_map")}
    kind = settings["model_type"]
    try:
        config = transformers.AutoConfig.for_model(kind, **rest)
    except Exception as error:  # its checks raise errors of several libraries
        raise SourceError("unknown_model", f"model_type {kind!r}: {error}") from error
    config.use_cache = False
    for name in _LEFT_OUT_AT_RANDOM:
        if hasattr(config, name):
            setattr(config, name, 0.0)
    if hasattr(config, "apply_spec_augment"):
        config.apply_spec_augment = False
    return config


def _class(transformers: Any, settings: dict[str, Any], config: Any) -> tuple[Any, Any]:
    """The class the configuration names and its configuration; for one without a task, that of its usual
    pre-training. Of a model that sees and reads, the language part is trained alone, on text."""
    text = getattr(config, "text_config", None)
    if text is not None and type(text) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING:
        text.use_cache = False
        return _first(transformers.MODEL_FOR_CAUSAL_LM_MAPPING[type(text)]), text
    for name in settings.get("architectures") or ():
        named = getattr(transformers, str(name), None)
        if named is not None and task_of(str(name)):
            return named, config
    usual = (*(_USUAL_TASKS_OF_PAIRS if config.is_encoder_decoder else ()), *_USUAL_TASKS)
    for task in usual:
        classes = getattr(transformers, f"MODEL_FOR_{task}_MAPPING")
        if type(config) in classes:
            return _first(classes[type(config)]), config
    kind = settings["model_type"]
    raise SourceError("unsupported_model", f"model_type {kind!r} is trained in a way that is not known here")


def _first(classes: Any) -> Any:
    return classes[0] if isinstance(classes, tuple) else classes


def _input(model_class: Any, config: Any) -> tuple[InputShape, dict[str, Any]]:
    """What one sample looks like, and the size fields of a Traceable."""
    name = model_class.main_input_name
    if name == "pixel_values":
        size = config.image_size if isinstance(getattr(config, "image_size", None), int) else 224
        return image_input(getattr(config, "num_channels", 3)), image_size_only(size)
    if name == "input_ids":
        return tokens_input(), sequence_sizes(_longest(config, "max_position_embeddings"))
    if name == "input_values" and hasattr(config, "conv_stride"):  # sound as it is, 16,000 numbers a second
        return InputShape(name, lambda size: (size,)), sound_sizes(math.prod(config.conv_stride))
    if name == "input_features" and hasattr(config, "max_target_positions") and config.model_type == "whisper":
        # 30 seconds as a spectrogram, whatever is said; the size is that of the text.
        spectrogram = (config.num_mel_bins, 2 * config.max_source_positions)
        return InputShape(name, lambda _: spectrogram), sequence_sizes(_longest(config, "max_target_positions"))
    raise SourceError("unsupported_model", f"{model_class.__name__} takes {name}, which is not known here")


def _longest(config: Any, field: str) -> int | None:
    longest = getattr(config, field, None)
    return longest if isinstance(longest, int) and longest > 0 else None
