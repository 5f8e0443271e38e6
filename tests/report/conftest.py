"""The words of the tests: reasons and assumptions of the hand-made recommendations, beside the shipped ones."""

from __future__ import annotations

import pytest

from planner.messages import Messages, load_messages
from planner.report.wording import Wording

HAND_MADE = {
    "reason.deadline": "This machine needs {time_s}, the deadline is in {deadline_h}.",
    "reason.bandwidth": "With {gpu_count} GPUs the link of {bus_bandwidth_gbs} limits the speed-up.",
    "reason.not_sold": "Nobody sells {gpu_count} GPUs as one package.",
    "reason.no_local_gpu": "There is no GPU in this machine.",
    "reason.memory": "The job does not fit into the memory.",
    "assumption.setup_h": "Set-up of the rented machine",
    "assumption.upload_mbit_per_s": "Upload speed",
    "assumption.bus_bandwidth_gbs": "Bandwidth between rented GPUs",
    "source.default": "Default of this program",
}


def hand_made_messages() -> Messages:
    shipped = load_messages()
    return Messages("en", {**shipped.templates, **HAND_MADE})


@pytest.fixture
def wording() -> Wording:
    return Wording(hand_made_messages())
