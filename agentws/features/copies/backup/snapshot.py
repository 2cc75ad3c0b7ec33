"""Copy the workspace into a backup, consistent at one moment, while other processes write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentws.core.disk import lock
from agentws.core.formats import layout
from agentws.core.formats.travel.backup import Manifest, Marks
from agentws.core.formats.travel.inventory import FILE, FOLDER, LINK, Inventory, TreeEntry
from agentws.errors import ChangedUnderneathError
from agentws.features.copies.backup.store.part import Part
from agentws.features.copies.transfer.tree import Look, Opened, Tree
from agentws.features.copies.transfer.verified_copy import Progress

_ROUNDS = 6
_MOST_OPEN = 200
_OWN = (
    layout.JOURNAL,
    layout.DAYS,
    layout.TASKS,
    layout.HANDOFFS,
    layout.CONTEXTS,
    layout.CHECKPOINTS,
    "identity",
    ".git",
)


def unchanged(look: Look, path: str, before: Manifest | None) -> bool:
    """Return whether a file is unchanged since the previous backup, by its file status."""
    old = before.entries.get(path) if before else None
    new = look.entries[path]
    if before is None or old is None or path in look.texts or old.kind != FILE or new.kind != FILE:
        return False
    same = (old.size, old.mode, old.mtime_ns) == (new.size, new.mode, new.mtime_ns)
    return same and before.marks.get(path) == look.marks[path]


class Snapshot:
    """Copies the workspace of `source` into the partial backup `to`; unchanged files are shared with `before`.

    `entries` and `marks` are those of the copy.
    """

    def __init__(self, source: Tree, to: Part, before: Manifest | None, progress: Progress | None = None) -> None:
        self.entries: Inventory = {}
        self.marks: dict[str, Marks] = {}
        self.stripped: list[str] = []
        self.bytes = 0
        self._source = source
        self._part = to
        self._before = before
        self._progress = progress
        self._total = 0
        self._seen: dict[str, tuple[TreeEntry, Marks]] = {}

    def take(self, *, locked: bool) -> None:
        """Copy the workspace, then at one moment the files changed meanwhile; with `locked` under agentws's locks.

        ChangedUnderneathError if files change faster than they are copied.
        """
        look = self._source.look()
        self._total = sum(
            entry.size
            for path, entry in look.entries.items()
            if entry.kind == FILE and not unchanged(look, path, self._before)
        )
        self._bring(look, list(look.entries))
        for _ in range(_ROUNDS):
            with self._moment(locked):
                look = self._source.look()
                changed = self._differing(look)
                ours = [path for path in changed if self._is_own(look, path)]
                opened = self._open(ours) if len(ours) <= _MOST_OPEN else None
            if opened is not None:
                self._bring(look, changed, opened)
                self.stripped = look.stripped
                return
            self._bring(look, changed)
        raise ChangedUnderneathError(
            "Files change faster than they can be copied.", hint="Stop the programs that change them, then re-run."
        )

    @contextmanager
    def _moment(self, locked: bool) -> Iterator[None]:
        if not locked:
            yield
            return
        files = self._source.files
        with (
            lock.Lock(files, lock.TRANSACTION),
            lock.Lock(files, lock.HISTORY),
            lock.Lock(files, lock.APPEND),
        ):
            yield

    def _differing(self, look: Look) -> list[str]:
        """Return the paths that differ from the copy now."""
        return [
            path
            for path, entry in look.entries.items()
            if path not in self._seen or _state_of(self._seen[path]) != _state_of((entry, look.marks[path]))
        ]

    @staticmethod
    def _is_own(look: Look, path: str) -> bool:
        if look.entries[path].kind != FILE or path in look.texts:
            return False
        top, slash, _ = path.partition("/")
        return top in _OWN if slash else path.endswith(".md") or path == layout.MANIFEST

    def _open(self, paths: list[str]) -> dict[str, Opened | None]:
        opened: dict[str, Opened | None] = {}
        try:
            for path in paths:
                opened[path] = self._source.open(path)
        except BaseException:
            _close(opened)
            raise
        return opened

    def _bring(self, look: Look, paths: list[str], opened: dict[str, Opened | None] | None = None) -> None:
        """Copy these paths as scanned, and remove from the copy what the scan does not contain."""
        opened = opened or {}
        try:
            gone = [path for path in self.entries if path not in look.entries]
            for path in sorted(gone, key=lambda path: -path.count("/")):
                self._forget(path)
            for path in paths:
                if path in self.entries and not self.entries[path].kind == look.entries[path].kind == FOLDER:
                    self._forget(path)
                self._add_entry(look, path, opened)
        finally:
            _close(opened)

    def _forget(self, path: str) -> None:
        self._part.drop(path)
        del self.entries[path]
        self.marks.pop(path, None)
        self._seen.pop(path, None)

    def _add_entry(self, look: Look, path: str, opened: dict[str, Opened | None]) -> None:
        entry = look.entries[path]
        if entry.kind == FOLDER:
            if path not in self.entries:
                self._part.folder(path)
            self.entries[path] = entry
        elif entry.kind == LINK:
            self._part.link(entry)
            self.entries[path] = entry
        elif path in look.texts:
            self.entries[path] = self._part.write(entry, look.texts[path])
            self._share(path)
        elif (
            path not in opened
            and self._before is not None
            and unchanged(look, path, self._before)
            and self._part.same(old := self._before.entries[path])
        ):
            self.entries[path], self.marks[path] = old, look.marks[path]
        else:
            self._copy(entry, opened[path] if path in opened else self._source.open(path))
            opened.pop(path, None)
        if path in self.entries:
            self._seen[path] = (entry, look.marks[path])

    def _copy(self, entry: TreeEntry, opened: Opened | None) -> None:
        if opened is None:
            return  # it went meanwhile: the next look knows
        try:
            item = TreeEntry(entry.path, FILE, entry.mode, opened.mtime_ns, opened.size, "")
            copied = self._part.copy(item, opened.fd, opened.size)
        finally:
            opened.close()
        self.entries[entry.path] = copied
        if opened.marks is not None:
            self.marks[entry.path] = opened.marks
        self.bytes += copied.size
        if self._progress:
            self._progress(self.bytes, max(self._total, self.bytes))
        self._share(entry.path)

    def _share(self, path: str) -> None:
        """Share a copied file with the previous backup if it is the same there."""
        old = self._before.entries.get(path) if self._before else None
        new = self.entries[path]
        if old is not None and old.plain() == new.plain():
            self._part.share(old)


def _state_of(seen: tuple[TreeEntry, Marks]) -> tuple[object, ...]:
    entry, marks = seen
    if entry.kind == FOLDER:
        return entry.kind, entry.mode
    return entry.kind, entry.mode, entry.mtime_ns, entry.size, marks


def _close(opened: dict[str, Opened | None]) -> None:
    while opened:
        _, opened_file = opened.popitem()
        if opened_file is not None:
            opened_file.close()
