"""torch.compile: a range between all that it can join and nothing."""

import pytest

from planner.door import InvalidInputError
from planner.hardware.catalogue import by_id
from planner.predict.anchor import anchored, timed
from planner.predict.compiled import FUSED_TIME
from planner.predict.device import device_from_catalogue
from planner.predict.step_time import predict_step_time
from planner.workload.job import Recipe
from planner.workload.optable import OP_CLASSES
from planner.workload.presets import load_preset

EAGER = Recipe(model="preset:resnet50", batch_size=64)
COMPILED = Recipe(model="preset:resnet50", batch_size=64, execution="compile")
LEFT_ALONE = (
    "conv",
    "conv_1x1",
    "conv_depthwise",
    "conv_grouped",
    "matmul",
    "bmm",
    "attention",
    "rnn",
    "optimizer",
)


def step(recipe, card="rtx-3090"):
    return predict_step_time(load_preset("resnet50"), recipe, device_from_catalogue(by_id(card)))


def test_that_compiling_never_lengthens_the_likely_step_and_its_interval_reaches_the_eager_one():
    eager, compiled = step(EAGER), step(COMPILED)
    assert compiled.seconds.likely < eager.seconds.likely
    assert compiled.seconds.high > eager.seconds.likely
    assert compiled.seconds.high / compiled.seconds.likely > eager.seconds.high / eager.seconds.likely


def test_that_convolutions_and_products_take_what_they_took():
    eager, compiled = step(EAGER), step(COMPILED)
    for name in LEFT_ALONE:
        index = OP_CLASSES.index(name)
        assert compiled.by_class_s[index] == pytest.approx(eager.by_class_s[index], rel=0.02)
    norm = OP_CLASSES.index("norm")
    assert compiled.by_class_s[norm] == pytest.approx(FUSED_TIME.likely * eager.by_class_s[norm], rel=0.02)


def test_that_a_compiled_step_that_was_timed_is_known_as_well_as_an_eager_one():
    table, card = load_preset("resnet50"), device_from_catalogue(by_id("rtx-3090"))
    here = anchored(card, card, timed(0.2), table, COMPILED)
    assert predict_step_time(table, COMPILED, here).seconds.high < 0.21


def test_that_software_without_the_compiler_is_refused_by_name():
    with pytest.raises(InvalidInputError, match=r"torch\.compile"):
        step(Recipe(model="preset:resnet50", software="torch1.12", execution="compile"))
