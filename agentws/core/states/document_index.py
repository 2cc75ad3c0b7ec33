"""An index of the documents for history: finds those that may differ from the newest state, by cached file stamps.

Like git's own index, it decides by a file's status whether the file has to be read.
"""

from __future__ import annotations

import os
import struct

from agentws.core.disk import lock
from agentws.core.disk.dir_cache import Listed, moment
from agentws.core.formats import layout
from agentws.core.formats.secrets import secrets
from agentws.errors import AgentwsError, MissingFileError, OutsideProgramError, UnsafeFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any

    from agentws.core.disk.cache import Cache
    from agentws.core.disk.files import Files
    from agentws.core.states.git_history import GitHistory

_ENTRY = "documents"
_FIELDS = struct.Struct("=4q")
_ROW_BYTES = _FIELDS.size
_UNKNOWN = bytes(_ROW_BYTES)
"""The row of a file that is read each time."""
_FEW = 16
_COARSEST_NS = 2_000_000_000
_LOCK = f"{layout.LOCAL}/{lock.HISTORY}.lock"


class _Folder:
    """The documents of a folder by `names`, with the `rows` of their status, and its subfolders `inner`.

    The `listing` holds every name in the system's order, including those `skipped`. If names alone do not show which
    are documents, it holds only the documents, so that it never equals the system's listing.
    """

    def __init__(self, listing: str, skipped: Sequence[str], inner: Sequence[str], rows: bytes = b"") -> None:
        self.listing = listing
        self.skipped = skipped
        self.inner = inner
        self.rows = rows
        self.names = listing.split("/") if listing else []  # no name holds a slash
        if skipped:
            self.names = [name for name in self.names if name not in skipped]

    def plain(self) -> tuple[list[Any], tuple[bytes, bytes]]:
        """Return its small values with the sizes of the large ones, and the large ones."""
        listing = self.listing.encode("utf-8", "surrogateescape")
        return ["/".join(self.skipped), "/".join(self.inner), len(listing), len(self.rows)], (listing, self.rows)

    def settle(self, rows: dict[str, bytes | None]) -> None:
        """Set the rows of these documents; a None row removes the document."""
        parts = bytearray(self.rows)
        place = {name: at for at, name in enumerate(self.names)}.get if len(rows) > _FEW else self.names.index
        for name, row in rows.items():
            at = (place(name) or 0) * _ROW_BYTES
            parts[at : at + _ROW_BYTES] = row or _UNKNOWN
        self.rows = bytes(parts)
        if None in rows.values():
            left = {name: row for name, row in zip(self.names, _parts(self.rows), strict=True) if rows.get(name, row)}
            self.names, self.rows = list(left), b"".join(left.values())
            self.listing, self.skipped = "/".join(left), ()


