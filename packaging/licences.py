"""What a packaged build carries of others: their licences as one text, and a CycloneDX list of them (an SBOM)."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_RULE = "=" * 100
_NAMES_OF_TEXTS = ("LICEN", "COPYING", "NOTICE", "AUTHORS")
_APP = "gpu-planner"
# Distributions that tell their licence badly, or hold no text of it: what it is, and where it is told.
_COMMON = Path("/usr/share/common-licenses")  # Debian's; builds for other systems add these two by hand
_QT = "LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only"
_TOLD_ELSEWHERE = {
    "pyside6_essentials": (_QT, "https://doc.qt.io/qtforpython-6/licenses.html"),
    "shiboken6": (_QT, "https://doc.qt.io/qtforpython-6/licenses.html"),
    "pyinstaller": (
        "GPL-2.0-or-later WITH Bootloader-exception",
        "https://pyinstaller.org/en/stable/license.html",
    ),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of somebody else's work. ``kind``: "pypi", "deb" or "generic", as in a package URL."""

    name: str
    version: str
    kind: str
    licence: str
    url: str = ""
    texts: tuple[str, ...] = ()


def _normal(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")


def distributions(root: str = _APP) -> list[importlib.metadata.Distribution]:
    """The installed distributions that ``root`` needs to run here, itself left out, by name."""
    from packaging.requirements import Requirement

    found: dict[str, importlib.metadata.Distribution] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if _normal(name) in found:
            continue
        found[_normal(name)] = one = importlib.metadata.distribution(name)
        for line in one.requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed.name)
    del found[_normal(root)]
    return [found[name] for name in sorted(found)]


