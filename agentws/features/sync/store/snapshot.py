"""Take a snapshot of a workspace's files into sync's private repository.

A cache of file status and blob ids, like git's index, tells which files have not changed and are not read again.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from agentws.core.disk import files as _files, links
from agentws.core.disk.dir_cache import Listed, moment
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.git import objects
from agentws.core.formats.json import plainjson
from agentws.core.formats.secrets import secrets
from agentws.core.formats.travel import sync_path
from agentws.core.formats.travel.sync_state import Tree
from agentws.core.markdown import conflict
from agentws.core.states.object_store import ALGORITHM
from agentws.core.text import utf8
from agentws.errors import AgentwsError, MissingFileError, UnsafeFileError
from agentws.features.sync.store import obstacles
from agentws.features.sync.store.repo import Repo

SECRETIVE = "looks like a secret"
_JOURNAL = f"{layout.JOURNAL}/"
_SEEN = "agentws-seen"
_CLOCK = "agentws-clock"
_ROW = struct.Struct("<4q")
_ID_BYTES = 20
COARSEST_NS = 2_000_000_000
"""The coarsest time stamps of a file system: a file changed more recently may change again unnoticed."""


@dataclass
class Snapshot:
    """The `tree` of all synced files, and the paths that are left out of a sync.

    `held` (looks like a secret, is UTF-16, has an unresolved merge conflict or lacks acknowledged lines) and `unread`
    give the reason by path: such a file has its base content in the tree and must not be overwritten. `foreign`: paths
    of a state that do not travel from here. `blocked`: paths of a state that an obstacle replaces here; `places`: the
    obstacles by path. `others`: files and folders that do not travel.

    `newest_ns` is the newest modification time of a document.

    `lost` are the blobs of the files that are held for what they lack. `links` are agent's files that are links to a
    synced document, each with its path as content (links.py).
    """

    tree: Tree = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)
    foreign: set[str] = field(default_factory=set)
    blocked: set[str] = field(default_factory=set)
    places: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    lost: Tree = field(default_factory=dict)
    links: set[str] = field(default_factory=set)
    newest_ns: int = 0

    @property
    def apart(self) -> set[str]:
        """Return the paths that sync leaves unchanged on both sides: held, unread, foreign and blocked ones."""
        return {*self.held, *self.unread, *self.foreign, *self.blocked}

    def take_lost(self) -> None:
        """Let the files travel that are held for what they lack: the merge brings it back."""
        for path, blob in self.lost.items():
            del self.held[path]
            self.tree[path] = blob
        self.lost = {}


def take(
    repo: Repo, files: Files, base: Mapping[str, str], *, include: Collection[str] = (), allow: Collection[str] = ()
) -> Snapshot:
    """Return a snapshot of every synced file; changed contents are added for the next `commit`.

    `base` is the tree of the local head; `include` are globs (`sync.include`), `allow` the paths that may hold what
    looks like a secret (`history.include`). DiskError if a folder cannot be read: its files do not count as removed.
    """
    look = _Look(repo, files, base, include, allow)
    look.run()
    return look.found


class _Look:
    """One scan of a workspace; `found` is its snapshot."""

    def __init__(
        self, repo: Repo, files: Files, base: Mapping[str, str], include: Collection[str], allow: Collection[str]
    ) -> None:
        self.found = Snapshot()
        self._repo, self._root = repo, files.root
        self._base = base
        self._include, self._allow = include, allow
        self._seen = Seen(repo.git_dir, include)
        self._rows: dict[str, bytes] = {}

    @cached_property
    def _base_ids(self) -> set[str]:
        """The ids of the blobs in the base."""
        return set(self._base.values())

    def run(self) -> None:
        """Scan every folder that may hold synced files."""
        with _files.Failing(self._repo.git_dir):
            device, now_ns = self._seen.moment()
        self._device, self._settled_ns = device, now_ns - COARSEST_NS
        known = self._seen.files
        folders = [""]
        while folders:
            folder = folders.pop()
            held = Listed(self._root)
            try:
                folders += self._folder(held, folder)
            finally:
                held.close()
        if self._rows != known:
            rows, seen = self._rows, self._seen
            self._repo.objects.after_flush(lambda: seen.save(rows))

    def _folder(self, held: Listed, folder: str) -> list[str]:
        """Scan the files of a folder, and return the subfolders to scan."""
        try:
            fd = held.folder(folder)
            names = sorted(os.listdir(fd))
            device = os.fstat(fd).st_dev
        except (FileNotFoundError, NotADirectoryError):
            if not folder:
                raise
            return []  # it went meanwhile
        except OSError as error:
            raise _files.failure(error, folder or self._root) from error
        if folder and obstacles.is_repository(names):
            self.found.others.append(f"{folder}/")
            return []
        within = f"{folder}/" if folder else ""
        inner, known = [], self._seen.files if device == self._device else {}
        for name in names:
            path = within + name
            try:
                status = os.stat(name, dir_fd=fd, follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise _files.failure(error, path) from error
            if stat.S_ISREG(status.st_mode) and layout.is_document(path):
                self.found.newest_ns = max(self.found.newest_ns, status.st_mtime_ns)
            was = known.get(path, b"")
            if was and was[: _ROW.size] == _row(status) and stat.S_ISREG(status.st_mode):
                self._put(path, was[_ROW.size :].hex())
                self._rows[path] = was
            elif stat.S_ISDIR(status.st_mode):
                inner += self._inner(path, name)
            elif stat.S_ISLNK(status.st_mode) and (to := self._linked(path)):
                self.found.links.add(path)
                self._keep(path, to.encode("utf-8", "surrogateescape"), status, may_be_known=False)
            elif not stat.S_ISREG(status.st_mode) or not sync_path.travels(path, self._include):
                self._leave(path, name)
            else:
                self._read(held, path)
        return inner

    def _linked(self, path: str) -> str:
        """Return the synced document to which the link of an agent's file leads; empty for none."""
        to = links.target(self._root, path) if layout.usual(path) in layout.AGENT_FILES else path
        return to if to != path and sync_path.travels(to, self._include) else ""

    def _inner(self, path: str, name: str) -> list[str]:
        if name.startswith(".") or not sync_path.is_visited(path, self._include):
            self._leave(f"{path}/", name)
            return []
        return [path]

    def _leave(self, path: str, name: str) -> None:
        if not name.startswith(".") and path not in (layout.MOVED,):
            self.found.others.append(path)

    def _read(self, held: Listed, path: str) -> None:
        try:
            data, status = held.read_with_status(path)
        except (MissingFileError, UnsafeFileError):
            return
        except AgentwsError as error:
            self.found.unread[path] = error.message
            self._as_in_base(path)
            return
        whole = len(data)
        if path.startswith(_JOURNAL):
            if path.endswith(".jsonl"):
                data = data[: data.rfind(b"\n") + 1]
        elif path not in self._allow and _is_secretive(path, data):
            self.found.held[path] = SECRETIVE
            self._as_in_base(path)
            return
        elif layout.is_document(path) and (why := _unreadable(path, data)):
            self.found.held[path] = why
            self._as_in_base(path)
            return
        if not data and whole:
            return  # not one line of it is whole yet
        self._keep(path, data, status, may_be_known=len(data) == whole and path not in self._allow)

    def _keep(self, path: str, data: bytes, status: os.stat_result, *, may_be_known: bool) -> None:
        oid = objects.object_id(objects.BLOB, data, ALGORITHM)
        if oid != self._base.get(path) and oid not in self._base_ids:
            self._repo.store([data])
            self._base_ids.add(oid)
        self._put(path, oid)
        row = _row(status)
        if row and may_be_known and status.st_dev == self._device and status.st_ctime_ns < self._settled_ns:
            self._rows[path] = row + bytes.fromhex(oid)

    def _put(self, path: str, oid: str) -> None:
        """Add a file to the snapshot; its id is the string that the base has, where they are equal."""
        known = self._base.get(path)
        self.found.tree[path] = known if known == oid else oid

    def _as_in_base(self, path: str) -> None:
        if path in self._base:
            self.found.tree[path] = self._base[path]


