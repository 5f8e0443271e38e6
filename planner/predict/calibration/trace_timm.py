"""Op tables of the architectures in a published timm table, for fitting. Needs torch and timm; minutes.

    python -m planner.predict.calibration.trace_timm TABLES_DIR [--per-family N]

The published training table was measured before torch had fused attention: it is switched off while tracing.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planner.predict.calibration.measured import MEASUREMENTS, table_path
from planner.workload.table_file import save_table

if TYPE_CHECKING:
    from planner.workload.trace.tracer import Traceable

# Operators of these architectures that no shipped preset needs.
_MORE_OPERATORS = {
    **dict.fromkeys(
        (
            "index_put",
            "index_put_",
            "_index_put_impl_",
            "roll",
            "reflection_pad2d",
            "reflection_pad2d_backward",
            "replication_pad2d",
            "replication_pad2d_backward",
            "new_empty",
            "new_full",
            "new_ones",
            "im2col",
            "col2im",
            "unfold_backward",
            "index_select",
            "index_add_",
            "gather",
            "scatter",
            "scatter_add",
            "scatter_add_",
            "flip",
            "linspace",
            "eye",
            "masked_fill_",
            "masked_fill",
            "masked_scatter",
            "scalar_tensor",
            "upsample_nearest2d",
            "upsample_nearest2d_backward",
            "upsample_bilinear2d",
            "upsample_bilinear2d_backward",
            "upsample_bicubic2d",
            "upsample_bicubic2d_backward",
        ),
        "copy",
    ),
    **dict.fromkeys(
        (
            "bernoulli_",
            "uniform_",
            "normal_",
            "hardswish",
            "hardswish_",
            "hardswish_backward",
            "hardsigmoid",
            "hardsigmoid_backward",
            "hardtanh_backward",
            "leaky_relu_backward",
            "elu_backward",
            "softplus_backward",
            "mish_backward",
            "log_sigmoid_backward",
            "hardtanh",
            "hardtanh_",
        ),
        "pointwise",
    ),
    **dict.fromkeys(("topk", "sort"), "reduce"),
    **dict.fromkeys(("avg_pool3d", "avg_pool3d_backward"), "pool"),
}

Architecture = tuple[str, int]  # timm name, image size


def by_turns(measured: Path, per_family: int) -> list[Architecture]:
    """Up to ``per_family`` architectures of every family, families by turns, in the order of the table."""
    families: dict[str, list[Architecture]] = {}
    with measured.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            family = families.setdefault(row["family"], [])
            architecture = (row["model"].removeprefix("timm:"), int(row["image_size"]))
            if architecture not in family:
                family.append(architecture)
    chosen = [_spread(family, per_family) for family in families.values()]
    return [architecture for turn in zip_longest(*chosen) for architecture in turn if architecture]


def _spread(family: list[Architecture], count: int) -> list[Architecture]:
    """``count`` members evenly through the list, so that small and large ones are among them."""
    if len(family) <= count:
        return family
    return [family[index * (len(family) - 1) // max(count - 1, 1)] for index in range(count)]


def _traceable(architecture: Architecture) -> Traceable:
    import torch
    from torch.nn import functional

    from planner.workload.trace.models.timm_import import import_timm
    from planner.workload.trace.tracer import Traceable

    name, size = architecture

    def build(_size: int, dtype: torch.dtype) -> Any:
        with torch.device("meta"):
            return import_timm().create_model(name, num_classes=1000).to(dtype)

    def inputs(batch: int, _size: int, dtype: torch.dtype) -> dict[str, Any]:
        images = torch.empty(batch, 3, size, size, dtype=dtype, device="meta")
        return {"x": images, "target": torch.empty(batch, dtype=torch.int64, device="meta")}

    return Traceable(
        name=f"timm:{name}",
        size_kind="none",
        size_unit=0,
        default_size=0,
        size_min=0,
        size_max=0,
        trace_sizes=(0,),
        build=build,
        inputs=inputs,
        loss=lambda model, batch: functional.cross_entropy(model(batch["x"]), batch["target"]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", type=Path)
    parser.add_argument("--measured", type=Path, default=MEASUREMENTS)
    parser.add_argument("--per-family", type=int, default=8)
    arguments = parser.parse_args()
    os.environ["TIMM_FUSED_ATTN"] = "0"
    from planner.workload.trace.classes import CLASS_BY_NAME
    from planner.workload.trace.tracer import trace_table

    for operator, op_class in _MORE_OPERATORS.items():
        CLASS_BY_NAME.setdefault(operator, op_class)
    for architecture in by_turns(arguments.measured, arguments.per_family):
        file = table_path(arguments.tables, *architecture)
        if file.exists():
            continue
        try:
            save_table(file, trace_table(_traceable(architecture), "amp", "none"))
        except Exception as error:  # noqa: BLE001  any model may fail in its own way: name it and go on
            print(f"{architecture}: {type(error).__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
