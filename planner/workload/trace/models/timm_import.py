"""timm, also where torchvision is missing or does not fit the torch beside it.

timm imports torchvision for image transforms and a frozen batch norm, of which building a model needs nothing.
"""

from __future__ import annotations

import importlib
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


def torchvision_works() -> bool:
    """Whether torchvision can be imported. One that was built for another torch fails in any way."""
    try:
        importlib.import_module("torchvision")
    except Exception:  # noqa: BLE001
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]
        return False
    return True


def import_timm() -> Any:
    """The module timm. Raises ImportError if timm itself is missing."""
    if "timm" in sys.modules or torchvision_works():
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
        for name in placeholders:  # others must go on seeing torchvision as it is
            del sys.modules[name]
    return timm
