"""Which recipe of ours each published memory report is, written once.

    python -m tests.accuracy.map_memory_truth MEMORY_TRUTH.csv

Reads the collected reports (public READMEs, documentation, issues and logs; the source stands in every row) and
writes those that ``preset:``, ``timm:`` or ``hf:`` can express to ``memory_peaks.csv`` among the measurements. The
others it counts, by the reason why not, in ``memory_not_covered.csv``. Only figures and where they stand are kept,
no text of the sources.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from planner.predict.calibration.memory_cases import NOT_COVERED, PEAKS

COLUMNS = (
    "id", "model", "batch_size", "image_size", "sequence_length", "precision", "optimizer", "gpus", "strategy",
    "checkpointing", "adapter", "software", "offload", "kind", "peak_gib", "meter", "capacity_gib", "confidence",
    "source",
)  # fmt: skip
Row = dict[str, str]


@dataclass(frozen=True)
class Mapped:
    """Our recipe for one report."""

    model: str
    batch_size: int
    image_size: int | None = None
    sequence_length: int | None = None
    precision: str = "amp_bf16"
    optimizer: str = "adamw"
    strategy: str = "ddp"
    checkpointing: str = "none"
    adapter: str = "none"
    software: str = "torch2"
    offload: str = "none"


class NotCoveredError(Exception):
    """Why a report has no recipe of ours."""


# By the name in the reports. Hugging Face configurations by their name in hf_configs.json.
_HF = {
    "phi-1.5 1.3 B": "phi-1_5", "StableLM Alpha 3 B": "stablelm-base-alpha-3b",
    "StableLM Alpha 3B": "stablelm-base-alpha-3b",
    "stablelm-base-alpha-3b": "stablelm-base-alpha-3b", "falcon-7b": "falcon-7b", "Falcon-7B": "falcon-7b",
    "gemma-2b": "gemma-2b", "gemma-7b": "gemma-7b", "gemma-2-2b": "gemma-2-2b", "gemma-2-9b": "gemma-2-9b",
    "mistral-7b": "mistral-7b", "mistral-7b-v0.2": "mistral-7b", "Mistral-7B v0.2": "mistral-7b",
    "Phi-3-mini-4k-instruct": "Phi-3-mini-4k", "Qwen-1.8B": "Qwen-1.8B", "Qwen-1.8B-Chat": "Qwen-1.8B",
    "Qwen-7B": "Qwen-7B", "Qwen-7B-Chat": "Qwen-7B", "Qwen-14B": "Qwen-14B", "Qwen-14B-Chat": "Qwen-14B",
    "Yi-34B": "Yi-34B", "Yi-34B-Chat": "Yi-34B", "Qwen2-7B-Instruct": "Qwen2-7B", "LLaMA 13B": "llama-13b",
    "Llama 13B": "llama-13b", "Baichuan-13B": "llama-13b", "LLaMA 65B": "llama-65b", "T0_3B": "T0_3B",
    "mt0-xxl 12B": "mt0-xxl",
    "bloomz-7b1": "bloomz-7b1", "GLM-4-9B-Chat": "glm-4-9b", "StableLM-2 1.6B": "stablelm-2-1_6b",
    "T5-3B en-ro": "t5-3b", "Flan-T5-XL 2.85B": "T0_3B", "DeepSeek-R1-0528-Qwen3-8B": "Qwen3-8B",
    "T5-XXL 11B": "flan-t5-xxl", "Flan-T5-XXL 11B": "flan-t5-xxl", "Qwen3-Reranker-4B": "Qwen3-4B",
}  # fmt: skip
# Detectors that a preset is a model of, with the side of a square of as many pixels as their images have.
_DETECTORS = {
    "SSD300 ResNet-50": ("preset:ssd300_r50", 300), "Mask R-CNN R50-FPN": ("preset:maskrcnn_r50", 1024),
    "mmdet Mask R-CNN R50-FPN": ("preset:maskrcnn_r50", 1024),
}  # fmt: skip
_SEGFORMER = re.compile(r"SegFormer MiT-(B\d)")
_CLOSED = {
    "SimpleTuner": "diffusion model", "NVIDIA DeepLearningExamples / NGC": "model in none of the libraries",
    "detectron2, torch 1.3": "detector", "mmdetection 2.x": "detector",
    "mmsegmentation": "segmentation model of mmsegmentation",
}  # fmt: skip


def mapped(row: Row) -> Mapped:
    """Raises NotCoveredError with the reason."""
    if row["kind"] == "vendor_table":
        raise NotCoveredError("table of a vendor, no measurement")
    name = row["model"]
    if name == "ResNet-50 v1.5":
        return _convolutional(row, "timm:resnet50", 224)
    if name in _DETECTORS:
        return _convolutional(row, *_DETECTORS[name])
    if name in ("VGG16", "ViT-B/16"):
        return Mapped(
            {"VGG16": "timm:vgg16", "ViT-B/16": "timm:vit_base_patch16_224"}[name],
            _batch(row), image_size=224, precision="fp32", optimizer="sgd",
        )  # fmt: skip
    if found := _SEGFORMER.match(name):
        classes = "ade20k" if row["image_size"] != "1024x1024" else "cityscapes"
        size = int(row["image_size"].partition("x")[0])
        name = f"hf:segformer_{found[1].lower()}_{classes}"
        return Mapped(name, _batch(row), image_size=size, precision="fp32", software="torch1.12")
    if name.startswith("GPT-2 124M"):
        return Mapped("preset:gpt2", _batch(row), sequence_length=1024)
    if name in _HF:
        return _language_model(row, f"hf:{_HF[name]}")
    if row["framework"].startswith("SimpleTuner") or "diffusion" in row["domain"]:
        raise NotCoveredError("diffusion model")
    if row["framework"].startswith("axolotl") or row["framework"].startswith("ms-swift"):
        raise NotCoveredError("loss computed in chunks, or shapes not published with the figure")
    raise NotCoveredError(_CLOSED.get(row["framework"], "model or its shapes not known here"))


def _convolutional(row: Row, model: str, image_size: int) -> Mapped:
    """Trained before torch 2 with momentum; "FP16" by apex or by hand is taken as autocast."""
    precisions = {"TF32/FP32(NGC default)": "tf32", "FP32": "fp32", "fp32": "fp32"}
    precision = precisions.get(row["precision"], "amp")
    return Mapped(
        model, _batch(row), image_size=image_size, precision=precision, optimizer="momentum", software="torch1.12"
    )


def _batch(row: Row) -> int:
    try:
        return int(float(row["batch_per_gpu"]))
    except ValueError:
        raise NotCoveredError("batch size not given") from None


def _length(row: Row) -> int:
    if row["source"] and "twitter_complaints" in row["seq_len"]:
        return 64  # max_length of the example that was run
    found = re.match(r"\d+", row["seq_len"])
    if not found:
        raise NotCoveredError("sequence length not given")
    return int(found[0])


def _language_model(row: Row, model: str) -> Mapped:
    technique, precision = row["technique"].lower(), row["precision"].lower()
    for word in ("adapter", "p-tuning", "freeze", "lomo", "trainable embed", "dora"):
        if word in technique:
            raise NotCoveredError("way of training that has no recipe: " + word)
    if "int8" in precision:
        raise NotCoveredError("way of training that has no recipe: 8-bit weights")
    if "as run; same figure" in row["sharding"]:
        raise NotCoveredError("one figure for runs on 1 and 4 GPUs")
    if "INCONSISTENT" in row["notes"] or "anomaly" in row["notes"]:
        raise NotCoveredError("contradicts itself")
    peft_example = "twitter_complaints" in row["seq_len"]
    if not (row["grad_ckpt"] or row["framework"] or peft_example):
        raise NotCoveredError("whether activations are recomputed is not given")
    batch = 8 if peft_example and not row["batch_per_gpu"] else _batch(row)
    recipe = Mapped(
        model, batch, sequence_length=_length(row), precision=_precision(row, technique),
        adapter=_adapter(row, technique),
        checkpointing="full" if row["grad_ckpt"].startswith("yes") else "none",
    )  # fmt: skip
    return replace(recipe, **_sharding(row))


def _precision(row: Row, technique: str) -> str:
    """Models loaded in bf16 and trained whole are in pure bf16; adapters on them are fp32 under autocast."""
    text = row["precision"].lower()
    if text.startswith("fp32"):
        return "fp32"
    if "true" in text or (technique.startswith("full") and "bf16" in text):
        return "bf16"
    return "amp" if "fp16" in text and "bf16" not in text else "amp_bf16"


def _adapter(row: Row, technique: str) -> str:
    if technique.startswith("full"):
        return "none"
    found = re.search(r"r=(\d+)", f"{row['technique']} {row['trainable']}")
    rank = found[1] if found else {"transformers+peft+DeepSpeed": "64"}.get(row["framework"], "8")
    return ("qlora:" if "qlora" in technique else "lora:") + rank


def _sharding(row: Row) -> dict[str, str]:
    text = f"{row['sharding']} {row['technique']}".lower().replace("-", "")
    strategy = next((name for name in ("zero3", "zero2", "zero1", "fsdp") if name in text), "ddp")
    if row["framework"] == "transformers+peft+DeepSpeed, torch 2.0" and row["technique"] == "full":
        strategy = "zero3"  # the authors' script for it, on one GPU too
    if not row["offload"] or row["offload"] == "none":
        return {"strategy": strategy}
    return {"strategy": strategy, "offload": "optimizer" if "optimizer" in row["offload"] else "all"}


def _meter(row: Row) -> str:
    text = row["measure"].lower()
    if "allocated" in text or row["id"] in ("m0955", "m0956", "m0957", "m0958", "m0959", "m0960", "m0961"):
        return "allocated"  # the peft examples print torch's own peak
    return "reserved" if "reserved" in text else "device"


def case(row: Row) -> dict[str, object]:
    """A line of memory_peaks.csv. Raises NotCoveredError."""
    recipe = mapped(row)
    saturated = "SATURATED" in row["notes"]
    kind = {"measured_peak": "fits" if saturated else "peak", "fits": "fits", "oom": "oom"}[row["kind"]]
    if kind != "peak" and not row["gpu_capacity_gib"]:
        raise NotCoveredError("card not given")
    values = {name: "" if value is None else value for name, value in vars(recipe).items()}
    return values | {
        "id": row["id"], "gpus": int(float(row["n_gpus"] or 1)), "kind": kind,
        "peak_gib": row["mem_gib"] if kind == "peak" else "", "meter": _meter(row),
        "capacity_gib": row["gpu_capacity_gib"], "confidence": row["confidence"], "source": row["source"],
    }  # fmt: skip


def main(truth: Path) -> None:
    """Write both files."""
    covered, others = [], Counter[str]()
    with truth.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            try:
                covered.append(case(row))
            except NotCoveredError as reason:
                others[str(reason)] += 1
    with PEAKS.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(covered)
    with NOT_COVERED.open("w", encoding="utf-8", newline="") as stream:
        plain = csv.writer(stream, lineterminator="\n")
        plain.writerow(("reports", "reason"))
        plain.writerows((count, reason) for reason, count in others.most_common())
    print(f"{len(covered)} of {len(covered) + others.total()} reports have a recipe")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
