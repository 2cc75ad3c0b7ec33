"""Decides which parts of a document a shared audience may see. Pure.

A shared audience sees what shared sessions made, and the agent's identity: `SOUL.md`, `IDENTITY.md`, `AGENTS.md`; all
without anything tagged private. See docs/guides/audience.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentws.core import Record
from agentws.core.formats import audience, layout
from agentws.core.formats.documents import document, fields
from agentws.core.markdown import notes
from agentws.errors import AgentwsError

FOR_ALL = (layout.SOUL, layout.IDENTITY, layout.AGENTS)
"""Files that everybody may hear, without what is tagged private in them."""
_MADE = (f"{layout.HANDOFFS}/", f"{layout.TASKS}/", f"{layout.CONTEXTS}/", f"{layout.APPROVALS}/")
_OWN = (layout.MANIFEST, layout.LOCAL, layout.JOURNAL, "identity")
"""Paths of other files than documents: settings, local state, the journal (read event by event), and keys."""


class Heard(Record):
    """The part of a document that a shared audience may see.

    `data` is None if it may see nothing; `left_out` counts what is missing.
    """

    data: bytes | None
    left_out: int


def is_own(path: str) -> bool:
    """Return whether a path is one of agentws's own files, which no audience is shown as a document."""
    return path.partition("/")[0] in _OWN


def may_be_heard(path: str) -> bool:
    """Return whether any part of the file at this path could be for a shared audience."""
    folder, _, name = path.rpartition("/")
    if layout.usual(path) in FOR_ALL or path.startswith(_MADE):
        return path.endswith(".md")
    in_days = folder == layout.DAYS or folder.startswith(f"{layout.ARCHIVE}/")
    return in_days and layout.day_of(name) is not None


def labels(private_tags: Sequence[str]) -> tuple[str, ...]:
    """Return the tags that hide content from a shared audience, in lower case: `private`, and those configured."""
    return ("private", *(tag.lstrip("#").casefold() for tag in private_tags))


def visible(path: str, data: bytes, private: Sequence[str]) -> Heard:
    """Return the part of the document at `path` that a shared audience may see; `private` are the hiding tags."""
    if not may_be_heard(path):
        return Heard(None, 1)
    day = layout.day_of(path.rpartition("/")[2])
    if day is not None and path.startswith(f"{layout.DAYS}/"):
        text = data.decode("utf-8", "surrogateescape")
        all_notes = notes.read(text)
        kept = [note.unit.text for note in all_notes if _is_shared(note) and not _is_private(note, private)]
        left_out = len(all_notes) - len(kept)
        if not kept:
            return Heard(None, left_out)
        return Heard(_joined([f"# {day}\n\n", *kept]), left_out)
    try:
        read = document.decode(data, where=path)
    except AgentwsError:
        return Heard(None, 1)  # whom it is for stands in the header that cannot be read
    is_for_all = layout.usual(path) in FOR_ALL or audience.of_value(read.fields.get(audience.KEY)) == audience.SHARED
    if not is_for_all or not set(private).isdisjoint(fields.labels(read)):
        return Heard(None, 1)
    return _without_private(data, read.body, private)


def without_private(path: str, data: bytes, private: Sequence[str]) -> bytes | None:
    """Return a document without the blocks tagged `private`; None if it is tagged itself or cannot be read."""
    try:
        read = document.decode(data, where=path)
    except AgentwsError:
        return None
    if not set(private).isdisjoint(fields.labels(read)):
        return None
    return _without_private(data, read.body, private).data


def in_place(whole: bytes, part: bytes) -> bytes:
    """Return a part of a document with its lines at the numbers that they have in the whole document: empty lines
    replace what is missing. The part as it is if it has other lines.
    """
    if part == whole:
        return part
    lines, placed = whole.split(b"\n"), list[bytes]()
    for line in filter(bytes.strip, part.split(b"\n")):
        try:
            number = lines.index(line, len(placed))
        except ValueError:
            return part
        placed += [b""] * (number - len(placed)) + [line]
    return b"\n".join([*placed, b""])


def _is_shared(note: notes.Note) -> bool:
    return audience.of_entry(note.unit.text.partition("\n")[0]) == audience.SHARED


def _is_private(note: notes.Note, private: Sequence[str]) -> bool:
    return notes.has_label("\n".join((*note.unit.path, note.unit.head, note.unit.text)), private)


def _without_private(data: bytes, body: str, private: Sequence[str]) -> Heard:
    """The document without what is tagged private in it."""
    text = data.decode("utf-8", "surrogateescape")
    if not notes.has_label(text, private):
        return Heard(data, 0)
    all_notes = notes.read(body)
    kept = [note for note in all_notes if not _is_private(note, private)]
    parts = [text[: len(text) - len(body)] if text.endswith(body) else ""]
    above: tuple[str, ...] = ()
    head = ""
    for note in kept:
        parts += [f"\n{'#' * (depth + 1)} {words}\n\n" for depth, words in _new(note.unit.path, above)]
        above = note.unit.path
        parts += [note.unit.head if note.unit.head != head else "", note.unit.text]
        head = note.unit.head
    return Heard(_joined(parts), max(1, len(all_notes) - len(kept)))


def _new(path: Sequence[str], above: Sequence[str]) -> list[tuple[int, str]]:
    """(depth, words) of the headings of `path` that `above` does not share from the outermost on."""
    same = 0
    while same < min(len(path), len(above)) and path[same] == above[same]:
        same += 1
    return list(enumerate(path))[same:]


def _joined(parts: Sequence[str]) -> bytes:
    ended_parts = (part if part.endswith("\n") else f"{part}\n" for part in parts if part)
    return "".join(ended_parts).encode("utf-8", "surrogateescape")
