"""How the prediction for N GPUs does on published runs of whole trainings on 1 to 8 RTX 3090s.

Each host's bus bandwidth is worked out from one BERT-large run for each N; all other models on that host are then
predicted from their own measured step on one GPU. Beside it: the default range of hosts nobody has measured, and
two rules of thumb.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planner.door import InvalidInputError, Problem
from planner.evidence import Range
from planner.paths import RESOURCES
from planner.predict.scaling import RUN_TO_RUN, default_bandwidth, measured_bandwidth, traffic_bytes, waiting_share

PUBLISHED = RESOURCES / "calibration" / "measurements" / "lambda_rtx3090_scaling.csv"
_SAME_BATCH = 0.02  # published batches of one job differ by 1 %
CALIBRATED_BY = ("bert_large_squad", "FP32")  # most to exchange, so that noise matters least
RULE_OF_THUMB_BYTES_PER_S = 10e9


@dataclass(frozen=True, slots=True)
class _Model:
    """Trained parameters, as the papers and NVIDIA's DeepLearningExamples, which ran, tell; what one sample of a
    batch counts in the published throughput; and whether half precision exchanges half the bytes (apex O2 and
    hand-written FP16 do, O1 and native autocast keep fp32 gradients)."""

    parameters: float
    items_per_sample: float = 1.0
    half_gradients: bool = False


_MODELS = {
    "bert_base_squad": _Model(108.9e6, half_gradients=True),
    "bert_large_squad": _Model(334.1e6, half_gradients=True),
    "resnet50": _Model(25.56e6, half_gradients=True),
    "gnmt": _Model(160e6, 50, half_gradients=True),  # tokens of a pair of sentences, about
    "ncf": _Model(31.8e6, half_gradients=True),
    "ssd": _Model(26.3e6),
    "maskrcnn": _Model(44.4e6),
    "tacotron2": _Model(28.2e6, 566),  # mel frames of a sentence, about
    "waveglow": _Model(268e6, 8000),  # audio samples of a segment
    "transformerxlbase": _Model(192e6, 192, half_gradients=True),  # tokens of a segment
    "transformerxllarge": _Model(247e6, 384, half_gradients=True),
}


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """One training: seconds of a step on ``gpu_count`` GPUs and of the same on one, and the bytes exchanged."""

    host: str
    model: str
    precision: str
    gpu_count: int
    step_s: float
    step_1_s: float
    gradient_bytes: float

    def predicted(self, bandwidth: Range) -> Range:
        """Step from the measured one on one GPU; both runs vary from one to the next."""
        traffic, waiting = traffic_bytes(self.gradient_bytes, self.gpu_count), waiting_share(self.gpu_count)
        return Range(
            self.step_1_s * (1 + waiting.low - RUN_TO_RUN) + traffic / bandwidth.high,
            self.step_1_s * (1 + waiting.likely) + traffic / bandwidth.likely,
            self.step_1_s * (1 + waiting.high + RUN_TO_RUN) + traffic / bandwidth.low,
        )


def published_runs(file: Path = PUBLISHED) -> tuple[PublishedRun, ...]:
    """Runs on two and more GPUs of which the same host's run on one, with the same batch on it, is published too.

    Raises InvalidInputError for a table without these columns, with cells that are no numbers, or with models of
    which the gradients are not known.
    """
    with file.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    try:
        return _paired(rows)
    except (KeyError, ValueError) as error:
        what = f"cannot be used: {error}; columns are host, model, precision, n_gpu, batch_per_gpu and throughput"
        raise InvalidInputError(file.name, (Problem("", what),)) from None


def _paired(rows: list[dict[str, str]]) -> tuple[PublishedRun, ...]:
    of_one = {_job(row): row for row in rows if row["n_gpu"] == "1"}
    pairs = ((row, of_one[_job(row)]) for row in rows if row["n_gpu"] != "1" and _job(row) in of_one)
    return tuple(_run(row, one) for row, one in pairs if _same_batch(row, one))


def _same_batch(row: dict[str, str], one: dict[str, str]) -> bool:
    """Another batch is another job: its step on one GPU was not measured."""
    return abs(float(row["batch_per_gpu"]) / float(one["batch_per_gpu"]) - 1) <= _SAME_BATCH


def _job(row: dict[str, str]) -> tuple[str, str, str]:
    return f"{row['host']} {row.get('gen', '')}", row["model"], row["precision"]


def _run(row: dict[str, str], one: dict[str, str]) -> PublishedRun:
    model, count = _MODELS[row["model"]], int(row["n_gpu"])
    items = float(row["batch_per_gpu"]) * model.items_per_sample
    half = model.half_gradients and row["precision"] == "FP16"
    return PublishedRun(
        *_job(row), count, items * count / float(row["throughput"]), items / float(one["throughput"]),
        model.parameters * (2 if half else 4),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScalingErrors:
    """Mean absolute errors of the step time for one GPU count, as shares, over ``run_count`` held-out runs."""

    gpu_count: int
    run_count: int
    calibrated: float  # with the host's bandwidth from its BERT-large run
    calibrated_covered: float  # share of the runs inside the 90 % range
    default: float  # host unknown: the likely value of the default range
    default_covered: float
    fixed_bandwidth: float  # 10 GB/s on every host
    linear: float  # N GPUs take no longer than one


def scaling_errors(runs: tuple[PublishedRun, ...]) -> tuple[ScalingErrors, ...]:
    """By GPU count. Runs on hosts without a calibrating run are left out."""
    hosts = {
        (run.host, run.gpu_count): measured_bandwidth(run.step_1_s, run.step_s, run.gradient_bytes, run.gpu_count)
        for run in runs
        if (run.model, run.precision) == CALIBRATED_BY
    }
    held_out = [
        run for run in runs if (run.model, run.precision) != CALIBRATED_BY and (run.host, run.gpu_count) in hosts
    ]
    return tuple(
        _errors(count, [run for run in held_out if run.gpu_count == count], hosts)
        for count in sorted({run.gpu_count for run in held_out})
    )


def _errors(count: int, runs: list[PublishedRun], hosts: dict[tuple[str, int], Range]) -> ScalingErrors:
    def mean(values: Iterator[float]) -> float:
        return sum(values) / len(runs)

    fixed = Range.exactly(RULE_OF_THUMB_BYTES_PER_S)
    calibrated = [(run, run.predicted(hosts[run.host, count])) for run in runs]
    unknown = [(run, run.predicted(default_bandwidth(count))) for run in runs]
    return ScalingErrors(
        count,
        len(runs),
        mean(abs(found.likely / run.step_s - 1) for run, found in calibrated),
        mean(float(found.low <= run.step_s <= found.high) for run, found in calibrated),
        mean(abs(found.likely / run.step_s - 1) for run, found in unknown),
        mean(float(found.low <= run.step_s <= found.high) for run, found in unknown),
        mean(abs(run.predicted(fixed).likely / run.step_s - 1) for run in runs),
        mean(abs(run.step_1_s / run.step_s - 1) for run in runs),
    )
