"""Checkpoints: the state of a task at one moment, as JSON that never changes. See docs/format/checkpoint.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agentws.core import Record, Result
from agentws.core.formats import digest, layout
from agentws.core.formats.json import plainjson
from agentws.errors import DamagedError

Blobs = dict[str, str]
"""The digest of a text by the JSON pointer of the place where it belongs."""


VERSION = 1
SUFFIX = ".json"
BLOB_BYTES = 65_536
"""A longer text of a state is stored in a separate file, once for all checkpoints."""
HEADER_BYTES = 16_384
"""No first line is longer."""
LONGEST_LABEL = 200
_DIGITS, _TAIL = 6, 6
_COMPACT = (",", ":")
_DAMAGED = "Restore the file from a backup, or take another checkpoint: agentws checkpoint list"


class Header(Result):
    """The first line of a checkpoint file: its metadata, without the state.

    `id` is unique within its task, `seq` counts from 1, `parent` is the id of the checkpoint that it follows or None.
    `at` is ISO 8601 in UTC, `schema` (name, version) or None. `size` is that of the state in bytes, `redacted` how many
    secrets were taken out of it, `audience` `shared` where a shared session made it, else empty.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        known = dict(fields)
        self.id = ""
        self.task: str = str(known.pop("task"))
        self.seq: int = int(known.pop("seq"))
        self.parent: str | None = _word(known.pop("parent", None))
        self.at: str = str(known.pop("at"))
        self.label: str = str(known.pop("label", ""))
        self.writer: str = str(known.pop("writer", ""))
        self.session: str | None = _word(known.pop("session", None))
        schema = known.pop("schema", None)
        self.schema: tuple[str, int] | None = (str(schema["name"]), int(schema["version"])) if schema else None
        self.size: int = int(known.pop("bytes"))
        self.digest: str = str(known.pop("digest"))
        self.redacted: int = int(known.pop("redacted", 0))
        self.audience: str = str(known.pop("audience", ""))
        known.pop("agentws", None)
        self.rest = known

    def plain(self) -> dict[str, object]:
        """Return the checkpoint header's fields as the file holds them, unknown ones included."""
        schema = {"name": self.schema[0], "version": self.schema[1]} if self.schema else None
        return {
            "agentws": VERSION,
            "task": self.task,
            "seq": self.seq,
            "parent": self.parent,
            "at": self.at,
            "label": self.label,
            "schema": schema,
            "writer": self.writer,
            "session": self.session,
            **({"audience": self.audience} if self.audience else {}),
            **({"redacted": self.redacted} if self.redacted else {}),
            **self.rest,
            "bytes": self.size,
            "digest": self.digest,
        }


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


class Body:
    """The encoded state of a checkpoint: the lines after the header, and its long texts by digest."""

    def __init__(self, content: bytes, blobs: dict[str, bytes], size: int) -> None:
        self.content = content
        self.blobs = blobs
        self.size = size
        self.digest = digest.of(content)


class Encoded(Record):
    """An encoded checkpoint: its `header` with the id, the content of its file, and its `blobs` by digest."""

    header: Header
    content: bytes
    blobs: dict[str, bytes]


def folder(task: str) -> layout.RelPath:
    """Return the folder of a task's checkpoints."""
    return f"{layout.CHECKPOINTS}/{task}"


def path(task: str, id: str) -> layout.RelPath:
    """Return the path of a checkpoint's file."""
    return f"{folder(task)}/{id}{SUFFIX}"


def blob_path(name: str) -> layout.RelPath:
    """Return the path of a checkpoint's long text, named by the digest of its content."""
    return f"{BLOBS}/{name}"


BLOBS = f"{layout.CHECKPOINTS}/blobs"


is_blob = layout.is_checkpoint_text
id_of = layout.checkpoint_id


def seq_of(id: str) -> int:
    """Return the sequence number in a checkpoint's id."""
    return int(id.partition("-")[0])


