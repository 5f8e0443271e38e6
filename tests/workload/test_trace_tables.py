"""Tables fitted at two batches and three sizes against direct traces elsewhere."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections import defaultdict
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import nn  # noqa: E402  torch may be missing

from planner.workload.optable import KINDS, basis  # noqa: E402
from planner.workload.presets import PRESETS_DIR, load_preset, preset_info  # noqa: E402
from planner.workload.trace.build_presets import build_preset, write_preset  # noqa: E402
from planner.workload.trace.errors import TraceError  # noqa: E402
from planner.workload.trace.models.catalogue import preset_sources  # noqa: E402
from planner.workload.trace.tracer import Traceable, record_step, trace_table  # noqa: E402

pytestmark = pytest.mark.torch
sources = cache(preset_sources)


MODELS_FROM = {"resnet50": "timm", "vit_b16": "timm", "gpt2": "transformers"}


def require(*packages):
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")


def require_same_torch(name):
    traced_with, installed = preset_info(name).made_by.torch, torch.__version__.partition("+")[0]
    if traced_with != installed:
        pytest.skip(f"preset {name} was traced with torch {traced_with}, {installed} may execute other operators")


def direct_totals(record):
    totals = defaultdict(lambda: np.zeros(3))
    for kernel in record.kernels:
        cost = kernel.cost
        totals[cost.kind, kernel.phase, cost.dtype_bytes] += [1, cost.flops, cost.bytes]
    return totals


def table_totals(table, point):
    totals = defaultdict(lambda: np.zeros(3))
    for kind, phase, width, count, flops, moved in zip(
        table.kind, table.phase, table.dtype_bytes, table.count, table.flops, table.bytes, strict=True
    ):
        totals[KINDS[kind], phase, width] += count * np.array([1, flops @ point, moved @ point])
    return totals


def assert_same(table, record, batch, size):
    point = basis(batch, table.positions(size))
    found, expected = table_totals(table, point), direct_totals(record)
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        np.testing.assert_allclose(found[key], values, rtol=1e-12, err_msg=str(key))
    live = table.live_bytes @ point
    assert live.max() == pytest.approx(record.live.max(), rel=0.01)
    together = (record.live + record.gradients).max()
    assert (live + table.live_gradient_bytes).max() == pytest.approx(together, rel=0.01)


@pytest.mark.parametrize(
    ("name", "precision", "checkpointing", "batch", "size"),
    [
        ("resnet50", "amp", "none", 7, 320),
        ("vit_b16", "fp32", "none", 3, 384),
        ("gpt2", "amp", "full", 3, 1024),
        ("unet3d", "amp", "full", 3, 160),  # batch 1 spares instance norm a sum over the batch
        ("lstm", "amp", "none", 32, 640),
        ("tabular_mlp", "amp", "none", 4096, 0),
    ],
)
def test_that_a_preset_agrees_with_a_direct_trace_elsewhere(name, precision, checkpointing, batch, size):
    require_same_torch(name)
    if name in MODELS_FROM:
        require(MODELS_FROM[name])
    record = record_step(sources()[name].model, precision, checkpointing, batch, size)
    assert_same(load_preset(name, precision, checkpointing), record, batch, size)


def test_that_building_a_preset_again_gives_the_same_bytes(tmp_path):
    name = "tabular_mlp"
    require_same_torch(name)
    require("timm", "transformers")
    for package in ("timm", "transformers"):
        if getattr(preset_info(name).made_by, package) != importlib.metadata.version(package):
            pytest.skip(f"preset {name} was made with another {package}")
    shipped = (PRESETS_DIR / f"{name}.json").read_bytes()
    copy = tmp_path / f"{name}.json"
    copy.write_bytes(shipped)
    file = build_preset(sources()[name], "2031-01-01")
    assert not write_preset(file, copy)
    assert copy.read_bytes() == shipped
    assert write_preset(replace(file, default_batch_size=file.default_batch_size + 1), copy)
    assert b"2031-01-01" in copy.read_bytes()


def made_up(forward):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(8, 8, device="meta")

        def forward(self, x):
            return forward(self, x)

    return Traceable(
        name="made_up",
        size_kind="sequence",
        size_unit=8,
        default_size=16,
        size_min=8,
        size_max=64,
        trace_sizes=(8, 16, 24),
        build=lambda size, dtype: Model().to(dtype),
        inputs=lambda batch, size, dtype: {"x": torch.empty(batch, size, 8, dtype=dtype, device="meta")},
        loss=lambda model, inputs: model(inputs["x"]).sum(),
    )


def test_that_a_model_that_depends_on_the_batch_is_refused():
    source = made_up(lambda model, x: model.layer(x) if len(x) < 4 else model.layer(x).relu())
    with pytest.raises(TraceError, match=r"made_up executes.*batch 4, size 8"):
        trace_table(source, "fp32", "none")


def test_that_a_model_without_blocks_cannot_be_checkpointed():
    with pytest.raises(TraceError, match="no blocks"):
        trace_table(made_up(lambda model, x: model.layer(x)), "fp32", "full")


def test_that_a_size_between_units_is_not_traced():
    source = replace(made_up(lambda model, x: model.layer(x)), trace_sizes=(8, 12, 16))
    with pytest.raises(TraceError, match="12 is no multiple of 8"):
        trace_table(source, "fp32", "none")


def test_that_a_quadratic_model_is_fitted_exactly():
    source = made_up(lambda model, x: torch.bmm(model.layer(x), x.transpose(1, 2)))
    table = trace_table(source, "fp32", "none")
    assert_same(table, record_step(source, "fp32", "none", 9, 64), 9, 64)
