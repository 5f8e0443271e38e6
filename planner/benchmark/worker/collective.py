"""How fast GPUs exchange gradients: all-reduce through torch.distributed, on one machine or several.

    python collective.py --ranks 4                                       starts 4 ranks on this machine
    torchrun --nnodes 2 --nproc-per-node 4 … collective.py               one rank per GPU across machines

Standard library and torch (≥ 2.0) only. NCCL where it is there, else Gloo (processors, Windows). Rank 0 prints
JSON lines, each with an "event":
    ready   {backend, ranks, nodes, device, peers}    peers: whether all GPUs of this machine reach each other
                                                      directly; null where that is no question
    link    {bytes, time_s, time_low_s, time_high_s}  an all-reduce of that many bytes
    failed  {detail}                                  a rank ended before the others
    done    {}
"""

from __future__ import annotations

import os
import sys

if (
    __name__ == "__main__"
    and sys.path
    and os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__))
):
    sys.path.pop(0)  # this folder, whose names would shadow foreign modules

import argparse
import datetime
import json
import signal
import socket
import statistics
import subprocess
import time
from typing import Any, Callable

SIZES_BYTES = tuple(1 << shift for shift in range(16, 27, 2))  # 64 KiB to 64 MiB
BLOCKS = 7
_BLOCK_S = 0.05
_WARM_UP_S = 0.2
_MOST_CALLS = 200
_TIMEOUT_S = 20.0  # of one collective: broken peer access hangs for ever
_RANK = "RANK"  # set by torchrun and by ``launch``


def say(event: str, **fields: Any) -> None:
    os.write(1, (json.dumps({"event": event, **fields}) + "\n").encode())


def _peers(torch: Any, backend: str) -> bool | None:
    """Whether every GPU of this machine may read every other's memory. That is a permission, not a speed."""
    count = torch.cuda.device_count() if backend == "nccl" else 0
    if count < 2:
        return None
    pairs = [(one, other) for one in range(count) for other in range(count) if one != other]
    return all(torch.cuda.can_device_access_peer(one, other) for one, other in pairs)


def _slowest(torch: Any, dist: Any, value: float, device: str) -> float:
    """The largest of all ranks' values: everybody waits for the slowest."""
    shared = torch.tensor([value], dtype=torch.float64, device=device)
    dist.all_reduce(shared, op=dist.ReduceOp.MAX)
    return float(shared.item())


def _timed(torch: Any, dist: Any, device: str, call: Callable[[], Any], count: int) -> float:
    """Seconds per call of ``count`` calls in a row, on the slowest rank."""
    wait = torch.cuda.synchronize if device.startswith("cuda") else lambda: None
    dist.barrier()
    wait()
    began_s = time.perf_counter()
    for _ in range(count):
        call()
    wait()
    return _slowest(torch, dist, (time.perf_counter() - began_s) / count, device)


def measure(torch: Any, dist: Any, device: str, size_bytes: int) -> list[float]:
    """Seconds per all-reduce of each block. Every rank takes the same decisions: they hang on shared times."""
    # Zeros stay zeros however often they are summed, and a link does not look at its numbers.
    data = torch.zeros(size_bytes // 4, device=device)
    began_s, call_s = time.perf_counter(), 0.0

    def call() -> None:
        dist.all_reduce(data)

    while not call_s or _slowest(torch, dist, time.perf_counter() - began_s, device) < _WARM_UP_S:
        call_s = _timed(torch, dist, device, call, 2)
    count = max(1, min(_MOST_CALLS, round(_BLOCK_S / call_s)))
    return [_timed(torch, dist, device, call, count) for _ in range(BLOCKS)]


def run_rank() -> int:
    """One rank of the group that the environment describes."""
    import torch
    import torch.distributed as dist

    local_rank, is_first = int(os.environ.get("LOCAL_RANK", "0")), os.environ[_RANK] == "0"
    backend = "nccl" if torch.cuda.is_available() and dist.is_nccl_available() else "gloo"
    device = "cpu"
    if backend == "nccl":
        device = f"cuda:{local_rank}"
        torch.cuda.set_device(local_rank)
    dist.init_process_group(backend, timeout=datetime.timedelta(seconds=_TIMEOUT_S))
    ranks = dist.get_world_size()
    nodes = ranks // int(os.environ.get("LOCAL_WORLD_SIZE", str(ranks)))
    if is_first:
        name = torch.cuda.get_device_name(local_rank) if backend == "nccl" else "cpu"
        say("ready", backend=backend, ranks=ranks, nodes=nodes, device=name, peers=_peers(torch, backend))
    for size_bytes in SIZES_BYTES:
        times_s = sorted(measure(torch, dist, device, size_bytes))
        if is_first:
            say(
                "link", bytes=size_bytes, time_s=statistics.median(times_s), time_low_s=times_s[0],
                time_high_s=times_s[-1],
            )  # fmt: skip
    dist.barrier()
    if is_first:
        say("done")
    dist.destroy_process_group()
    return 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def launch(ranks: int) -> int:
    """Ranks as processes of their own; when one ends badly the others, which wait for it, are ended."""
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(_free_port()), "WORLD_SIZE": str(ranks),
              "LOCAL_WORLD_SIZE": str(ranks)}  # fmt: skip
    children = [
        subprocess.Popen(
            [sys.executable, *(["-E"] if sys.flags.ignore_environment else []), os.path.abspath(__file__)],
            env={**os.environ, **shared, _RANK: str(rank), "LOCAL_RANK": str(rank)},
        )
        for rank in range(ranks)
    ]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # runs the ``finally`` below
    try:
        while any(child.poll() is None for child in children):
            bad = next((child for child in children if child.poll() not in (None, 0)), None)
            if bad is not None:
                say("failed", detail=f"rank {children.index(bad)} of {ranks} ended with status {bad.returncode}")
                return 1
            time.sleep(0.05)
    finally:
        for child in children:
            child.kill()
            child.wait()
    bad_ones = [child.returncode for child in children if child.returncode]
    if bad_ones:
        say("failed", detail=f"a rank of {ranks} ended with status {bad_ones[0]}")
    return 1 if bad_ones else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="collective")
    parser.add_argument("--ranks", type=int, default=2, help="processes to start, one per GPU")
    options = parser.parse_args(arguments)
    return run_rank() if _RANK in os.environ else launch(options.ranks)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
