"""LoRA and QLoRA on models of any source: what is trained, what is kept, what is executed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.door import InvalidInputError
from planner.workload.adapter import Adapter, parse_adapter

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch import nn  # noqa: E402  torch may be missing

from planner.workload.optable import PHASES  # noqa: E402
from planner.workload.trace.errors import SourceError  # noqa: E402
from planner.workload.trace.models.adapters import adapted  # noqa: E402
from planner.workload.trace.models.blocks import repeated_blocks  # noqa: E402
from planner.workload.trace.models.hf_plain import plain_model  # noqa: E402
from planner.workload.trace.tracer import Traceable, record_step, trace_table  # noqa: E402

FORWARD = PHASES.index("forward")
WIDTH, INNER, LAYERS, WORDS, RANK = 64, 128, 2, 200, 8
LLAMA = {
    "model_type": "llama", "hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
    "intermediate_size": INNER, "vocab_size": WORDS,
}  # fmt: skip
SHAPES = [(WIDTH, WIDTH)] * 4 + [(WIDTH, INNER)] * 3  # of the linear layers of one block
BASE_LINEAR = LAYERS * sum(rows * columns for rows, columns in SHAPES)
ADAPTERS = LAYERS * sum(RANK * (rows + columns) for rows, columns in SHAPES)
LORA, QLORA = Adapter("lora", RANK), Adapter("qlora", RANK)


def llama(**changes):
    return plain_model({**LLAMA, **changes}, False, "meta")


def built(source, dtype=torch.float32):
    return source.build(source.default_size, dtype)


def sizes(model):
    """Stored bytes of the parameters, and how many of them are trained."""
    stored = sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())
    return stored, sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def operators(source, precision="amp", checkpointing="none"):
    record = record_step(source, precision, checkpointing, 2, 128)
    return Counter((kernel.operator, kernel.phase) for kernel in record.kernels), record


@given(rank=st.integers(1, 4096), kind=st.sampled_from(["lora", "qlora"]))
def test_that_every_rank_is_read(rank, kind):
    assert parse_adapter(f"{kind}:{rank}") == Adapter(kind, rank)


@pytest.mark.parametrize(
    "text", ["", "lora", "lora:", "lora:0", "lora:4097", "lora:-8", "LoRA:8", "dora:8", "lora:8:8"]
)
def test_that_any_other_text_says_what_is_accepted(text):
    with pytest.raises(InvalidInputError, match="lora:RANK") as caught:
        parse_adapter(text)
    assert caught.value.problems[0].where == "adapter"


@pytest.mark.torch
def test_that_lora_trains_its_thin_products_alone_on_a_base_of_16_bits():
    model = built(adapted(llama(), LORA, "amp"))
    base = sum(parameter.numel() for parameter in built(llama()).parameters())
    stored, trained = sizes(model)
    assert trained == ADAPTERS
    assert stored == 2 * base + 4 * ADAPTERS


@pytest.mark.torch
def test_that_qlora_stores_linear_layers_in_4_bits_and_their_scales():
    base = sum(parameter.numel() for parameter in built(llama()).parameters())
    model = built(adapted(llama(), QLORA, "bf16"), torch.bfloat16)
    stored, trained = sizes(model)
    assert trained == ADAPTERS
    assert stored == BASE_LINEAR // 2 + 2 * (base - BASE_LINEAR) + 2 * ADAPTERS
    scales = sum(buffer.numel() * buffer.element_size() for buffer in model.buffers())
    # 8 bits for 64 weights and 32 bits for 256 of those: 0.127 bits a weight (arXiv 2305.14314).
    assert scales * 8 / BASE_LINEAR == pytest.approx(0.127, rel=0.05)  # rounded up in each layer


@pytest.mark.torch
def test_that_a_table_counts_the_weights_of_a_qlora_base_and_not_its_bytes():
    table = trace_table(adapted(llama(), QLORA, "amp"), "amp", "none")
    base = sum(parameter.numel() for parameter in built(llama()).parameters())
    assert table.parameters == base + ADAPTERS
    assert table.trained_parameters == ADAPTERS
    assert table.trained_parameter_bytes == 4 * ADAPTERS


@pytest.mark.torch
def test_that_qlora_unpacks_each_weight_for_each_product_and_keeps_none():
    lora, kept_by_lora = operators(adapted(llama(), LORA, "bf16"), "bf16")
    qlora, kept = operators(adapted(llama(), QLORA, "bf16"), "bf16")
    unpack = "planner.dequantize_4bit.default"
    layers = LAYERS * len(SHAPES)
    assert qlora[unpack, FORWARD] == layers
    # The first q, k and v read the embedding, which needs no gradient.
    assert qlora[unpack, FORWARD + 1] == layers - 3
    assert unpack not in {operator for operator, _ in lora}
    assert kept.live.max() == pytest.approx(kept_by_lora.live.max(), rel=0.02)
    flops = [sum(kernel.cost.flops for kernel in record.kernels) for record in (kept, kept_by_lora)]
    assert flops[0] == flops[1]


@pytest.mark.torch
@pytest.mark.parametrize("adapter", [LORA, QLORA], ids=["lora", "qlora"])
def test_that_checkpointing_of_an_adapted_model_keeps_less(adapter):
    source = adapted(llama(), adapter, "amp")
    assert len(repeated_blocks(built(source))) == LAYERS
    _, plain = operators(source)
    _, checkpointed = operators(source, checkpointing="full")
    assert checkpointed.live.max() < 0.7 * plain.live.max()
    assert len(checkpointed.kernels) > len(plain.kernels)


@pytest.mark.torch
def test_that_a_new_output_is_trained_whole_and_one_for_words_stays():
    classifier = llama(architectures=["LlamaForSequenceClassification"], id2label={"0": "a", "1": "b", "2": "c"})
    trained = {
        name for name, parameter in built(adapted(classifier, LORA, "amp")).named_parameters()
        if parameter.requires_grad
    }  # fmt: skip
    assert "score.weight" in trained
    words = dict(built(adapted(llama(), LORA, "amp")).named_parameters())["lm_head.weight"]
    assert not words.requires_grad


def small(*layers):
    def build(_size, dtype):
        with torch.device("meta"):
            return nn.Sequential(*(make() for make in layers)).to(dtype)

    return Traceable(
        name="small", size_kind="none", size_unit=1, default_size=0, size_min=0, size_max=0, trace_sizes=(0,),
        build=build, inputs=lambda b, _, dtype: {"x": torch.empty(b, 8, dtype=dtype, device="meta")},
        loss=lambda model, inputs: model(inputs["x"]).sum(),
    )  # fmt: skip


@pytest.mark.torch
def test_that_a_model_without_linear_layers_but_its_output_is_refused():
    with pytest.raises(SourceError, match="no linear layers but its output"):
        built(adapted(small(lambda: nn.Linear(8, 8)), LORA, "amp"))


@pytest.mark.torch
def test_that_in_fp32_the_base_is_fp32():
    model = built(adapted(small(lambda: nn.Linear(8, 8), nn.ReLU, lambda: nn.Linear(8, 4)), LORA, "fp32"))
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
