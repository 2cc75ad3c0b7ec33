"""Backups at a remote of rclone: folders as on a disk, each whole. Specified in docs/format/backup.md.

An object store renames nothing and knows no links: a backup is made under its number, and is one with its
`manifest.jsonl`, which goes there last. What did not change is copied there from the backup before, by the store itself
where it can.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

from agentws.core.disk import files
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.inventory import FILE, FOLDER
from agentws.core.text import sh
from agentws.errors import AgentwsError, DamagedError, MissingFileError, OutsideProgramError
from agentws.features.copies.backup.store import program
from agentws.features.copies.backup.store.scratch import Scratch
from agentws.features.copies.migrate.store import temporary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from agentws.core.formats.travel.backup import Header, Manifest
    from agentws.core.formats.travel.destination import Destination
    from agentws.core.formats.travel.inventory import TreeEntry

_MAKING = ".part-"
_REMOVED = f"{_MAKING}removed"
_HEADER_BYTES = 1 << 20
_OTHERS = "others"
"""The folder in a backup for files whose names a store may bend."""
_NOT_THERE = 3
"""The exit code of rclone where there is no such folder."""
_STAYS = (
    "A remote of rclone keeps a backup as it is. Make a new one, then remove those that hold the text: "
    "agentws backup remove {} NAME"
)


class Remote:
    """A folder of a remote, as rclone names it."""

    def __init__(self, target: str) -> None:
        self.target = target
        self._program = program.rclone()

    def at(self, path: str) -> str:
        """What rclone calls a path beneath it."""
        return f"{self.target}{'' if self.target.endswith((':', '/')) else '/'}{path}"

    def run(self, *words: str) -> bytes:
        """What rclone prints."""
        return self._program.run(*words)

    def names(self) -> list[str]:
        """The names in it, those of folders with a slash behind; none where it is not there."""
        return self._listed("--", self.target)

    def holding(self, name: str) -> list[str]:
        """The folders in it that hold a file of this name."""
        return [folder for folder, _ in self.inner(name)]

    def inner(self, pattern: str) -> list[tuple[str, str]]:
        """The files that match in the folders in it: (folder, name)."""
        words = ("--files-only", "--recursive", "--max-depth", "2", "--include", f"/*/{pattern}")
        found = [line.partition("/") for line in self._listed(*words, "--", self.target)]
        return [(folder, name) for folder, _, name in found]

    def sizes(self, path: str) -> dict[str, int]:
        """The files beneath a path, and their sizes."""
        words = ("--files-only", "--recursive", "--format", "sp", "--separator", "\t")
        told = [line.partition("\t") for line in self._listed(*words, "--", self.at(path))]
        return {name: int(size) for size, _, name in told}

    def _listed(self, *words: str) -> list[str]:
        code, out, told = self._program.tried("lsf", *words)
        if code not in (0, _NOT_THERE):
            raise self._program.failure(code, told)
        return out.decode("utf-8", "surrogateescape").splitlines()

    def copy(self, source: str, to: str, paths: Iterable[str]) -> None:
        """Copy these paths of a folder, here or there, to another one, in which nothing is ever replaced."""
        self._with_list(paths, "copy", "--immutable", "--", source, to)

    def compare(self, source: str, to: str, paths: Iterable[str]) -> None:
        """Raise OutsideProgramError where these paths of a folder here are not, byte for byte, in the one there."""
        self._with_list(paths, "check", "--download", "--one-way", "--", source, to)

    def _with_list(self, paths: Iterable[str], verb: str, *words: str) -> None:
        place = temporary.folder()
        try:
            with open(f"{place}/paths", "wb") as file:
                file.writelines(os.fsencode(f"{path}\n") for path in paths)
            self._program.run(verb, "--files-from-raw", f"{place}/paths", *words)
        finally:
            temporary.remove(place)

    def put(self, path: str, data: bytes) -> None:
        """Put a file, which is there at once or not at all."""
        self._program.run("rcat", "--", self.at(path), stdin=data)

    def get(self, path: str, *more: str) -> bytes:
        """The content of a file. TooLargeError for one that no manifest is as large as."""
        return self._program.read("cat", *more, "--", self.at(path), limit_bytes=backup.MOST_BYTES)


class RcloneBackups:
    """The backups of one agent in the folder `remote`; see ports.Backups."""

    def __init__(self, remote: Remote) -> None:
        self.place = f"rclone:{remote.target}"
        self._remote = remote
        self._names: list[str] | None = None

    def names(self) -> list[str]:
        """The names of all complete backups, the oldest first."""
        if self._names is None:
            found = [name for name in self._remote.holding(backup.MANIFEST) if backup.number_of(name)]
            self._names = sorted(found, key=lambda name: (backup.number_of(name), name))
        return list(self._names)

    def header(self, name: str) -> Header:
        """The header of a backup. DamagedError where it has none that can be read."""
        try:
            told = self._remote.get(f"{name}/{backup.MANIFEST}", "--count", str(_HEADER_BYTES))
            return backup.header(told.partition(b"\n")[0])
        except ValueError as error:
            raise self._damaged(name, str(error)) from error

    def manifest(self, name: str) -> Manifest:
        """The manifest of a backup. DamagedError where it cannot be read."""
        try:
            return backup.decode(self._remote.get(f"{name}/{backup.MANIFEST}"))
        except ValueError as error:
            raise self._damaged(name, str(error)) from error

    @contextmanager
    def tree(self, name: str, only: Sequence[str] | None = None) -> Iterator[str]:
        """A folder with the files of a backup, as the remote has given them; `only` those at these paths."""
        manifest = self.manifest(name)
        wanted = [one for one in manifest.entries.values() if one.kind == FILE]
        if only is not None:
            some = {*only}
            wanted = [one for one in wanted if one.path in some]
        # What is larger there than it was is not fetched: it is none of ours, and may be of any size.
        there = self._remote.sizes(name)
        wanted = [one for one in wanted if there.get(where(one), one.size + 1) <= one.size]
        place = temporary.folder(sum(one.size for one in wanted))
        try:
            if wanted:
                self._remote.copy(self._remote.at(name), place, sorted({where(one) for one in wanted}))
            tree = f"{place}/{backup.TREE}"
            os.makedirs(tree, 0o700, exist_ok=True)
            for entry in manifest.entries.values():
                if entry.kind == FOLDER:
                    os.makedirs(f"{tree}/{entry.path}", 0o700, exist_ok=True)
                elif entry.kind == FILE and _is_odd(entry.path) and os.path.isfile(f"{place}/{where(entry)}"):
                    shutil.copyfile(f"{place}/{where(entry)}", f"{tree}/{entry.path}")
            yield tree
        except OSError as error:
            raise files.failure(error, place) from error
        finally:
            temporary.remove(place)

    def begin(self, agent_name: str, owner: str, before: str) -> RclonePart:
        """A backup to be sent; what a killed run of the same `owner` has sent goes first."""
        self.sweep(owner)
        self._names = None  # there will be one more
        if backup.README not in self._remote.names():
            self._remote.put(backup.README, backup.readme(agent_name))
        held = self.manifest(before).entries if before else {}
        there = self._remote.sizes(before) if before else {}
        held = {path: one for path, one in held.items() if one.kind != FILE or there.get(where(one)) == one.size}
        return RclonePart(temporary.folder(), self._remote, owner, before, held)

    def sweep(self, owner: str) -> None:
        """Remove what killed runs of this owner have left, and what is left of removed backups."""
        whole = self._remote.holding(backup.MANIFEST)
        for name, mark in self._remote.inner(f"{_MAKING}*"):
            if mark not in (f"{_MAKING}{owner}", _REMOVED):
                continue
            if name in whole:
                self._remote.run("deletefile", "--", self._remote.at(f"{name}/{mark}"))
            else:
                self._remote.run("purge", "--", self._remote.at(name))

    def remove(self, name: str) -> None:
        """Remove a backup: without its manifest it is none. It is marked before, so that what stays is swept."""
        self._remote.put(f"{name}/{_REMOVED}", b"This backup is being removed.\n")
        self._remote.run("deletefile", "--", self._remote.at(f"{name}/{backup.MANIFEST}"))
        self._remote.run("purge", "--", self._remote.at(name))
        self._names = None

    def stays(self) -> str:
        """Why nothing is taken out of a backup, and what to do."""
        return _STAYS.format(sh.quote(self.place))

    def notices(self, root: str) -> tuple[str, ...]:
        """Where a remote lies nobody can tell."""
        return ()

    def close(self) -> None:
        """Nothing is held."""

    def _damaged(self, name: str, why: str) -> DamagedError:
        return DamagedError(
            f"{self.place}/{name}: unreadable backup: {why}.", hint="Use another one: agentws backup list"
        )


class RclonePart(Scratch):
    """A part in the folder `place` of this machine, sent when all is copied. `held` are the entries of `before`."""

    def __init__(self, place: str, remote: Remote, owner: str, before: str, held: dict[str, TreeEntry]) -> None:
        super().__init__(place, held)
        self._remote = remote
        self._mark = f"{_MAKING}{owner}"
        self._before = before
        self._held = held
        self._manifest = b""
        self._entries: list[TreeEntry] = []
        self._sent = ""
        self.links = False

    def has(self, entry: TreeEntry) -> bool:
        """Return whether the backup before has this file."""
        old = self._held.get(entry.path)
        return old is not None and (old.kind, old.content, old.size) == (entry.kind, entry.content, entry.size)

    def finish(self, header: Header, entries: Iterable[TreeEntry], marks: dict[str, backup.Marks]) -> None:
        """All is copied here, and what the manifest says is known."""
        entries = list(entries)
        self._entries = [entry for entry in entries if entry.kind == FILE]
        self._manifest = backup.encode(header, entries, marks)
        os.mkdir(f"{self.place}/{_OTHERS}")
        for entry in self._entries:
            place = f"{self.place}/{where(entry)}"
            if entry.path in self.copied and _is_odd(entry.path) and not os.path.exists(place):
                os.rename(f"{self.root}/{entry.path}", place)

    def keep(self, at: datetime) -> str:
        """Send it, compare it with what is there, and send the manifest then."""
        name = backup.following((name.rstrip("/") for name in self._remote.names()), at)
        self._sent = name
        self._remote.put(f"{name}/{self._mark}", b"This backup is being made.\n")
        copied = sorted({where(entry) for entry in self._entries if entry.path in self.copied})
        shared = sorted({where(entry) for entry in self._entries if entry.path not in self.copied} - {*copied})
        there = self._remote.at(name)
        if shared:
            self._remote.copy(self._remote.at(self._before), there, shared)
        if copied:
            self._remote.copy(self.place, there, copied)
            self._remote.compare(self.place, there, copied)
        found = self._remote.sizes(name)
        wrong = next((entry.path for entry in self._entries if found.get(where(entry)) != entry.size), None)
        if wrong is not None:
            raise self._other(wrong)
        self._remote.put(f"{name}/{backup.MANIFEST}", self._manifest)
        if self._remote.get(f"{name}/{backup.MANIFEST}") != self._manifest:
            raise self._other(backup.MANIFEST)
        self._remote.run("deletefile", "--", self._remote.at(f"{name}/{self._mark}"))
        self._sent = ""
        temporary.remove(self.place)
        return name

    def clear(self) -> None:
        """Remove it here, and there, as far as that can be done now; the next run does the rest."""
        super().clear()
        if self._sent:
            try:
                self._remote.run("purge", "--", self._remote.at(self._sent))
            except AgentwsError:
                return

    def _other(self, path: str) -> OutsideProgramError:
        return OutsideProgramError(
            f"rclone:{self._remote.target} holds other data than was sent: {path}",
            hint="Does it tell capital letters apart, and take any name? Else use another remote.",
        )


def where(entry: TreeEntry) -> str:
    """Where a file lies in its backup: under its path, or, where a store may bend that, under its digest."""
    return f"{_OTHERS}/{entry.content}" if _is_odd(entry.path) else f"{backup.TREE}/{entry.path}"


def _is_odd(path: str) -> bool:
    """Return whether a path holds what rclone writes differently: no UTF-8, control signs, its own substitutes."""
    if not path.isprintable() or "\\" in path:
        return True
    return any(char == "\u201b" or "\u2400" <= char <= "\u2426" or "\uff00" <= char <= "\uff65" for char in path)


def at(to: Destination, agent: str, name: str, *, known: bool) -> RcloneBackups:
    """The backups of an agent at a remote, which may be made where nobody knows it yet.

    MissingFileError where it was `known`, and has none. OutsideProgramError where rclone cannot reach it.
    """
    remote = Remote(to.target)
    folders = [one.rstrip("/") for one in remote.names() if one.endswith("/")]
    found = next((one for one in sorted(folders) if backup.is_folder_of(agent, one)), None)
    if known and found is None:
        there = sh.quote(to.text)
        raise MissingFileError(
            f"{to.text}: contains no backups of this agent.",
            hint=f"To start again there: agentws backup detach {there}, then agentws backup create {there}",
        )
    return RcloneBackups(Remote(remote.at(found or backup.folder_of(agent, name))))


def agents(to: Destination) -> list[RcloneBackups]:
    """The backups that a remote holds: of one agent where it is its folder, else of all whose folders are in it."""
    remote = Remote(to.target)
    here = RcloneBackups(remote)
    if here.names():
        return [here]
    folders = sorted(one.rstrip("/") for one in remote.names() if one.endswith("/"))
    found = [one for name in folders if (one := RcloneBackups(Remote(remote.at(name)))).names()]
    if not found:
        raise MissingFileError(f"{to.text}: contains no backups.", hint="Check the path: rclone lsd REMOTE:")
    return found
