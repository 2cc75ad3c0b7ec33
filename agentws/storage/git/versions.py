"""Which documents history versions, and the history that keeps them."""

from __future__ import annotations

import os

from agentws.errors import AgentwsError
from agentws.formats import layout, manifest
from agentws.formats.secrets import secrets
from agentws.storage.disk import local_dir, lock
from agentws.storage.disk.dir_cache import Held
from agentws.storage.git import repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime
    from typing import Any

    from agentws.formats.manifest import Manifest
    from agentws.ports import History
    from agentws.storage.disk.cache import Cache
    from agentws.storage.disk.files import Files
    from agentws.storage.git import git_history
    from agentws.storage.git.past import Past


AUTO_REF = "refs/agentws/auto"
_LOCK_TIMEOUT_S = 30.0
_MANY = 256
"""Fewer documents are read sooner than git is asked what it has of them."""
_AUTHOR = ("agentws", "agentws@localhost")


def open_history(
    files: Files, settings: Manifest, *, keep: Collection[str] = (), cache: Cache | None = None
) -> History:
    """The history of the workspace: git, where there is a repository and the manifest allows it, else none.

    Paths in `keep` stay in new states as they were in the last one, though nothing is recorded for them.
    """
    git_dir = _repository(files, settings)
    if git_dir is None:
        return NoHistory()
    kept = _in_git(files, settings, git_dir, scratch=f"{files.root}/{layout.LOCAL}", keep=keep, cache=cache)
    local_dir.prepare(files)
    return kept


def open_past(files: Files, settings: Manifest) -> Past | None:
    """The recorded states of the workspace, to look at; None where no history is kept. Writes nothing anywhere."""
    git_dir = _repository(files, settings)
    if git_dir is None:
        return None
    return _looked_at(files, settings, git_dir)


def open_past_blindly(files: Files) -> Past | None:
    """The recorded states of a workspace whose manifest cannot be read: of the line that held it last.

    None where no such line is known: the one of a workspace inside a larger repository is named by its manifest.
    """
    git_dir = repository.find(files.root)
    if git_dir is None:
        return None
    lines = [_looked_at(files, _recording(commits), git_dir) for commits in ("ref", "branch")]
    held = [past for past in lines if past.touching([layout.MANIFEST])]
    return max(held, key=lambda past: past.states()[0][1], default=None)


def _recording(commits: str) -> Manifest:
    settings = manifest.default()
    settings.settings["history.commits"] = commits
    return settings


def open_newest(files: Files, settings: Manifest, *, cache: Cache | None = None) -> git_history.GitHistory | None:
    """The history, to ask it for its newest state; None where none is kept. Writes nothing anywhere."""
    git_dir = _repository(files, settings)
    return _in_git(files, settings, git_dir, scratch=_scratch(files), keep=(), cache=cache) if git_dir else None


def newest(files: Files, settings: Manifest) -> tuple[str, datetime, str] | None:
    """Id, time and message of the newest state, None where there is none; writes nothing anywhere."""
    kept = open_newest(files, settings)
    return kept.newest() if kept is not None else None


def _looked_at(files: Files, settings: Manifest, git_dir: str) -> Past:
    from agentws.storage.git.past import Past

    scratch = _scratch(files)
    kept = _in_git(files, settings, git_dir, scratch=scratch, keep=())
    return Past(git_dir, scratch, kept)


def _scratch(files: Files) -> str:
    """A folder to look from: a clone has no folder of ours yet, and a copy that may only be read never gets one."""
    is_prepared = (layout.LOCAL, "folder") in files.names()
    return f"{files.root}/{layout.LOCAL}" if is_prepared else files.root


def _repository(files: Files, settings: Manifest) -> str | None:
    """The folder of the repository that history is kept in, None where none is kept."""
    return repository.find(files.root) if settings.setting("history.commits") != "off" else None


def _in_git(
    files: Files, settings: Manifest, git_dir: str, *, scratch: str, keep: Collection[str], cache: Cache | None = None
) -> git_history.GitHistory:
    from agentws.storage.git import git_history

    return git_history.GitHistory(
        root=files.root,
        git_dir=git_dir,
        mode=settings.setting("history.commits") if _is_within(files.root, git_dir) else "ref",
        ref=own_ref(files.root, git_dir, settings.agent_id),
        author=_AUTHOR,
        scratch=scratch,
        owns=lambda path: layout.is_document(path) and path not in keep,
        cache=cache,
    )


def own_ref(root: str, git_dir: str, agent_id: str) -> str:
    """The ref of ours in this repository, where states do not go to its branch.

    A workspace inside a larger repository has one by its agent: another workspace may lie beside it.
    """
    return AUTO_REF if _is_within(root, git_dir) else f"refs/agentws/{agent_id or 'unnamed'}"


def _is_within(root: str, git_dir: str) -> bool:
    return git_dir == f"{root}/.git"


def record(
    files: Files, settings: Manifest, message: str, *, at: datetime, cache: Cache | None = None
) -> tuple[list[str], list[str]]:
    """Record every document as one state; returns the paths held back for their secrets, and notices.

    Where there are many, those that are as `cache` remembers them, and as the newest state holds them, are not read.
    """
    if settings.setting("history.commits") == "off" or repository.find(files.root) is None:
        return [], []
    local_dir.prepare(files)
    # Who has read older documents must not record them after newer ones.
    with lock.Lock(files, lock.HISTORY, timeout_s=_LOCK_TIMEOUT_S):
        held_back: set[str] = set()
        kept = open_history(files, settings, keep=held_back, cache=cache)
        found = _Found(files, settings.setting("history.include"), kept)
        found.read(cache)
        held_back.update(found.secretive, found.unread)
        kept.record(found.documents, message=message, at=at, known=found.known)
    secretive = found.secretive
    notices = [f"Not versioned: {message}" for message in found.unread.values()]
    if secretive:
        names = ", ".join(secretive[:3]) + (" …" if len(secretive) > 3 else "")
        notices.append(
            f"Not versioned, because lines look like secrets: {names} "
            f"(to version a file anyway, add it to history.include in {layout.MANIFEST})"
        )
    return secretive, notices


