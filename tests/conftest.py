"""What every test gets: no display, a data folder of its own, and a mock of the GPU driver's library."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from planner.hardware import demo

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before anything imports Qt


# A loaded machine must not fail a law: no time limit per example. The same examples every time, so that a change
# fails for what it changed; HYPOTHESIS_PROFILE=explore looks for new ones.
hypothesis.settings.register_profile("default", deadline=None, derandomize=True)
hypothesis.settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(autouse=True)
def own_data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results, settings and caches of a test stay in its temporary folder."""
    folder = tmp_path / "data"
    monkeypatch.setenv("GPU_PLANNER_DATA", str(folder))
    return folder


@pytest.fixture(scope="session")
def nvml_mock_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the mock's libnvidia-ml.so.1; skips, with the reason, where it cannot be built."""
    return _built(tmp_path_factory, [])


@pytest.fixture(scope="session")
def old_nvml_mock_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without the symbols that drivers before 510 lack."""
    return _built(tmp_path_factory, ["-DOLD_DRIVER"])


def _built(tmp_path_factory: pytest.TempPathFactory, flags: list[str]) -> Path:
    try:
        return demo.build_mock(demo.MOCK_SOURCE, tmp_path_factory.mktemp("nvml"), ["-Wall", "-Werror", *flags])
    except demo.DemoUnavailableError as error:
        if error.code == "check.demo.compile_failed":
            raise  # a fault in the mock, not in the machine
        pytest.skip(f"the NVML mock cannot be built here: {error}")


@pytest.fixture
def nvml_env(nvml_mock_library: Path) -> Callable[[str], dict[str, str]]:
    """``nvml_env("lost")``: environment in which NVML plays tests/nvml_mock/scenarios/lost.txt."""

    def environment(scenario: str) -> dict[str, str]:
        file = demo.MOCK_SOURCE.parent / "scenarios" / f"{scenario}.txt"
        assert file.is_file(), scenario
        return demo.scenario_environment(nvml_mock_library, file)

    return environment
