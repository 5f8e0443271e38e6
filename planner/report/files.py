"""Writing what the user asked for, with a reason they can act on when it fails."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from planner.messages import Messages, load_messages
from planner.storage import write_atomically

_REASONS = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EROFS: "read_only",
    errno.EACCES: "read_only",
    errno.EPERM: "read_only",
    errno.EBUSY: "open_elsewhere",
    errno.ETXTBSY: "open_elsewhere",
    errno.ENOENT: "no_folder",
    errno.ENOTDIR: "no_folder",
    errno.EISDIR: "is_folder",
}
_WINDOWS_OPEN_ELSEWHERE = (32, 33)  # sharing and lock violations


def write_file(path: Path, data: bytes, messages: Messages | None = None) -> None:
    """Write ``data`` to ``path`` whole or not at all.

    Raises OSError whose message names the file and the reason; ``path`` is then as it was. A folder that is not
    there is not made: it is more likely misspelt than wanted.
    """
    try:
        if not path.parent.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path.parent))
        write_atomically(path, data)
    except OSError as error:
        raise clear_error(error, path, messages or load_messages()) from error


def clear_error(error: OSError, path: Path, messages: Messages) -> OSError:
    """The same error with a message for people: what could not be written, and why."""
    if getattr(error, "winerror", None) in _WINDOWS_OPEN_ELSEWHERE:
        code = "open_elsewhere"
    else:
        code = _REASONS.get(error.errno or 0, "")
    reason = messages.say(f"report.error.{code}") if code else (error.strerror or str(error))
    clear = OSError(messages.say("report.error.cannot_write", path=path, reason=reason))
    clear.errno = error.errno
    return clear
