"""Answers and reports as plain objects for ``--json``: everything they hold, nothing that is not JSON."""

from __future__ import annotations

import base64
import dataclasses
import math
from enum import Enum
from typing import Any

import numpy as np

from planner.decide.types import Recommendation
from planner.report.types import Report


def as_json(recommendation: Recommendation) -> dict[str, Any]:
    """Dataclasses as objects, arrays as lists, what is not finite as null; options carry their ``key``."""
    data: dict[str, Any] = plain_json(recommendation)
    for option, source in zip(data["options"], recommendation.options, strict=True):
        option["key"] = source.key
    if recommendation.newer is not None:
        data["newer"]["key"] = recommendation.newer.key
    return data


def report_json(report: Report) -> dict[str, Any]:
    """The sections with their texts, tables and chart data."""
    data: dict[str, Any] = plain_json(report)
    return data


def plain_json(value: Any) -> Any:
    """Dataclasses, arrays and enumerations as what JSON has; what is not finite as null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    elif isinstance(value, Enum):
        value = value.value
    if isinstance(value, dict):
        return {str(key): plain_json(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain_json(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
