"""The real worker with the real torch, on the CPU: what it says, and how it stops. No time is asserted."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from planner.benchmark import history
from planner.benchmark.events import Hello, Malformed, decode
from planner.benchmark.result import BenchmarkResult, ProbeKind
from planner.benchmark.supervise import (
    WORKER,
    BenchmarkError,
    Run,
    request_for,
    run_benchmark,
    worker_argv,
    worker_environment,
)
from planner.messages import load_messages
from planner.workload.optable import KINDS, OP_CLASSES
from tests.benchmark.made import CPU_PYTHON, HOST, snapshot

COUNTED = {
    "native_batch_norm", "native_batch_norm_backward", "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward", "native_layer_norm", "native_layer_norm_backward", "_softmax",
    "_softmax_backward_data", "sum", "embedding", "embedding_dense_backward", "copy_",
}  # fmt: skip
torch = pytest.importorskip("torch", reason="torch is not installed: the benchmark runs in another Python")
pytestmark = pytest.mark.torch
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402 - torch may be missing

REQUEST = request_for(snapshot(), CPU_PYTHON, quick=True)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Threads that wait for each other on a busy machine make calls hundreds of times slower."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.fixture(scope="module")
def finished(one_thread: None) -> tuple[BenchmarkResult, list[Run]]:
    """One whole quick run, shared: the result, and all that was seen on the way."""
    seen: list[Run] = []
    return run_benchmark(REQUEST, on_progress=seen.append), seen


def test_that_a_run_measures_probes_of_known_classes(finished):
    result, _ = finished
    assert {probe.op_class for probe in result.probes} <= {*OP_CLASSES, *KINDS, "launch", "step", "input"}
    assert {probe.op_kind for probe in result.probes} <= {"", *KINDS}
    assert result.probe("gemm_fp32_small") is not None
    for probe in result.probes:
        assert (probe.flops > 0) == (probe.kind in (ProbeKind.FLOPS, ProbeKind.STEP))
        assert (probe.bytes > 0) == (probe.kind in (ProbeKind.FLOPS, ProbeKind.BANDWIDTH))


def test_that_every_probe_ends_as_a_number_or_with_a_reason(finished):
    from planner.benchmark.worker.probes import NAMES

    result, _ = finished
    assert sorted(probe.name for probe in (*result.probes, *result.skipped)) == sorted(NAMES)
    assert next(probe.code for probe in result.skipped if probe.name == "h2d") == "not_applicable"


def test_that_the_run_says_who_it_is_and_how_far_it_has_come(finished):
    result, seen = finished
    assert (result.device_kind, result.device_name, result.gpu_uuid) == ("cpu", HOST.cpu_name, None)
    assert result.torch_version == torch.__version__
    assert result.cpu_threads == 1
    stages = [run.stage for run in seen if run.stage]
    assert [stages[0].name, stages[-1].index <= stages[-1].total] == ["load_torch", True]
    indices = [stage.index for stage in stages]
    assert indices == sorted(indices)
    assert seen[-1].malformed == ()


def test_that_a_run_is_kept_and_found_again(finished):
    result, _ = finished
    path = history.save(result)
    assert history.read(path) == result
    assert history.latest_for(snapshot(), None) == result


def test_that_every_probe_and_stage_has_a_name_for_people(finished):
    from planner.benchmark.worker.probes import NAMES

    stages = ("load_torch", "open_device", "soak", "sustained")
    codes = [*(f"bench.probe.{name}" for name in NAMES), *(f"bench.stage.{name}" for name in stages)]
    assert [code for code in codes if not load_messages().knows(code)] == []


@contextlib.contextmanager
def started_worker():
    process = subprocess.Popen(
        worker_argv(REQUEST),
        env=worker_environment(REQUEST),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_that_cancel_in_the_middle_of_the_probes_ends_with_cancelled():
    with started_worker() as process:
        assert process.stdin is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "probe":
                break
        process.stdin.write(b"cancel\n")
        process.stdin.flush()
        rest = [json.loads(line) for line in process.stdout]
        assert rest[-1] == {"event": "cancelled"}
        assert process.wait(60) == 3
    assert not [line for line in rest if isinstance(decode(line), Malformed)]


def test_that_kill_9_in_the_middle_is_a_crash_and_keeps_the_last_result(finished):
    result, _ = finished
    history.save(result)
    children: list[int] = []

    def kill_it(run: Run) -> None:
        if run.probes and not children:
            children.extend(_children())
            os.kill(children[0], 9)

    with pytest.raises(BenchmarkError) as caught:
        run_benchmark(REQUEST, on_progress=kill_it)
    assert caught.value.code == "bench.error.crashed"
    assert history.latest_for(snapshot(), None) == result


def _children() -> list[int]:
    import psutil

    return [child.pid for child in psutil.Process().children() if str(WORKER) in child.cmdline()]


def test_that_it_runs_as_a_module_and_a_missing_device_is_told():
    done = subprocess.run(
        [sys.executable, "-m", "planner.benchmark.worker", "--json", "--device", "xpu"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
        check=False,
    )
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["event"], last["code"]) == ("failed", "device_missing")


def test_that_the_flops_of_the_steps_are_what_torch_counts():
    from torch.utils.flop_counter import FlopCounterMode

    from planner.benchmark.worker import steps
    from planner.benchmark.worker.devices import Cpu

    cnn = steps.CnnShape(32, (8, 16), classes=10)
    transformer = steps.TransformerShape(layers=2, width=32, heads=2, length=16, vocabulary=50)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        for build, shape in ((steps.cnn_step, cnn), (steps.transformer_step, transformer)):
            work = build(Cpu(), shape, 3)
            with FlopCounterMode(display=False) as counter:
                work.call()
            assert work.flops == counter.get_total_flops()


def test_that_the_work_of_a_probe_is_what_torch_counts():
    from torch.utils.flop_counter import FlopCounterMode

    from planner.benchmark.worker import work
    from planner.benchmark.worker.devices import Cpu

    made = (
        work.gemm(Cpu(), "fp32", 32),
        *(work.convolution(Cpu(), "fp32", k, 8, 2) for k in (1, 3)),
        work.stem(Cpu(), "fp32", 16, 2),
        work.batched_gemm(Cpu(), "fp32", 16, 3),
    )
    for one in made:
        with FlopCounterMode(display=False) as counter:
            one.call()
        assert one.flops == counter.get_total_flops()


def test_that_grouped_convolutions_do_the_groups_share_of_the_work():
    """torch's own count of the weight gradient forgets the groups."""
    from planner.benchmark.worker import work
    from planner.benchmark.worker.devices import Cpu

    whole, grouped, depthwise = (work.convolution(Cpu(), "fp32", 3, 8, 2, groups=groups) for groups in (1, 4, 8))
    assert (grouped.flops, depthwise.flops) == (whole.flops / 4, whole.flops / 8)
    grouped.call()
    depthwise.call()


