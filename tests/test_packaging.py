"""What a packaged build carries beside the program: desktop entry, AppStream metadata, licences, parts list."""

from __future__ import annotations

import configparser
import email.message
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import planner

FOLDER = Path(planner.__file__).resolve().parent.parent / "packaging"
APP_ID = "io.github.gpu_planner.GPUPlanner"
METAINFO = FOLDER / "linux" / f"{APP_ID}.metainfo.xml"


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    """packaging/licences.py, which lies in no package."""
    spec = importlib.util.spec_from_file_location("gpu_planner_licences", FOLDER / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_that_the_desktop_entry_starts_the_window():
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str
    parser.read(FOLDER / "linux" / f"{APP_ID}.desktop", encoding="utf-8")
    entry = parser["Desktop Entry"]
    assert entry["Type"] == "Application"
    assert entry["Exec"].split() == ["gpu-planner", "%f"]
    assert entry["Terminal"] == "false"
    assert entry["Icon"] == APP_ID
    assert entry["Categories"].endswith(";")
    assert {"Name", "Comment", "Version"} <= set(entry)


def test_that_the_metadata_lead_to_the_desktop_entry():
    root = ElementTree.parse(METAINFO).getroot()
    assert (root.tag, root.get("type")) == ("component", "desktop-application")
    assert root.findtext("id") == APP_ID
    assert (FOLDER / "linux" / str(root.findtext("launchable"))).is_file()
    assert root.findtext("project_license") == "Apache-2.0"
    assert not str(root.findtext("summary")).endswith(".")


@pytest.mark.skipif(shutil.which("appstreamcli") is None, reason="appstreamcli is not installed")
def test_that_the_metadata_are_valid_appstream():
    command = ["appstreamcli", "validate", "--no-net", str(METAINFO)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "E: " not in ended.stdout, ended.stdout


def test_that_every_part_says_its_licence_and_the_large_ones_bring_its_text(licences):
    parts = {part.name.lower(): part for part in map(licences.of_distribution, licences.distributions())}
    assert {"numpy", "pydantic", "pyside6_essentials", "pyqtgraph"} <= set(parts)
    assert "pytest" not in parts  # of development, not of the product
    assert all(part.licence for part in parts.values())
    assert parts["numpy"].texts
    assert "LGPL" in parts["pyside6_essentials"].licence


def test_that_a_part_without_a_licence_stops_the_build(licences):
    class Silent:
        name, version, files = "silent", "1", ()
        metadata = email.message.Message()

    with pytest.raises(ValueError, match="silent does not say"):
        licences.of_distribution(Silent())


def test_that_a_text_that_several_share_is_printed_once(licences):
    parts = [licences.Part(name, "1", "pypi", "MIT", "", ("the text\n",)) for name in ("one", "two")]
    text = licences.third_party(parts)
    assert text.count("the text") == 1
    assert "one, two" in text


def test_that_the_list_of_parts_is_cyclonedx_and_always_the_same(licences):
    pytest.importorskip("cyclonedx", reason="pip install -e '.[package]'")
    parts = [licences.Part("one", "1", "pypi", "MIT"), licences.Part("libz", "2", "deb", "see the text")]
    text = licences.sbom(parts, "0.1.0")
    assert text == licences.sbom(parts, "0.1.0")
    told = json.loads(text)
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.6")
    assert sorted(part["purl"] for part in told["components"]) == ["pkg:deb/debian/libz@2", "pkg:pypi/one@1"]
