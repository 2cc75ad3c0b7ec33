"""The position of a watcher, `.agentws/watched`: what it has seen. Specified in docs/format/local.md; may be lost."""

from __future__ import annotations

from agentws.core.disk import local_dir
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files

LOCK = "watch"
"""Held during one check, never while a watcher waits: with two watchers, each change is reported by one."""
PATH = f"{local_dir.FOLDER}/watched"


class Position:
    """The watcher's position: the state of the workspace that it has seen.

    Fields:
        state: the id of the newest state of history then; empty for none.
        change: the number of the newest change by agentws then.
        apart: by path, (digest, bytes) of documents that no state of history holds.
    """

    __slots__ = ("apart", "change", "state")

    def __init__(self, state: str, change: int, apart: dict[str, tuple[str, int]]) -> None:
        self.state = state
        self.change = change
        self.apart = apart


def read(files: Files) -> Position | None:
    """Return the watcher's position saved last, None if unknown."""
    try:
        decoded = plainjson.loads(files.read(PATH))
        apart = {str(path): (str(seen[0]), int(seen[1])) for path, seen in decoded["apart"].items()}
        return Position(str(decoded["state"]), int(decoded["change"]), apart)
    except (AgentwsError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return None


def write(files: Files, seen: Position) -> None:
    """Save the watcher's position, durably; AgentwsError if the disk refuses."""
    fields = {"agentws": 1, "state": seen.state, "change": seen.change, "apart": seen.apart}
    data = plainjson.dumps(fields, indent=1).encode() + b"\n"
    known = files.digest(PATH)
    files.replace(PATH, data, expects=known)
