"""Versions of all documents that `watch` compares (history and files on disk), and agentws's own changes since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agentws.core.disk import local_dir
from agentws.core.disk.change import undo_record
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.states import versions as _versions
from agentws.core.states.past import Past
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, TooLargeError
from agentws.features.automation.watch.plan.ownership import Append, Replacement, Step

_MOST_STATES = 50
_MOST_HELD_BYTES = 8 << 20
"""How much of the contents that no state of history holds stays in memory; of the rest only sizes are compared."""
_OWN = "="
"""The prefix of the id of a content that git does not hold."""


@dataclass(slots=True)
class Document:
    """A version of a document: the `id` of its content, and its `size` (bytes; 0 if only git knows it)."""

    id: str
    size: int = field(default=0, compare=False)


class Versions:
    """The versions of all documents at one moment.

    Fields:
        state: the id of the state of history, empty for none.
        apart: by path, (id, bytes) of the documents that this state does not hold.
    """

    __slots__ = ("_documents", "_ids", "_past", "_read", "apart", "state")

    def __init__(
        self, past: Past | None, state: str, apart: dict[str, tuple[str, int]], read: dict[str, bytes] | None = None
    ) -> None:
        self.state = state
        self.apart = apart
        self._past = past
        self._read = read or {}
        self._ids = past.tree(state) if past is not None and state else {}
        self._documents: dict[str, Document] | None = None

    @property
    def documents(self) -> dict[str, Document]:
        """By path, the version of each document; made at first use, after the state of a look was recorded."""
        if self._documents is None:
            self._documents = {path: Document(id) for path, id in self._ids.items() if layout.is_document(path)}
            self._documents |= {path: Document(id, size) for path, (id, size) in self.apart.items()}
        return self._documents

    def contents(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Return the known contents of these documents' versions, by path."""
        wanted = {path: self.documents[path].id for path in paths if path in self.documents}
        contents = {path: self._read[path] for path in wanted if path in self._read}
        ids = {path: id for path, id in wanted.items() if not id.startswith(_OWN)}
        if self._past is not None and ids:
            held = _read(self._past, list(ids.values()))
            contents |= {path: held[id] for path, id in ids.items() if id in held}
            for path in ids:
                self.documents[path].size = len(contents.get(path, b""))
        return contents

    def earlier(self, path: str) -> dict[str, bytes]:
        """Return earlier versions of the document at `path` in the newest states of history: digest → content."""
        if self._past is None:
            return {}
        states = [state[0] for state, _ in self._past.touching([path])[:_MOST_STATES]]
        ids = self._past.contents_of([(state, path) for state in states])
        return {digest.of(data): data for data in _read(self._past, ids).values()}


def _read(past: Past, ids: list[str]) -> dict[str, bytes]:
    """Return id → content, without contents that are too large to be compared."""
    try:
        return past.read(ids)
    except TooLargeError:
        contents: dict[str, bytes] = {}
        for id in ids if len(ids) > 1 else ():
            contents |= _read(past, [id])
        return contents


def is_content(document: Document, data: bytes | None) -> bool:
    """Return whether a content is that of a document which git did not hold yet."""
    return data is not None and document.id == _own_id(data)


def _own_id(data: bytes) -> str:
    return f"{_OWN}{digest.quick(data)}"


def present(stores: Stores, *, holds: bool = True) -> tuple[Versions, datetime | None]:
    """Return the present versions, of the newest state and of documents on disk that it lacks; and the state's time.

    Of the latter it `holds` the contents, up to a bound.
    """
    kept = _versions.open_newest(stores.files, stores.manifest, cache=stores.cache)
    newest = kept.newest() if kept is not None else None
    past = _versions.open_past(stores.files, stores.manifest) if newest is not None else None
    held = past.tree(newest[0]) if past is not None and newest is not None else {}
    apart: dict[str, tuple[str, int]] = {}
    read: dict[str, bytes] = {}
    left_bytes = _MOST_HELD_BYTES if holds else 0
    for path in _versions.paths(stores.files):
        if path in held:
            continue
        try:
            data = stores.files.read(path)
        except AgentwsError:
            continue
        apart[path] = _own_id(data), len(data)
        left_bytes -= len(data)
        if left_bytes >= 0:
            read[path] = data
    return Versions(past, newest[0] if newest else "", apart, read), newest[1] if newest else None


