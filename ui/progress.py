"""How far each page is: done, stale, needs you, working. Worked out from the store alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from planner.benchmark.history import stale_reasons
from ui.i18n import tr
from ui.state import Store

PAGES = ("machine", "benchmark", "workload", "answer", "report", "accuracy")


class State(StrEnum):
    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    STALE = "stale"
    NEEDS_YOU = "needs_you"


@dataclass(frozen=True, slots=True)
class PageState:
    """``note``: the state in a few words, for the side bar and for screen readers."""

    state: State
    note: str


def page_states(store: Store, working: frozenset[str] = frozenset()) -> dict[str, PageState]:
    """``working``: pages whose job runs now."""
    states = {
        "machine": _machine(store),
        "benchmark": _benchmark(store),
        "workload": _workload(store),
        "answer": _answer(store),
        "report": _report(store),
        "accuracy": PageState(State.WAITING, tr("Progress", "published runs")),  # to read; there is nothing to do
    }
    for page in working:
        states[page] = PageState(State.WORKING, tr("Progress", "working…"))
    return states


def _machine(store: Store) -> PageState:
    if store.snapshot is None:
        return PageState(State.WAITING, tr("Progress", "not looked at"))
    answering = [gpu for gpu in store.snapshot.gpus if not gpu.lost]
    if len(answering) < len(store.snapshot.gpus):
        return PageState(State.NEEDS_YOU, tr("Progress", "a GPU is lost"))
    if not answering:
        return PageState(State.DONE, tr("Progress", "no GPU"))
    count = len(answering)
    return PageState(
        State.DONE, tr("Progress", "1 GPU") if count == 1 else tr("Progress", "{0} GPUs").format(count)
    )


def _benchmark(store: Store) -> PageState:
    result = store.benchmark
    if result is None:
        return PageState(State.NEEDS_YOU, tr("Progress", "not measured"))
    if store.snapshot is not None and stale_reasons(result, store.snapshot):
        return PageState(State.STALE, tr("Progress", "machine changed"))
    if store.gpu is not None and result.gpu_uuid is None and result.device_kind == "cpu":
        return PageState(State.NEEDS_YOU, tr("Progress", "processor only"))
    return PageState(State.DONE, tr("Progress", "measured"))


def _workload(store: Store) -> PageState:
    problems = len(store.reading.problems or store.answer.problems)
    if problems:
        one = tr("Progress", "1 problem")
        return PageState(
            State.NEEDS_YOU, one if problems == 1 else tr("Progress", "{0} problems").format(problems)
        )
    if store.draft is None:
        return PageState(State.WAITING, "")
    if not store.draft.edited:
        return PageState(State.NEEDS_YOU, tr("Progress", "assumptions"))
    return PageState(State.DONE, tr("Progress", "described"))


def _answer(store: Store) -> PageState:
    if store.answer.recommendation is None:
        return PageState(State.WAITING, tr("Progress", "no answer yet"))
    if store.answer.stale:
        return PageState(State.STALE, tr("Progress", "out of date"))
    return PageState(State.DONE, tr("Progress", "up to date"))


def _report(store: Store) -> PageState:
    if store.answer.recommendation is None:
        return PageState(State.WAITING, tr("Progress", "no answer yet"))
    if store.plan_path is not None:
        return PageState(State.DONE, store.plan_path.name)
    return PageState(State.WAITING, tr("Progress", "not saved"))
