"""What a mirror of the newest work holds, as its `mirror.json` tells. Specified in docs/format/backup.md. Pure."""

from __future__ import annotations

from agentws.formats import layout
from agentws.formats.journal import segment
from agentws.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER, STATE, TREE = "mirror", "mirror.json", "workspace"
"""The folder beside the backups; in it, for each installation, what it holds, and the files themselves."""
MOST_BYTES = 1 << 24
_HEX = "0123456789abcdef"
_ID_DIGITS, _DIGEST_DIGITS = 16, 64

Document = tuple[int, int, int, str]
"""Mode, modification time in nanoseconds, size and SHA-256 of a document."""


class NotAMirrorError(ValueError):
    """A `mirror.json` that is none, or is damaged."""


class Stretch:
    """The beginning of a segment: its first `size` bytes with their `digest`; they end with the event `seq`, `hash`.

    `marks` are size, inode and change time of the original, by which the next run knows that it is as it was.
    """

    __slots__ = ("digest", "hash", "marks", "seq", "size")

    def __init__(self, size: int, digest: str, seq: int, hash: str, marks: tuple[int, int, int] = (0, 0, 0)) -> None:
        self.size = size
        self.digest = digest
        self.seq = seq
        self.hash = hash
        self.marks = marks


class State:
    """What a mirror of the `agent` holds beyond the backup that it `follows`, as of the moment `at` (ISO 8601, UTC).

    `segments` are by writer and number, `documents` by path; None stands for a document of the backup that went.
    """

    __slots__ = ("agent", "at", "documents", "follows", "host", "segments")

    def __init__(self, agent: str, follows: str = "", at: str = "", host: str = "") -> None:
        self.agent = agent
        self.follows = follows
        self.at = at
        self.host = host
        self.segments: dict[str, dict[int, Stretch]] = {}
        self.documents: dict[str, Document | None] = {}

    @property
    def heads(self) -> dict[str, int]:
        """The number of the newest event of each writer."""
        return {writer: max(one.seq for one in held.values()) for writer, held in self.segments.items() if held}


def encode(state: State) -> bytes:
    """The bytes of a `mirror.json`."""
    told = {
        "agentws": 1,
        "mirror": 1,
        "agent": state.agent,
        "host": state.host,
        "follows": state.follows,
        "at": state.at,
        "segments": {
            segment.path(writer, number): [one.size, one.digest, one.seq, one.hash, *one.marks]
            for writer, held in state.segments.items()
            for number, one in sorted(held.items())
        },
        "documents": state.documents,
    }
    return plainjson.dumps(told, indent=1).encode("ascii") + b"\n"


def decode(data: bytes) -> State:
    """The state that these bytes tell; NotAMirrorError where they tell none."""
    try:
        told: dict[str, Any] = plainjson.loads(data)
        if (told["agentws"], told["mirror"]) != (1, 1):
            raise NotAMirrorError("made by another version")
        state = State(str(told["agent"]), str(told["follows"]), str(told["at"]), str(told["host"]))
        for path, values in told["segments"].items():
            writer, number = _place(path)
            size, digest, seq, hash_, *marks = values
            stretch = Stretch(_count(size), str(digest), _count(seq), str(hash_), (*map(_count, marks),))  # type: ignore[arg-type]
            state.segments.setdefault(writer, {})[number] = stretch
        for path, found in told["documents"].items():
            if not is_document(path):
                raise NotAMirrorError(f"{path!r} is no document")
            state.documents[path] = None if found is None else (*map(_count, found[:3]), str(found[3]))  # type: ignore[assignment]
        return state
    except NotAMirrorError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotAMirrorError("it is damaged") from error


def is_document(path: str) -> bool:
    """Return whether a file is mirrored as a whole: what history versions, but for what tells that the agent moved."""
    return "\0" not in path and path != layout.MOVED and layout.is_document(path)


def blob_of(path: str) -> str:
    """The digest by which a blob is called that stands at `path`; empty where none does."""
    parts = path.split("/")
    is_blob = len(parts) == 4 and (parts[0], parts[2]) == (layout.JOURNAL, "blobs") and _is_hex(parts[1], _ID_DIGITS)
    return parts[3] if is_blob and _is_hex(parts[3], _DIGEST_DIGITS) else ""


def _place(path: str) -> tuple[str, int]:
    """Writer and number of the segment at `path`; ValueError for any other path."""
    top, writer, name = path.split("/")
    number = segment.number_of(name)
    if top != layout.JOURNAL or not _is_hex(writer, _ID_DIGITS) or not number:
        raise ValueError(path)
    return writer, number


def _is_hex(text: str, digits: int) -> bool:
    return len(text) == digits and not text.strip(_HEX)


def _count(told: object) -> int:
    if type(told) is not int or told < 0:
        raise ValueError(told)
    return told
