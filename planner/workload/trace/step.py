"""One training step or one forward pass of a model on the meta device, recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.checkpoint import checkpoint

from planner.workload.trace.autocast import Autocast
from planner.workload.trace.cost import tensors_in
from planner.workload.trace.fused import EagerAttention, FusedKernels
from planner.workload.trace.recorder import BACKWARD, Kernel, Recorder

Inputs = dict[str, torch.Tensor]
Loss = Callable[[torch.nn.Module, Inputs], torch.Tensor]


@dataclass(frozen=True)
class StepRecord:
    """What one step of one (batch, size) executes and keeps. ``live`` and ``gradients``: (events,) bytes."""

    kernels: list[Kernel]
    live: NDArray[np.int64]
    gradients: NDArray[np.int64]


@contextlib.contextmanager
def _as_on_cuda(autocast: torch.dtype | None, eager_attention: bool) -> Iterator[None]:
    """Calls of the model run fused and, where asked, autocast; attention taken apart where asked."""
    with (
        FusedKernels(),
        Autocast(autocast) if autocast else contextlib.nullcontext(),
        EagerAttention() if eager_attention else contextlib.nullcontext(),
    ):
        yield


def checkpoint_blocks(
    blocks: list[torch.nn.Module], autocast: torch.dtype | None, eager_attention: bool = False
) -> None:
    """Make every block keep only its input and run again in the backward pass (torch.utils.checkpoint)."""

    def contexts() -> Any:
        # The first pass runs inside the step's own; the second needs it again, as torch's own autocast does.
        return contextlib.nullcontext(), _as_on_cuda(autocast, eager_attention)

    for block in blocks:
        forward = block.forward

        def recomputed(*args: Any, _forward: Any = forward, **kwargs: Any) -> Any:
            return checkpoint(
                _forward,
                *args,
                use_reentrant=False,
                preserve_rng_state=False,
                determinism_check="none",
                context_fn=contexts,
                **kwargs,
            )

        block.forward = recomputed


def record_training(
    model: torch.nn.Module,
    inputs: Inputs,
    loss: Loss,
    autocast: torch.dtype | None,
    eager_attention: bool = False,
) -> StepRecord:
    """Forward, loss and backward of a model in training mode. Raises TraceError for unknown operators."""
    model.train()
    recorder = Recorder(_device(inputs))
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    hooks = [parameter.register_post_accumulate_grad_hook(recorder.mark_gradient) for parameter in trained]
    with recorder:
        with _as_on_cuda(autocast, eager_attention):
            value = loss(model, inputs)
        recorder.phase = BACKWARD
        value.backward()
    for hook in hooks:
        hook.remove()
    record = _finished(recorder)
    model.zero_grad(set_to_none=True)
    return record


def record_inference(
    model: torch.nn.Module, inputs: Inputs, autocast: torch.dtype | None, eager_attention: bool = False
) -> StepRecord:
    """The forward pass in evaluation mode, without loss; nothing is kept for a backward pass."""
    model.eval()
    recorder = Recorder(_device(inputs))
    features = {name: tensor for name, tensor in inputs.items() if name != "target"}
    with torch.no_grad(), recorder, _as_on_cuda(autocast, eager_attention):
        model(**features)
    return _finished(recorder)


def _device(inputs: Inputs) -> str:
    """Where the model runs: "meta", or "cpu" for one that must see data."""
    device: str = next(iter(inputs.values())).device.type
    return device


def _finished(recorder: Recorder) -> StepRecord:
    recording = recorder.recording
    return StepRecord(
        recording.kernels, recording.live_bytes(gradients=False), recording.live_bytes(gradients=True)
    )


def input_bytes(inputs: Inputs) -> int:
    """Bytes of one batch of inputs and targets."""
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors_in(inputs))
