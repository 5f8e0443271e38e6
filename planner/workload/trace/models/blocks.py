"""The repeated blocks of any model: what activation checkpointing runs again."""

from __future__ import annotations

from collections import Counter

from torch import nn

from planner.workload.trace.errors import TraceError


class Layer(nn.Module):
    """A layer that is made of others but is no block: it is not run again by itself."""


def repeated_blocks(model: nn.Module) -> list[nn.Module]:
    """Members of the innermost lists and sequences whose members are of one kind and have parts of their own.

    Stages that hold a single block count too, if the same kind is repeated elsewhere. Raises TraceError for a
    model without any.
    """
    containers = [module for module in model.modules() if isinstance(module, nn.ModuleList | nn.Sequential)]
    kinds = Counter(type(next(iter(container))) for container in containers if _is_row_of_blocks(container))
    inner = {kind for kind in kinds if not _holds_another(model, kind, set(kinds))}
    blocks = [module for container in containers for module in container if type(module) in inner]
    if not blocks:
        raise TraceError("it has no repeated blocks to checkpoint; use checkpointing none")
    return blocks


def _is_row_of_blocks(container: nn.Module) -> bool:
    members = list(container.children())
    return (
        len(members) > 1
        and len({type(member) for member in members}) == 1
        and bool(list(members[0].children()))
        and not isinstance(members[0], Layer)
    )


def _holds_another(model: nn.Module, kind: type[nn.Module], kinds: set[type[nn.Module]]) -> bool:
    first = next(module for module in model.modules() if type(module) is kind)
    return any(type(part) in kinds for part in first.modules() if part is not first)
