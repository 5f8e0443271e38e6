from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")


def test_that_a_segmentation_model_is_trained_on_one_class_per_pixel():
    from planner.workload.trace.models.hf_tasks import image_input, task_inputs, task_of

    assert task_of("SegformerForSemanticSegmentation") == "pixels"
    made = task_inputs(image_input(), "pixels")(2, 64, torch.float32)
    assert made["pixel_values"].shape == (2, 3, 64, 64)
    assert made["target"].shape == (2, 64, 64)
    assert made["target"].dtype is torch.int64
