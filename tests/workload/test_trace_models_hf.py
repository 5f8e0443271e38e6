"""Models of Hugging Face from their configuration: through transformers, and from the JSON alone."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from planner.workload.trace.errors import SourceError  # noqa: E402  torch may be missing
from planner.workload.trace.models import hf_config  # noqa: E402
from planner.workload.trace.models.hf_config import hf_model, library_model  # noqa: E402
from planner.workload.trace.models.hf_import import import_transformers  # noqa: E402
from planner.workload.trace.models.hf_plain import PLAIN_TYPES, plain_model  # noqa: E402
from planner.workload.trace.tracer import record_step  # noqa: E402

pytestmark = pytest.mark.torch

TINY = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
TINY_TEXT = {**TINY, "vocab_size": 200, "num_key_value_heads": 2, "pad_token_id": 0}
TINY_GEMMA = {**TINY_TEXT, "head_dim": 16}
TINY_T5 = {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "vocab_size": 200}
TINY_PAIR = {
    "d_model": 64, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 128, "decoder_ffn_dim": 128,
    "encoder_attention_heads": 4, "decoder_attention_heads": 4, "vocab_size": 200,
    "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 0, "decoder_start_token_id": 0,
}  # fmt: skip
CONFIGURATIONS = {
    "llama": {"model_type": "llama", **TINY_TEXT},
    "llama with biases": {"model_type": "llama", **TINY_TEXT, "attention_bias": True, "mlp_bias": True},
    "llama classifier": {"model_type": "llama", **TINY_TEXT, "architectures": ["LlamaForSequenceClassification"]},
    "mistral": {"model_type": "mistral", **TINY_TEXT},
    "qwen2": {"model_type": "qwen2", **TINY_TEXT, "tie_word_embeddings": True},
    "qwen3": {"model_type": "qwen3", **TINY_TEXT, "head_dim": 32},
    "gemma": {"model_type": "gemma", **TINY_GEMMA},
    "gemma2": {"model_type": "gemma2", **TINY_GEMMA},
    "gemma3": {"model_type": "gemma3_text", **TINY_GEMMA},
    "gpt2": {"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 200,
             "bos_token_id": 0, "eos_token_id": 0},
    "bert": {"model_type": "bert", **TINY, "vocab_size": 200},
    "bert reader": {"model_type": "bert", **TINY, "architectures": ["BertForQuestionAnswering"]},
    "bert classifier": {"model_type": "bert", **TINY, "architectures": ["BertForSequenceClassification"],
                        "id2label": {"0": "a", "1": "b", "2": "c"}},
    "bert tagger": {"model_type": "bert", **TINY, "architectures": ["BertForTokenClassification"]},
    "t5": {"model_type": "t5", **TINY_T5},
    "t5 v1.1": {"model_type": "t5", **TINY_T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False},
    "vit": {"model_type": "vit", **TINY, "image_size": 64},
}  # fmt: skip


@pytest.fixture(scope="module")
def transformers():
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed")
    return import_transformers()


def parameters_of(source):
    model = source.build(source.default_size, torch.float32)
    return Counter(tuple(sorted(parameter.shape)) for parameter in model.parameters())


def totals(source, precision, size):
    record = record_step(source, precision, "none", 4, size)
    return (
        sum(kernel.cost.flops for kernel in record.kernels),
        sum(kernel.cost.bytes for kernel in record.kernels),
        int(record.live.max()),
    )


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("eager_attention", [False, True], ids=["fused", "in parts"])
def test_that_the_plain_model_is_that_of_transformers(name, eager_attention, transformers):
    settings = CONFIGURATIONS[name]
    ours = plain_model(settings, eager_attention, "meta")
    theirs = library_model(transformers, settings, eager_attention, "meta")
    size = 64 if ours.size_kind == "image" else 128
    assert parameters_of(ours) == parameters_of(theirs)
    (flops, moved, live), expected = totals(ours, "amp", size), totals(theirs, "amp", size)
    assert flops == pytest.approx(expected[0], rel=0.01)
    assert moved == pytest.approx(expected[1], rel=0.04)
    assert live == pytest.approx(expected[2], rel=0.08)  # at this size one temporary more or less shows


@pytest.mark.parametrize("kind", PLAIN_TYPES)
def test_that_an_empty_configuration_means_the_published_model(kind, transformers):
    settings = {"model_type": kind}
    theirs = library_model(transformers, settings, False, "meta")
    assert parameters_of(plain_model(settings, False, "meta")) == parameters_of(theirs)


@pytest.fixture
def without_transformers(monkeypatch):
    def refuse():
        raise ImportError("No module named 'transformers'")

    monkeypatch.setattr(hf_config, "import_transformers", refuse)


def config_file(tmp_path, settings):
    file = tmp_path / "config.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file


def test_that_the_json_alone_is_enough_where_transformers_is_missing(tmp_path, without_transformers):
    source = hf_model(config_file(tmp_path, CONFIGURATIONS["llama"]), False)
    assert source.name == "hf:llamaForCausalLM"
    assert source.size_max == 2048


@pytest.mark.parametrize(
    ("settings", "code", "hint"),
    [
        ({"model_type": "whisper"}, "transformers_missing", "No module"),
        ({"model_type": "llama", "hidden_size": "big"}, "unknown_model", "hidden_size is 'big'.*whole number"),
        ({"model_type": "gpt2", "resid_pdrop": 2}, "unknown_model", "resid_pdrop is 2.*from 0 to 1"),
        ({"model_type": "bert", "hidden_act": "sine"}, "unknown_model", "hidden_act is 'sine'.*gelu"),
        ({"model_type": "llama", "architectures": ["LlamaForTokenClassification"]}, "unsupported_model", "needs"),
        ({"hidden_size": 8}, "unknown_model", "no model_type"),
        ([], "unknown_model", "no model_type"),
    ],
)
def test_that_a_configuration_that_is_not_understood_is_named(
    settings, code, hint, tmp_path, without_transformers
):
    file = config_file(tmp_path, settings)
    with pytest.raises(SourceError, match=hint) as caught:
        hf_model(file, False).build(64, torch.float32)
    assert caught.value.code == code


# Of every kind: encoder, decoder, encoder and decoder, images, sound; and attention that only exists in parts.
@pytest.mark.parametrize(
    "settings",
    [
        {"model_type": "roberta", **TINY, "vocab_size": 200},
        {"model_type": "deberta-v2", **TINY, "vocab_size": 200},
        {"model_type": "falcon", **TINY, "vocab_size": 200},
        {"model_type": "bart", **TINY_PAIR},
        {"model_type": "deit", **TINY, "image_size": 64},
        {"model_type": "whisper", **TINY_PAIR, "max_source_positions": 100},
        {"model_type": "wav2vec2", **TINY, "vocab_size": 40},
        {"model_type": "mamba", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 200},
    ],
    ids=lambda settings: settings["model_type"],
)
def test_that_models_of_every_kind_are_followed(settings, transformers):
    source = library_model(transformers, settings, False, "meta")
    flops, moved, live = totals(source, "amp", source.trace_sizes[0])
    assert min(flops, moved, live) > 0


def test_that_sound_of_twice_the_length_has_twice_the_frames(transformers):
    source = library_model(transformers, {"model_type": "wav2vec2", **TINY, "vocab_size": 40}, False, "meta")
    model = source.build(source.default_size, torch.float32)
    one, two = (
        model(**source.inputs(2, seconds * source.size_unit, torch.float32)).logits.shape[1] for seconds in (1, 2)
    )
    assert two - 2 * one == 1  # the first window starts later than its frame


def test_that_the_language_part_of_a_model_that_sees_is_trained_alone(transformers):
    text = {"model_type": "gemma3_text", **TINY_GEMMA}
    settings = {"model_type": "gemma3", "text_config": text, "architectures": ["Gemma3ForConditionalGeneration"]}
    source = library_model(transformers, settings, False, "meta")
    assert parameters_of(source) == parameters_of(library_model(transformers, text, False, "meta"))
