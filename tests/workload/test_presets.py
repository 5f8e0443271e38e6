"""The shipped presets: whole, readable without torch, and in agreement with what others published."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from planner.door import InvalidInputError
from planner.messages import load_messages
from planner.workload.optable import PHASES, basis
from planner.workload.presets import PRESETS, load_preset, preset_info

FORWARD = PHASES.index("forward")


def total_flops(table, phase, batch, size, classes=None):
    chosen = table.phase == phase
    if classes is not None:
        chosen &= np.isin(table.op_class, classes)
    return float(table.count[chosen] @ (table.flops[chosen] @ basis(batch, table.positions(size))))


def peak_live(table, batch, size):
    return float((table.live_bytes @ basis(batch, table.positions(size))).max())


def variants():
    return [(name, *variant) for name in PRESETS for variant in preset_info(name).variants]


@pytest.mark.parametrize("name", PRESETS)
def test_that_a_preset_has_a_title_defaults_and_an_origin(name):
    info = preset_info(name)
    assert load_messages().knows(info.title_code)
    assert info.size_min <= info.default_size <= info.size_max
    assert info.default_batch_size >= 1
    assert info.dataset.samples > 0
    assert info.dataset.bytes > 0
    assert info.dataset.source
    assert info.model_source.licence
    assert info.made_by.command.endswith(name)


@pytest.mark.parametrize("name", PRESETS)
def test_that_every_preset_has_autocast_and_pure_bf16(name):
    assert {("amp", "none"), ("bf16", "none")} <= set(preset_info(name).variants)


def test_that_presets_load_without_torch():
    code = (
        "import sys; from planner.workload.presets import PRESETS, load_preset; "
        "[load_preset(name) for name in PRESETS]; "
        "sys.exit(any(heavy in sys.modules for heavy in ('torch', 'timm', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_that_a_table_is_read_once():
    assert load_preset("resnet50", "amp", "none") is load_preset("resnet50", "amp", "none")


@pytest.mark.parametrize(("asked", "traced"), [("tf32", "fp32"), ("amp_bf16", "amp"), ("bf16", "bf16")])
def test_that_a_precision_finds_the_recipe_that_executes_the_same(asked, traced):
    assert load_preset("resnet50", asked).precision == traced


def test_that_an_unknown_preset_lists_the_known_ones():
    with pytest.raises(InvalidInputError, match=r"'resnet51'.*resnet50.*tabular_mlp"):
        load_preset("resnet51")


def test_that_a_missing_variant_says_which_exist():
    with pytest.raises(InvalidInputError, match=r"checkpointing: .*lstm|lstm.*checkpointing: .*amp with"):
        load_preset("lstm", "amp", "full")
    with pytest.raises(InvalidInputError, match=r"precision: no table for fp32.*bf16 with checkpointing full"):
        load_preset("llama3_8b_lora", "fp32")


def test_that_an_unknown_precision_lists_the_known_ones():
    with pytest.raises(InvalidInputError, match=r"'fp8'.*amp_bf16"):
        load_preset("resnet50", "fp8")


# Parameters in millions. Images: timm's results/model_metadata-in1k.csv; BERT: arXiv 1810.04805 (110 and 340
# with pooler and pre-training head, 108.9 and 334.1 without); GPT-2: model card of openai-community/gpt2; Mask
# R-CNN: torchvision's maskrcnn_resnet50_fpn; U-Net: unet of stable-diffusion-v1-5 in diffusers; T5: t5-base in
# transformers; DLRM: 33,762,577 rows of 16 and its perceptrons (https://github.com/facebookresearch/dlrm).
@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("resnet50", 25.56),
        ("efficientnet_b0", 5.29),
        ("vit_b16", 86.57),
        ("convnext_b", 88.59),
        ("bert_base", 108.9),
        ("bert_large", 334.1),
        ("gpt2", 124.44),
        ("maskrcnn_r50", 44.401),
        ("t5_base", 222.90),
        ("dlrm_criteo", 33.762577 * 16 + 0.476),
    ],
)
def test_that_parameters_match_the_published_counts(name, millions):
    assert load_preset(name).parameters / 1e6 == pytest.approx(millions, rel=1e-3)


def test_that_llama_has_its_published_size_and_trains_only_its_adapters():
    table = load_preset("llama3_8b_lora", "bf16")
    shapes = [(4096, 4096), (4096, 1024), (4096, 1024), (4096, 4096)] + [(4096, 14336)] * 3
    adapters = 32 * sum(16 * (rows + columns) for rows, columns in shapes)
    assert table.trained_parameters == adapters
    assert table.parameters - adapters == 8_030_261_248
    assert table.parameter_bytes == 2 * table.parameters


# Multiply-adds of one forward pass in units of 10⁹. ResNet-50: torchvision (4.09); EfficientNet-B0:
# arXiv 1905.11946 (0.39); ViT-B/16: torchvision (17.56 with attention); ConvNeXt-B: arXiv 2201.03545 (15.4).
@pytest.mark.parametrize(
    ("name", "gmacs"),
    [("resnet50", 4.09), ("efficientnet_b0", 0.39), ("vit_b16", 17.56), ("convnext_b", 15.4)],
)
@pytest.mark.parametrize("precision", ["fp32", "amp", "bf16"])
def test_that_forward_multiply_adds_match_the_published_counts(name, gmacs, precision):
    table = load_preset(name, precision)
    assert total_flops(table, FORWARD, 1, 224) / 2e9 == pytest.approx(gmacs, rel=0.012)


# Forward + backward = 6 FLOPs per parameter of a matrix and token, plus attention (arXiv 2001.08361, table 1).
def test_that_gpt2_needs_six_flops_a_parameter_and_token_plus_attention():
    table = load_preset("gpt2", "bf16")
    tokens, width, layers = 1024, 768, 12
    matrices = 12 * layers * width**2 + 50257 * width  # blocks and the output head
    attention = layers * tokens * width  # multiply-adds a token, halved by the causal mask
    expected = 2 * tokens * (3 * matrices + 3.5 * attention)
    found = sum(total_flops(table, phase, 1, tokens) for phase in range(3))
    assert found == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("name", "precision", "checkpointing"), variants())
def test_that_costs_and_memory_are_positive_and_grow_with_batch_and_size(name, precision, checkpointing):
    table = load_preset(name, precision, checkpointing)
    sizes = sorted({table.size_min, table.default_size, table.size_max})
    for size in sizes:
        point = basis(1, table.positions(size))
        assert (table.bytes @ point > 0).all()
        assert (table.flops @ point >= 0).all()
        assert peak_live(table, 1, size) < peak_live(table, 64, size)
    peaks = [peak_live(table, 8, size) for size in sizes]
    assert peaks == sorted(peaks)
    assert (table.live_gradient_bytes <= table.trained_parameter_bytes).all()


@pytest.mark.parametrize("name", [name for name, _, checkpointing in variants() if checkpointing == "full"])
def test_that_checkpointing_trades_memory_for_arithmetic(name):
    info = preset_info(name)
    plain, kept = load_preset(name, "amp"), load_preset(name, "amp", "full")
    batch, size = info.default_batch_size, info.default_size
    assert peak_live(kept, batch, size) < peak_live(plain, batch, size)
    assert total_flops(kept, FORWARD, batch, size) == total_flops(plain, FORWARD, batch, size)
    assert total_flops(kept, 1, batch, size) > total_flops(plain, 1, batch, size)


@pytest.mark.parametrize("name", ["resnet50", "vit_b16", "unet3d", "gpt2"])
def test_that_half_precision_keeps_less_than_full(name):
    info = preset_info(name)
    point = (info.default_batch_size, info.default_size)
    full, autocast, pure = (peak_live(load_preset(name, p), *point) for p in ("fp32", "amp", "bf16"))
    assert pure < autocast < full


def test_that_inference_keeps_less_than_training():
    for name in PRESETS:
        table = load_preset(name)
        point = basis(16, table.positions(table.default_size))
        assert (table.live_bytes_infer @ point).max() < (table.live_bytes @ point).max()
