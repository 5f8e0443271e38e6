"""At which sizes a model of others is traced, and which sizes its table then serves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planner.workload.trace.tracer import Traceable

_IMAGE_UNITS = (32, 16, 14)  # what strides and patches usually are
_LARGEST_IMAGE = 1024


def at_one_size(source: Traceable, size: int) -> Traceable:
    """The same model for one size only."""
    if source.size_kind == "none":
        return source
    return replace(source, size_unit=size, default_size=size, size_min=size, size_max=size, trace_sizes=(size,))


def image_attempts(source: Traceable) -> Iterator[Traceable]:
    """What to try in turn: a range of image sizes around the default, then the default alone."""
    size = source.default_size
    unit = next((unit for unit in _IMAGE_UNITS if size % unit == 0), None)
    if unit is not None and size > 2 * unit:
        sizes = (size - unit, size, size + unit)
        low = min(sizes[0], max(unit * 2, 64))
        yield replace(
            source, size_unit=unit, size_min=low, size_max=max(_LARGEST_IMAGE, sizes[2]), trace_sizes=sizes
        )
    yield at_one_size(source, size)


def sequence_sizes(longest: int | None) -> dict[str, object]:
    """Size fields of a Traceable for a model that takes up to ``longest`` tokens (None: no limit is known)."""
    limit = longest or 8192
    unit = 128 if limit >= 384 else max(limit // 3, 1)
    return {
        "size_kind": "sequence",
        "size_unit": unit,
        "default_size": min(512, limit),
        "size_min": min(16, unit),
        "size_max": limit,
        "trace_sizes": (unit, 2 * unit, 3 * unit),
    }


def image_size_only(size: int) -> dict[str, object]:
    """Size fields of a Traceable for a model of one image size; ``image_attempts`` looks for more."""
    only = dict.fromkeys(("size_unit", "default_size", "size_min", "size_max"), size)
    return {"size_kind": "image", **only, "trace_sizes": (size,)}


def sound_sizes(stride: int) -> dict[str, object]:
    """Size fields of a Traceable for a model that takes samples of sound at 16 kHz and makes a frame of each
    ``stride`` of them; sizes are counted in samples (the default: 10 seconds)."""
    second = max(16_000 // stride, 1) * stride
    return {
        "size_kind": "sequence",
        "size_unit": second,
        "default_size": 10 * second,
        "size_min": second,
        "size_max": 30 * second,
        "trace_sizes": (second, 2 * second, 3 * second),
    }