class _Found:
    """The documents as they are: the `documents` that were read, by path, and the ids of those that are `known`.

    `secretive` are the paths held back for their secrets, `unread` says why others could not be read.
    """

    def __init__(self, files: Files, include: Collection[str], kept: History) -> None:
        self.documents: dict[str, bytes] = {}
        self.known: dict[str, str] = {}
        self.secretive: list[str] = []
        self.unread: dict[str, str] = {}
        self._files = files
        self._include = include
        self._kept = kept

    def read(self, cache: Cache | None) -> None:
        """Look at every document, and read those of which nothing is known."""
        every = paths(self._files)
        if cache is None or len(every) < _MANY:
            for path in every:
                self._read(self._files, path)
            return

        blobs, recorded = BlobCache(cache, self._files, reader=__file__), self._kept.ids()
        files, folder = Held(self._files.root), ""
        try:
            for path in every:
                above = path.rpartition("/")[0]
                if above != folder:
                    files.close()
                    folder = above
                oid = blobs.find(path, files)
                if oid is not None and oid == recorded.get(path):
                    self.known[path] = oid
                else:
                    self._read(files, path, blobs)
        finally:
            files.close()
        blobs.keep()

    def _read(self, files: Files, path: str, blobs: BlobCache | None = None) -> None:
        try:
            data, status = files.read_with_status(path)
        except AgentwsError as error:
            self.unread[path] = error.message
            return
        if path in self._include:
            self.documents[path] = data
        elif secrets.find(data.decode("utf-8", "replace")):
            self.secretive.append(path)
        else:
            self.documents[path] = data
            if blobs is not None:
                blobs.add(path, status, self._kept.blob_id(data))


def paths(files: Files) -> list[str]:
    """The paths of every document of the workspace, sorted."""
    found: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        within = f"{folder}/" if folder else ""
        there = files.names(folder)
        found += [path for name, kind in there if kind == "file" and layout.is_document(path := within + name)]
        inner = [within + name for name, kind in there if kind == "folder" and not name.startswith(".")]
        folders += [path for path in inner if layout.is_document(f"{path}/x.md")]
    return sorted(found)


class NoHistory:
    """A History that keeps no states: everything may be asked of it, and there is never anything to see."""

    kind = "none"

    def ids(self) -> dict[str, str]:
        """No ids."""
        return {}

    def blob_id(self, data: bytes) -> str:
        """No id."""
        return ""

    def record(
        self, files: Mapping[str, bytes], *, message: str, at: datetime, known: Mapping[str, str] | None = None
    ) -> str | None:
        """None: no state was kept."""
        return None

    def newest(self) -> tuple[str, datetime, str] | None:
        """None: there is no newest state."""
        return None

    def read(self, path: str, *, at: str) -> bytes | None:
        """None: no state holds the path."""
        return None

    def log(self, *, limit: int) -> list[tuple[str, datetime, str]]:
        """No states."""
        return []


_ENTRY = "blobs"
_COARSEST_NS = 2_000_000_000
_LOCK = f"{layout.LOCAL}/{lock.HISTORY}.lock"


class BlobCache:
    """The blob ids of documents without a secret, as far as `cache` remembers them. `reader` is who looks for them.

    Made by who holds the lock of history, before the first document is looked at: what changes from then on is not
    taken for what was read.
    """

    def __init__(self, cache: Cache, files: Files, *, reader: str) -> None:
        self._cache = cache
        self._made_by = [__file__, reader, *_rules()]
        self._device, self._now_ns = _moment(files)
        known = cache.get(_ENTRY)
        self._known: dict[str, list[Any]] = known if isinstance(known, dict) else {}
        self._kept: dict[str, list[Any]] = {}

    def find(self, path: str, files: Files) -> str | None:
        """The blob id of the file at `path`; None where it has to be read."""
        known = self._known.get(path)
        if known is None:
            return None
        try:
            status = files.status(path)
        except AgentwsError:
            return None  # reading it says what is wrong
        if known[:-1] != _told(status) or status.st_dev != self._device:
            return None
        self._kept[path] = known
        return str(known[-1])

    def add(self, path: str, status: os.stat_result, oid: str) -> None:
        """Remember that the file was read, holds no secret, and was `status` before it was read."""
        if status.st_dev == self._device and status.st_ctime_ns < self._now_ns - _COARSEST_NS:
            self._kept[path] = [*_told(status), oid]

    def keep(self) -> None:
        """Remember what was found and added, and nothing else."""
        if self._kept != self._known:
            self._cache.put(_ENTRY, self._kept, made_by=self._made_by)


def _told(status: os.stat_result) -> list[int]:
    return [status.st_ctime_ns, status.st_mtime_ns, status.st_size, status.st_ino]


def _rules() -> list[str]:
    """The files of the program among which are all that tell what a secret is."""
    formats = os.path.dirname(os.path.dirname(secrets.__file__))
    walked = os.walk(formats)  # nothing of a program in one file, whose version stands for all of it
    return sorted(f"{folder}/{name}" for folder, _, names in walked for name in names if name.endswith(".py"))


def _moment(files: Files) -> tuple[int, int]:
    """The device of the workspace, and the time by the clock of its file system."""
    fd = files.open(_LOCK, os.O_RDWR)
    try:
        os.utime(fd)
        status = os.fstat(fd)
        return status.st_dev, status.st_mtime_ns
    finally:
        os.close(fd)
