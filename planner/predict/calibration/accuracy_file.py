"""Writes ``resources/calibration/accuracy_step_time.json``: how predictions did on families they had not seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from planner.predict.calibration.fit import fit, log_errors, shares_by_kind
from planner.predict.calibration.level_file import FOLDER
from planner.predict.calibration.parameters import starting_point
from planner.predict.calibration.spread import Spread, fit_spread
from planner.predict.calibration.steps import Steps
from planner.predict.calibration.traced import BASE, PUBLISHER, URL, Table
from planner.predict.calibration.validate import LOCKED, HeldOut, by_family, figures, held_out, rivals, worst
from planner.predict.types import Floats
from planner.storage import write_atomically


def locked_families(steps: Steps) -> dict[str, Any]:
    """The families that were not looked at while the method was developed, from a fit to the others."""
    unseen = np.isin(steps.family, LOCKED)
    others, test = steps.choose(~unseen), steps.choose(unseen)
    held, values = held_out(others, starting_point()), fit(others, starting_point())
    spread = fit_spread(held.errors, others.channels_last, held.shares)
    errors, sigma = log_errors(test, values), spread.sigma(test.channels_last, shares_by_kind(test, values))
    return {"families": list(LOCKED), **figures(errors, sigma), "by_family": by_family(test, errors)}


def _training(steps: Steps, held: HeldOut, spread: Spread) -> dict[str, Any]:
    sigma = spread.sigma(steps.channels_last, held.shares)
    formats = {"contiguous": ~steps.channels_last, "channels_last": steps.channels_last}
    return {
        "all": figures(held.errors, sigma),
        **{name: figures(held.errors[chosen], sigma[chosen]) for name, chosen in formats.items()},
        "locked": locked_families(steps),
        "rivals": {name: figures(errors) for name, errors in rivals(steps).items()},
        "families": by_family(steps, held.errors),
        "worst": worst(steps, held.errors),
    }


def write_accuracy(
    steps: Steps,
    held: HeldOut,
    spread: Spread,
    inference: Mapping[Table, HeldOut],
    anchored: Mapping[Table, Floats],
) -> None:
    """Write the file."""
    content = {
        "schema_version": 1,
        "what": "Errors of predicted step times on families of models that the fit had not seen",
        "source": PUBLISHER,
        "source_url": URL,
        "licence": "Apache-2.0",
        "date": "2022 to 2025",
        "evidence": "C",
        "made_by": "python -m planner.predict.calibration.calibrate",
        "training": _training(steps, held, spread),
        "inference": {f"{gpu}, {software}": figures(found.errors) for (gpu, software), found in inference.items()},
        "anchored": {f"{gpu}, {software} to {BASE[0]}": figures(e) for (gpu, software), e in anchored.items()},
    }
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    write_atomically(FOLDER / "accuracy_step_time.json", text.encode())
