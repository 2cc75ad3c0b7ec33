"""The target of a reference: a line of a file or an event, its words, and their origin."""

from __future__ import annotations

import posixpath

from agentws.core import Record
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.documents import document, fields, managed, sources
from agentws.core.formats.journal import event
from agentws.core.journal import line_check, read as _read
from agentws.core.markdown import markdown
from agentws.core.stores import provenance, writer_trust
from agentws.core.stores.stores import Stores
from agentws.core.text import origin
from agentws.errors import AgentwsError, DamagedError, MissingFileError, UsageError

_MOST_DIGITS = 10
_HINT = "Write FILE:LINE, such as MEMORY.md:12. The first line is 1."


class Referent(Record):
    """The target of a reference: `ref` as it is recorded, its `text`, its source `src`, the `lines` it covers.

    `at` is the moment of an event (ISO), empty for a line.
    """

    ref: str
    text: str
    src: str
    lines: tuple[sources.Source, ...] = ()
    at: str = ""


def find(stores: Stores, ref: str) -> Referent:
    """Return the referent of `ref`: the line of FILE:LINE or the event WRITER:SEQ. UsageError, MissingFileError."""
    name = ref.rpartition(":")[0]
    return _line(stores.files, stores.root, ref) if "." in name or "/" in name else _event(stores, ref)


def place(root: str, text: str) -> tuple[str, int]:
    """Return (RelPath, line) of a reference FILE:LINE; UsageError if invalid or outside of the workspace `root`."""
    path, _, number = text.rpartition(":")
    if not (path and number.isascii() and number.isdigit() and len(number) < _MOST_DIGITS):
        raise UsageError(f"{text!r} does not name a line.", hint=_HINT)
    path = within(root, path)
    usual = layout.usual(path)
    return (usual if Files(root).real(usual) == path else path), int(number)


def line_of(data: bytes, path: str, line: int) -> str:
    """Return the line of a file that is referred to, 1-based; UsageError if it has no such line."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    count = len(lines) - (not lines[-1])
    if not 1 <= line <= count:
        raise UsageError(f"{path} has no line {line}: the file has {count}.", hint=_HINT)
    return lines[line - 1].strip("\r")


def read(files: Files, path: str) -> bytes:
    """Return the content of a file that a reference names; UsageError if it does not exist."""
    try:
        return files.read(path)
    except MissingFileError as error:
        raise UsageError(f"{path} does not exist.", hint=_HINT) from error


def within(root: str, path: str, *, hint: str = _HINT) -> str:
    """Return the RelPath of a path in a reference, `./MEMORY.md` or absolute; UsageError outside of the workspace."""
    root = root.rstrip("/")
    plain = posixpath.normpath(path) if path else ""
    if plain.startswith(f"{root}/"):
        plain = plain.removeprefix(f"{root}/")
    if not plain or plain == "." or plain.startswith(("../", "/")) or plain == "..":
        raise UsageError(f"{path!r} is not a file of this workspace.", hint=hint)
    return plain


def _line(files: Files, root: str, ref: str) -> Referent:
    path, line = place(root, ref)
    path = provenance.place(files, path, sources.Sidecar())
    data = read(files, path)
    line_of(data, path, line)
    text = data.decode("utf-8", "surrogateescape")
    unit = next((passage for passage in markdown.units(text) if passage.line <= line <= passage.end_line), None)
    if unit is None:
        raise UsageError(f"{ref} is empty, a heading or a table.", hint="Name a line of a list or a paragraph.")
    messages = unit.text.rstrip("\n").split("\n")
    own = messages if line == unit.line else messages[line - unit.line :][:1]
    end = line + len(own) - 1
    of = sources.Source(path, line, end, sources.of_lines(data, line, end))
    words = unit.text[markdown.marker(unit.text) :]
    made = _made(files, path, words)
    src = origin.lowest([source(data, path, line, end), (made and made.src) or origin.UNKNOWN])
    # A line of MEMORY.md moves with each run of compaction; what it was made of stays to be found.
    return Referent(f"{path}:{line}", _plain_text(own), src, made.sources if made else (of,))


def source(data: bytes, path: str, line: int, end: int) -> str:
    """Return the origin of the lines referred to: by their marks, and by the header of a task, handoff or context."""
    return origin.lowest([provenance.of_lines(data, line, end), _of_document(data, path) or origin.UNKNOWN])


def _of_document(data: bytes, path: str) -> str:
    """Return the source in the header of a task, a handoff or a context; empty for none."""
    try:
        return fields.source(document.decode(data, where=path))
    except AgentwsError:
        return ""


def _made(files: Files, path: str, words: str) -> sources.Made | None:
    """Return how an entry of MEMORY.md or of the digest was made; None for any other line."""
    if layout.usual(path) not in (layout.MEMORY, layout.DIGEST):
        return None
    return sources.decode(provenance.text_of(files, sources.PATH)).made.get(managed.of_text(words))


def _plain_text(lines: list[str]) -> str:
    """Return the text of an entry without its bullet, the time of a log, and the trailing origin."""
    first = lines[0][markdown.marker(lines[0]) :].strip()
    if first[2:3] == ":" and first[:2].isdigit() and first[3:5].isdigit() and first[5:6] == " ":
        first = first[6:]
    while origin.of_line(first):
        first = first[: first.rindex("(via ")].rstrip()
    return "\n".join([first, *(line[2:] if line.startswith("  ") else line for line in lines[1:])]).rstrip()


def _event(stores: Stores, ref: str) -> Referent:
    writer, seq = _read.cursor(stores.files, ref)
    entry = writer_trust.of(stores).marked(_read.find(stores.files, writer, seq))
    if entry.kind == event.HIDDEN:
        raise MissingFileError(f"No event {entry.cursor}.", hint="To list the events: agentws journal list")
    if wrong := line_check.wrong_of(stores.files, entry):
        raise DamagedError(f"{entry.cursor} {wrong}.", hint=line_check.VERIFY)
    body = entry.body or {}
    message = next((text for key in ("text", "output") if isinstance(text := body.get(key), str)), "")
    return Referent(entry.cursor, message.strip(), entry.src or origin.AGENT, at=entry.at)
