"""`gpu-plan accuracy --memory`."""

from __future__ import annotations

import json


def test_that_errors_stand_beside_those_of_the_rules_people_use(gpu_plan):
    result = gpu_plan("accuracy", "--memory", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["memory"]
    assert set(found["peaks"]) == {"ours", "accelerate", "deepspeed", "parameters"}
    assert found["covered"] + sum(found["not_covered"].values()) == found["reports"]
    text = gpu_plan("accuracy", "--memory").output
    assert f"{found['covered']} of {found['reports']} published reports" in text
    assert "parameters × 17 bytes" in text
