"""How fast a preset is read; runs with --benchmark-only."""

from __future__ import annotations

import pytest

from planner.workload import presets


@pytest.mark.benchmark
def test_that_a_preset_is_read_from_its_file_within_30_ms(benchmark):
    def read_afresh():
        presets._preset_file.cache_clear()
        presets.load_preset.cache_clear()
        return presets.load_preset("efficientnet_b0", "amp", "full")  # the largest file

    table = benchmark(read_afresh)
    assert len(table.count) > 100
    assert benchmark.stats.stats.min < 0.030
