"""Finding Pythons and asking what their torch can do. Most Pythons here are small scripts that pretend."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planner.hardware.interpreter_probe import supports, version_of
from planner.hardware.interpreters import Candidate, best, find_candidates, probe, probe_all
from planner.hardware.snapshot import Interpreter, TorchDevice

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the pretended Pythons are shell scripts")


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def python_that_says(path: Path, *lines: str, then: str = "") -> Candidate:
    said = "".join(f"echo '{line}'\n" for line in lines)
    return Candidate(script(path, f"#!/bin/sh\n{said}{then}\n"), "conda")


PYTHON = '{"kind": "python", "version": "3.12.1"}'
TORCH = '{"kind": "torch", "version": "2.6.0+cu126", "cuda": "12.6", "hip": null, "arch_list": []}'
DONE = '{"kind": "done"}'


def python_with_torch(folder: Path, torch_source: str, first: str = "") -> Candidate:
    """This Python, where ``import torch`` finds ``torch_source``, after it ran ``first``."""
    package = folder / "packages" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(torch_source)
    lines = f"import sys\nsys.path.insert(0, {str(package.parent)!r})\n"
    (folder / "start.py").write_text(
        lines + first + "\nimport runpy\nsys.argv = sys.argv[1:]\n"
        "sys.path.insert(0, 'given away by the probe')\nrunpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    start = folder / "start.py"
    return Candidate(
        script(folder / "python", f'#!/bin/sh\nshift\nexec {sys.executable} -I "{start}" "$@"\n'), "venv"
    )


FAKE_CUDA = """
class version: cuda, hip = "12.6", None
__version__ = "2.6.0+cu126"
class _Number:
    def __matmul__(self, other): return self
    def __add__(self, other): return self
    def sum(self): return self
    def item(self): return 64 * 64 * 65.0
def ones(*size, device): return _Number()
class _Properties:
    name, major, minor, total_memory, multi_processor_count = "Card", 8, 6, 24 * 2**30, 82
    uuid = "5A1B7C2E-3090"
class cuda:
    init = staticmethod(lambda: None)
    device_count = staticmethod(lambda: 1)
    get_device_properties = staticmethod(lambda index: _Properties)
    get_arch_list = staticmethod(lambda: ["sm_80", "sm_86"])
    get_device_capability = staticmethod(lambda index: (8, 6))
