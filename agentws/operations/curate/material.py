"""The material of a curation: MEMORY.md, how its entries were made, the logs, what waits, and the last brief."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from agentws.changes import ABSENT
from agentws.errors import DamagedError, MissingFileError
from agentws.formats import digest, layout, origin
from agentws.formats.documents import daily, managed, proposals, sources, superseded
from agentws.operations.curate import logs
from agentws.planning.compact import candidates as pool
from agentws.planning.compact import withheld
from agentws.planning.curate import candidates, checks
from agentws.planning.curate.change import Folder
from agentws.planning.notes import ledger, reading, statement, vocabulary
from agentws.planning.notes.document import File
from agentws.planning.notes.entry import MARKED
from agentws.planning.tokens import counters
from agentws.storage.disk import local_dir, lock
from agentws.storage.system import vocabulary as _tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentws.formats.documents.entry_rows import Made
    from agentws.operations.curate.logs import Log
    from agentws.planning.curate.candidates import Candidate
    from agentws.planning.notes.entry import Entry
    from agentws.ports import TokenCounter
    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores

LOCK = "curation"
_KINDS = frozenset((*daily.KINDS, *statement.STATES, *statement.STANDING_KINDS))
_LOCK_TIMEOUT_S = 5.0
_EMPTY_MEMORY = b"# Memory\n"


@contextmanager
def alone(stores: Stores, what: str) -> Iterator[None]:
    """Hold off other curations, and begin with a workspace that no killed verb has left half done."""
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, LOCK, timeout_s=_LOCK_TIMEOUT_S, note=what):
        stores.settle()
        yield


class Material:
    """The material of a curation: the documents (`folder`), facts about entries (`sidecar`), the managed `section`."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        files = stores.files
        memory = _file(files, layout.MEMORY)
        if b"\0" in memory.data:
            raise DamagedError(
                f"{layout.MEMORY}: not UTF-8, so agentws cannot change the file.", hint="Save the file as UTF-8."
            )
        if memory.digest == ABSENT:
            memory = File(memory.path, _EMPTY_MEMORY, ABSENT)
        sidecar = _file(files, sources.PATH)
        self.folder = Folder(memory, sidecar, _file(files, superseded.PATH), _file(files, proposals.PATH))
        self.sidecar = sources.decode(sidecar.text)
        self.heading: str = stores.manifest.setting("compaction.section")
        self.section = managed.read(memory.text, self.heading)
        self.counter: TokenCounter = counters.counter(stores.manifest.setting("boot.tokenizer"), _tables.open_o200k)
        self.words = vocabulary.extended(stores.manifest.vocabulary)
        tags = stores.manifest.setting("boot.private_tags")
        self._private_tags = ("private", *(tag.lstrip("#").casefold() for tag in tags))

    @property
    def size(self) -> int:
        """The tokens of the section."""
        return checks.size(self.folder.memory.text, self.heading, self.counter)

    @property
    def rows(self) -> dict[str, Made]:
        """Return how entries that are not a person's were made; one that left and is back is a person's."""
        return {entry: row for entry, row in self.sidecar.made.items() if row.is_current}

    @cached_property
    def logs(self) -> list[Log]:
        """The newest logs as they were read."""
        return logs.newest(self._stores)

    @property
    def places(self) -> dict[str, str]:
        """Return the paths of days, by the paths that they had before they were archived."""
        return {one.path: one.place for one in self.logs}

    @cached_property
    def days(self) -> list[list[Entry]]:
        """The entries of the newest logs."""
        return [
            reading.read(one.body, path=one.path, day=one.day, words=self.words, first_line=one.first_line)
            for one in self.logs
        ]

    @cached_property
    def memory(self) -> list[Entry]:
        """The entries of MEMORY.md, all of it."""
        return reading.read(self.folder.memory.text, path=layout.MEMORY, words=self.words)

    def theirs(self) -> list[Entry]:
        """Return the entries of MEMORY.md outside of the managed section, as far as a brief may show them."""
        start, end = self.section.start, self.section.end
        return [one for one in self.told(self.memory) if not start < one.line <= end]

    def told(self, memory: Iterable[Entry]) -> list[Entry]:
        """Return those lines of MEMORY.md that an author may be told of."""
        return [one for one in memory if not (self.is_withheld(one) or _is_heard(one))]

    def own(self) -> list[str]:
        """The texts of the agent's own files."""
        return [_file(self._stores.files, path).text for path in layout.AGENT_FILES]

    @cached_property
    def hidden(self) -> withheld.Secrets:
        """The values that some line calls a secret."""
        return withheld.Secrets([self.folder.memory.text, *(one.body for one in self.logs)])

    def is_withheld(self, entry: Entry) -> bool:
        """Return whether an entry is private, or tells a secret: no brief shows it, and none enters."""
        return withheld.is_withheld(entry, self._private_tags, self.hidden)

    def says_withheld(self, text: str, heading: str = "") -> bool:
        """The same, of what stands in MEMORY.md or waits for it."""
        title = f"## {heading}\n\n" if heading else ""
        return any(map(self.is_withheld, reading.read(f"{title}- {text}\n", path="", words=self.words)))

    def shown(self) -> list[Entry]:
        """Return the entries of the logs that a brief may show, the newest first."""
        return [one for entries in self.days for one in reversed(entries) if not self.is_withheld(one)]

    def unknown(self) -> list[Entry]:
        """Return the lines whose word in brackets is no kind, the newest first."""
        return [one for one in self.shown() if one.sure == MARKED and one.kind and one.kind not in _KINDS]

    def candidates(self, answered: str = "") -> list[Candidate]:
        """Return the candidates, the best first; `answered` is the day of the newest answer."""
        days = self.days
        known = ledger.of([*days, self.memory], today=self._stores.here().day)
        rows = [row for one in self.section.entries if (row := self.sidecar.made.get(one.digest))]
        gone = [row for row in self.sidecar.made.values() if not row.is_current]
        told = {(one.path, at) for row in (*rows, *gone) for one in row.sources for at in range(one.line, one.end + 1)}
        waiting = proposals.proposals(self.folder.proposed.text)
        secret = {f"{one.path}:{one.line}" for entries in days for one in entries if self.is_withheld(one)}
        found = pool.of(reversed(days), private_tags=self._private_tags, hidden=self.hidden, words=self.words)
        made = candidates.of(
            found,
            self.memory,
            over=[*known.over, *known.outdated()],
            told=told,
            proposed=[one for one in waiting if not (secret & {*one.sources} or self.says_withheld(one.text))],
            declined=self.sidecar.declined,
            left={row.entry: row.until for row in gone},
            answered=answered,
            words=self.words,
        )
        after = {(one.path, one.line): later for one, later in pairwise(self.shown()[::-1]) if _is_beside(one, later)}
        for one in made:
            later = after.get((one.entry.path, one.entry.line)) if one.entry else None
            if one.rank == candidates.PLAIN and later and later.parent is None:
                one.next = (later.body, f"{later.path}:{later.line}")
            one.below = "" if one.below and self.says_withheld(one.below) else one.below
            one.holds = ("", "") if one.holds[0] and self.says_withheld(one.holds[0]) else one.holds
        return made

    @property
    def proposed(self) -> set[str]:
        """The digests of what waits: a run has written down where it is from, and nobody has decided on it yet."""
        return {one.digest for one in proposals.proposals(self.folder.proposed.text)}


def _is_beside(one: Entry, later: Entry) -> bool:
    return (one.path, one.headings) == (later.path, later.headings)


def _is_heard(entry: Entry) -> bool:
    """Return whether an entry, or a heading above it, comes from outside: then it is nobody's own line."""
    return bool(entry.src) or any(map(origin.within, entry.headings))


def _file(files: Files, path: str) -> File:
    """A file as it is, empty where there is none."""
    try:
        data = files.read(path)
    except MissingFileError:
        return File(path, b"", ABSENT)
    return File(path, data, digest.of(data))