def earlier(stores: Stores, state: str, apart: dict[str, tuple[str, int]]) -> Versions | None:
    """Return the documents as an earlier look saw them; None if the repository does not have that state."""
    if not state:
        return Versions(None, "", apart)
    past = _versions.open_past(stores.files, stores.manifest)
    if past is None:
        return None
    try:
        return Versions(past, state, apart)
    except AgentwsError:
        return None


def newest(stores: Stores) -> str:
    """Return the id of history's newest state, which `watch` compares with; empty without one."""
    kept = _versions.open_newest(stores.files, stores.manifest, cache=stores.cache)
    return (kept.tip() if kept is not None else None) or ""


class OwnChanges:
    """agentws's own changes after a certain one, which `watch` does not report; the newest has the number `newest`.

    Fields:
        steps: the changes of each file, by path, the oldest first.
        forgotten: whether changes are missing, because they are not kept or were to be forgotten.
    """

    __slots__ = ("_oldest_kept", "forgotten", "newest", "steps")

    def __init__(self, files: Files, *, after: int | None, since: datetime | None) -> None:
        self.steps: dict[str, list[Step]] = {}
        self.forgotten = False
        self.newest = 0
        self._oldest_kept = min((int(name) for name, _ in files.names(local_dir.UNDO) if name.isdigit()), default=0)
        for at, record in enumerate(local_dir.changes(files)):
            number = record["number"]
            assert isinstance(number, int)
            if not at and number > 1:  # older ones are not kept
                self.forgotten = number > after + 1 if after is not None else _is_since(record, since)
            self.newest = max(self.newest, number)
            is_behind = number > after if after is not None else _is_since(record, since)
            if is_behind:
                self._add(files, record, number)

    def _add(self, files: Files, record: dict[str, Any], number: int) -> None:
        if record.get("change") == "log":
            path, offset, text = record.get("path"), record.get("offset"), record.get("text")
            if isinstance(path, str) and isinstance(offset, int) and isinstance(text, str):
                data = text.encode("utf-8", "surrogateescape")
                self._note(path, Append(offset, data, is_done=bool(record.get("done"))))
            return
        name = f"{local_dir.UNDO}/{number:06d}"
        try:
            fields = undo_record.read(files, name)
        except (AgentwsError, ValueError):
            # If older ones are kept, this one was interrupted and reverted: it changed nothing.
            self.forgotten = self.forgotten or number < self._oldest_kept
            return
        for index, step in enumerate(fields.get("changes", ())):
            self._step(files, name, index, step)

    def _step(self, files: Files, name: str, index: int, step: dict[str, Any]) -> None:
        path, to, before, after = (str(step.get(key) or "") for key in ("path", "to", "before", "after"))
        if not path:
            self.forgotten = True
            return
        old = None
        if before and not to:
            try:
                old = undo_record.old(files, name, index)
            except (AgentwsError, ValueError):
                pass
        self._note(path, Replacement(before, "" if to else after, old))
        if to:
            self._note(to, Replacement("", after or before, None))

    def _note(self, path: str, step: Step) -> None:
        self.steps.setdefault(path, []).append(step)


def _is_since(record: dict[str, object], since: datetime | None) -> bool:
    """Return whether a change was made at that moment or later; False if its time is unknown."""
    if since is None:
        return False
    try:
        return datetime.fromisoformat(str(record.get("at"))) >= since
    except (ValueError, TypeError):
        return False
