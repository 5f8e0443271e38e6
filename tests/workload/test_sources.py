"""Models by reference: what is traced, what is kept, and what is said when it cannot be."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import textwrap
from dataclasses import replace

import pytest

from planner.door import InvalidInputError
from planner.workload.job import Recipe
from planner.workload.optable import OP_CLASSES
from planner.workload.presets import load_preset
from planner.workload.sources import load
from planner.workload.sources.load import load_table, load_tables, stored_table
from planner.workload.sources.reference import parse_reference
from planner.workload.sources.request import TableRequest, cache_path, request_for
from planner.workload.table_file import save_table

ATTENTION = OP_CLASSES.index("attention")
MODELS = """
import torch
from torch import nn


def small():
    return nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))


def failing():
    print("on standard output, which is no message")
    raise ValueError("no luck today")


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        x = self.layer(x)
        return x * 2 if x.sum() > 0 else x


def branching():
    return Branching()


class Large(Branching):
    def __init__(self):
        super().__init__()
        self.more = nn.Linear(20_000, 20_000)


def large():
    return Large()
"""


@pytest.fixture
def no_child(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a child was started")

    monkeypatch.setattr(load, "run_json_lines", refuse)


@pytest.fixture
def models(tmp_path):
    file = tmp_path / "models.py"
    file.write_text(MODELS, encoding="utf-8")
    return file


def fake_python(tmp_path, script):
    """A Python whose "tracer" is this script; it gets the request file as its last argument."""
    if os.name == "nt":
        pytest.skip("the fake is a shell script")
    body = tmp_path / "fake_tracer.py"
    body.write_text("import json, sys\nrequests = json.load(open(sys.argv[-1]))\n" + textwrap.dedent(script))
    fake = tmp_path / "python"
    fake.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{body}" "$@"\n')
    fake.chmod(0o755)
    return str(fake)


def request(text, **options):
    return TableRequest(parse_reference(text), **options)


def error_of(text, python=None):
    with pytest.raises(InvalidInputError) as caught:
        load_table(request(text), python=python)
    return str(caught.value)


def test_that_a_saved_table_comes_back_as_it_was(tmp_path, no_child):
    table = load_preset("tabular_mlp")
    save_table(tmp_path / "mlp.json", table)
    again = load_table(request(f"ops:{tmp_path / 'mlp.json'}"))
    assert again.model == table.model
    assert (again.flops == table.flops).all()
    assert (again.bytes == table.bytes).all()


def test_that_a_preset_needs_no_child(no_child):
    assert load_table(request("preset:lstm")).parameters == load_preset("lstm").parameters


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("resnet50", "timm:NAME"),
        ("timm:", "timm:NAME"),
        ("preset:resnet5", "preset 'resnet5'"),
        ("hf:/no/such/folder", "no file"),
        ("ops:nothing.json", "no file"),
        ("py:model.py", "FUNCTION"),
        ("py:nothing.py:make", "no file"),
    ],
)
def test_that_a_bad_reference_says_what_is_accepted(text, hint):
    with pytest.raises(InvalidInputError, match=hint):
        parse_reference(text)


def test_that_old_software_asks_for_attention_in_parts():
    assert request_for(Recipe(model="timm:vit", software="torch1.12")).attention == "eager"
    assert request_for(Recipe(model="timm:vit", software="torch2")).attention == "fused"


def test_that_an_adapter_is_put_on_what_is_traced_and_on_nothing_else(tmp_path):
    assert request_for(Recipe(model="timm:vit", adapter="qlora:8")).adapter == "qlora:8"
    assert request_for(Recipe(model="preset:llama3_8b_lora", adapter="lora:16")).adapter == "none"
    for model, adapter, hint in (
        ("preset:gpt2", "lora:8", "comes with none"),
        ("preset:llama3_8b_lora", "lora:8", "comes with lora:16"),
        ("timm:vit", "lora", "lora:RANK"),
    ):
        with pytest.raises(InvalidInputError, match=hint) as caught:
            request_for(Recipe(model=model, adapter=adapter))
        assert caught.value.problems[0].where == "adapter"


def test_that_a_table_traced_once_starts_no_child_again(no_child):
    wanted = request("timm:anything")
    table = load_preset("tabular_mlp")
    path = cache_path(wanted)
    path.parent.mkdir(parents=True)
    save_table(path, table)
    assert load_table(wanted).parameters == table.parameters
    assert stored_table(request("timm:anything", precision="fp32")) is None
    assert stored_table(request("timm:anything", adapter="lora:8")) is None


def test_that_an_edited_file_is_another_model(models):
    wanted = request(f"py:{models}:small")
    before = cache_path(wanted)
    (models.parent / "helper.py").write_text("WIDTH = 8")
    beside = cache_path(wanted)
    package = models.parent / "package" / "inner"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "part.py").write_text("DEPTH = 2")
    within = cache_path(wanted)
    models.write_text(MODELS + "\n")
    assert len({before, beside, within, cache_path(wanted)}) == 4


def test_that_a_missing_package_is_named_with_the_python_and_the_command(tmp_path):
    python = fake_python(
        tmp_path,
        """
        print(json.dumps({"index": 0, "stage": "tracing"}))
        print(json.dumps({"index": 0, "stage": "failed", "code": "timm_missing", "detail": "No module"}))
        """,
    )
    assert f"timm is missing in {python}: `{python} -m pip install timm`" in error_of("timm:resnet18", python)


def test_that_a_model_that_kills_the_child_stops_no_other(tmp_path):
    """The first model of a child that dies is blamed; the rest go to a new child."""
    python = fake_python(
        tmp_path,
        """
        import os
        for index, request in enumerate(requests):
            print(json.dumps({"index": index, "stage": "tracing"}), flush=True)
            if request["target"] == "greedy":
                os.kill(os.getpid(), 9)
            failed = {"index": index, "stage": "failed", "code": "unknown_model", "detail": "?"}
            print(json.dumps(failed), flush=True)
        """,
    )
    wanted = [request(f"timm:{name}") for name in ("a", "b", "greedy", "c", "d", "e")]
    answers = load_tables(wanted, python=python)
    said = {one.reference.target: str(answer) for one, answer in answers.items()}
    assert "out of memory" in said.pop("greedy")
    assert len(said) == 5
    assert all("is not known" in text for text in said.values())


def test_that_a_child_without_a_word_ends_in_an_error_and_not_in_a_loop(tmp_path):
    text = error_of("timm:resnet18", fake_python(tmp_path, "sys.exit('broken installation')"))
    assert "ended early" in text
    assert "broken installation" in text


def test_that_tracing_can_be_cancelled(tmp_path):
    python = fake_python(tmp_path, "import time; time.sleep(60)")
    wanted = [request(f"timm:{name}") for name in "abc"]
    answers = load_tables(wanted, python=python, cancelled=lambda: True)
    assert all("cancelled" in str(answers[one]) for one in wanted)


def test_that_a_python_that_is_not_there_is_named():
    assert "/no/such/python could not be started" in error_of("timm:resnet18", "/no/such/python")


@pytest.mark.torch
def test_that_own_models_are_traced_and_the_bad_ones_named(models):
    """One child for all: importing torch is what takes the time."""
    pytest.importorskip("torch", reason="torch is not installed")
    names = ("small", "failing", "branching", "large", "absent")
    wanted = {name: request(f"py:{models}:{name}") for name in names}
    stages = []
    answers = load_tables(
        list(wanted.values()), progress=lambda one, stage: stages.append((one.reference.function, stage))
    )
    small = answers[wanted["small"]]
    assert small.parameters == 3 * 9 * 8 + 8 + 8 * 10 + 10
    assert small.size_kind == "image"
    assert small.size_min < 224 < small.size_max
    said = {name: str(answers[one]) for name, one in wanted.items()}
    assert "ValueError: no luck today (models.py, line 12" in said["failing"]
    assert "random data" in answers[wanted["branching"]].model
    assert "by the values of its tensors" in said["large"]
    assert "models.py, line 22" in said["large"]
    assert "too large to be followed with data" in said["large"]
    assert "has no function absent" in said["absent"]
    assert ("small", "done") in stages
    assert ("failing", "failed") in stages


BERT = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 100}  # fmt: skip
LLAMA = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 32, "num_hidden_layers": 2,
         "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 100}  # fmt: skip
GPT2 = {"model_type": "gpt2", "n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 100}


@pytest.mark.torch
def test_that_configurations_of_transformers_are_traced(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    wanted = {}
    for config in (BERT, LLAMA, GPT2, {"model_type": "nonesuch"}):
        folder = tmp_path / str(config["model_type"])
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
        wanted[config["model_type"]] = request(f"hf:{folder}")
    answers = load_tables(list(wanted.values()))
    assert "nonesuch" in str(answers[wanted["nonesuch"]])
    for kind in ("bert", "llama", "gpt2"):
        table = answers[wanted[kind]]
        assert not isinstance(table, InvalidInputError), str(table)
        assert table.size_kind == "sequence"
        # Two layers, forward and backward, however they collapsed.
        assert table.count[table.op_class == ATTENTION].sum() == 4


@pytest.mark.torch
def test_that_an_adapter_and_checkpointing_reach_the_tracer(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    plain = request(f"hf:{tmp_path}", size=128)
    wanted = replace(plain, adapter="qlora:4", checkpointing="full")
    answers = load_tables([plain, wanted])
    assert answers[plain].trained_parameters == answers[plain].parameters
    adapters = answers[wanted].parameters - answers[plain].parameters
    assert 0 < answers[wanted].trained_parameters == adapters
    assert answers[wanted].checkpointing == "full"


@pytest.mark.torch
def test_that_a_timm_model_is_traced_and_an_unknown_one_gets_close_names():
    pytest.importorskip("torch", reason="torch is not installed")
    if importlib.util.find_spec("timm") is None:  # importing it here would need torchvision, too
        pytest.skip("timm is not installed")
    known, unknown = request("timm:resnet18", size=64), request("timm:resnot18", size=64)
    answers = load_tables([known, unknown])
    assert answers[known].parameters == 11_689_512
    assert (answers[known].size_min, answers[known].size_max) == (64, 64)
    assert "resnet18" in str(answers[unknown])
    assert load_table(known) is answers[known]


@pytest.mark.torch
def test_that_attention_in_parts_does_the_same_arithmetic():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from planner.workload.trace.fused import EagerAttention

    q, k, v = (torch.randn(2, 3, 5, 8) for _ in range(3))
    attend = torch.nn.functional.scaled_dot_product_attention
    for causal in (False, True):
        expected = attend(q, k, v, is_causal=causal)
        with EagerAttention():
            assert torch.allclose(attend(q, k, v, is_causal=causal), expected, atol=1e-5)
