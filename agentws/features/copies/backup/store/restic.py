"""Backups in a repository of restic: each a snapshot that holds a folder backup, `manifest.jsonl` and `workspace/`.

Specified in docs/format/backup.md. What did not change is a hard link in a tree that is kept on this machine, so that
restic knows it by inode and time, and reads only what is new.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

from agentws.core.disk import cache
from agentws.core.formats import digest
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Header, Manifest
from agentws.core.formats.travel.destination import Destination
from agentws.core.text import sh
from agentws.errors import AgentwsError, OutsideProgramError
from agentws.features.copies.backup.store import part
from agentws.features.copies.backup.store.backups import Backups
from agentws.features.copies.backup.store.part import Part
from agentws.features.copies.backup.store.restic_repository import BACKUP, PART, Repository, agent_id
from agentws.features.copies.transfer import temporary

_KEY_DIGITS = 16
_MOST_WORDS, _MOST_CHARS = 2_000, 100_000
"""So much may stand in the words of a program; where more is to be read back, all is."""
_STAYS = (
    "A restic repository keeps a snapshot as a whole. Make a new backup, then remove those that hold the text: "
    "agentws backup remove {} NAME, then: restic prune"
)


class ResticBackups(Backups):
    """The backups of one `agent` in a restic repository."""

    def __init__(self, repository: Repository, agent: str, snapshots: dict[str, str], private: str) -> None:
        super().__init__(f"{repository.to.text}#{agent[:8]}", repository.to.target.removeprefix("local:"))
        self._repository = repository
        self._agent = agent
        self._snapshots = snapshots
        self._private = private
        self._temporary = ""
        self._has_removed = False
        self._manifests: dict[str, bytes] = {}

    def names(self) -> list[str]:
        """Return the names of all backups, the oldest first."""
        return sorted(self._snapshots, key=lambda name: (backup.number_of(name), name))

    @contextmanager
    def tree(self, name: str, only: Sequence[str] | None = None) -> Iterator[str]:
        """A folder with the files of a backup, as the repository has given them; `only` those at these paths, if they
        are few.
        """
        paths = None if only is None else _within_words([f"{backup.TREE}/{path}" for path in only])
        if paths is None:
            place = self._repository.restored(self._snapshots[name], needed_bytes=self.header(name).bytes)
        else:
            place = self._repository.restored(self._snapshots[name], paths) if paths else temporary.folder()
        try:
            yield f"{place}/{backup.TREE}"
        finally:
            temporary.remove(place)

    def begin(self, agent_name: str, owner: str, before: str) -> ResticPart:
        """A tree that restic is to take; of the one that it took last the files are shared, where that is `before`."""
        stage = cache_of(self._private, self._repository.to, owner) if self._private else temporary.folder()
        self._temporary = "" if self._private else stage
        now, last = f"{stage}/now", f"{stage}/last"
        os.makedirs(stage, 0o700, exist_ok=True)
        if os.path.exists(f"{now}/{backup.MANIFEST}"):
            temporary.remove(last)
            os.rename(now, last)
        temporary.remove(now)
        if not (before and self._is(last, before)):
            temporary.remove(last)
        os.mkdir(now, 0o700)
        shared = f"{last}/{backup.TREE}" if os.path.isdir(last) else ""
        return ResticPart(now, shared, self, owner, self._snapshots.get(before, "") if shared else "")

    def take(self, place: str, owner: str, parent: str, copied: dict[str, str], at: datetime) -> str:
        """Let restic take the tree in the folder `place`, read back what was `copied`, and return the backup's name.

        It is a part first, and a second snapshot is the backup: that sends nothing, and asks for no repository that is
        locked or can be rewritten, as a new tag would. What is left of the owner's parts goes.
        """
        part = self._repository.save(place, self._agent, f"{PART}{owner}", parent)
        try:
            self.compare(part, copied)
        except AgentwsError:
            self.discard(part)
            raise
        self._snapshots = self._repository.snapshots().get(self._agent, {})
        name = backup.following(self._snapshots, at)
        self._snapshots[name] = self._repository.save(place, self._agent, f"{BACKUP}{name}", part)
        old = [text for agent, who, text in self._repository.parts if (agent, who) == (self._agent, owner)]
        try:
            self._repository.forget([part, *old])
        except AgentwsError:
            pass  # it is not a backup, and goes with the next one
        return name

    def compare(self, snapshot: str, copied: dict[str, str]) -> None:
        """Read back the files copied now. OutsideProgramError if the repository returns other bytes."""
        paths = _within_words([f"{backup.TREE}/{path}" for path in copied])
        place = self._repository.restored(snapshot, paths or ()) if copied else ""
        try:
            for path, expected in copied.items():
                if _digest(f"{place}/{backup.TREE}/{path}") != expected:
                    raise OutsideProgramError(
                        f"{self._repository.to.text} returns other data than was sent: {path}",
                        hint="Check the repository: restic check --read-data",
                    )
        finally:
            temporary.remove(place)

    def discard(self, snapshot: str) -> None:
        """Remove a snapshot."""
        self._repository.forget([snapshot])
        self._has_removed = True

    def remove(self, name: str) -> None:
        """Remove a backup; `close` frees its space."""
        self.discard(self._snapshots[name])
        del self._snapshots[name]

    def stays(self) -> str:
        """Return why nothing can be removed from a snapshot, and what to do instead."""
        return _STAYS.format(sh.quote(self._repository.to.text))

    def close(self) -> None:
        """Free what removed backups took, as far as nothing has to be packed again; remove what is temporary."""
        if self._has_removed:
            self._has_removed = False
            try:
                self._repository.prune()
            except AgentwsError:
                pass  # nothing is lost but room: the next one does it, or whoever looks after the repository
        temporary.remove(self._temporary)

    def _is(self, place: str, name: str) -> bool:
        """Return whether the tree in a folder is the backup called `name`."""
        try:
            with open(f"{place}/{backup.MANIFEST}", "rb") as file:
                return file.read() == self._manifest(name)
        except OSError:
            return False

    def _manifest(self, name: str) -> bytes:
        if name not in self._manifests:
            content = self._repository.content(self._snapshots[name], f"/{backup.MANIFEST}")
            self._manifests = {name: content}
        return self._manifests[name]

    def _first_line(self, name: str) -> bytes:
        return self._manifest(name).partition(b"\n")[0]

    def _decoded(self, name: str) -> Manifest:
        return backup.decode(self._manifest(name))

    def _check(self, header: Header) -> None:
        if agent_id(header.agent) != self._agent:
            raise ValueError("it is of another agent")


class ResticPart(Part):
    """A part in the folder `place` of this machine; a snapshot takes it, which follows `parent` (empty: none)."""

    def __init__(self, place: str, before: str, backups: ResticBackups, owner: str, parent: str) -> None:
        super().__init__(place, before)
        self._backups = backups
        self._owner = owner
        self._parent = parent

    def read_back(self) -> None:
        """Do nothing: `keep` reads back the snapshot."""

    def keep(self, at: datetime) -> str:
        """Save the tree as a snapshot, read back the new files, and name it; return the name."""
        name = self._backups.take(self.place, self._owner, self._parent, self.copied, at)
        self.links = True  # a cache without hard links costs time alone
        return name

    def clear(self) -> None:
        """Remove it."""
        temporary.remove(self.place)


def at(to: Destination, agent: str, private: str) -> ResticBackups:
    """The backups of an agent in a repository; in the folder `private` stays the tree that restic took last.

    MissingFileError if the repository does not exist.
    """
    repository = Repository(to)
    return ResticBackups(repository, agent_id(agent), repository.snapshots().get(agent_id(agent), {}), private)


def cache_of(private: str, to: Destination, owner: str) -> str:
    """Return the folder in `private` with the tree of the last snapshot."""
    key = digest.of(f"{owner} {to.target}".encode("utf-8", "surrogateescape"))[:_KEY_DIGITS]
    return f"{private}/{cache.BACKUP}-restic-{key}"


def agents(to: Destination) -> list[ResticBackups]:
    """Return the backups in a restic repository, for each agent."""
    repository = Repository(to)
    snapshots = sorted(repository.snapshots().items())
    return [ResticBackups(repository, agent, held, "") for agent, held in snapshots if agent.startswith(to.agent)]


def _within_words(paths: Sequence[str]) -> list[str] | None:
    """These paths as restic names them; None where they are too many for the words of a program."""
    few = len(paths) <= _MOST_WORDS and sum(map(len, paths)) <= _MOST_CHARS
    return [f"/{path}" for path in paths] if few else None


def _digest(place: str) -> str:
    try:
        return part.digest_of(place)
    except OSError:
        return ""
