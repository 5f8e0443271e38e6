"""Detection as a whole, and the demonstration."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner import door
from planner.hardware import demo, detect, gpus, interpreters
from planner.hardware.interpreters import Candidate
from planner.hardware.snapshot import (
    Check,
    CheckStatus,
    Gpu,
    Host,
    Interpreter,
    PcieLink,
    Snapshot,
    TorchDevice,
)
from planner.paths import data_dir

Environment = Callable[[str], dict[str, str]]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded test machine must not look like a hanging driver."""
    monkeypatch.setattr(gpus, "INIT_DEADLINE_S", 60.0)
    monkeypatch.setattr(gpus, "CALL_DEADLINE_S", 30.0)


def look(tmp_path: Path, **options: Any) -> Snapshot:
    """Detect on a machine whose PCI bus is empty."""
    bus = tmp_path / "pci"
    bus.mkdir(exist_ok=True)
    return detect.detect(interpreters=options.pop("interpreters", False), pci_root=bus, **options)


def codes(snapshot: Snapshot) -> dict[str, str]:
    return {check.layer: check.code for check in snapshot.checks}


def test_that_a_machine_with_a_gpu_is_seen_whole(tmp_path: Path, nvml_env: Environment) -> None:
    snapshot = look(tmp_path, nvml_env=nvml_env("two_gpus"))
    assert [gpu.catalogue_id for gpu in snapshot.gpus] == ["rtx-4070", "rtx-3090"]
    assert (snapshot.driver_version, snapshot.cuda_driver_version) == ("550.54.14", "12.4")
    assert snapshot.taken_at.endswith("+00:00")
    assert codes(snapshot)["card"] == "check.card.found"


def test_that_a_machine_without_a_gpu_says_so_and_still_knows_the_rest(tmp_path: Path) -> None:
    (tmp_path / "libnvidia-ml.so.1").write_bytes(b"")
    snapshot = look(tmp_path, nvml_env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert snapshot.gpus == ()
    if not snapshot.host.is_wsl:
        assert codes(snapshot)["card"] == "check.card.none"
    assert snapshot.host.memory_total_bytes > 0


def test_that_detection_comes_back_through_json_unchanged(tmp_path: Path, nvml_env: Environment) -> None:
    snapshot = look(tmp_path, nvml_env=nvml_env("unified_memory"))
    text = json.dumps(door.plain(snapshot))
    assert door.validated(Snapshot, door.parse_json(text, "snapshot"), "snapshot") == snapshot


texts = st.text(max_size=8)
counts = st.none() | st.integers(0, 10**12)
numbers = st.none() | st.floats(0, 1e6)
links = st.builds(PcieLink, counts, counts, counts, counts)
hosts = st.builds(
    Host, texts, texts, st.none() | texts, counts, counts, st.integers(0), st.integers(0), texts, counts, counts,
    st.none() | st.booleans(), numbers, st.booleans(),
)  # fmt: skip
devices = st.builds(
    TorchDevice, texts, st.integers(0, 9), texts, st.none() | texts, counts, st.none() | texts, counts
)
snapshots = st.builds(
    Snapshot,
    texts,
    hosts,
    st.lists(
        st.builds(Gpu, st.integers(0, 9), st.none() | texts, texts, counts, pcie=links, power_draw_w=numbers),
        max_size=2,
    ).map(tuple),
    st.none() | texts,
    st.none() | texts,
    st.lists(
        st.builds(Check, texts, st.sampled_from(CheckStatus), texts, st.lists(st.tuples(texts, texts)).map(tuple)),
        max_size=2,
    ).map(tuple),
    st.lists(
        st.builds(Interpreter, texts, texts, devices=st.lists(devices, max_size=2).map(tuple)), max_size=2
    ).map(tuple),
)


@given(snapshots)
def test_that_any_snapshot_comes_back_through_json_unchanged(snapshot: Snapshot) -> None:
    data = json.loads(json.dumps(door.plain(snapshot)))
    assert door.validated(Snapshot, data, "snapshot") == snapshot


def test_that_the_pythons_found_are_part_of_the_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = Candidate(tmp_path / "none", "chosen")
    monkeypatch.setattr(detect, "find_candidates", lambda chosen: (missing,))
    snapshot = look(tmp_path, interpreters=True)
    assert snapshot.interpreters == (Interpreter(str(missing.path), "chosen", problem="not_found"),)
    assert codes(snapshot)["torch"] == "check.torch.chosen_unusable"


def test_that_the_mock_reaches_the_driver_child_but_no_torch(
    tmp_path: Path, nvml_env: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    environments: list[dict[str, str]] = []
    real = interpreters.run_json_lines

    def spy(argv: list[str], **options: Any) -> Any:
        environments.append(options["env"])
        return real(argv, **options)

    monkeypatch.setattr(interpreters, "run_json_lines", spy)
    monkeypatch.setattr(detect, "find_candidates", lambda chosen: (Candidate(Path("/bin/false"), "system"),))
    snapshot = look(tmp_path, interpreters=True, nvml_env=nvml_env("demo"))
    assert len(snapshot.gpus) == 2
    (environment,) = environments
    assert demo.SCENARIO_VARIABLE not in environment


def test_that_cancel_returns_what_is_known(tmp_path: Path, nvml_env: Environment) -> None:
    snapshot = look(tmp_path, nvml_env=nvml_env("hang_at_init"), cancelled=lambda: True)
    assert snapshot.host.memory_total_bytes > 0
    assert codes(snapshot)["nvml"] == "check.nvml.cancelled"


def test_that_detection_loads_neither_torch_nor_pynvml_nor_qt_here() -> None:
    code = (
        "import sys, planner.hardware.detect, planner.hardware.demo; "
        "print([name for name in ('torch', 'pynvml', 'PySide6', 'numpy') if name in sys.modules])"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == "[]"


def test_that_the_demonstration_shows_two_cards(tmp_path: Path, nvml_mock_library: Path) -> None:
    environment = demo.demo_environment()
    gpus = look(tmp_path, nvml_env=environment).gpus
    assert [gpu.catalogue_id for gpu in gpus] == ["rtx-3090", "rtx-4070"]
    assert Path(environment["LD_LIBRARY_PATH"]).is_relative_to(data_dir())


def test_that_the_mock_is_compiled_once(nvml_mock_library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = demo.demo_environment()
    monkeypatch.setattr(demo, "_compile", lambda compiler, arguments: pytest.fail("compiled again"))
    assert demo.demo_environment() == first


@pytest.mark.skipif(sys.platform != "linux", reason="the demonstration is for Linux")
def test_that_the_demonstration_says_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(demo.DemoUnavailableError) as caught:
        demo.build_mock(tmp_path / "none.c", tmp_path)
    assert caught.value.code == "check.demo.no_source"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(demo.DemoUnavailableError) as caught:
        demo.demo_environment()
    assert caught.value.code == "check.demo.no_compiler"


def test_that_a_source_that_does_not_compile_is_told_with_the_compilers_words(
    tmp_path: Path, nvml_mock_library: Path
) -> None:
    source = tmp_path / "bad.c"
    source.write_text("this is not C")
    with pytest.raises(demo.DemoUnavailableError, match="error") as caught:
        demo.build_mock(source, tmp_path / "out")
    assert caught.value.code == "check.demo.compile_failed"
    assert not list((tmp_path / "out").rglob("*.so.1"))
