"""The files of a workspace, and its journal, as a shared audience may read them: everything else seems missing.

Features read through SharedFiles and need not know the audience. core/formats/documents/shared.py decides about
documents. Events of other sessions are blanked, and the bytes of a segment keep their places, so readers find events by
number, offset or reference as in any journal. See docs/guides/audience.md.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files
from agentws.core.disk.files import Files
from agentws.core.formats import audience, digest, layout
from agentws.core.formats.documents import shared
from agentws.core.formats.journal import chain, event, segment, summary
from agentws.core.formats.json import plainjson
from agentws.core.journal import line_check, read, select
from agentws.core.markdown import notes
from agentws.core.text import origin
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Any

    from agentws.core.formats.journal.event import Event

    Span = tuple[int, int | None]
    """The numbers of the first and the last event of a private stretch; None if it has no end yet."""

_KIND, _BODY = b',"kind":"', b',"body":'
_PREV, _DIGEST = b'"prev":"', b',"digest":"'
_SAYS_NOTHING = (
    b',"kind":"'
    + event.HIDDEN.encode()
    + b'","session":null,"src":"agent","prev":"","digest":"","salt":null,"body":null'
)
_REFERENCES = ("open", "errors", "significant", "begun", "handed")
_LINE_BYTES = 1 << 16
_FOR_EVER = 1 << 62
_PROMPTS = (event.NOTE, event.STARTED)
_MOST_BYTES = 1 << 24
_ROOM = (layout.DAYS, layout.ARCHIVE, layout.TASKS, layout.CONTEXTS, layout.HANDOFFS, layout.APPROVALS)
_JOURNAL = f"{layout.JOURNAL}/"
_SEGMENTS = (".jsonl", _COMPRESSED := ".jsonl.gz")


class Shared:
    """The journal in `files` for a shared audience; `left_out` counts the sessions that are hidden.

    `private` are the tags that hide a prompt, and what follows it, from a shared audience; events of `unknown` writers
    are hidden. With `all_sessions`, only these hide anything: every session counts as shared. `known` is `plain` of an
    earlier one: only later events are read.
    """

    def __init__(
        self,
        files: Files,
        private: Sequence[str],
        unknown: Collection[str] = (),
        *,
        all_sessions: bool = False,
        known: Any = None,
    ) -> None:
        self._all_sessions = all_sessions
        self._files = files
        self._private = private
        self._unknown = frozenset(unknown)
        self._segments: dict[str, bytes] = {}
        self._names: dict[bytes, str] = {}
        self._spans: dict[tuple[str, str], list[Span]] = {}
        self._asked = [sorted(private), sorted(self._unknown), all_sessions]
        if not (known and known[0] == self._asked and self._learn(known)):
            self._learn((None, {}, {}, ()))
        names = [name for name, is_shared in self._shared.items() if is_shared]
        self._names = {f'"session":{plainjson.dumps(name)}'.encode(): name for name in names}
        self.left_out = len(self._shared) - len(self._names)

    def plain(self) -> list[Any]:
        """Return what was learned, and up to which event of each writer, as a JSON value."""
        return [self._asked, self._read, self._shared, [[*key, spans] for key, spans in self._spans.items()]]

    def content(self, path: str) -> bytes:
        """Return the complete bytes of the segment at `path`, blanked for the shared audience."""
        if path not in self._segments:
            _, writer, name = path.split("/")
            data = read.part(self._files, path, segment.LIMIT_BYTES << 2)[0]
            self._segments[path] = self._rewritten(writer, segment.number_of(name) or 0, data)
        return self._segments[path]

    def _learn(self, known: Sequence[Any]) -> bool:
        """Find which sessions were shared from start to end, and where a prompt made them private, in events behind the
        `known` ones. False if these are others now, or make a session private that counted as shared.
        """
        self._read, self._shared = dict(known[1]), dict(known[2])
        self._spans = {(writer, name): [(first, last) for first, last in spans] for writer, name, spans in known[3]}
        for writer in read.writers(self._files):
            if writer in self._unknown:
                continue
            newest = read.newest_line(self._files, writer)
            place = [segment.seq_in(newest), digest.of(newest)]
            seq, hash_ = self._read.get(writer, (0, ""))
            if place == [seq, hash_]:
                continue
            before = read.stored(self._files, writer, seq) if seq else (0, 0, b"")
            if before is None or hash_ not in ("", digest.of(before[2])):
                return False
            reader = select.Reader(self._files, select.Wanted(kinds=_PROMPTS), quotes=True)
            for entry in reader.behind(writer, seq):
                name = entry.session or ""
                if entry.kind == event.STARTED and name:
                    is_shared = self._shared.get(name, True) and self._began_shared(entry)
                    if known[2].get(name) and not is_shared:
                        return False
                    self._shared[name] = is_shared
                elif name and (self._all_sessions or self._shared.get(name)):
                    self._hear(entry)
            self._read[writer] = place
        return True

    def _began_shared(self, entry: Event) -> bool:
        body = self._body(entry)
        parent = str(body.get("parent") or "")
        if audience.of_value(body.get(audience.KEY)) != audience.SHARED:
            return False
        return not parent or (self._shared.get(parent, False) and not self._is_within(entry.writer, parent, entry.seq))

    def _hear(self, entry: Event) -> None:
        """Begin or end a private stretch of the session, if this event is a prompt."""
        body = self._body(entry)
        if not (entry.wrong or is_prompt(entry.src, body)):
            return
        spans = self._spans.setdefault((entry.writer, str(entry.session)), [])
        if spans and spans[-1][1] is None:
            spans[-1] = (spans[-1][0], entry.seq - 1)
        if body.get("private") is True or notes.has_label(str(body.get("text")), self._private):
            spans.append((entry.seq, None))

    def _body(self, entry: Event) -> dict[str, Any]:
        try:
            return (None if entry.wrong else read.body(self._files, entry)) or {"private": True}
        except AgentwsError:
            return {"private": True}  # it cannot be known what it said

    def _is_within(self, writer: str, session: str, seq: int) -> bool:
        spans = self._spans.get((writer, session), ())
        return any(first <= seq <= (_FOR_EVER if last is None else last) for first, last in spans)

    def hears(self, writer: str, line: bytes) -> bool:
        """Return whether this line is an event of a shared session, outside of what a prompt made private."""
        is_named = self._all_sessions or any(name in line for name in self._names)
        if writer in self._unknown or not is_named:
            return False
        try:
            entry = event.decode(line, writer=writer)
        except AgentwsError:
            return False
        is_shared = (self._all_sessions or entry.session in self._names.values()) and entry.kind not in event.STRUCTURE
        if not is_shared or self._is_within(writer, str(entry.session), entry.seq):
            return False
        body = self._body(entry) if entry.body and summary.is_blob(entry.body) else entry.body
        is_private = isinstance(body, dict) and body.get("private") is True
        return not is_private and not any(notes.has_label(text, self._private) for text in _texts(body))

    def _rewritten(self, writer: str, number: int, data: bytes) -> bytes:
        lines = data.split(b"\n")[:-1]  # what has no end yet is passed over by every reader
        parts: list[bytes] = []
        offset = 0
        for before, line, after in zip([b"", *lines], lines, [*lines[1:], b""], strict=False):
            is_heard = self.hears(writer, line)
            if is_heard and not line_check.wrong_in(self._files, writer, number, offset, line, after):
                parts.append(_linked(line, parts[-1]) if parts and _follows(line, before) else line)
            else:
                parts.append(self._silent(writer, line))
            offset += len(line) + 1
        return b"\n".join([*parts, b""])

    def _silent(self, writer: str, line: bytes) -> bytes:
        """Return a blank line of the same length; for the first line of a segment, one with its visible references."""
        before, kind, _ = line.partition(_KIND)
        if not kind:
            return b" " * len(line)
        if line.startswith(b'%s%s%s"' % (before, _KIND, event.OPENED.encode())):
            head, _, _ = line.partition(_BODY)
            body = self._opened(writer, line)
            if len(head) + len(_BODY) + len(body) < len(line):
                return _unlinked(_digested((head + _BODY + body).ljust(len(line) - 1) + b"}"))
        return (before + _SAYS_NOTHING).ljust(len(line) - 1)[: len(line) - 1] + b"}"

    def _opened(self, writer: str, line: bytes) -> bytes:
        """Return the body of a segment's first line, without references to hidden events."""
        try:
            body: dict[str, Any] = dict(plainjson.loads(line)["body"] or {})
        except (ValueError, TypeError, KeyError):
            return b'{"v":1}'
        for name in _REFERENCES:
            value = body.get(name)
            body[name] = [ref for ref in value if self._may_be_named(writer, ref)] if isinstance(value, list) else []
        known = set(self._names.values())
        body["sessions"] = [item for item in body.get("sessions", ()) if isinstance(item, str) and item in known]
        body["ended"] = []
        body["overflowed"] = {}
        return plainjson.dumps(body, separators=(",", ":")).encode()

    def _may_be_named(self, writer: str, ref: Any) -> bool:
        try:
            line = read.piece(self._files, segment.path(writer, ref["segment"]), ref["offset"], _LINE_BYTES)
            line = line.partition(b"\n")[0]
            return line.startswith(b'{"agentws":1,"seq":%d,' % ref["seq"]) and self.hears(writer, line)
        except (AgentwsError, TypeError, KeyError, ValueError):
            return False