def body(state: Any) -> Body:
    """Return the encoded lines of a checkpoint's plain state."""
    contents: dict[str, bytes] = {}
    places: Blobs = {}

    def take(place: str, text: str) -> bool:
        if len(text) < BLOB_BYTES:
            return False
        content = text.encode("utf-8", "surrogatepass")
        places[place] = digest.of(content)
        contents[places[place]] = content
        return True

    left = _taken(state, "", take) if _is_long(state) else state
    state_json = plainjson.dumps(left, separators=_COMPACT)
    lines = f'"blobs":{plainjson.dumps(places, separators=_COMPACT)},\n"state":{state_json}}}\n'
    return Body(lines.encode("ascii"), contents, len(state_json) + sum(map(len, contents.values())))


def encode(fields: Mapping[str, object], made: Body) -> Encoded:
    """Return the checkpoint file for a state; `fields` are those of the header except size and digest."""
    header = Header({**fields, "bytes": made.size, "digest": made.digest})
    first = plainjson.dumps(header.plain(), separators=_COMPACT)[:-1].encode("ascii") + b",\n"
    header.id = f"{header.seq:0{_DIGITS}}-{digest.of(first)[:_TAIL]}"
    return Encoded(header, first + made.content, made.blobs)


def header(data: bytes, *, id: str, where: str) -> Header:
    """Return the header at the beginning of a checkpoint file; DamagedError without one."""
    first, newline, _ = data.partition(b"\n")
    try:
        if not newline or not first.endswith(b","):
            raise ValueError
        decoded = Header(plainjson.loads(first[:-1] + b"}"))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedError(f"{where}: not a checkpoint.", hint=_DAMAGED) from error
    if f"{decoded.seq:0{_DIGITS}}-{digest.of(first + newline)[:_TAIL]}" != id:
        raise DamagedError(f"{where}: its first line was changed.", hint=_DAMAGED)
    decoded.id = id
    return decoded


def state(data: bytes, head: Header, read: Callable[[str], bytes], *, where: str) -> Any:
    """Return the state in a checkpoint file with its long texts; DamagedError if it fails its digest."""
    body = data.partition(b"\n")[2]
    if digest.of(body) != head.digest:
        raise DamagedError(f"{where}: its state was changed.", hint=_DAMAGED)
    try:
        decoded = plainjson.loads(b"{" + body)
        value = decoded["state"]
        for place, name in decoded["blobs"].items():
            content = read(name)
            if digest.of(content) != name:
                raise DamagedError(f"{blob_path(name)}: its content was changed.", hint=_DAMAGED)
            value = _put(value, place, content.decode("utf-8", "surrogatepass"))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise DamagedError(f"{where}: not a checkpoint.", hint=_DAMAGED) from error
    return value


def blobs(data: bytes) -> set[str]:
    """Return the digests of the long texts that a checkpoint needs, from the beginning of its file."""
    second = data.partition(b"\n")[2].partition(b"\n")[0]
    try:
        return set(plainjson.loads(second.removeprefix(b'"blobs":').removesuffix(b",")).values())
    except (ValueError, AttributeError) as error:
        raise DamagedError("A checkpoint names its long texts in no way that can be read.", hint=_DAMAGED) from error


def _is_long(value: Any) -> bool:
    """Return whether a value contains a long text."""
    if isinstance(value, str):
        return len(value) >= BLOB_BYTES
    return isinstance(value, dict | list) and any(map(_is_long, value.values() if isinstance(value, dict) else value))


def _taken(value: Any, place: str, take: Callable[[str, str], bool]) -> Any:
    """The value with None in place of each text that is taken."""
    if isinstance(value, str):
        return None if take(place, value) else value
    if isinstance(value, dict):
        return {key: _taken(item, f"{place}/{_escaped(key)}", take) for key, item in value.items()}
    if isinstance(value, list):
        return [_taken(item, f"{place}/{number}", take) for number, item in enumerate(value)]
    return value


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _put(value: Any, place: str, text: str) -> Any:
    if not place:
        return text
    *above, last = (part.replace("~1", "/").replace("~0", "~") for part in place[1:].split("/"))
    holder = value
    for part in above:
        holder = holder[int(part)] if isinstance(holder, list) else holder[part]
    holder[int(last) if isinstance(holder, list) else last] = text
    return value
