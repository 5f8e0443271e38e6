"""What makes a job take less memory, and doing it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ui.state import Store

if TYPE_CHECKING:
    from planner.decide.types import Option
    from planner.predict.ladder import Rung

_IN_THE_FORM = ("precision", "optimizer", "checkpointing")  # choices that the form shows


class LadderController:
    """Changes of the job that is in the form, for one option of the answer."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def rungs(self, option: Option) -> tuple[Rung, ...]:
        """Best first; takes some milliseconds, so only when it is asked for."""
        from planner.pipeline import memory_ladder

        inputs = self._store.answer.inputs
        return memory_ladder(inputs, option) if inputs is not None else ()

    def apply(self, rung: Rung, option: Option) -> None:
        """Change the form, and what it does not show, to the recipe of ``rung``."""
        draft, job, recipe = self._store.draft, self._store.reading.job, rung.recipe
        if draft is None or job is None:  # a form with mistakes is not changed
            return
        for name in _IN_THE_FORM:
            if draft.texts[name] != getattr(recipe, name):
                draft = draft.typed(name, getattr(recipe, name))
        if recipe.batch_size != option.batch_per_gpu:
            # The form may hold the batch of all GPUs: it changes as the share of one does.
            batch = round(job.recipe.batch_size * recipe.batch_size / option.batch_per_gpu)
            draft = draft.typed("batch_size", str(max(batch, 1)))
        hidden = replace(
            draft.job.recipe,
            adapter=recipe.adapter,
            strategy=recipe.strategy,
            offload=recipe.offload,
            accumulation_steps=recipe.accumulation_steps,
        )
        self._store.set_draft(replace(draft, job=replace(draft.job, recipe=hidden)))