class backends: pass
"""


def test_that_a_cuda_device_is_described_with_the_uuid_as_the_driver_writes_it(tmp_path: Path) -> None:
    found = probe(python_with_torch(tmp_path, FAKE_CUDA))
    assert (found.problem, found.gpu_problem, found.torch_version, found.cuda_build) == (
        None, None, "2.6.0+cu126", "12.6",
    )  # fmt: skip
    assert found.devices[1] == TorchDevice("cuda", 0, "Card", "GPU-5a1b7c2e-3090", 24 * 2**30, "8.6", 82)
    assert found.has_gpu


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('cuda, hip = "12.6", None', "cuda, hip = None, None", "cpu_build"),
        ("device_count = staticmethod(lambda: 1)", "device_count = staticmethod(lambda: 0)", "no_device"),
        ("init = staticmethod(lambda: None)", "init = staticmethod(lambda: 1/0)", "cuda_fails"),
        # ROCm: torch's own count stumbles over an unset name when pynvml is installed
        ("device_count = staticmethod(lambda: 1)", "device_count = staticmethod(lambda: amdsmi)", "cuda_fails"),
        ('["sm_80", "sm_86"]', '["sm_90", "sm_120"]', "no_kernels"),
        ("64 * 64 * 65.0", "1.0", "smoke_failed"),
    ],
)
def test_that_a_gpu_that_torch_cannot_use_is_no_device_and_the_reason_is_told(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in FAKE_CUDA
    found = probe(python_with_torch(tmp_path, FAKE_CUDA.replace(old, new)))
    assert found.gpu_problem == problem
    if problem in ("no_kernels", "smoke_failed"):
        (device,) = found.unusable
        assert (device.name, device.problem, device.compute_capability) == ("Card", problem, "8.6")
        assert device.uuid == "GPU-5a1b7c2e-3090"
    assert found.usable  # the processor can still be measured
    assert [device.kind for device in found.devices] == ["cpu"]


@pytest.mark.parametrize(
    ("source", "problem", "detail"),
    [
        (
            "raise OSError('libcudart.so.12: no such file')",
            "torch_broken",
            "OSError: libcudart.so.12: no such file",
        ),
        ("import os; os.abort()", "crashed", "killed by SIGABRT"),
        ("__version__ = '1.13.1'\nclass version: cuda = None", "torch_too_old", "1.13.1"),
    ],
)
def test_that_a_torch_that_does_not_work_leaves_the_python_known(
    tmp_path: Path, source: str, problem: str, detail: str
) -> None:
    found = probe(python_with_torch(tmp_path, source))
    assert (found.problem, found.python_version) == (problem, ".".join(map(str, sys.version_info[:3])))
    assert detail in found.detail


def test_that_a_python_without_torch_is_told_so() -> None:
    bare = Candidate(Path(sys._base_executable), "system")  # type: ignore[attr-defined]
    has_torch = subprocess.run([bare.path, "-c", "import torch"], capture_output=True, check=False).returncode == 0
    if has_torch:
        pytest.skip("the Python below the virtual environment has torch")
    found = probe(bare)
    assert (found.problem, found.usable, found.devices) == ("torch_missing", False, ())


def test_that_a_python_that_is_too_old_is_told_and_its_torch_not_touched(tmp_path: Path) -> None:
    found = probe(python_with_torch(tmp_path, "import os; os.abort()", first="sys.version_info = (3, 8, 1)"))
    assert found.problem == "python_too_old"


def test_that_a_file_that_is_no_python_is_told(tmp_path: Path) -> None:
    assert probe(Candidate(script(tmp_path / "python", "#!/bin/sh\nexit 0\n"), "chosen")).problem == "not_python"
    plain = tmp_path / "plain"
    plain.write_text("hello")
    assert probe(Candidate(plain, "chosen")).problem == "not_python"
    assert probe(Candidate(tmp_path / "none", "chosen")).problem == "not_found"


def test_that_a_torch_that_never_finishes_loading_is_given_up(tmp_path: Path) -> None:
    found = probe(python_that_says(tmp_path / "python", PYTHON, then="sleep 60"), deadline_s=2.0)
    assert (found.problem, found.python_version) == ("timed_out", "3.12.1")


def test_that_cancel_leaves_a_python_untried(tmp_path: Path) -> None:
    found = probe(python_that_says(tmp_path / "python", then="sleep 60"), cancelled=lambda: True)
    assert found.problem == "not_finished"


def test_that_many_are_asked_and_answered_in_order(tmp_path: Path) -> None:
    candidates = [python_that_says(tmp_path / str(i) / "python", PYTHON, TORCH, DONE) for i in range(4)]
    found = probe_all(candidates)
    assert [Path(one.path) for one in found] == [candidate.path for candidate in candidates]
    assert all(one.usable and one.torch_version == "2.6.0+cu126" for one in found)


def test_that_the_probe_does_not_inherit_our_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/ours")
    candidate = python_that_says(
        tmp_path / "python", then='echo "{\\"kind\\":\\"python\\",\\"version\\":\\"$PYTHONPATH\\"}"'
    )
    assert probe(candidate).python_version == ""


def test_that_environments_of_every_kind_are_found_once_each(tmp_path: Path) -> None:
    def make(folder: str) -> Path:
        return script(tmp_path / folder / "bin" / "python", "")

    conda, listed, venv, pyenv = map(make, ("conda", "listed", "venv", ".pyenv/versions/3.12.1"))
    system = script(tmp_path / "usr" / "python3", "")
    script(tmp_path / "shims" / "python3", "")
    chosen = tmp_path / "mine" / "python"
    (tmp_path / ".conda").mkdir()
    (tmp_path / ".conda" / "environments.txt").write_text(
        f"{tmp_path}/conda\n{tmp_path}/listed\n{tmp_path}/gone\n"
    )
    found = find_candidates(
        chosen,
        environ={
            "VIRTUAL_ENV": str(tmp_path / "venv"),
            "CONDA_PREFIX": str(tmp_path / "conda"),
            "PATH": os.pathsep.join([str(tmp_path / "shims"), str(tmp_path / "usr")]),
        },
        home=tmp_path,
    )
    assert [(one.path, one.origin) for one in found] == [
        (chosen, "chosen"),
        (Path(sys.executable), "app"),
        (venv, "venv"),
        (conda, "conda"),
        (listed, "conda"),
        (pyenv, "pyenv"),
        (system, "system"),
    ]


def test_that_a_virtual_environment_is_not_the_python_it_links_to(tmp_path: Path) -> None:
    system = script(tmp_path / "usr" / "python3", "")
    (tmp_path / "usr" / "python").symlink_to(system)
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "venv" / "bin" / "python").symlink_to(system)
    environ = {"VIRTUAL_ENV": str(tmp_path / "venv"), "PATH": str(tmp_path / "usr")}
    found = find_candidates(environ=environ, home=tmp_path)
    assert [one.origin for one in found] == ["app", "venv", "system"]


def test_that_the_users_choice_goes_before_a_python_with_a_gpu_if_it_works() -> None:
    gpu = TorchDevice("cuda", 0, "Card")
    app = Interpreter("/app", "app")
    conda = Interpreter("/conda", "conda", devices=(gpu,))
    assert best([app, conda]) is conda
    assert best([app]) is app
    chosen = Interpreter("/chosen", "chosen")
    assert best([app, conda, chosen]) is chosen
    assert best([app, conda, Interpreter("/chosen", "chosen", problem="torch_missing")]) is conda
    assert best([Interpreter("/app", "app", problem="torch_missing")]) is None


@pytest.mark.parametrize(
    ("arch_list", "capability", "expected"),
    [
        (["sm_80", "sm_86"], (8, 6), True),
        (["sm_80"], (8, 9), True),  # binary code runs on a higher minor of the same major
        (["sm_89"], (8, 6), False),
        (["sm_50", "sm_90"], (12, 0), False),
        (["sm_90", "compute_90"], (12, 0), True),  # PTX is compiled for newer cards
        (["sm_75", "sm_90", "sm_120"], (6, 1), False),
        (["sm_90a"], (9, 0), True),
        ([], (8, 6), True),
    ],
)
def test_that_a_builds_architectures_are_compared_with_the_card(
    arch_list: list[str], capability: tuple[int, int], expected: bool
) -> None:
    assert supports(arch_list, *capability) is expected


def test_that_torch_versions_compare_as_numbers() -> None:
    assert version_of("2.13.0+cpu") == (2, 13)
    assert version_of("2.13.0+cpu") > version_of("2.9.1")
    assert version_of("1.13.1") < (2, 0)
