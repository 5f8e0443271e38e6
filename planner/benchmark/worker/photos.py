"""What the processor does for every photo of a training: JPEG → random crop → normalised tensor, on one core.

Needs Pillow beside torch, as trainings on photos do.
"""

from __future__ import annotations

import importlib
import io
from typing import Any

import torch

from .protocol import Work

SIZE = (500, 375)  # the average photo of ImageNet, about 110 kB at this quality
_QUALITY = 90
CROP = 224
_BILINEAR = 2  # of Pillow's Resampling
_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def _pillow() -> Any:
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise RuntimeError("Pillow is not installed beside this PyTorch: pip install pillow") from error


def _photo(image_module: Any) -> bytes:
    """Large soft shapes under fine noise: as many bytes as a photo of that size has."""
    width, height = SIZE
    coarse = torch.rand(1, 3, 12, 16)
    smooth = torch.nn.functional.interpolate(coarse, (height, width), mode="bilinear", align_corners=False)[0]
    pixels = (255 * smooth + 18 * torch.randn(3, height, width)).clamp(0, 255).to(torch.uint8)
    raw = bytes(pixels.permute(1, 2, 0).contiguous().flatten().tolist())
    out = io.BytesIO()
    image_module.frombytes("RGB", SIZE, raw).save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()


def decode(_: int) -> Work:
    """One photo per call. Raises RuntimeError without Pillow."""
    image_module = _pillow()
    encoded = _photo(image_module)
    mean, std = (torch.tensor(values).view(3, 1, 1) for values in (_MEAN, _STD))
    box = (40, 20, 440, 360)  # the crop's place does not matter for its time

    def call() -> Any:
        with image_module.open(io.BytesIO(encoded)) as image:
            crop = image.convert("RGB").resize((CROP, CROP), _BILINEAR, box)
        pixels = torch.frombuffer(bytearray(crop.tobytes()), dtype=torch.uint8)
        return pixels.view(CROP, CROP, 3).permute(2, 0, 1).float().div(255).sub(mean).div(std).contiguous()

    return Work(call, 0.0, 0.0)