class SharedFiles(Files):
    """A read-only view of files for a shared audience. `left_out` counts what was requested and is hidden.

    `private` are the tags that hide text from a shared audience; `unknown` returns the writers whose word that a
    session was shared is not trusted.
    """

    __slots__ = ("_contents", "_files", "_hidden", "_journal", "_private", "_unknown")

    is_view = True

    def __init__(self, files: Files, private: Sequence[str], *, unknown: Callable[[], set[str]] = set) -> None:
        super().__init__(files.root, patience_s=files.patience_s)
        self._files = files
        self._private = shared.labels(private)
        self._unknown = unknown
        self._contents: dict[str, bytes | None] = {}
        self._hidden: dict[str, int] = {}
        self._journal: Shared | None = None

    def over(self, files: Files) -> SharedFiles:
        """Return the same view of other files."""
        return SharedFiles(files, self._private, unknown=self._unknown)

    @property
    def left_out(self) -> int:
        """The number of things hidden from the shared audience: documents, entries of logs, sessions."""
        return sum(self._hidden.values()) + (self._journal.left_out if self._journal else 0)

    def real(self, path: str) -> str:
        """Return the same as Files.real: names of files are not private."""
        return self._files.real(path)

    def part(self, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, int]:
        """Read like Files.part, limited to the visible content."""
        if self._is_plain(path):
            return self._files.part(path, limit_bytes, from_end=from_end)
        data = self._content(path)
        start = max(0, len(data) - limit_bytes) if from_end else 0
        return data[start : start + limit_bytes], len(data)

    def piece(self, path: str, offset_bytes: int, limit_bytes: int) -> bytes:
        """Read like Files.piece, limited to the visible content."""
        if self._is_plain(path):
            return self._files.piece(path, offset_bytes, limit_bytes)
        return self._content(path)[offset_bytes : offset_bytes + limit_bytes]

    def open(self, path: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        """Open like Files.open a copy of the visible content."""
        if self._is_plain(path):
            return self._files.open(path, flags, mode)
        import tempfile

        with tempfile.TemporaryFile() as copy:
            _files.write_all(copy.fileno(), self._content(path))
            return os.dup(copy.fileno())

    def read_with_status(self, path: str) -> tuple[bytes, os.stat_result]:
        """Read like Files.read_with_status, limited to the visible content."""
        return self.read(path), self._files.status(path)

    def status(self, path: str) -> os.stat_result:
        """Return the status like Files.status; hidden files are missing."""
        if not self.exists(path):
            raise _missing(path)
        return self._files.status(path)

    def size(self, path: str) -> int:
        """Return the size of the visible content in bytes."""
        return self._files.size(path) if self._is_plain(path) else len(self._content(path))

    def exists(self, path: str) -> bool:
        """Return whether a path exists and is visible."""
        if self._is_plain(path) or path in _ROOM or path.startswith(_JOURNAL):
            return self._files.exists(path)
        return self._heard(path) is not None

    def unsorted(self, folder: str) -> list[str]:
        """Return the visible names in a folder, like Files.unsorted."""
        if self._is_plain(folder) or folder.startswith(_JOURNAL):
            return self._files.unsorted(folder)
        return [name for name, _ in self.names(folder)]

    def names(self, folder: str = "") -> list[tuple[str, str]]:
        """Return the visible (name, kind) pairs of a folder, like Files.names."""
        names = self._files.names(folder)
        if folder and (self._is_plain(folder) or f"{folder}/".startswith(_JOURNAL)):
            return names
        above = f"{folder}/" if folder else ""
        return [(name, kind) for name, kind in names if self._is_named(above + name, kind)]

    def stamped_names(self, folder: str = "") -> list[tuple[str, str, str]]:
        """Return `names` with empty stamps, since stamps describe the full files."""
        return [(name, kind, "") for name, kind in self.names(folder)]

    def _is_named(self, path: str, kind: str) -> bool:
        if shared.is_own(path):
            return True
        if kind == "folder":
            return path in _ROOM or path.startswith(f"{layout.ARCHIVE}/")
        return kind == "file" and self._heard(path) is not None

    def _is_plain(self, path: str) -> bool:
        """Return whether a path is read unchanged: neither a document nor a segment of the journal."""
        return shared.is_own(path) and not (path.startswith(_JOURNAL) and path.endswith(_SEGMENTS))

    def _content(self, path: str) -> bytes:
        if path.endswith(_COMPRESSED) and path.startswith(_JOURNAL):
            raise _missing(path)  # its lines are read at the path that they had
        if path.startswith(_JOURNAL):
            if self._journal is None:
                self._journal = Shared(self._files, self._private, self._unknown())
            return self._journal.content(path)
        data = self._heard(path)
        if data is None:
            raise _missing(path)
        return data

    def _heard(self, path: str) -> bytes | None:
        """Return the visible content of the document at `path`, None if nothing is visible or it is missing."""
        if path not in self._contents:
            self._contents[path] = self._decided(path)
        return self._contents[path]

    def _decided(self, path: str) -> bytes | None:
        if not shared.may_be_heard(path):
            self._hidden[path] = int(path.endswith(".md") and self._files.exists(path))
            return None
        try:
            data = self._files.read(path, limit_bytes=_MOST_BYTES)
        except AgentwsError:
            return None  # the main audience gets the error
        visible = shared.visible(path, data, self._private)
        self._hidden[path] = visible.left_out
        return visible.data


def _follows(line: bytes, before: bytes) -> bool:
    try:
        return chain.names(line, before)
    except ValueError:
        return False  # the line before is not an event


def _linked(line: bytes, before: bytes) -> bytes:
    """Return a visible line, linked to the line before it as that is now."""
    head, named, rest = line.partition(_PREV)
    try:
        hash_ = chain.hash_of(before).encode()
    except ValueError:
        return line
    return head + named + hash_ + rest[len(hash_) :]


def _unlinked(line: bytes) -> bytes:
    """Return a line of the same length without its link, since the line before it may be blanked."""
    before, named, rest = line.partition(_PREV)
    hash_, quote, rest = rest.partition(b'"')
    return (before + named + quote + rest[:-1]).ljust(len(line) - 1) + rest[-1:] if hash_ else line


def _digested(line: bytes) -> bytes:
    """Return a line whose header has the digest of its present tail."""
    head, split, tail = line.partition(chain.SPLIT)
    claim = digest.of(split[1:] + tail[:-1]).encode()
    before, named, _ = head.partition(_DIGEST)
    return before + named + claim + b'"' + split + tail


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts within a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def is_prompt(src: str, body: dict[str, Any]) -> bool:
    """Return whether an event is a typed prompt: by the user, or in a shared session by anybody."""
    return src == event.USER or (body.get("prompt") is True and origin.class_of(src) == origin.NET)


def _missing(path: str) -> MissingFileError:
    return MissingFileError(f"{path}: not found.")
