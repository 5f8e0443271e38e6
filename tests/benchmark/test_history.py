from __future__ import annotations

import json
from dataclasses import replace

import pytest

from planner.benchmark import history
from planner.door import plain
from planner.hardware.snapshot import Gpu
from tests.benchmark.made import CUDA_PYTHON, GPU, HOST, OTHER_UUID, UUID, result, snapshot


def days(*numbers: int):
    return [result(started_at=f"2026-03-{number:02}T10:00:00+00:00") for number in numbers]


def test_that_a_saved_result_is_read_back_the_same():
    assert history.read(history.save(result())) == result()


def test_that_the_newest_comes_first():
    for one in days(2, 3, 1):
        history.save(one)
    assert [saved.result for saved in history.load().saved] == days(3, 2, 1)


def test_that_nothing_saved_yet_is_no_error():
    assert history.load() == history.History((), ())
    assert history.latest_for(snapshot(GPU), UUID) is None


def test_that_two_runs_of_the_same_second_are_both_kept():
    history.save(result())
    history.save(result())
    assert len(history.load().saved) == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not valid JSON"),
        (b'{"started_at": "2026-', "line 1"),
        (b"\xff\xfe\x00", ""),
        (b"[]", ""),
        (json.dumps(plain(result()) | {"schema_version": 99}).encode(), "newer version"),
        (json.dumps(plain(result()) | {"duration_s": "long", "sm_count": []}).encode(), "sm_count"),
    ],
)
def test_that_an_unreadable_file_is_reported_kept_and_hides_no_other(content, says):
    good = history.save(result())
    bad = good.with_name("20260101-broken.json")
    bad.write_bytes(content)
    loaded = history.load()
    assert [saved.path for saved in loaded.saved] == [good]
    (problem,) = loaded.unreadable
    assert bad.name in str(problem)
    assert says in str(problem)
    assert bad.read_bytes() == content


def test_that_a_full_disk_leaves_the_last_result(monkeypatch):
    history.save(result())

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        history.save(days(9)[0])
    loaded = history.load()
    assert [saved.result for saved in loaded.saved] == [result()]
    assert loaded.unreadable == ()


def test_that_each_gpu_has_its_own_latest():
    other = result(gpu_uuid=OTHER_UUID, started_at="2026-04-01T10:00:00+00:00")
    history.save(result())
    history.save(other)
    two = snapshot(GPU, Gpu(1, OTHER_UUID, "other"))
    assert history.latest_for(two, UUID) == result()
    assert history.latest_for(two, OTHER_UUID.lower()) == other
    assert history.latest_for(two, None) == result()


def test_that_without_a_gpu_the_processor_counts_and_no_gpu_that_once_was():
    cpu = result(device_kind="cpu", device_name=HOST.cpu_name, gpu_uuid=None, driver_version=None)
    history.save(cpu)
    history.save(replace(cpu, device_name="another processor", started_at="2026-05-01T10:00:00+00:00"))
    history.save(result(started_at="2026-06-01T10:00:00+00:00"))
    assert history.latest_for(snapshot(), None) == cpu
    assert history.latest_for(snapshot(GPU), None).gpu_uuid == UUID


def test_that_a_processor_is_not_taken_for_a_gpu_that_was_not_measured():
    history.save(result(device_kind="cpu", device_name=HOST.cpu_name, gpu_uuid=None))
    assert history.latest_for(snapshot(GPU), None) is None
    assert history.latest_for(snapshot(replace(GPU, uuid=None)), None) is None


def test_that_a_gpu_without_nvml_is_found_again():
    apple = result(device_kind="mps", device_name="Apple GPU", gpu_uuid=None, cuda_version=None)
    history.save(apple)
    assert history.latest_for(snapshot(), None) == apple


def test_that_a_result_of_the_first_version_is_still_read():
    path = history.save(result())
    old = json.loads(path.read_text())
    for name in ("curves", "conditions", "notes", "power_limit_under_load_w", "pcie_under_load", "ending"):
        del old[name]
    for probe in old["probes"]:
        del probe["op_kind"]
    path.write_text(json.dumps(old | {"schema_version": 1}))
    assert replace(history.read(path), schema_version=2) == result()


def test_that_the_run_before_is_the_newest_complete_one_of_the_same_device():
    first, second, third = days(1, 2, 3)
    others = [replace(second, ending="crashed", started_at="2026-03-02T12:00:00+00:00"),
              replace(second, gpu_uuid=OTHER_UUID, started_at="2026-03-02T13:00:00+00:00")]  # fmt: skip
    for one in (first, second, third, *others):
        history.save(one)
    assert history.previous(third) == second
    assert history.previous(second) == first
    assert history.previous(first) is None


MACHINE = snapshot(GPU, interpreters=(CUDA_PYTHON,))


@pytest.mark.parametrize(
    ("machine", "reasons"),
    [
        (MACHINE, ()),
        (replace(MACHINE, driver_version="560.1"), ("bench.stale.driver",)),
        (replace(MACHINE, gpus=(replace(GPU, power_limit_w=280.0),)), ("bench.stale.power_limit",)),
        (
            replace(MACHINE, interpreters=(replace(CUDA_PYTHON, torch_version="2.6.0+cu126"),)),
            ("bench.stale.torch",),
        ),
        (snapshot(driver_version=None), ()),  # nothing is known any more: nothing has changed
        (replace(MACHINE, gpus=(replace(GPU, power_limit_w=None),), interpreters=()), ()),
        (
            replace(
                MACHINE,
                driver_version="560.1",
                gpus=(replace(GPU, power_limit_w=280.0),),
                interpreters=(replace(CUDA_PYTHON, torch_version="2.6.0"),),
            ),
            ("bench.stale.driver", "bench.stale.torch", "bench.stale.power_limit"),
        ),
    ],
)
def test_that_a_result_is_stale_when_driver_torch_or_power_limit_changed(machine, reasons):
    from planner.messages import load_messages

    assert history.stale_reasons(result(), machine) == reasons
    assert all(load_messages().knows(code) for code in reasons)
