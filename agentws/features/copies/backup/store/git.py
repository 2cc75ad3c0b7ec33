"""Backups in a git repository, each a commit under a private ref. Specified in docs/format/backup.md."""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from agentws.core.disk import cache, files
from agentws.core.formats import digest
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Header, Manifest
from agentws.core.formats.travel.destination import Destination
from agentws.core.formats.travel.inventory import FILE, FOLDER
from agentws.core.states import plumbing
from agentws.core.states.depot import Depot
from agentws.core.text import sh
from agentws.features.copies.backup.store.backups import Backups
from agentws.features.copies.backup.store.git_part import GitPart
from agentws.features.copies.transfer import temporary

_HEADER_BYTES = 1 << 20
_DIGITS = 16
_MOST_PACKS = 40
_KNOWN_HEADERS = "refs/headers/"
_STAYS = (
    "A git repository keeps a backup as a whole. Make a new one, then remove those that hold the text: "
    "agentws backup remove {} NAME"
)


class GitBackups(Backups):
    """The backups of one agent in the git repository `to`.

    `agent` is the id in its refs; `close` closes the `resources`.
    """

    def __init__(self, to: Destination, agent: str, depot: Depot, refs: dict[str, str], resources: ExitStack) -> None:
        super().__init__(f"{to.text}#{backup.short(agent)}", to.target.removeprefix("file://"))
        self._to = to
        self._agent = agent
        self._depot = depot
        self._refs = refs
        self._resources = resources
        self._headers: dict[str, str] = {}
        self._fetched: dict[str, tuple[str, dict[str, str]]] = {}

    def names(self) -> list[str]:
        """Return the names of all backups, the oldest first."""
        return backup.names(self._refs, self._agent)

    def _first_line(self, name: str) -> bytes:
        if name not in self._headers:
            known = {
                self._ref(backup_name, backup.HEADER): f"{_KNOWN_HEADERS}{backup_name}" for backup_name in self.names()
            }
            known = {ref: path for ref, path in known.items() if ref in self._refs}
            commits = self._depot.fetch_all(known) if known else {}
            self._headers = {ref.rpartition("/")[2]: commit for ref, commit in commits.items()}
        data = self._depot.blob(self._depot.tree(self._headers[name])[backup.FIRST_LINE])
        if len(data) > _HEADER_BYTES:
            raise ValueError("its header is too long")
        return data

    def _decoded(self, name: str) -> Manifest:
        return backup.decode(self._depot.blob(self._held(name)[backup.MANIFEST]))

    @contextmanager
    def tree(self, name: str, only: Sequence[str] | None = None) -> Iterator[str]:
        """Yield a temporary folder with a backup's files, fetched from the repository; `only` those at these paths."""
        held, manifest = self._held(name), self.manifest(name)
        some = None if only is None else {*only}
        files_wanted = [entry for entry in manifest.entries.values() if entry.kind == FILE]
        wanted = [entry for entry in files_wanted if some is None or entry.path in some]
        place = temporary.folder(sum(entry.size for entry in wanted))
        try:
            for entry in manifest.entries.values():
                if entry.kind == FOLDER:
                    os.mkdir(f"{place}/{entry.path}", 0o700)
            # What names more pieces than there are is not whole, whatever it says of its size.
            sound = [entry for entry in wanted if entry.size <= len(held) * backup.PIECE_BYTES]
            for entry, pieces in self._depot.content(held, sound):
                with open(f"{place}/{entry.path}", "xb") as file:
                    left = entry.size
                    for piece in pieces:
                        # A hostile one names large blobs again and again: no more is written than was announced.
                        file.write(piece[: min(left, backup.PIECE_BYTES)])
                        left -= len(piece)
                        if left <= 0 or len(piece) > backup.PIECE_BYTES:
                            break
            yield place
        except OSError as error:
            raise files.failure(error, place) from error
        finally:
            temporary.remove(place)

    def begin(self, agent_name: str, owner: str, before: str) -> GitPart:
        """Begin a backup to be sent; pieces that a killed run of the same `owner` has sent are not sent again."""
        held = self._held(before) if before else {}
        paths = list(self.manifest(before).entries) if before else []
        parents = [self._fetched[before][0]] if before else []
        start = f"{backup.PART}{self._agent}/{owner}/"
        parts = {ref: f"refs/parts/{ref.rpartition('/')[2]}" for ref in self._refs if ref.startswith(start)}
        parts = {ref: path for ref, path in parts.items() if not ref.endswith(f"/{GitPart.TREE}")}
        sent = self._depot.fetch_all(parts) if parts else {}
        for commit in sent.values():
            held = {**self._depot.tree(commit), **held}
        made = GitPart(self._depot.folder(), paths, self._depot, self._agent, start, agent_name, self._refs)
        made.goes_on(
            held, [*parents, *sent.values()], {ref: self._refs[ref] for ref in self._refs if ref.startswith(start)}
        )
        return made

    def remove(self, name: str) -> None:
        """Remove a backup by deleting its refs. ChangedUnderneathError if another process changed them."""
        gone = [self._ref(name, kind) for kind in (backup.WHOLE, backup.HEADER)]
        self._depot.push([(ref, self._refs[ref], "") for ref in gone if ref in self._refs])
        for ref in gone:
            self._refs.pop(ref, None)

    def stays(self) -> str:
        """Return why nothing can be removed from a backup in git, and what to do instead."""
        return _STAYS.format(sh.quote(self._to.text))

    def close(self) -> None:
        """Remove the private files and release the cache."""
        self._resources.close()

    def _held(self, name: str) -> dict[str, str]:
        """Fetch a backup and return the blob id at each of its paths."""
        if name not in self._fetched:
            ref = self._ref(name, backup.WHOLE)
            commit = self._depot.fetch(ref)
            self._fetched[name] = commit, self._depot.tree(commit)
        return self._fetched[name][1]

    def _ref(self, name: str, kind: str) -> str:
        return f"{kind}{self._agent}/{name}"

    def _check(self, header: Header) -> None:
        if backup.id_of(header.agent) != self._agent:
            raise ValueError("it is of another agent")