def test_that_probes_count_flops_and_bytes_as_the_op_tables_do():
    """One trace of each probe's own call, by the tracer's rules: efficiencies are ratios of the two."""
    from planner.benchmark.worker import work
    from planner.benchmark.worker.devices import Cpu
    from planner.workload.trace.cost import costs_of

    class Counter(TorchDispatchMode):
        flops = bytes = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            if func.overloadpacket.__name__ in COUNTED:
                costs = costs_of(func, args, kwargs or {}, out)
                self.flops += sum(cost.flops for cost in costs)
                self.bytes += sum(cost.bytes for cost in costs)
            return out

    cpu = Cpu()
    for made in (
        work.batch_norm(cpu, 1), work.max_pool(cpu, 1), work.layer_norm(cpu, 64), work.softmax(cpu, 64),
        work.reduction(cpu, 64), work.embedding(cpu, 100, 8, 500), work.copy(cpu, 1000),
    ):  # fmt: skip
        with Counter() as counter:
            made.call()
        assert counter.flops == made.flops == 0
        # Statistics, weights and biases of norms are left out of the least traffic.
        assert counter.bytes == pytest.approx(made.bytes, rel=0.03)


def test_that_every_probe_of_a_gpu_can_be_built_in_every_size():
    """Shapes only, on torch's meta device; what needs CUDA itself (pinned memory, fp16 steps) is not in it."""
    from planner.benchmark.worker.devices import Device
    from planner.benchmark.worker.probes import NAMES, probes_for, sentinel_for

    class MetaGpu(Device):
        kind = "meta"
        cache_bytes = 6 << 20  # of an RTX 3090

    probes, not_applicable = probes_for(MetaGpu())
    of_cuda = {"h2d", "h2d_pageable", "d2h", "item", "launch_graph"}
    one_dtype = {f"{name}_fp32" for name in ("attention", "conv_depthwise", "conv_grouped", "bmm", "conv_stem")}
    assert set(not_applicable) == of_cuda | one_dtype
    assert [probe.name for probe in probes] == [name for name in NAMES if name not in not_applicable]
    assert sentinel_for(MetaGpu()) is not None
    for probe in probes:
        work = [probe.build(size) for size in probe.sizes]
        for one in work:
            one.call()
        costs = [one.flops + one.bytes for one in work]
        assert costs == sorted(costs), "sizes ascend"


def test_that_a_photo_is_made_and_becomes_a_normalised_tensor():
    pytest.importorskip("PIL", reason="Pillow is not installed")
    from planner.benchmark.worker import photos

    assert 80_000 < len(photos._photo(photos._pillow())) < 160_000  # as a photo of that size
    tensor = photos.decode(1).call()
    assert tuple(tensor.shape) == (3, photos.CROP, photos.CROP)
    assert -3 < float(tensor.min()) < float(tensor.max()) < 3


def test_that_without_pillow_the_reason_is_told(monkeypatch):
    from planner.benchmark.worker import photos

    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(RuntimeError, match="pip install pillow"):
        photos.decode(1)


def test_that_lack_of_memory_is_told_from_other_errors():
    from planner.benchmark.worker.devices import Cpu

    cpu = Cpu()
    with pytest.raises(RuntimeError) as caught:
        torch.empty(1 << 50)
    assert cpu.is_out_of_memory(caught.value)
    assert cpu.is_out_of_memory(torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB"))
    assert cpu.is_out_of_memory(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"))
    assert not cpu.is_out_of_memory(RuntimeError("CUDA error: an illegal memory access was encountered"))
    assert cpu.is_alive()


def test_that_inputs_are_rotated_until_the_cache_is_outgrown():
    from planner.benchmark.worker import work
    from planner.benchmark.worker.devices import Cpu

    device, used = Cpu(), []
    device.cache_bytes = 1000

    def make():
        number = len(made)
        made.append(number)
        return lambda: used.append(number)

    made: list[int] = []
    rotation = work.Rotation(device, 600.0, make)
    for _ in range(7):
        rotation()
    assert used == [0, 1, 2, 3, 4, 0, 1]


def test_that_hello_tells_the_processor():
    from planner.benchmark.worker.devices import open_device

    device = open_device("cpu")
    hello = decode(
        {
            "event": "hello",
            "device_kind": device.kind,
            "device_name": device.name,
            "uuid": device.uuid,
            "torch": "2",
            "cuda": None,
            "python": "3",
            "memory_bytes": device.memory_bytes(),
            "sm_count": device.sm_count,
            "threads": 1,
        }
    )
    assert isinstance(hello, Hello)
    assert hello.device_name
