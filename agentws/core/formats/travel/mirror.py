"""The content of a mirror made by an earlier version, from its `mirror.json`. See docs/format/backup.md. Pure."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentws.core.formats import layout
from agentws.core.formats.json import plainjson

FOLDER, STATE, TREE = "mirror", "mirror.json", "workspace"
"""The folder beside the backups; in it, for each installation, what it holds, and the files themselves."""
MOST_BYTES = 1 << 24
_HEX = "0123456789abcdef"
_ID_DIGITS, _DIGEST_DIGITS, _MOST_DIGITS = 16, 64, 10

Document = tuple[int, int, int, str, str | None]
"""Mode, modification time in nanoseconds, size and SHA-256 of a document, and the SHA-256 of what stood there before it
was written: empty for nothing, None where it is known to be written. It is told first, and written then.
"""


class NotAMirrorError(ValueError):
    """The file is not a `mirror.json`, or is damaged."""


class Stretch(NamedTuple):
    """A segment's beginning in the mirror: it ends with the event `seq`, whose line has this `hash`."""

    seq: int
    hash: str


class State:
    """What a mirror of the `agent` adds to the backup that it `follows`, as of the moment `at` (ISO 8601, UTC).

    `segments` are by writer and number, `documents` by path; None is a document that was removed since the backup. The
    `odd` paths are no documents, or their rows are unreadable.
    """

    __slots__ = ("agent", "at", "documents", "follows", "odd", "segments")

    def __init__(self, agent: str, follows: str = "", at: str = "") -> None:
        self.agent = agent
        self.follows = follows
        self.at = at
        self.segments: dict[str, dict[int, Stretch]] = {}
        self.documents: dict[str, Document | None] = {}
        self.odd: list[str] = []

    @property
    def heads(self) -> dict[str, int]:
        """The number of each writer's newest event that the mirror holds."""
        return {writer: max(stretch.seq for stretch in held.values()) for writer, held in self.segments.items() if held}


def decode(data: bytes) -> State:
    """Return the mirror state in `data`; NotAMirrorError if it is invalid."""
    try:
        fields: dict[str, Any] = plainjson.loads(data)
        if (fields["agentws"], fields["mirror"]) != (1, 1):
            raise NotAMirrorError("made by another version")
        state = State(str(fields["agent"]), str(fields["follows"]), str(fields["at"]))
        for writer, held in fields["segments"].items():
            if not _is_hex(writer, _ID_DIGITS):
                raise NotAMirrorError(f"{writer!r}: not a writer")
            state.segments[writer] = {_number(number): _stretch(values) for number, values in held.items()}
        for path, result in fields["documents"].items():
            try:
                if not is_document(path):
                    raise NotAMirrorError(f"{path!r}: not a document")
                state.documents[path] = None if result is None else _document(result)
            except (ValueError, TypeError):
                state.odd.append(path)  # events prove themselves, whatever stands beside them
        return state
    except NotAMirrorError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotAMirrorError("it is damaged") from error


def is_document(path: str) -> bool:
    """Return whether the mirror has a file as a whole: all that history records, except a move's tombstone."""
    return "\0" not in path and path != layout.MOVED and layout.is_document(path)


def blob_of(path: str) -> str:
    """Return the digest in the path of a blob in the mirror; empty for any other path."""
    parts = path.split("/")
    is_blob = len(parts) == 4 and (parts[0], parts[2]) == (layout.JOURNAL, "blobs") and _is_hex(parts[1], _ID_DIGITS)
    return parts[3] if is_blob and _is_hex(parts[3], _DIGEST_DIGITS) else ""


def _stretch(row: list[Any]) -> Stretch:
    _size, _digest, seq, hash_, *_marks = row
    return Stretch(_count(seq), str(hash_))


def _document(row: list[Any]) -> Document:
    mode, mtime_ns, size, digest, *before = row
    return _count(mode), _count(mtime_ns), _count(size), str(digest), str(before[0]) if before else None


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < _MOST_DIGITS and str(int(text)) == text):
        raise ValueError(text)
    return int(text)


def _is_hex(text: str, digits: int) -> bool:
    return len(text) == digits and not text.strip(_HEX)


def _count(value: object) -> int:
    """A number of things; ValueError where it counts none."""
    if type(value) is not int or value < 0:
        raise ValueError(value)
    return value
