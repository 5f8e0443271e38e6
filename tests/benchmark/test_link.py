"""The link between GPUs: real ranks on the processor through Gloo, and links that fail (small scripts).

No speed is asserted.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.benchmark import link
from planner.benchmark.link import PROGRAM, LinkPoint, LinkResult, measure_link
from planner.benchmark.supervise import BenchmarkError, Request, in_words
from planner.messages import load_messages

READY = {"event": "ready", "backend": "nccl", "ranks": 2, "nodes": 1, "device": "RTX 3090", "peers": True}
POINT = {"event": "link", "bytes": 64 << 20, "time_s": 0.02, "time_low_s": 0.019, "time_high_s": 0.022}


def lines(*events: dict[str, Any]) -> str:
    return "".join(f"echo '{json.dumps(event)}'\n" for event in events)


@pytest.fixture
def python_that(tmp_path: Path):
    if sys.platform == "win32":
        pytest.skip("the pretended Pythons are shell scripts")

    def make(script: str, kind: str = "cuda") -> Request:
        file = tmp_path / "python"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return Request(str(file), kind)

    return make


def test_that_bus_bandwidth_counts_what_crosses_each_link() -> None:
    points = tuple(LinkPoint(size, size / 8e9, size / 9e9, size / 7e9) for size in (1 << 16, 4 << 20, 64 << 20))
    found = LinkResult("nccl", 4, 1, "RTX 3090", False, points).bus_bandwidth_bytes_per_s
    assert found.low == pytest.approx(1.5 * 7e9)
    assert found.likely == pytest.approx(1.5 * 8e9)
    assert found.high == pytest.approx(1.5 * 9e9)


times = st.tuples(st.floats(1e-6, 1), st.floats(1e-6, 1), st.floats(1e-6, 1)).map(sorted)


@given(st.lists(st.tuples(st.sampled_from([4 << 20, 16 << 20, 64 << 20]), times), min_size=1), st.integers(2, 16))
def test_that_the_range_is_in_order_whatever_was_measured(measured, ranks) -> None:
    points = tuple(LinkPoint(size, likely, low, high) for size, (low, likely, high) in measured)
    found = LinkResult("gloo", ranks, 1, "cpu", None, points).bus_bandwidth_bytes_per_s
    assert 0 < found.low <= found.likely <= found.high


def test_that_a_link_that_works_is_measured_once(python_that) -> None:
    found = measure_link(python_that(lines(READY, POINT, {"event": "done"})), 2)
    assert (found.backend, found.peers, found.without_peers) == ("nccl", True, False)


@pytest.mark.parametrize("trouble", ["sleep 60", "exit 1", lines({"event": "failed", "detail": "rank 1"})])
def test_that_peer_access_that_hangs_or_fails_is_switched_off_and_told(python_that, monkeypatch, trouble) -> None:
    monkeypatch.setattr(link, "SILENCE_S", 5.0)
    works = lines(POINT, {"event": "done"})
    request = python_that(lines(READY) + f'if [ "$NCCL_P2P_DISABLE" = 1 ]\nthen\n{works}else\n{trouble}\nfi')
    found = measure_link(request, 2)
    assert found.without_peers
    assert found.points


def test_that_a_link_that_works_neither_way_is_told_with_its_reason(python_that) -> None:
    request = python_that(lines(READY, {"event": "failed", "detail": "rank 1 of 2 ended with status 9"}))
    with pytest.raises(BenchmarkError) as caught:
        measure_link(request, 2)
    assert "rank 1 of 2 ended with status 9" in in_words(caught.value, load_messages())


@pytest.mark.torch
def test_that_two_ranks_measure_the_link_between_them() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    found = measure_link(Request(sys.executable, "cpu"), 2)
    assert (found.backend, found.ranks, found.nodes, found.peers) == ("gloo", 2, 1, None)
    assert [point.bytes for point in found.points] == sorted(point.bytes for point in found.points)
    assert found.latency_s > 0


@pytest.mark.torch
def test_that_a_rank_that_dies_ends_the_others(tmp_path: Path) -> None:
    """The second rank's torch refuses to load; the first would wait for it until the time-out."""
    pytest.importorskip("torch", reason="torch is not installed")
    (tmp_path / "torch.py").write_text(
        "import os, sys, time\nif os.environ['RANK'] == '1': sys.exit(7)\ntime.sleep(600)"
    )
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "--ranks", "2"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["detail"] == "rank 1 of 2 ended with status 7"


@pytest.mark.torch
def test_that_two_machines_are_measured_by_torchs_own_launcher() -> None:
    """Two agents of torchrun on the loopback stand for two machines with a GPU each."""
    pytest.importorskip("torch", reason="torch is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    agents = [
        subprocess.Popen(
            [
                sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1",
                "--node-rank", str(node), "--master-addr", "127.0.0.1", "--master-port", str(port), str(PROGRAM),
            ],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        for node in range(2)
    ]  # fmt: skip
    try:
        said = b"".join(agent.communicate(timeout=400)[0] for agent in agents)
    finally:
        for agent in agents:
            agent.kill()
            agent.wait()
    events = [json.loads(line) for line in said.splitlines()]
    assert (events[0]["event"], events[0]["ranks"], events[0]["nodes"]) == ("ready", 2, 2)
    assert events[-1]["event"] == "done"
    assert {agent.returncode for agent in agents} == {0}
