"""The computer around the GPU, and the cards the system lists."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from planner.hardware.host import board_name, cpu_name_in, is_wsl_kernel, read_host
from planner.hardware.pci import Card, scan_cards


def add_device(root: Path, bus_id: str, vendor: str, device: str, kind: str, driver: str | None = None) -> None:
    folder = root / bus_id
    folder.mkdir(parents=True)
    for name, text in (("vendor", vendor), ("device", device), ("class", kind)):
        (folder / name).write_text(text + "\n")
    if driver:
        module = root.parent / "drivers" / driver
        module.mkdir(parents=True, exist_ok=True)
        (folder / "driver").symlink_to(module)


def test_that_only_display_controllers_of_known_vendors_are_cards(tmp_path: Path) -> None:
    root = tmp_path / "devices"
    add_device(root, "0000:00:02.0", "0x8086", "0x4680", "0x030000", "i915")
    add_device(root, "0000:01:00.0", "0x10de", "0x2204", "0x030000", "nvidia")
    add_device(root, "0000:01:00.1", "0x10de", "0x1aef", "0x040300", "snd_hda_intel")  # its sound device
    add_device(root, "0000:02:00.0", "0x10de", "0x20b2", "0x030200")  # a server card without outputs
    add_device(root, "0000:03:00.0", "0x1234", "0x1111", "0x030000")  # a virtual machine's screen
    assert scan_cards(root) == (
        Card("0000:00:02.0", "Intel", "4680", "i915"),
        Card("0000:01:00.0", "NVIDIA", "2204", "nvidia"),
        Card("0000:02:00.0", "NVIDIA", "20B2", None),
    )


def test_that_a_device_that_goes_away_while_we_look_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "0000:01:00.0").mkdir()
    assert scan_cards(tmp_path) == ()


def test_that_a_system_without_sysfs_is_unknown_not_empty(tmp_path: Path) -> None:
    assert scan_cards(tmp_path / "missing") is None


def test_that_this_computer_is_described() -> None:
    host = read_host()
    assert host.memory_total_bytes >= host.memory_free_bytes > 0
    assert host.logical_cores is None or host.logical_cores >= 1
    assert host.disk_total_bytes is not None
    assert Path(host.disk_path).is_dir()


def test_that_a_disk_folder_that_is_not_there_yet_counts_for_its_parent(tmp_path: Path) -> None:
    assert read_host(tmp_path / "not" / "yet").disk_path == str(tmp_path)


@pytest.mark.parametrize(
    ("plugged", "expected"), [(True, (False, 80.0)), (False, (True, 80.0)), (None, (None, 80.0))]
)
def test_that_battery_power_is_told(
    monkeypatch: pytest.MonkeyPatch, plugged: bool | None, expected: tuple[bool | None, float]
) -> None:
    class Battery:
        percent = 80
        power_plugged = plugged

    monkeypatch.setattr(psutil, "sensors_battery", Battery, raising=False)
    host = read_host()
    assert (host.on_battery, host.battery_percent) == expected


def test_that_no_battery_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: None, raising=False)
    host = read_host()
    assert (host.on_battery, host.battery_percent) == (None, None)


def test_that_the_processors_name_is_read_from_cpuinfo() -> None:
    assert cpu_name_in("processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD  Ryzen 9 5950X 16-Core\n") == (
        "AMD Ryzen 9 5950X 16-Core"
    )
    assert cpu_name_in("processor\t: 0\nBogoMIPS\t: 50.00\n") is None


def test_that_a_jetson_is_known_by_its_device_tree_or_its_release_file(tmp_path: Path) -> None:
    assert read_host(root=tmp_path).board is None
    model = tmp_path / "proc" / "device-tree" / "model"
    model.parent.mkdir(parents=True)
    model.write_bytes(b"Raspberry Pi 5 Model B\0")
    assert board_name(tmp_path) is None
    model.write_bytes(b"NVIDIA Jetson Orin Nano Developer Kit\0")
    assert board_name(tmp_path) == "NVIDIA Jetson Orin Nano Developer Kit"
    model.unlink()
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / "nv_tegra_release").write_text("# R35 (release), REVISION: 3.1\n")
    assert board_name(tmp_path) == "NVIDIA Jetson"


def test_that_wsl_is_known_by_its_kernel() -> None:
    assert is_wsl_kernel("5.15.153.1-microsoft-standard-WSL2")
    assert not is_wsl_kernel("6.1.0-18-amd64")