def at(to: Destination, agent: str, private: str) -> GitBackups:
    """Return the backups of an agent in a git repository; fetched objects are cached in `private`, unless empty.

    OutsideProgramError if git cannot reach it.
    """
    return _opened(to, backup.id_of(agent), private)


def agents(to: Destination) -> list[GitBackups]:
    """Return the backups in a git repository, for each agent."""
    first = _opened(to, "", "")
    first.close()
    ids = [agent for agent in backup.agents(first._refs) if to.agent in ("", backup.short(agent))]
    return [_opened(to, name, "", dict(first._refs)) for name in ids]


def _opened(to: Destination, agent: str, private: str, refs: dict[str, str] | None = None) -> GitBackups:
    with ExitStack() as resources:
        kept = _Cache.of(cache_of(private, to, "")) if private else None
        if kept:
            resources.callback(kept.close)
        scratch = kept.prepare() if kept else temporary.folder(prefix=temporary.PARCEL)
        resources.callback(temporary.remove, scratch)
        back = kept.repository if kept else ""
        depot = Depot(to.target, scratch, folder=backup.FOLDER, pieces=backup.pieces, back=back)
        resources.callback(depot.close)
        refs = depot.refs() if refs is None else refs
        return GitBackups(to, agent, depot, refs, resources.pop_all())


def cache_of(private: str, to: Destination, owner: str) -> str:
    """Return the folder in `private` with what was fetched from a repository, for all its owners."""
    return f"{private}/{cache.BACKUP}-{digest.quick(to.target.encode('utf-8', 'surrogateescape'))[:_DIGITS]}"


class _Cache:
    """The locked cache of the objects fetched from one repository; its `folder` may be deleted at any time."""

    def __init__(self, folder: str, fd: int) -> None:
        self.folder = folder
        self._fd = fd

    @classmethod
    def of(cls, folder: str) -> _Cache | None:
        """Lock and return the cache in a folder; None if it is in use or cannot be made."""
        try:
            cache.make_folder(folder)
            fd = os.open(f"{folder}/lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            return None
        return cls(folder, fd)

    def prepare(self) -> str:
        """Delete a damaged cache; return a new private folder, after what killed processes have left is removed."""
        if os.path.isdir(self.repository) and self._git("rev-list", "--objects", "--quiet", "refs/heads/there")[0]:
            shutil.rmtree(self.repository, ignore_errors=True)
        return temporary.folder(prefix=temporary.PARCEL, within=self.folder)

    def close(self) -> None:
        """Release the cache. Unneeded objects are dropped if there are many packs."""
        try:
            if len(glob.glob(f"{glob.escape(self.repository)}/.git/objects/pack/*.pack")) > _MOST_PACKS:
                self._git("repack", "-a", "-d", "-q")
        finally:
            os.close(self._fd)

    @property
    def repository(self) -> str:
        """The folder of the repository that holds the objects."""
        return f"{self.folder}/repository"

    def _git(self, *words: str) -> tuple[int, bytes, str]:
        return plumbing.run(*words, cwd=self.folder, git_dir=f"{self.repository}/.git")
