"""What a model of transformers is trained on, by the end of its class's name: inputs, targets, loss."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import nn
from torch.nn import functional

from planner.workload.trace.step import Inputs

# One class per sample, one per position, the two ends of an answer, one per frame of sound, one per pixel.
Task = Literal["label", "tokens", "span", "frames", "pixels"]

_TASK_BY_ENDING: tuple[tuple[str, Task], ...] = (
    ("ForQuestionAnswering", "span"),
    ("ForSequenceClassification", "label"),
    ("ForImageClassification", "label"),
    ("ForAudioClassification", "label"),
    ("ForTokenClassification", "tokens"),
    ("ForMaskedLM", "tokens"),
    ("ForCausalLM", "tokens"),
    ("LMHeadModel", "tokens"),
    ("MTModel", "tokens"),
    ("ForSpeechSeq2Seq", "tokens"),
    ("ForConditionalGeneration", "tokens"),
    ("ForCTC", "frames"),
    ("ForSemanticSegmentation", "pixels"),
)
# Tasks whose output is new for the data set, so that an adapter's owner trains it in full.
NEW_OUTPUTS: tuple[Task, ...] = ("label", "span", "pixels")


def task_of(class_name: str) -> Task | None:
    """The task of a class such as BertForMaskedLM; None if it is trained in a way that is not known here."""
    return next((task for end, task in _TASK_BY_ENDING if class_name.endswith(end)), None)


@dataclass(frozen=True)
class InputShape:
    """The model's main input for one sample, by its size: an image side, tokens, or samples of sound."""

    name: str  # of the model's argument
    of_sample: Callable[[int], Sequence[int]]
    is_index: bool = False  # token numbers instead of measured values


def tokens_input(name: str = "input_ids") -> InputShape:
    """(s,) token numbers."""
    return InputShape(name, lambda size: (size,), is_index=True)


def image_input(channels: int = 3) -> InputShape:
    """(channels, size, size) pixel values."""
    return InputShape("pixel_values", lambda size: (channels, size, size))


def task_inputs(
    shape: InputShape, task: Task, companions: Sequence[str] = ()
) -> Callable[[int, int, torch.dtype], Inputs]:
    """The maker of one batch, on the meta device. ``companions``: further arguments, (b, s) whole numbers each.

    The frames of sound need no target: see ``frames_loss``.
    """

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        kind = torch.int64 if shape.is_index else dtype
        made = {shape.name: torch.empty((batch, *shape.of_sample(size)), dtype=kind, device="meta")}
        for name in companions:
            made[name] = torch.empty((batch, size), dtype=torch.int64, device="meta")
        targets = {
            "span": (batch, 2), "label": (batch,), "tokens": (batch, size), "frames": None,
            "pixels": (batch, size, size),
        }[task]  # fmt: skip
        if targets is not None:
            made["target"] = torch.empty(targets, dtype=torch.int64, device="meta")
        return made

    return inputs


def features(inputs: Inputs) -> Inputs:
    """The batch without its targets."""
    return {name: tensor for name, tensor in inputs.items() if name != "target"}


def library_loss(task: Task) -> Callable[[nn.Module, Inputs], torch.Tensor]:
    """The loss of a class of transformers, which computes it itself."""
    if task == "span":
        return _span_loss
    return frames_loss if task == "frames" else _labels_loss


def _labels_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    loss: torch.Tensor = model(**features(inputs), labels=inputs["target"]).loss
    return loss


def _span_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    start, end = inputs["target"].unbind(1)
    loss: torch.Tensor = model(**features(inputs), start_positions=start, end_positions=end).loss
    return loss


def frames_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    """A class for each frame. The usual loss (CTC) cannot be followed without the lengths of the sentences;
    both read the scores once and are a sliver of the step."""
    scores: torch.Tensor = model(**features(inputs)).logits.flatten(0, 1)
    return functional.cross_entropy(scores, torch.zeros(len(scores), dtype=torch.int64, device=scores.device))


def plain_loss(task: Task) -> Callable[[nn.Module, Inputs], torch.Tensor]:
    """The loss of a model of ours, which returns scores: (b, s, classes), (b, classes), or (b, s, 2) of spans."""

    def loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
        scores: Any = model(**features(inputs))
        if task == "span":
            ends = zip(scores.unbind(-1), inputs["target"].unbind(1), strict=True)
            first, second = (functional.cross_entropy(at, target) for at, target in ends)
            return (first + second) / 2
        return functional.cross_entropy(scores.flatten(0, -2), inputs["target"].flatten())

    return loss
