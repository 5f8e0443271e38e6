"""Names of models: ``preset:NAME``, ``timm:NAME``, ``hf:PATH``, ``ops:FILE``, ``py:FILE.py:FUNCTION``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from planner.door import InvalidInputError, Problem
from planner.workload.presets import PRESETS

Kind = Literal["preset", "timm", "hf", "ops", "py"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FORMS = "preset:NAME, timm:NAME, hf:CONFIG.json or its folder, py:FILE.py:FUNCTION, ops:FILE.json"


@dataclass(frozen=True, slots=True)
class Reference:
    """A model by name. ``target``: a name, or the absolute path of a file; ``function`` for "py" only."""

    text: str
    kind: Kind
    target: str
    function: str = ""


def parse_reference(text: str) -> Reference:
    """Read a reference; files must exist. Raises InvalidInputError with the forms that are accepted."""
    kind, _, rest = text.strip().partition(":")
    if kind not in KINDS or not rest:
        raise _refused(text, f"{text!r} is not accepted: write {FORMS} (presets: {', '.join(PRESETS)})")
    if kind == "preset" and rest not in PRESETS:
        raise _refused(text, f"there is no preset {rest!r}; known: {', '.join(PRESETS)}")
    if kind == "hf":
        path = Path(rest).expanduser()
        return Reference(text, "hf", _file(text, path / "config.json" if path.is_dir() else path))
    if kind == "ops":
        return Reference(text, "ops", _file(text, Path(rest).expanduser()))
    if kind == "py":
        file, separator, function = rest.rpartition(":")
        if not (separator and file and function.isidentifier()):
            raise _refused(text, f"{text!r} is not accepted: write py:FILE.py:FUNCTION, the function by its name")
        return Reference(text, "py", _file(text, Path(file).expanduser()), function)
    return Reference(text, kind, rest)


def _file(text: str, path: Path) -> str:
    if not path.is_file():
        raise _refused(text, f"there is no file {path}")
    return str(path.resolve())


def _refused(text: str, what: str) -> InvalidInputError:
    return InvalidInputError(text, (Problem("model", what),))
