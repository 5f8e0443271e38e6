"""The presets: which model, and what one usually trains it on."""

from __future__ import annotations

from dataclasses import dataclass

from planner.workload.presets import PRESETS, Dataset, Family, ModelSource, UsualCheckpointing
from planner.workload.trace.models.detection import detection_models
from planner.workload.trace.models.diffusion import diffusion_models
from planner.workload.trace.models.language import language_models
from planner.workload.trace.models.plain import plain_models
from planner.workload.trace.models.recommender import recommender_models
from planner.workload.trace.models.speech import speech_models
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
    default_checkpointing: UsualCheckpointing = "none"


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
_COCO = Dataset(
    "COCO 2017, training images",
    samples=118_287,
    bytes=19_336_861_798,
    source="https://cocodataset.org/#download; size of train2017.zip",
)
_CNN_DAILYMAIL = Dataset(
    "CNN / Daily Mail 3.0",
    samples=287_113,
    bytes=585_439_472,
    source="https://huggingface.co/datasets/abisee/cnn_dailymail (training articles; size of the download)",
)
_CRITEO = Dataset(
    "Criteo display advertising (Kaggle)",
    samples=39_291_958,
    bytes=4_580_000_000,
    source="https://github.com/facebookresearch/dlrm: 6 of 7 days train; size of dac.tar.gz, rounded",
)
_LIBRISPEECH_100 = Dataset(
    "LibriSpeech, train-clean-100",
    samples=28_539,
    bytes=6_387_000_000,
    source="https://www.openslr.org/12 (utterances; size of train-clean-100.tar.gz, rounded)",
)


def _timm(architecture: str) -> ModelSource:
    return ModelSource(f"timm: {architecture} ({_TIMM})", "Apache-2.0")


def _transformers(model: str) -> ModelSource:
    return ModelSource(f"transformers: {model} ({_TRANSFORMERS})", "Apache-2.0")


def _own(name: str) -> ModelSource:
    return ModelSource(f"GPU Planner: {name}", "Apache-2.0")


def preset_sources() -> dict[str, PresetSource]:
    """Every preset by name, in the order of ``PRESETS``."""
    made = (vision_models, detection_models, diffusion_models, language_models, speech_models, plain_models)
    models = {model.name: model for make in (*made, recommender_models) for model in make()}
    llama_note = (
        "LoRA of rank 16 on all linear layers but the output head; the base is bf16 and frozen. amp: adapters in "
        "fp32, autocast to bf16. No fp32 variant: nobody keeps 32 GB of weights that are not trained."
    )
    lstm_note = (
        "All layers of the LSTM are one operator, as in cuDNN. Its memory for the backward pass is taken as 6 "
        "numbers per unit, position and layer. No checkpointing: there are no blocks to run again."
    )
    maskrcnn_note = (
        "512 regions an image for boxes and 128 for masks, a quarter from each level. Choosing them (sorting, "
        "suppression of doubles) is left out. Stem, first stage and batch norms are frozen."
    )
    sd_note = (
        "The U-Net alone, on latents of an eighth of the image's side and on encoded text, both made beforehand: "
        "the autoencoder and the text encoder are not trained. No fp32 variant: it is trained in 16 bits."
    )
    dlrm_note = (
        "Gradients of the embeddings are dense, as PyTorch's default, so a step writes all 540 million of them. "
        "No checkpointing: there are no blocks to run again."
    )
    wav2vec2_note = (
        "The sequence length is in samples of sound, 16,000 a second. The convolutions are frozen, as in "
        "fine-tuning; no layers and no sound are left out at random. The loss scores each frame, in place of CTC."
    )
    mlp_note = "No checkpointing: there are no blocks to run again."
    usual: dict[str, UsualCheckpointing] = {"llama3_8b_lora": "full"}  # in 24 GB nothing else trains
    details: dict[str, tuple[Family, int, Dataset, ModelSource, str]] = {
        "resnet50": ("vision", 128, _IMAGENET, _timm("resnet50"), ""),
        "efficientnet_b0": ("vision", 128, _IMAGENET, _timm("efficientnet_b0"), ""),
        "vit_b16": ("vision", 64, _IMAGENET, _timm("vit_base_patch16_224"), ""),
        "convnext_b": ("vision", 64, _IMAGENET, _timm("convnext_base"), ""),
        "unet2d": ("segmentation", 16, _ISIC, _own("UNet, arXiv 1505.04597, padded, batch norm"), ""),
        "unet3d": ("segmentation", 2, _BRAIN_TUMOUR, _own("UNet, arXiv 1606.06650, instance norm"), ""),
        "ssd300_r50": (
            "detection",
            32,
            _COCO,
            _own("SSD300 on timm's ResNet-50, arXiv 1512.02325"),
            "Matching boxes to objects is left out; the sorts that choose the hard ones are in.",
        ),
        "maskrcnn_r50": (
            "detection",
            2,
            _COCO,
            _own("Mask R-CNN on timm's ResNet-50, arXiv 1703.06870"),
            maskrcnn_note,
        ),
        "sd15_unet": ("generation", 4, _COCO, _own("U-Net of Stable Diffusion 1.5, arXiv 2112.10752"), sd_note),
        "bert_base": ("language", 16, _SQUAD, _transformers("BertForQuestionAnswering, base"), ""),
        "bert_large": ("language", 8, _SQUAD, _transformers("BertForQuestionAnswering, large"), ""),
        "gpt2": ("language", 8, _WIKITEXT_103, _transformers("GPT2LMHeadModel, 124M"), ""),
        "t5_base": (
            "language",
            8,
            _CNN_DAILYMAIL,
            _transformers("T5ForConditionalGeneration, base"),
            "The answer has a quarter of the tokens of the text, whose length is the sequence length.",
        ),
        "llama3_8b_lora": ("language", 2, _ALPACA, _transformers("LlamaForCausalLM, 8B, own LoRA"), llama_note),
        "lstm": ("language", 32, _WIKITEXT_2, _own("LstmLanguageModel"), lstm_note),
        "wav2vec2_base": ("speech", 8, _LIBRISPEECH_100, _transformers("Wav2Vec2ForCTC, base"), wav2vec2_note),
        "dlrm_criteo": ("recommendation", 2048, _CRITEO, _own("DLRM, arXiv 1906.00091"), dlrm_note),
        "tabular_mlp": ("tabular", 4096, _HIGGS, _own("4 hidden layers of 512, batch norm, dropout"), mlp_note),
    }
    return {
        name: PresetSource(models[name], *details[name], default_checkpointing=usual.get(name, "none"))
        for name in PRESETS
    }
