"""Any classifier of timm by its name."""

from __future__ import annotations

import difflib

import torch
from torch import nn

from planner.workload.trace.errors import SourceError
from planner.workload.trace.models.blocks import repeated_blocks
from planner.workload.trace.models.building import building_on
from planner.workload.trace.models.timm_import import import_timm
from planner.workload.trace.models.vision import classifier_inputs, classifier_loss
from planner.workload.trace.tracer import Traceable

_CLASSES = 1000


def timm_model(name: str, eager_attention: bool, device: str = "meta") -> Traceable:
    """The model at its published size, with 1,000 classes. Raises SourceError: timm_missing, unknown_model."""
    try:
        timm = import_timm()
    except ImportError as error:
        raise SourceError("timm_missing", str(error)) from error
    if not timm.is_model(name):
        near = difflib.get_close_matches(name, timm.list_models(), n=5, cutoff=0.5)
        raise SourceError("unknown_model", f"close names: {', '.join(near)}" if near else "see timm.list_models()")
    config = timm.models.get_pretrained_cfg(name)
    default = config.input_size[-1] if config is not None else 224

    def build(size: int, dtype: torch.dtype) -> nn.Module:
        timm.layers.set_fused_attn(not eager_attention)
        with building_on(device):
            # Weights of some models (position embeddings, token mixers) depend on the size; the others take none.
            options = {"img_size": size} if size != default else {}
            try:
                model: nn.Module = timm.create_model(name, num_classes=_CLASSES, **options)
            except TypeError as error:
                if "img_size" not in str(error):
                    raise
                model = timm.create_model(name, num_classes=_CLASSES)
        return model.to(dtype)

    return Traceable(
        name=f"timm:{name}",
        size_kind="image",
        size_unit=default,
        default_size=default,
        size_min=default,
        size_max=default,
        trace_sizes=(default,),
        build=build,
        inputs=classifier_inputs,
        loss=classifier_loss,
        blocks=repeated_blocks,
        eager_attention=eager_attention,
    )
