"""Any model of transformers by its config.json. Code that a configuration points to is never loaded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from planner.workload.trace.errors import SourceError
from planner.workload.trace.models.blocks import repeated_blocks
from planner.workload.trace.models.sizes import sequence_sizes
from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable

_FROM_THEIR_TASKS = (  # what a class is trained on, by the end of its name, and its targets
    ("ForQuestionAnswering", "span"),
    ("ForSequenceClassification", "label"),
    ("ForImageClassification", "label"),
    ("ForTokenClassification", "tokens"),
    ("ForMaskedLM", "tokens"),
    ("ForCausalLM", "tokens"),
    ("LMHeadModel", "tokens"),
    ("ForConditionalGeneration", "tokens"),
)


def hf_model(path: Path, eager_attention: bool) -> Traceable:
    """The model of a config.json, trained on its own task.

    Raises SourceError: transformers_missing, unknown_model, unsupported_model.
    """
    try:
        import transformers

        from planner.workload.trace.models.language import attention_name
    except ImportError as error:
        raise SourceError("transformers_missing", str(error)) from error
    settings = _settings(path)
    model_class = _class(transformers, settings)
    task = next((task for end, task in _FROM_THEIR_TASKS if model_class.__name__.endswith(end)), None)
    if task is None or model_class.main_input_name not in ("input_ids", "pixel_values"):
        raise SourceError(
            "unsupported_model", f"{model_class.__name__} is trained in a way that is not known here"
        )
    attention = "eager" if eager_attention else attention_name()

    def build(size: int, dtype: torch.dtype) -> nn.Module:
        config = _config(transformers, settings)
        if hasattr(config, "image_size"):
            config.image_size = size
        if hasattr(config, "use_cache"):
            config.use_cache = False
        with torch.device("meta"):
            try:
                model: nn.Module = model_class._from_config(config, attn_implementation=attention)
            except ValueError:  # its attention has no fused form
                model = model_class._from_config(config, attn_implementation="eager")
        return model.to(dtype)

    sizes = _sizes(_config(transformers, settings), model_class.main_input_name)
    return Traceable(
        name=f"hf:{model_class.__name__}",
        build=build,
        inputs=_inputs(model_class.main_input_name, task),
        loss=_span_loss if task == "span" else _labels_loss,
        blocks=repeated_blocks,
        eager_attention=eager_attention,
        **sizes,
    )


def _settings(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_bytes())
    except ValueError as error:
        raise SourceError("unknown_model", f"not valid JSON ({error})") from error
    if not isinstance(settings, dict) or "model_type" not in settings:
        raise SourceError("unknown_model", "the configuration has no model_type")
    return settings


def _config(transformers: Any, settings: dict[str, Any]) -> Any:
    rest = {key: value for key, value in settings.items() if key not in ("model_type", "auto_map")}
    try:
        return transformers.AutoConfig.for_model(settings["model_type"], **rest)
    except (ValueError, KeyError) as error:
        raise SourceError("unknown_model", f"model_type {settings['model_type']!r}: {error}") from error


def _class(transformers: Any, settings: dict[str, Any]) -> Any:
    """The class the configuration names; for one without a task, that of its usual pre-training."""
    for name in settings.get("architectures") or ():
        named = getattr(transformers, name, None)
        if named is not None and any(name.endswith(end) for end, _ in _FROM_THEIR_TASKS):
            return named
    config = type(_config(transformers, settings))
    for task in ("MASKED_LM", "CAUSAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "IMAGE_CLASSIFICATION"):
        classes = getattr(transformers, f"MODEL_FOR_{task}_MAPPING")
        if config in classes:
            return classes[config]
    raise SourceError(
        "unsupported_model", f"model_type {settings['model_type']!r} has no training task known here"
    )


def _sizes(config: Any, main_input: str) -> dict[str, Any]:
    if main_input == "pixel_values":
        size = config.image_size if isinstance(getattr(config, "image_size", None), int) else 224
        only = dict.fromkeys(("size_unit", "default_size", "size_min", "size_max"), size)
        return {"size_kind": "image", **only, "trace_sizes": (size,)}
    longest = getattr(config, "max_position_embeddings", None)
    return sequence_sizes(longest if isinstance(longest, int) and longest > 0 else None)


def _inputs(main_input: str, task: str) -> Callable[[int, int, torch.dtype], Inputs]:
    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        if main_input == "pixel_values":
            first = torch.empty(batch, 3, size, size, dtype=dtype, device="meta")
        else:
            first = torch.empty(batch, size, dtype=torch.int64, device="meta")
        shape = {"span": (batch, 2), "label": (batch,), "tokens": (batch, size)}[task]
        return {main_input: first, "target": torch.empty(shape, dtype=torch.int64, device="meta")}

    return inputs


def _features(inputs: Inputs) -> Inputs:
    return {name: tensor for name, tensor in inputs.items() if name != "target"}


def _labels_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    loss: torch.Tensor = model(**_features(inputs), labels=inputs["target"]).loss
    return loss


def _span_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    start, end = inputs["target"].unbind(1)
    loss: torch.Tensor = model(**_features(inputs), start_positions=start, end_positions=end).loss
    return loss
