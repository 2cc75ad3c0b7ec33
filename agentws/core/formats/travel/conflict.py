"""Conflict records, `conflicts/<id>.json`: what two machines said about one place.

Specified in docs/format/sync.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.errors import DamagedError

FOLDER = layout.CONFLICTS
_SUFFIX = ".json"
_FILE = "file"
KINDS = ("entry", "field", "file", "removal")
"""Subjects of a conflict."""
_ID_CHARS = 8
_HEX = set("0123456789abcdef")
_NEVER = (f"{layout.JOURNAL}/", f"{FOLDER}/")
"""Of these nobody has to decide anything: a record that names them was not made by a merge."""


@dataclass(slots=True)
class Side:
    """One side of a conflict: a `text`, or the path of the `file` with its content; neither if it has nothing there."""

    text: str | None = None
    file: str = ""

    def plain(self) -> object:
        """Return one side of a conflict as a JSON value."""
        return {_FILE: self.file} if self.file else self.text


@dataclass(slots=True)
class Record:
    """A conflict: its `id` and `path`, `what` it is about and `where`, its `base` and both `sides`.

    The same on every machine. `at` is when it was found, `between` which two writers; `opened` counts how often it was
    opened: again if it was resolved differently.
    """

    id: str
    path: str
    what: str
    where: str
    base: Side
    sides: tuple[Side, Side]
    at: str
    between: tuple[str, ...]
    opened: int = 1

    def plain(self) -> dict[str, object]:
        """Return the conflict record as a JSON value."""
        return {
            "agentws": 1,
            "path": self.path,
            "what": self.what,
            "where": self.where,
            "base": self.base.plain(),
            "sides": [side.plain() for side in self.sides],
            "at": self.at,
            "between": list(self.between),
            **({"opened": self.opened} if self.opened > 1 else {}),
        }


def path(id: str) -> str:
    """Return the path of a conflict's record."""
    return f"{FOLDER}/{id}{_SUFFIX}"


def id_of(name: str) -> str:
    """Return the conflict id in a record's file name; empty for any other name."""
    id = name.removesuffix(_SUFFIX)
    return id if id != name and "/" not in id else ""


def is_record(place: str) -> bool:
    """Return whether a path is that of a conflict record."""
    folder, _, name = place.rpartition("/")
    return folder == FOLDER and bool(id_of(name))


def encode(record: Record) -> bytes:
    """Return the file of a conflict record."""
    return plainjson.dumps(record.plain(), indent=1).encode("utf-8", "surrogateescape") + b"\n"


def decode(id: str, data: bytes) -> Record:
    """Return the conflict record in a file; DamagedError if invalid, or if it names a path no merge writes to."""
    try:
        decoded = plainjson.loads(data)
        item, two = decoded["sides"]
        between = tuple(str(each) for each in decoded.get("between") or ())
        sides = (_side(item), _side(two))
        made = Record(
            id,
            str(decoded["path"]),
            str(decoded["what"]),
            str(decoded.get("where") or ""),
            base=_side(decoded.get("base")),
            sides=sides,
            at=str(decoded.get("at") or ""),
            between=between,
            opened=int(decoded.get("opened") or 1),
        )
        _check(made)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError(f"{path(id)}: unreadable.", hint="Correct this file in an editor, or remove it.") from error
    return made


def _check(record: Record) -> None:
    """Raise ValueError for what no merge has made: a decision would write over, or remove, a file of the person's."""
    if len(record.id) != _ID_CHARS or not _HEX.issuperset(record.id) or record.what not in KINDS:
        raise ValueError(record.id)
    from agentws.core.formats.travel import sync_path

    if not sync_path.is_safe(record.path) or record.path.startswith(_NEVER):
        raise ValueError(record.path)
    own = f"{FOLDER}/{record.id}/"
    for file in [side.file for side in (record.base, *record.sides) if side.file]:
        if not file.startswith(own) or "/" in file.removeprefix(own) or not sync_path.is_safe(file):
            raise ValueError(file)


def _side(value: Any) -> Side:
    if isinstance(value, dict):
        return Side(file=str(value[_FILE]))
    return Side(None if value is None else str(value))
