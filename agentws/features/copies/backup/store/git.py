"""Backups in a git repository, each a commit under a private ref. Specified in docs/format/backup.md.

One is sent, fetched back and compared, and only then gets its refs.
"""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from itertools import count

from agentws.core.disk import cache, files
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import segment
from agentws.core.formats.travel import backup
from agentws.core.formats.travel.backup import Header, Manifest, Marks
from agentws.core.formats.travel.destination import Destination
from agentws.core.formats.travel.inventory import FILE, FOLDER, TreeEntry
from agentws.core.states import plumbing
from agentws.core.states.depot import LARGEST_BLOB_BYTES, Depot
from agentws.core.text import sh
from agentws.errors import ChangedUnderneathError, OutsideProgramError, TooLargeError
from agentws.features.copies.backup.store.backups import Backups
from agentws.features.copies.backup.store.part import Part
from agentws.features.copies.transfer import temporary

_HEADER_BYTES = 1 << 20
_DIGITS = 16
_MOST_PACKS = 40
_KNOWN_HEADERS = "refs/headers/"
_BATCH_BYTES = 32 << 20
"""Bytes pushed at once, under a ref of their own, so that they are not sent again after a broken connection."""
_BATCH = 2000
_TRIES = 5
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


class GitPart(Part):
    """A partial backup in the temporary folder `place`.

    Its refs in the repository begin with `start` until it gets its name and final refs.
    """

    TREE = "tree"
    _LAST = "last"

    def __init__(
        self,
        place: str,
        before: Iterable[str],
        depot: Depot,
        agent: str,
        start: str,
        agent_name: str,
        refs: dict[str, str],
    ) -> None:
        super().__init__(place)
        self._newest = set(_newest_segments(before))
        self._depot = depot
        self._agent = agent
        self._start = start
        self._agent_name = agent_name
        self._refs = refs
        self._there: dict[str, str] = {}
        self._parents: list[str] = []
        self._parts: dict[str, str] = {}
        self._unsent: dict[str, str] = {}
        self._unsent_bytes = 0
        self._whole = self._header = self._tree = ""
        self._message = b""

    def goes_on(self, there: dict[str, str], parents: Sequence[str], parts: dict[str, str]) -> None:
        """Continue with the pieces already in the repository (`there`, in the commits `parents`).

        `parts` are refs of an earlier try.
        """
        self._there = there
        self._parents = list(parents)
        self._parts = dict(parts)

    def has(self, entry: TreeEntry) -> bool:
        """Return whether the repository has every piece of a file."""
        return all(path in self._there for path in backup.pieces(entry.content, entry.size))

    def link(self, entry: TreeEntry) -> None:
        """Do nothing: only the manifest records links."""

    def same(self, entry: TreeEntry) -> bool:
        """Return whether a file need not be copied; the newest segments always are, since their ends are read here."""
        return entry.path not in self._newest and self.has(entry)

    def share(self, entry: TreeEntry) -> None:
        """Skip sending a copied file that the repository already has."""
        if self.has(entry):
            self.copied.pop(entry.path, None)

    def settle(self, entries: Iterable[TreeEntry]) -> None:
        """Do nothing: the temporary folder need not be durable."""

    def read_back(self) -> None:
        """Do nothing: the repository is read back after sending."""

    def finish(self, header: Header, entries: Iterable[TreeEntry], marks: dict[str, Marks]) -> None:
        """Send the missing pieces, fetch the backup back, and compare the files copied now."""
        entries = list(entries)
        copied = [entry for entry in entries if entry.path in self.copied]
        for entry in copied:
            if not self.has(entry):
                self._take_in(entry)
            os.unlink(f"{self.root}/{entry.path}")  # the room is needed for what comes back
        self._commit(header, entries, marks)
        whole, tree = f"{self._start}{self._LAST}", f"{self._start}{self.TREE}"
        self._push((whole, self._whole), (tree, self._tree))
        held = self._depot.fetch_back(whole, self._whole)
        wrong = next((entry.path for entry, sound in self._depot.verified(held, copied) if not sound), None)
        if wrong is not None:
            raise OutsideProgramError(
                f"{self._depot.url} returns other data than was sent: {wrong}", hint="Use another repository."
            )

    def keep(self, at: datetime) -> str:
        """Create the backup's refs and return its name; all objects are sent already. ChangedUnderneathError."""
        commit = self._depot.commit_tree(self._tree, self._message)
        for _ in range(_TRIES):
            name = backup.following(backup.names(self._depot.refs(), self._agent), at)
            moves = [(f"{backup.WHOLE}{self._agent}/{name}", "", commit)]
            moves += [(f"{backup.HEADER}{self._agent}/{name}", "", self._header)]
            try:
                self._depot.push([*moves, *((ref, now, "") for ref, now in self._parts.items())])
            except ChangedUnderneathError:
                continue  # another machine has taken this number
            self._refs.update({ref: new for ref, _, new in moves})
            self._depot.remember(self._tree, self._message)
            return name
        raise ChangedUnderneathError(
            f"Other processes make backups in {self._depot.url} too.", hint="Re-run the same command."
        )

    def _take_in(self, entry: TreeEntry) -> None:
        """Read a file piece by piece; a full batch is sent at once."""
        with open(files.Files(self.root).open(entry.path), "rb") as stream:
            for path in backup.pieces(entry.content, entry.size):
                piece = stream.read(backup.PIECE_BYTES)
                if path in self._there:
                    continue  # an earlier try has sent it
                (self._there[path],) = self._depot.store([piece])
                self._unsent[path] = self._there[path]
                self._unsent_bytes += len(piece)
                if self._unsent_bytes >= _BATCH_BYTES or len(self._unsent) >= _BATCH:
                    self._send()

    def _send(self) -> None:
        """Push the collected pieces, under a ref of their own."""
        commit = self._depot.commit(self._unsent, b"A part of a backup\n")
        self._unsent, self._unsent_bytes = {}, 0
        taken = {ref.removeprefix(self._start) for ref in self._parts}
        number = next(number for number in count(1) if f"{number:05}" not in taken)
        self._push((f"{self._start}{number:05}", commit))
        self._parents.append(commit)

    def _commit(self, header: Header, entries: Sequence[TreeEntry], marks: dict[str, Marks]) -> None:
        """Make the backup's commit, a child of all that was sent, and the commit of its header."""
        texts = {
            backup.MANIFEST: backup.encode(header, entries, marks),
            backup.README: backup.commit_readme(self._agent_name),
            backup.FIRST_LINE: backup.first_line(header),
        }
        if len(texts[backup.MANIFEST]) > LARGEST_BLOB_BYTES:
            raise TooLargeError("The manifest is too large for a git repository.", hint="Use a folder: backup create")
        oids = dict(zip(texts, self._depot.store(list(texts.values())), strict=True))
        first = {backup.FIRST_LINE: oids.pop(backup.FIRST_LINE)}
        wanted = [entry for entry in entries if entry.kind == FILE]
        held = {path: self._there[path] for item in wanted for path in backup.pieces(item.content, item.size)}
        self._message = f"Backup of {self._agent_name}, {header.at}\n".encode("utf-8", "replace")
        self._whole = self._depot.commit({**oids, **held}, self._message, self._parents)
        self._tree = self._depot.tree_of(self._whole)
        self._header = self._depot.commit(first, self._message)

    def _push(self, *moves: tuple[str, str]) -> None:
        self._depot.push([(ref, self._parts.get(ref, ""), new) for ref, new in moves])
        self._parts.update(moves)


def _newest_segments(paths: Iterable[str]) -> list[str]:
    """Return the path of each writer's newest segment."""
    counts: dict[str, int] = {}
    for path in paths:
        parts = path.split("/")
        number = segment.number_of(parts[2]) if len(parts) == 3 and parts[0] == layout.JOURNAL else None
        if number is not None:
            counts[parts[1]] = max(number, counts.get(parts[1], 0))
    return [segment.path(writer, number) for writer, number in counts.items()]


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
