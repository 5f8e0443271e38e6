"""Image classifiers from timm (https://github.com/huggingface/pytorch-image-models, Apache-2.0)."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.models.timm_import import import_timm
from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable

_CLASSES = 1000
_SIZES = (192, 224, 256)


def classifier_inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
    """RGB images and their class indices."""
    return {
        "x": torch.empty(batch, 3, size, size, dtype=dtype, device="meta"),
        "target": torch.empty(batch, dtype=torch.int64, device="meta"),
    }


def classifier_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    """Cross-entropy; of a model that gives several outputs, on the first."""
    scores = model(inputs["x"])
    return functional.cross_entropy(scores[0] if isinstance(scores, tuple) else scores, inputs["target"])


def _classifier(
    name: str,
    architecture: str,
    blocks: Callable[[nn.Module], list[nn.Module]],
    *,
    fixed_size: bool = False,
    size_min: int = 64,
) -> Traceable:
    """A timm model. ``fixed_size``: its weights depend on the image size, so it is built for each."""

    def build(size: int, dtype: torch.dtype) -> nn.Module:
        options = {"img_size": size} if fixed_size else {}
        with torch.device("meta"):
            model: nn.Module = import_timm().create_model(architecture, num_classes=_CLASSES, **options)
        return model.to(dtype)

    return Traceable(
        name=name,
        size_kind="image",
        size_unit=32,
        default_size=224,
        size_min=size_min,
        size_max=1024,
        trace_sizes=_SIZES,
        build=build,
        inputs=classifier_inputs,
        loss=classifier_loss,
        blocks=blocks,
    )


def _resnet_blocks(model: nn.Module) -> list[nn.Module]:
    return [block for stage in (model.layer1, model.layer2, model.layer3, model.layer4) for block in stage]


def _nested_blocks(model: nn.Module) -> list[nn.Module]:
    return [block for stage in model.blocks for block in stage]


def _convnext_blocks(model: nn.Module) -> list[nn.Module]:
    return [block for stage in model.stages for block in stage.blocks]


def vision_models() -> list[Traceable]:
    """ResNet-50, EfficientNet-B0, ViT-B/16 and ConvNeXt-B with 1,000 classes."""
    return [
        _classifier("resnet50", "resnet50", _resnet_blocks),
        _classifier("efficientnet_b0", "efficientnet_b0", _nested_blocks),
        _classifier("vit_b16", "vit_base_patch16_224", lambda model: list(model.blocks), fixed_size=True),
        _classifier("convnext_b", "convnext_base", _convnext_blocks),
    ]
