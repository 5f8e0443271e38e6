"""The twelve presets: which model, and what one usually trains it on."""

from __future__ import annotations

from dataclasses import dataclass

from planner.workload.presets import PRESETS, Dataset, Family, ModelSource
from planner.workload.trace.models.language import language_models
from planner.workload.trace.models.plain import plain_models
from planner.workload.trace.models.vision import vision_models
from planner.workload.trace.tracer import Traceable


@dataclass(frozen=True)
class PresetSource:
    """All that a preset file is made from."""

    model: Traceable
    family: Family
    default_batch_size: int
    dataset: Dataset
    model_source: ModelSource
    note: str = ""


_TIMM = "https://github.com/huggingface/pytorch-image-models"
_TRANSFORMERS = "https://github.com/huggingface/transformers"
_IMAGENET = Dataset(
    "ImageNet-1k",
    samples=1_281_167,
    bytes=147_897_477_120,
    source="arXiv 1409.0575 (images); size of ILSVRC2012_img_train.tar",
)
_ISIC = Dataset(
    "ISIC 2018, task 1",
    samples=2_594,
    bytes=10_400_000_000,
    source="https://challenge.isic-archive.com/data/#2018 (rounded)",
)
_BRAIN_TUMOUR = Dataset(
    "Medical Segmentation Decathlon, brain tumours",
    samples=484,
    bytes=7_100_000_000,
    source="arXiv 2106.05735 (training volumes); size of Task01_BrainTumour.tar, rounded",
)
_SQUAD = Dataset(
    "SQuAD 1.1",
    samples=87_599,
    bytes=30_300_000,
    source="arXiv 1606.05250 (questions); size of train-v1.1.json, rounded",
)
_WIKITEXT_103 = Dataset(
    "WikiText-103",
    samples=115_000,
    bytes=192_000_000,
    source="arXiv 1609.07843; about 118 million byte-pair tokens in blocks of 1,024; raw archive, rounded",
)
_ALPACA = Dataset(
    "Alpaca",
    samples=52_002,
    bytes=22_800_000,
    source="https://github.com/tatsu-lab/stanford_alpaca; size of alpaca_data.json, rounded",
)
_WIKITEXT_2 = Dataset(
    "WikiText-2",
    samples=16_317,
    bytes=4_480_000,
    source="arXiv 1609.07843; 2,088,628 tokens in blocks of 128; archive, rounded",
)
_HIGGS = Dataset(
    "HIGGS",
    samples=10_500_000,
    bytes=2_816_000_000,
    source="arXiv 1402.4735; https://archive.ics.uci.edu/dataset/280/higgs (last 500,000 rows are the test)",
)


def _timm(architecture: str) -> ModelSource:
    return ModelSource(f"timm: {architecture} ({_TIMM})", "Apache-2.0")


def _transformers(model: str) -> ModelSource:
    return ModelSource(f"transformers: {model} ({_TRANSFORMERS})", "Apache-2.0")


def _own(name: str) -> ModelSource:
    return ModelSource(f"GPU Planner: {name}", "Apache-2.0")


def preset_sources() -> dict[str, PresetSource]:
    """Every preset by name, in the order of ``PRESETS``."""
    models = {model.name: model for model in (*vision_models(), *language_models(), *plain_models())}
    llama_note = (
        "LoRA of rank 16 on all linear layers but the output head; the base is bf16 and frozen. amp: adapters in "
        "fp32, autocast to bf16. No fp32 variant: nobody keeps 32 GB of weights that are not trained."
    )
    lstm_note = (
        "All layers of the LSTM are one operator, as in cuDNN. Its memory for the backward pass is taken as 6 "
        "numbers per unit, position and layer. No checkpointing: there are no blocks to run again."
    )
    mlp_note = "No checkpointing: there are no blocks to run again."
    details: dict[str, tuple[Family, int, Dataset, ModelSource, str]] = {
        "resnet50": ("vision", 128, _IMAGENET, _timm("resnet50"), ""),
        "efficientnet_b0": ("vision", 128, _IMAGENET, _timm("efficientnet_b0"), ""),
        "vit_b16": ("vision", 64, _IMAGENET, _timm("vit_base_patch16_224"), ""),
        "convnext_b": ("vision", 64, _IMAGENET, _timm("convnext_base"), ""),
        "unet2d": ("segmentation", 16, _ISIC, _own("UNet, arXiv 1505.04597, padded, batch norm"), ""),
        "unet3d": ("segmentation", 2, _BRAIN_TUMOUR, _own("UNet, arXiv 1606.06650, instance norm"), ""),
        "bert_base": ("language", 16, _SQUAD, _transformers("BertForQuestionAnswering, base"), ""),
        "bert_large": ("language", 8, _SQUAD, _transformers("BertForQuestionAnswering, large"), ""),
        "gpt2": ("language", 8, _WIKITEXT_103, _transformers("GPT2LMHeadModel, 124M"), ""),
        "llama3_8b_lora": ("language", 2, _ALPACA, _transformers("LlamaForCausalLM, 8B, own LoRA"), llama_note),
        "lstm": ("language", 32, _WIKITEXT_2, _own("LstmLanguageModel"), lstm_note),
        "tabular_mlp": ("tabular", 4096, _HIGGS, _own("4 hidden layers of 512, batch norm, dropout"), mlp_note),
    }
    return {name: PresetSource(models[name], *details[name]) for name in PRESETS}
