"""The job: what is trained, and for how long. What the user describes, nothing that is predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from planner.evidence import Range, check_number, check_range

Mode = Literal["train", "infer"]
Precision = Literal["fp32", "tf32", "amp", "amp_bf16", "bf16"]
MemoryFormat = Literal["contiguous", "channels_last"]
Optimizer = Literal["sgd", "momentum", "adam", "adamw", "adamw8bit", "paged_adamw8bit", "adafactor", "lion"]
Strategy = Literal["ddp", "zero1", "zero2", "zero3", "fsdp"]
Offload = Literal["none", "optimizer", "all"]  # "all": weights and gradients too
Checkpointing = Literal["none", "full"]
Software = Literal["torch1.12", "torch2"]
Execution = Literal["eager", "compile"]  # "compile": the model went through torch.compile
KeptBatch = Literal["global", "per_gpu"]

PRECISIONS: tuple[Precision, ...] = get_args(Precision)
MEMORY_FORMATS: tuple[MemoryFormat, ...] = get_args(MemoryFormat)
OPTIMIZERS: tuple[Optimizer, ...] = get_args(Optimizer)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one step is executed: all that step time and peak memory depend on besides the GPU."""

    model: str = "preset:resnet50"
    mode: Mode = "train"
    batch_size: int = 64  # samples per GPU and step
    input_size: int | None = None  # image_size or sequence_length; None: the model's default
    precision: Precision = "amp"
    memory_format: MemoryFormat = "contiguous"
    optimizer: Optimizer = "adamw"
    checkpointing: Checkpointing = "none"
    adapter: str = "none"  # "none": as the model comes; "lora:RANK", "qlora:RANK"
    strategy: Strategy = "ddp"
    software: Software = "torch2"
    offload: Offload = "none"  # what waits in the RAM of the host
    accumulation_steps: int = 1  # micro-batches of ``batch_size`` per update
    execution: Execution = "eager"

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        check_number("batch_size", self.batch_size, at_least=1, at_most=2**24)
        check_number("accumulation_steps", self.accumulation_steps, at_least=1, at_most=2**20)
        if self.input_size is not None:
            check_number("input_size", self.input_size, at_least=1, at_most=2**20)


@dataclass(frozen=True, slots=True)
class Job:
    """A whole training: the recipe, repeated over a data set."""

    recipe: Recipe = Recipe()
    samples_per_epoch: float = 1_281_167
    epochs: Range = Range(80, 90, 100)
    dataset_bytes: float = 150e9
    kept_batch: KeptBatch = "global"  # what stays when GPUs are added: the batch of all GPUs, or of each
    result_bytes: float = 1e9  # checkpoints and logs to bring home
    runs: int = 1  # of the same job with other settings, as in a sweep
    # What one processor core reads and prepares of the input; None: by kind of input (see predict.input_pipeline).
    core_samples_per_s: Range | None = None
    timed_step_s: float | None = None  # one step of the recipe, as the user timed it on this machine

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    def __post_init__(self) -> None:
        check_number("samples_per_epoch", self.samples_per_epoch, at_least=1, at_most=1e15)
        check_range("epochs", self.epochs, more_than=0, at_most=1e9)
        check_number("dataset_bytes", self.dataset_bytes, at_most=1e18)
        check_number("result_bytes", self.result_bytes, at_most=1e18)
        check_number("runs", self.runs, at_least=1, at_most=1_000_000)
        if self.core_samples_per_s is not None:
            check_range("core_samples_per_s", self.core_samples_per_s, at_least=1e-6)
        if self.timed_step_s is not None:
            check_number("timed_step_s", self.timed_step_s, at_least=1e-6, at_most=1e5)
