"""timm, also where torchvision is missing.

timm imports torchvision for image transforms and a frozen batch norm, of which building a model needs nothing.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from typing import Any

_MODULES = (
    "torchvision",
    "torchvision.datasets",
    "torchvision.models",
    "torchvision.models.feature_extraction",
    "torchvision.ops",
    "torchvision.ops.misc",
    "torchvision.transforms",
    "torchvision.transforms.functional",
)


class _AnyName(type):
    """A class whose unknown class attributes are named placeholders, like members of an enumeration."""

    def __getattr__(cls, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return f"{cls.__name__}.{name}"


class _Placeholder(types.ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _AnyName(name, (), {})


def import_timm() -> Any:
    """The module timm. Raises ImportError if timm itself is missing."""
    if "timm" in sys.modules or importlib.util.find_spec("torchvision") is not None:
        import timm

        return timm
    placeholders = {name: _Placeholder(name) for name in _MODULES}
    for name, module in placeholders.items():
        module.__path__ = []
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(placeholders[parent], child, module)
    sys.modules.update(placeholders)
    try:
        import timm
    finally:
        for name in placeholders:  # others must go on seeing that torchvision is missing
            del sys.modules[name]
    return timm