class DocumentIndex:
    """The documents after `look`: the content of those `read` because they may differ from the state `since`, those
    `gone` from it, `secretive` ones that are held back, and the reasons for `unread` ones.

    Used under the lock of history, so that later changes are not mistaken for what was read.
    """

    def __init__(self, files: Files, include: Collection[str], history: GitHistory, cache: Cache | None) -> None:
        self.read: dict[str, bytes] = {}
        self.gone: list[str] = []
        self.secretive: list[str] = []
        self.unread: dict[str, str] = {}
        self.since: str | None = None
        self._files, self._include, self._history, self._cache = files, include, history, cache
        self._device, self._now_ns = moment(files.open(_LOCK, os.O_RDWR), _LOCK)
        kept, parts = cache.get_beside(_ENTRY) if cache is not None else (None, b"")
        self._state: str | None = kept[0] if kept else None
        self._known = _restored(kept[1], parts) if kept else {}
        self._found: dict[str, _Folder] = {}

    def look(self) -> None:
        """Check every document, and read those that may differ from the newest state."""
        self.read, self.gone, self.secretive, self.unread, self._found = {}, [], [], {}, {}
        self.since = self._history.tip()
        others = self._others_in_state()
        folders = [""]
        while folders:
            folder = folders.pop()
            files = Listed(self._files.root)
            try:
                current = self._folder(files, folder, others)
            finally:
                files.close()
            self._found[folder] = current
            folders += [_within(folder, name) for name in current.inner]
        self.gone = [*(path for path in others or () if not self._is_found(path)), *self._gone_since_kept()]

    def keep(self, state: str | None) -> None:
        """Save the index in the cache, and drop it; `state` holds all documents that were not held back."""
        if self._cache is not None and state and (self.read or self.gone or state != self._state):
            made_by = [__file__, layout.__file__, *_rules()]
            folders: dict[str, list[Any]] = {}
            parts: list[bytes] = []
            for path, folder in self._found.items():
                folders[path], large = folder.plain()
                parts += large
            self._cache.put(_ENTRY, [state, folders], made_by=made_by, beside=b"".join(parts))
        self.read, self._found, self._known = {}, {}, {}

    def _others_in_state(self) -> Collection[str]:
        """Return the documents of the newest state that differ from the state that was indexed last."""
        if self.since and self.since == self._state:
            return ()
        try:
            before = self._history.ids(self._state) if self._state else {}
        except OutsideProgramError:  # it was taken away
            before = {}
        newest = self._history.ids(self.since) if self.since else {}
        if not before:
            self._known = {}
        return {path for path in before.keys() | newest.keys() if before.get(path) != newest.get(path)}

    def _folder(self, files: Listed, folder: str, others: Collection[str]) -> _Folder:
        was = self._known.get(folder) or _Folder("", [], [])
        listing = "/".join(files.unsorted(folder))
        result = _Folder(listing, was.skipped, was.inner) if listing and listing == was.listing else None
        changed = self._changed(files, folder, was, result, others) if result else []
        if result is None or not _are_files(files, folder, changed):
            result = _sorted_out(files, folder, listing)
            changed = self._changed(files, folder, was, result, others)
        if changed:
            result.settle({name: self._read(files, folder, name) for name in changed})
        return result

    def _changed(
        self, files: Listed, folder: str, was: _Folder, current: _Folder, others: Collection[str]
    ) -> list[str]:
        """Return the names of the documents to read; `current` gets the rows of all."""
        current.rows = _rows(files, folder, current.names, self._device)
        if not current.rows:
            current.rows = len(current.names) * _UNKNOWN
            return current.names[:]
        if current.names == was.names:
            changed = [current.names[at] for at in _differing(current.rows, was.rows, 0, len(was.rows))]
        else:
            before = dict(zip(was.names, _parts(was.rows), strict=True))
            now = zip(current.names, _parts(current.rows), strict=True)
            changed = [name for name, row in now if before.get(name) != row]
        if others:
            done = set(changed)
            changed += [name for name in current.names if name not in done and _within(folder, name) in others]
        return changed

    def _read(self, files: Listed, folder: str, name: str) -> bytes | None:
        """Read a document; returns its row, unknown if it must be read again next time, None if it is missing."""
        path = _within(folder, name)
        try:
            data, status = files.read_with_status(path)
        except (MissingFileError, UnsafeFileError):
            return None
        except AgentwsError as error:
            self.unread[path] = error.message
            return _UNKNOWN
        if path not in self._include and secrets.find(data.decode("utf-8", "replace")):
            self.secretive.append(path)
            return _UNKNOWN
        self.read[path] = data
        is_settled = status.st_dev == self._device and status.st_ctime_ns < self._now_ns - _COARSEST_NS
        try:
            return _row([status]) if is_settled and path not in self._include else _UNKNOWN
        except struct.error:  # a number of a file that no field of a row can hold
            return _UNKNOWN

    def _is_found(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return folder in self._found and name in self._found[folder].names

    def _gone_since_kept(self) -> list[str]:
        gone = []
        for folder, was in self._known.items():
            current = self._found.get(folder)
            if current is None or current.names != was.names:
                there = set(current.names if current else ())
                gone += [_within(folder, name) for name in was.names if name not in there]
        return gone


def _parts(rows: bytes) -> list[bytes]:
    return [rows[at : at + _ROW_BYTES] for at in range(0, len(rows), _ROW_BYTES)]


def _differing(ours: bytes, theirs: bytes, start: int, end: int) -> list[int]:
    """Return the numbers of the rows that differ, by comparing halves: there may be ten years of logs."""
    if ours[start:end] == theirs[start:end]:
        return []
    if end - start <= _ROW_BYTES:
        return [start // _ROW_BYTES]
    middle = start + (end - start) // (2 * _ROW_BYTES) * _ROW_BYTES
    return _differing(ours, theirs, start, middle) + _differing(ours, theirs, middle, end)


def _rows(files: Listed, folder: str, names: list[str], device: int) -> bytes:
    """Return the status rows of these files; empty if they cannot be read or are on another device."""
    try:
        fd, look = files.folder(folder), os.stat
        if os.fstat(fd).st_dev != device:
            return b""
        return _row(look(name, dir_fd=fd, follow_symlinks=False) for name in names)
    except (OSError, struct.error):
        return b""


def _row(statuses: Iterable[os.stat_result]) -> bytes:
    """Return the status rows of files, concatenated: a row changes whenever its file does."""
    rows = bytearray()
    for status in statuses:  # written out, since it runs for every file of many
        rows += _FIELDS.pack(status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino)
    return bytes(rows)


def _are_files(files: Listed, folder: str, names: list[str]) -> bool:
    try:
        return all(files.status(_within(folder, name)) for name in names)
    except AgentwsError:
        return False


def _sorted_out(files: Files, folder: str, listing: str) -> _Folder:
    """Return the documents of a folder, and its subfolders that may hold documents, by the kinds of the entries."""
    kinds = dict(files.names(folder))
    every = listing.split("/") if listing else []
    named = layout.documents(folder, every)
    names = {name for name in named if kinds.get(name) == "file"}
    skipped = [name for name in every if name not in names]
    # Also what is a file now: it may be a folder later, of the same name.
    inner = sorted(name for name in skipped if name[:1] != "." and layout.is_document(f"{_within(folder, name)}/x.md"))
    if len(names) < len(named):
        return _Folder("/".join(name for name in every if name in names), (), inner)
    return _Folder(listing, skipped, inner)


def _restored(folders: dict[str, list[Any]], parts: bytes) -> dict[str, _Folder]:
    result, start = {}, 0
    for path, (skipped, inner, listing_bytes, rows_bytes) in folders.items():
        middle = start + listing_bytes
        listing = parts[start:middle].decode("utf-8", "surrogateescape")
        start = middle + rows_bytes
        result[path] = _Folder(
            listing, skipped.split("/") if skipped else [], inner.split("/") if inner else [], parts[middle:start]
        )
    return result


def _within(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _rules() -> list[str]:
    """Return the program files that decide what a secret is."""
    own = os.path.dirname(secrets.__file__)
    folders = (own, f"{os.path.dirname(own)}/text")
    walked = [each for folder in folders for each in os.walk(folder)]  # nothing of a program in one file
    return sorted(f"{folder}/{name}" for folder, _, names in walked for name in names if name.endswith(".py"))
