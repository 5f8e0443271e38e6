"""Every caption of the window, for the translators: ``python -m ui.captions`` updates the Qt Linguist files.

Run by hand after captions change, never by the product. It reads the sources instead of
calling lupdate, which takes our ``tr(context, text)`` for ``tr(text, comment)``. The compiled ``.qm`` files are
committed, so that neither an installation nor a start needs Qt's compiler; a test compares them with the ``.ts``.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from planner.messages import FALLBACK_LANGUAGE, languages
from ui.i18n import CAPTIONS, captions_file

SOURCES = Path(__file__).resolve().parent
Caption = tuple[str, str]  # context, English text

# Qt's own words in the dialogs and menus that we show, where Qt has no translation of them for a language of ours.
OF_QT: dict[str, tuple[str, ...]] = {
    "QLineEdit": ("&Undo", "&Redo", "Cu&t", "&Copy", "&Paste", "Delete", "Select All"),
    "QWidgetTextControl": ("&Undo", "&Redo", "Cu&t", "&Copy", "&Paste", "Delete", "Select All"),
    "QPlatformTheme": ("OK", "Open", "Save", "Close", "Cancel", "&Yes", "&No"),
    "QDockWidget": ("Float", "Close", "Undocks and re-attaches the dock widget", "Closes the dock widget"),
    "QFileSystemModel": ("Name", "Size", "Type", "Date Modified", "Computer"),
    "QAbstractFileIconProvider": ("Drive", "File", "Folder", "Unknown"),
    "QFileDialog": (
        "&Look in:", "Files of &type:", "&Open", "&Save", "Back", "Forward", "Go back", "Go forward",
        "Parent Directory", "List View", "Detail View", "Go to the parent directory",
        "Create New Folder", "Create a New Folder", "Change to list view mode",
        "Change to detail view mode", "Sidebar", "List of places and bookmarks", "Files", "File &name:",
        "Directory:", "&Choose", "Show ", "Show &hidden files", "&New Folder", "New Folder", "&Rename", "&Delete",
        "Delete", "Remove", "Recent Places", "All Files (*)", "Could not delete directory.",
        "%1 already exists.\nDo you want to replace it?",
        "%1\nFile not found.\nPlease verify the correct file name was given.",
        "%1\nDirectory not found.\nPlease verify the correct directory name was given.",
        "Are you sure you want to delete '%1'?", "'%1' is write protected.\nDo you want to delete it anyway?",
    ),
}  # fmt: skip


class _Finder(ast.NodeVisitor):
    """Collects ``self.tr("…")`` (its context is the class around it) and ``tr("Context", "…")``."""

    def __init__(self) -> None:
        self.found: list[Caption] = []
        self.unreadable: list[int] = []  # lines whose text is not a literal
        self._classes: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._classes.append(node.name)
        self.generic_visit(node)
        self._classes.pop()

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "tr" and self._classes:
            self._keep(node, self._classes[-1], node.args[0])
        elif isinstance(node.func, ast.Name) and node.func.id == "tr" and len(node.args) == 2:
            context, text = node.args
            name = context.value if isinstance(context, ast.Constant) else ""
            self._keep(node, str(name), text)

    def _keep(self, node: ast.Call, context: str, text: ast.expr) -> None:
        if context and isinstance(text, ast.Constant) and isinstance(text.value, str):
            self.found.append((context, text.value))
        else:
            self.unreadable.append(node.lineno)


def captions_of(file: Path) -> tuple[list[Caption], list[int]]:
    """Captions of one source file, and the lines of those that are not literal and so cannot be translated."""
    finder = _Finder()
    finder.visit(ast.parse(file.read_text(encoding="utf-8")))
    return finder.found, finder.unreadable


def all_captions() -> list[Caption]:
    """Captions of the whole window, and of Qt in it, sorted, each once."""
    ours = {caption for file in SOURCES.rglob("*.py") for caption in captions_of(file)[0]}
    return sorted(ours.union((context, text) for context, texts in OF_QT.items() for text in texts))


def ts_file(language: str) -> Path:
    return CAPTIONS / f"gpu-planner_{language}.ts"


def read_translations(file: Path) -> dict[Caption, str]:
    """Finished translations of a Qt Linguist file; empty where there is no such file."""
    if not file.is_file():
        return {}
    found: dict[Caption, str] = {}
    for context in ElementTree.parse(file).getroot().iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is not None and translation.text and translation.get("type") is None:
                found[context.findtext("name", ""), message.findtext("source", "")] = translation.text
    return found


def write_translations(file: Path, language: str, captions: list[Caption], known: dict[Caption, str]) -> None:
    """A Qt Linguist file with exactly ``captions``; what is not translated yet is marked unfinished."""
    root = ElementTree.Element("TS", version="2.1", language=language, sourcelanguage="en")
    contexts: dict[str, ElementTree.Element] = {}
    for name, source in captions:
        if name not in contexts:
            contexts[name] = ElementTree.SubElement(root, "context")
            ElementTree.SubElement(contexts[name], "name").text = name
        message = ElementTree.SubElement(contexts[name], "message")
        ElementTree.SubElement(message, "source").text = source
        translation = ElementTree.SubElement(message, "translation")
        translation.text = known.get((name, source))
        if translation.text is None:
            translation.set("type", "unfinished")
    ElementTree.indent(root, "  ")
    body = ElementTree.tostring(root, encoding="unicode")
    file.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{body}\n', encoding="utf-8")


def compile_translations(source: Path, target: Path) -> None:
    """``.ts`` → ``.qm`` with the compiler that comes with PySide6."""
    command = Path(sys.executable).parent / "pyside6-lrelease"
    subprocess.run([str(command), "-silent", str(source), "-qm", str(target)], check=True)


def main() -> int:
    """Update and compile every language; 1 when something is left to translate."""
    captions, status = all_captions(), 0
    for language in languages():
        if language == FALLBACK_LANGUAGE:
            continue
        file = ts_file(language)
        known = read_translations(file)
        write_translations(file, language, captions, known)
        compile_translations(file, captions_file(language))
        missing = [caption for caption in captions if caption not in known]
        for context, text in missing:
            print(f"{language}: not translated: {context}: {text!r}")
        status = max(status, int(bool(missing)))
    return status


if __name__ == "__main__":
    sys.exit(main())