def _licence_of(distribution: importlib.metadata.Distribution) -> str:
    metadata = distribution.metadata
    if expression := metadata.get("License-Expression"):
        return expression
    if known := _TOLD_ELSEWHERE.get(_normal(distribution.name)):
        return known[0]
    short = (metadata.get("License") or "").strip()
    if short and "\n" not in short and len(short) < 80:
        return short
    classified = [
        line.rpartition(" :: ")[2]
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    return ", ".join(classified) or short.partition("\n")[0]


def _texts_of(distribution: importlib.metadata.Distribution) -> tuple[str, ...]:
    texts = []
    for file in distribution.files or ():
        if ".dist-info" in file.parts[0] and file.name.upper().startswith(_NAMES_OF_TEXTS):
            texts.append(Path(str(file.locate())).read_text(encoding="utf-8", errors="replace"))
    whole = distribution.metadata.get("License") or ""
    if not texts and _normal(distribution.name) in ("pyside6_essentials", "shiboken6"):
        files = (_COMMON / "LGPL-3", _COMMON / "GPL-3")
        return tuple(file.read_text(encoding="utf-8") for file in files if file.is_file())
    return tuple(texts) or ((whole,) if "\n" in whole else ())


def of_distribution(distribution: importlib.metadata.Distribution) -> Part:
    """Raises ValueError when it says nothing of its licence: then a person must look."""
    licence = _licence_of(distribution)
    if not licence:
        raise ValueError(f"{distribution.name} does not say under which licence it is")
    elsewhere = _TOLD_ELSEWHERE.get(_normal(distribution.name))
    url = elsewhere[1] if elsewhere else distribution.metadata.get("Home-page") or ""
    return Part(distribution.name, distribution.version, "pypi", licence, url, _texts_of(distribution))


def of_python() -> Part:
    """The Python that runs inside the bundle."""
    places = (Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt")
    texts = tuple(file.read_text(encoding="utf-8") for file in places if file.is_file())[:1]
    version = ".".join(map(str, sys.version_info[:3]))
    return Part("Python", version, "generic", "PSF-2.0", "https://docs.python.org/3/license.html", texts)


def of_fonts(folder: Path) -> Part:
    text = (folder / "LICENSE.txt").read_text(encoding="utf-8")
    return Part("DejaVu fonts", "2.37", "generic", "Bitstream-Vera", "https://dejavu-fonts.github.io", (text,))


def of_system_files(files: Iterable[Path]) -> list[Part]:
    """The Debian packages that shared libraries of the building machine are from; none on other systems."""
    if shutil.which("dpkg-query") is None:
        return []
    # Debian's list has /lib where the file lies in /usr/lib, and the file where a link leads.
    paths = {
        name
        for file in files
        for one in {file, file.resolve()}
        for name in (str(one), str(one).removeprefix("/usr"))
    }
    listed = subprocess.run(
        ["dpkg-query", "-S", *sorted(paths)], capture_output=True, text=True, check=False
    ).stdout
    packages = sorted({line.partition(": ")[0].split(",")[0] for line in listed.splitlines() if ": " in line})
    parts = []
    for package in packages:
        version = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=True
        ).stdout
        name = package.partition(":")[0]
        text = Path("/usr/share/doc") / name / "copyright"
        texts = (text.read_text(encoding="utf-8", errors="replace"),) if text.is_file() else ()
        parts.append(Part(name, version, "deb", "see the text", "", texts))
    return parts


def third_party(parts: Sequence[Part]) -> str:
    """The licences as one text: what there is, then each in full. A text that several share is printed once."""
    lines = ["What GPU Planner carries of others. Each remains under its own licence.", ""]
    lines += [f"{part.name} {part.version}: {part.licence}" + f" {part.url}".rstrip() for part in parts]
    owners: dict[str, list[str]] = {}
    for part in parts:
        for text in part.texts:
            owners.setdefault(text.strip(), []).append(part.name)
    for text, names in owners.items():
        lines += ["", _RULE, ", ".join(dict.fromkeys(names)), _RULE, "", text]
    return "\n".join(lines) + "\n"


def sbom(parts: Sequence[Part], version: str) -> str:
    """CycloneDX 1.6 as JSON. The same parts give the same text: neither a time nor a random number is in it."""
    from cyclonedx.contrib.license.factories import LicenseFactory
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6
    from packageurl import PackageURL

    factory = LicenseFactory()
    bom = Bom()
    bom.metadata.component = app = Component(
        name=_APP, version=version, type=ComponentType.APPLICATION, bom_ref=_APP,
        licenses=[factory.make_from_string("Apache-2.0")],
    )  # fmt: skip
    components = []
    for part in parts:
        space = "debian" if part.kind == "deb" else None
        purl = PackageURL(part.kind, space, part.name.lower().replace(" ", "-"), part.version)
        licences = [] if part.kind == "deb" else [factory.make_from_string(part.licence)]
        components.append(
            Component(name=part.name, version=part.version, type=ComponentType.LIBRARY, purl=purl,
                      bom_ref=purl.to_string(), licenses=licences)
        )  # fmt: skip
    bom.components.update(components)
    bom.register_dependency(app, components)
    text: str = JsonV1Dot6(bom).output_as_string(indent=2)
    return _without_what_changes(text)


def _without_what_changes(text: str) -> str:
    import json

    document = json.loads(text)
    document.pop("serialNumber", None)
    document["metadata"].pop("timestamp", None)
    return json.dumps(document, indent=2) + "\n"


def write(
    folder: Path, root: Path, version: str, system_files: Iterable[Path] = (), more: Sequence[str] = ()
) -> list[Path]:
    """Write THIRD-PARTY.txt and sbom.cdx.json into ``folder``. ``more``: distributions beside those we need."""
    found = [*distributions(), *map(importlib.metadata.distribution, more)]
    parts = [
        of_python(),
        *map(of_distribution, found),
        of_fonts(root / "resources/fonts"),
        *of_system_files(system_files),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    text, components = folder / "THIRD-PARTY.txt", folder / "sbom.cdx.json"
    text.write_text(third_party(parts), encoding="utf-8")
    components.write_text(sbom(parts, version), encoding="utf-8")
    return [text, components]
