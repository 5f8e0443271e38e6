"""Language models from transformers (https://github.com/huggingface/transformers, Apache-2.0), by their
published configurations, and LoRA fine-tuning of one of them."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from planner.workload.adapter import Adapter
from planner.workload.trace.models.adapters import add_adapter
from planner.workload.trace.models.hf_import import attention_name, import_transformers
from planner.workload.trace.models.hf_tasks import library_loss
from planner.workload.trace.step import Inputs
from planner.workload.trace.tracer import Traceable

_LORA = Adapter("lora", 16)
_T5_SHORTER = 4  # a summary has a quarter of its text's tokens


def _tokens(batch: int, size: int, _dtype: torch.dtype) -> Inputs:
    ids = torch.empty(batch, size, dtype=torch.int64, device="meta")
    return {"input_ids": ids, "target": torch.empty_like(ids)}


def _next_token_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    loss: torch.Tensor = model(input_ids=inputs["input_ids"], labels=inputs["target"]).loss
    return loss


def _passages(batch: int, size: int, dtype: torch.dtype) -> Inputs:
    tokens = _tokens(batch, size, dtype)
    return {
        "input_ids": tokens["input_ids"],
        "token_type_ids": tokens["target"],
        "target": torch.empty(batch, 2, dtype=torch.int64, device="meta"),
    }


def _answer_span_loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
    start, end = inputs["target"].unbind(1)
    loss: torch.Tensor = model(
        input_ids=inputs["input_ids"],
        token_type_ids=inputs["token_type_ids"],
        start_positions=start,
        end_positions=end,
    ).loss
    return loss


def _bert(name: str, **shape: int) -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        transformers = import_transformers()

        with torch.device("meta"):
            model: nn.Module = transformers.BertForQuestionAnswering(
                transformers.BertConfig(**shape, attn_implementation=attention_name())
            )
        return model.to(dtype)

    return Traceable(
        name=name,
        size_kind="sequence",
        size_unit=128,
        default_size=384,
        size_min=32,
        size_max=512,
        trace_sizes=(128, 256, 384),
        build=build,
        inputs=_passages,
        loss=_answer_span_loss,
        blocks=lambda model: list(model.bert.encoder.layer),
    )


def _gpt2() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        transformers = import_transformers()

        with torch.device("meta"):
            model: nn.Module = transformers.GPT2LMHeadModel(
                transformers.GPT2Config(use_cache=False, attn_implementation=attention_name())
            )
        return model.to(dtype)

    return Traceable(
        name="gpt2",
        size_kind="sequence",
        size_unit=128,
        default_size=1024,
        size_min=32,
        size_max=1024,
        trace_sizes=(128, 256, 384),
        build=build,
        inputs=_tokens,
        loss=_next_token_loss,
        blocks=lambda model: list(model.transformer.h),
    )


def _llama3_8b_lora() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        transformers = import_transformers()

        # Meta-Llama-3-8B: arXiv 2407.21783, table 3.
        config = transformers.LlamaConfig(
            vocab_size=128_256,
            hidden_size=4096,
            intermediate_size=14_336,
            num_hidden_layers=32,
            num_attention_heads=32,
            num_key_value_heads=8,
            max_position_embeddings=8192,
            rope_theta=500_000.0,
            use_cache=False,
            attn_implementation=attention_name(),
        )
        with torch.device("meta"):
            model: nn.Module = transformers.LlamaForCausalLM(config)
        model.to(torch.bfloat16)
        add_adapter(model, _LORA, dtype)
        return model

    return Traceable(
        name="llama3_8b_lora",
        size_kind="sequence",
        size_unit=128,
        default_size=512,
        size_min=128,
        size_max=8192,
        trace_sizes=(128, 256, 384),
        build=build,
        inputs=_tokens,
        loss=_next_token_loss,
        blocks=lambda model: list(model.model.layers),
        # No fp32: 32 GB of weights that are never trained is not a job anyone runs. With "amp" the base is
        # bf16, the adapters fp32, and autocast goes to bf16, whichever of the two 16-bit kinds is asked for.
        precisions=("amp", "bf16"),
        autocast_dtype=torch.bfloat16,
    )


def _t5_base() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        transformers = import_transformers()
        # T5-base: arXiv 1910.10683, section 3.1.2.
        config = transformers.T5Config(d_model=768, d_ff=3072, num_layers=12, num_heads=12, use_cache=False)
        with torch.device("meta"):
            model: nn.Module = transformers.T5ForConditionalGeneration._from_config(
                config, attn_implementation=attention_name()
            )
        return model.to(dtype)

    def inputs(batch: int, size: int, dtype: torch.dtype) -> Inputs:
        answer = _tokens(batch, size // _T5_SHORTER, dtype)
        return {
            **_tokens(batch, size, dtype),
            "decoder_input_ids": answer["input_ids"],
            "target": answer["target"],
        }

    return Traceable(
        name="t5_base",
        size_kind="sequence",
        size_unit=128,
        default_size=512,
        size_min=64,
        size_max=2048,
        trace_sizes=(128, 256, 384),
        build=build,
        inputs=inputs,
        loss=library_loss("tokens"),
        blocks=lambda model: [*model.encoder.block, *model.decoder.block],
    )


class LstmLanguageModel(nn.Module):
    """Embedding, two LSTM layers, tied output: the medium word-level model of PyTorch's examples
    (word_language_model) with 650 units."""

    def __init__(self, vocabulary: int = 33_278, width: int = 650, layers: int = 2) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.dropout = nn.Dropout(0.5)
        self.lstm = nn.LSTM(width, width, layers, batch_first=True, dropout=0.5)
        self.head = nn.Linear(width, vocabulary)
        self.head.weight = self.embedding.weight

    def forward(self, input_ids: torch.Tensor) -> torch.Tensor:
        hidden, _ = self.lstm(self.dropout(self.embedding(input_ids)))
        logits: torch.Tensor = self.head(self.dropout(hidden))
        return logits


def _lstm() -> Traceable:
    def build(_size: int, dtype: torch.dtype) -> nn.Module:
        with torch.device("meta"):
            return LstmLanguageModel().to(dtype)

    def loss(model: nn.Module, inputs: Inputs) -> torch.Tensor:
        return functional.cross_entropy(model(inputs["input_ids"]).flatten(0, 1), inputs["target"].flatten())

    return Traceable(
        name="lstm",
        size_kind="sequence",
        size_unit=128,
        default_size=128,
        size_min=16,
        size_max=2048,
        trace_sizes=(128, 256, 384),
        build=build,
        inputs=_tokens,
        loss=loss,
    )


def language_models() -> list[Traceable]:
    """BERT base and large on extractive question answering, GPT-2 124M, T5-base on summaries, Llama-3-8B with
    LoRA, an LSTM."""
    return [
        _bert("bert_base"),
        _bert(
            "bert_large",
            hidden_size=1024,
            num_hidden_layers=24,
            num_attention_heads=16,
            intermediate_size=4096,
        ),
        _gpt2(),
        _t5_base(),
        _llama3_8b_lora(),
        _lstm(),
    ]
