"""transformers, also beside a torchvision that does not fit the torch it finds."""

from __future__ import annotations

import sys
from typing import Any

from planner.workload.trace.models.timm_import import torchvision_works

# What transformers' "sdpa" does on a GPU with unpadded sequences: no mask, but a causal flag. On the meta
# device it cannot look into the positions to find that out, so the same function goes by a name without masks.
_ATTENTION = "sdpa_without_mask"


def import_transformers() -> Any:
    """The module transformers. Raises ImportError if it is missing.

    It imports torchvision wherever it is installed, for image processing that no model needs; one that was
    built for another torch would take every model down with it, so transformers is told that there is none.
    """
    if "transformers" not in sys.modules and not torchvision_works():
        sys.modules["torchvision"] = None  # type: ignore[assignment]  # Python's own mark of an absent module
    import transformers

    if sys.modules.get("torchvision", transformers) is None:
        transformers.utils.import_utils.is_torchvision_available()  # remembers the answer
        del sys.modules["torchvision"]
    # Looks into the tokens for padding, only to warn of it.
    transformers.PreTrainedModel.warn_if_padding_and_no_attention_mask = lambda *_arguments: None
    return transformers


def attention_name() -> str:
    """Name under which transformers runs fused attention without building masks."""
    import_transformers()
    from transformers import AttentionInterface
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    AttentionInterface.register(_ATTENTION, sdpa_attention_forward)
    return _ATTENTION