def _is_secretive(path: str, data: bytes) -> bool:
    """Return whether a file contains something like a secret; binary files that are not documents are not searched."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        if not layout.is_document(path):
            return False
        text = data.decode("utf-8", "replace")
    return bool(secrets.find(text))


def _unreadable(path: str, data: bytes) -> str:
    """Return why a document cannot be merged until a person has changed it; empty for nothing."""
    if encoding := utf8.other_encoding(data):
        return f"the file is {encoding}; agentws merges UTF-8 (convert it: {utf8.conversion(path, encoding)})"
    line = conflict.line(data.decode("utf-8", "replace"))
    return f"an unresolved merge conflict begins at line {line}" if line else ""


class Seen:
    """The cached rows (change time, modification time, size, inode, blob id) of files by path.

    The cache is a file in the repository that holds the blobs.
    """

    def __init__(self, git_dir: str, include: Iterable[str]) -> None:
        self._git_dir = git_dir
        self._rules = [1, getattr(sys.modules["agentws"], "__version__", ""), sorted(include)]
        self.files: dict[str, bytes] = self._load()

    def moment(self) -> tuple[int, int]:
        """Return the repository's device, and the time by the clock of its file system (ns); 0 if it cannot be told."""
        fd = os.open(f"{self._git_dir}/{_CLOCK}", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return moment(fd, _CLOCK)

    def save(self, files: dict[str, bytes]) -> None:
        """Write the cache: not durably, but with a digest, so that a torn file is ignored."""
        self.files = files
        names = "\0".join(files).encode("utf-8", "surrogateescape")
        head = plainjson.dumps([*self._rules, len(names), len(files)]).encode() + b"\n"
        body = b"".join((head, names, *files.values()))
        at = f"{self._git_dir}/{_SEEN}"
        with open(f"{at}.new", "wb") as file:
            file.write(digest.of(body).encode() + b"\n" + body)
        os.rename(f"{at}.new", at)

    def _load(self) -> dict[str, bytes]:
        try:
            with open(f"{self._git_dir}/{_SEEN}", "rb") as file:
                data, _, body = file.read().partition(b"\n")
            if digest.of(body).encode() != data:
                return {}
            head, _, rest = body.partition(b"\n")
            *rules, names_bytes, count = plainjson.loads(head)
        except (OSError, ValueError):
            return {}
        if rules != self._rules or not count:
            return {}
        names = rest[:names_bytes].decode("utf-8", "surrogateescape").split("\0")
        rows = rest[names_bytes:]
        step = _ROW.size + _ID_BYTES
        starts = range(0, len(rows), step)
        return {name: rows[at : at + step] for name, at in zip(names, starts, strict=True)}


def _row(status: os.stat_result) -> bytes:
    """Return the status row that changes whenever a file does; empty if the values do not fit."""
    try:
        return _ROW.pack(status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino)
    except struct.error:
        return b""
