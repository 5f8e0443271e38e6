"""Object detectors on a ResNet-50: SSD300, and Mask R-CNN with a fixed number of proposals.

Matching boxes to objects, sorting proposals and suppressing doubles depend on the data and are no matter of the
GPU's arithmetic; they are left out.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.models.timm_import import import_timm
from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable

_CLASSES = 81  # of COCO, and none


def _resnet50(*, out_indices: tuple[int, ...], **options: Any) -> nn.Module:
    model: nn.Module = import_timm().create_model(
        "resnet50", features_only=True, out_indices=out_indices, **options
    )
    return model


class Ssd300(nn.Module):
    """SSD (arXiv 1512.02325) as NVIDIA's examples train it: ResNet-50 up to its third stage at stride 8, five more
    scales, 8,732 boxes. (b, 3, 300, 300) images to (b, 4, 8732) corners and (b, 81, 8732) scores."""

    widths = (1024, 512, 512, 256, 256, 256)
    inner_widths = (256, 256, 128, 128, 128)
    boxes = (4, 6, 6, 6, 4, 4)  # at each position of a scale

    def __init__(self) -> None:
        super().__init__()
        self.backbone = _resnet50(out_indices=(3,))
        first = self.backbone.layer3[0]
        for layer in (first.conv2, first.downsample[0]):
            layer.stride = (1, 1)
        pairs = zip(itertools.pairwise(self.widths), self.inner_widths, strict=True)
        self.extra = nn.ModuleList(
            self._smaller(narrow, inner, wide, shrinks=scale < 3)
            for scale, ((narrow, wide), inner) in enumerate(pairs)
        )
        heads = list(zip(self.widths, self.boxes, strict=True))
        self.corners = nn.ModuleList(nn.Conv2d(width, 4 * count, 3, padding=1) for width, count in heads)
        self.scores = nn.ModuleList(nn.Conv2d(width, _CLASSES * count, 3, padding=1) for width, count in heads)

    @staticmethod
    def _smaller(channels_in: int, inner: int, channels: int, *, shrinks: bool) -> nn.Module:
        step = {"padding": 1, "stride": 2} if shrinks else {}
        return nn.Sequential(
            nn.Conv2d(channels_in, inner, 1, bias=False),
            nn.BatchNorm2d(inner),
            nn.ReLU(inplace=True),
            nn.Conv2d(inner, channels, 3, bias=False, **step),
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        (x,) = self.backbone(x)
        scales = [x]
        for smaller in self.extra:
            scales.append(smaller(scales[-1]))
        corners = [head(scale).reshape(len(x), 4, -1) for head, scale in zip(self.corners, scales, strict=True)]
        scores = [
            head(scale).reshape(len(x), _CLASSES, -1) for head, scale in zip(self.scores, scales, strict=True)
        ]
        return torch.cat(corners, 2), torch.cat(scores, 2)


def _ssd300() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        with torch.device("meta"):
            return Ssd300().to(dtype)

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        return {
            "x": torch.empty(batch, 3, size, size, dtype=dtype, device="meta"),
            "target": torch.empty(batch, 8732, dtype=torch.int64, device="meta"),
        }

    def loss(model: nn.Module, batch: Inputs) -> torch.Tensor:
        corners, scores = model(batch["x"])
        off = functional.smooth_l1_loss(corners, torch.zeros_like(corners), reduction="none").sum(dim=1)
        wrong = functional.cross_entropy(scores, batch["target"], reduction="none")
        # Three of the worst empty boxes count for each full one: two sorts give every box its rank.
        rank = wrong.detach().sort(dim=1, descending=True)[1].sort(dim=1)[1]
        counted = (rank < 100).to(wrong.dtype)
        return (off * counted + wrong * counted).sum(dim=1).mean()

    return Traceable(
        name="ssd300_r50",
        size_kind="image",
        size_unit=300,
        default_size=300,
        size_min=300,
        size_max=300,
        trace_sizes=(300,),
        build=build,
        inputs=inputs,
        loss=loss,
        blocks=lambda model: [
            block for name in ("layer1", "layer2", "layer3") for block in model.backbone.get_submodule(name)
        ],
    )


class _FrozenBatchNorm(nn.Module):
    """Batch norm with fixed numbers: one multiplication and one addition."""

    def __init__(
        self, channels: int, device: torch.device | None = None, dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        for name in ("weight", "bias", "running_mean", "running_var"):
            self.register_buffer(name, torch.zeros(channels, device=device, dtype=dtype))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = self.weight * (self.running_var + 1e-5).rsqrt()
        offset = self.bias - self.running_mean * scale
        made: torch.Tensor = x * scale[:, None, None] + offset[:, None, None]
        return made


class MaskRcnn(nn.Module):
    """Mask R-CNN (arXiv 1703.06870) with a feature pyramid as torchvision trains it: stem, first stage and batch
    norms frozen, 512 regions an image for boxes, of which 128 get masks; a quarter from each level of the pyramid.

    (b, 3, h, w) images to scores and corners of the anchors, classes and corners of the regions, and their masks.
    """

    classes = 91
    regions, masked_regions = 512, 128
    anchors = 3  # at each position of a level

    def __init__(self) -> None:
        super().__init__()
        self.backbone = _resnet50(out_indices=(1, 2, 3, 4), norm_layer=_FrozenBatchNorm)
        for frozen in (self.backbone.conv1, self.backbone.layer1):
            frozen.requires_grad_(False)
        width, hidden = 256, 1024
        self.lateral = nn.ModuleList(nn.Conv2d(channels, width, 1) for channels in (256, 512, 1024, 2048))
        self.smooth = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(4))
        self.proposal = nn.Conv2d(width, width, 3, padding=1)
        self.proposal_scores = nn.Conv2d(width, self.anchors, 1)
        self.proposal_corners = nn.Conv2d(width, 4 * self.anchors, 1)
        self.box = nn.Sequential(
            nn.Flatten(), nn.Linear(width * 7 * 7, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.box_classes, self.box_corners = nn.Linear(hidden, self.classes), nn.Linear(hidden, 4 * self.classes)
        convolutions = [(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(inplace=True)) for _ in range(4)]
        self.mask = nn.Sequential(
            *itertools.chain.from_iterable(convolutions),
            nn.ConvTranspose2d(width, width, 2, stride=2),
            nn.ReLU(inplace=True),
            nn.Conv2d(width, self.classes, 1),
        )

    def _pyramid(self, x: torch.Tensor) -> list[torch.Tensor]:
        stages = [lateral(stage) for lateral, stage in zip(self.lateral, self.backbone(x), strict=True)]
        for level in (2, 1, 0):
            stages[level] = stages[level] + functional.interpolate(stages[level + 1], scale_factor=2.0)
        return [smooth(stage) for smooth, stage in zip(self.smooth, stages, strict=True)]

    @staticmethod
    def _cut(levels: list[torch.Tensor], regions: int, side: int) -> torch.Tensor:
        share = regions // len(levels)
        return torch.cat([torch.ops.planner.roi_align(level, share, side) for level in levels])

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        levels = self._pyramid(x)
        inner = [
            functional.relu(self.proposal(level)) for level in (*levels, functional.max_pool2d(levels[-1], 1, 2))
        ]
        scores = torch.cat([self.proposal_scores(level).flatten(1) for level in inner], dim=1)
        corners = torch.cat([self.proposal_corners(level).flatten(1) for level in inner], dim=1)
        boxes = self.box(self._cut(levels, self.regions, 7))
        masks = self.mask(self._cut(levels, self.masked_regions, 14))
        return scores, corners, self.box_classes(boxes), self.box_corners(boxes), masks


def _maskrcnn() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        with torch.device("meta"):
            return MaskRcnn().to(dtype)

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        return {
            "x": torch.empty(batch, 3, size, size, dtype=dtype, device="meta"),
            "target": torch.empty(batch * MaskRcnn.regions, dtype=torch.int64, device="meta"),
        }

    def loss(model: nn.Module, batch: Inputs) -> torch.Tensor:
        scores, corners, classes, regions, masks = model(batch["x"])
        chosen = torch.arange(256, device=scores.device)  # anchors that count, of each image
        objects = functional.binary_cross_entropy_with_logits(
            scores[:, chosen], torch.zeros_like(scores[:, chosen])
        )
        one_class = masks[:, 0]
        return (
            objects
            + functional.smooth_l1_loss(corners[:, chosen], torch.zeros_like(corners[:, chosen]))
            + functional.cross_entropy(classes, batch["target"])
            + functional.smooth_l1_loss(regions[:, :4], torch.zeros_like(regions[:, :4]))
            + functional.binary_cross_entropy_with_logits(one_class, torch.zeros_like(one_class))
        )

    return Traceable(
        name="maskrcnn_r50",
        size_kind="image",
        size_unit=64,
        default_size=1024,
        size_min=256,
        size_max=1536,
        trace_sizes=(256, 320, 384),
        build=build,
        inputs=inputs,
        loss=loss,
        blocks=lambda model: [
            block for name in ("layer2", "layer3", "layer4") for block in model.backbone.get_submodule(name)
        ],
    )


def detection_models() -> list[Traceable]:
    """SSD300 and Mask R-CNN on COCO."""
    return [_ssd300(), _maskrcnn()]
