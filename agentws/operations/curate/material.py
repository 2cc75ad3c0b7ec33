"""The material of a curation: MEMORY.md, how its entries were made, the logs, and what the owner said."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from agentws.changes import ABSENT
from agentws.errors import AgentwsError, DamagedError, DiskError, MissingFileError
from agentws.formats import digest, layout, origin
from agentws.formats.documents import managed, proposals, sources, superseded
from agentws.formats.journal import event
from agentws.formats.secrets import named, secrets
from agentws.operations.curate import logs
from agentws.planning.compact import entries as lines
from agentws.planning.curate import candidates, checks
from agentws.planning.curate.change import Folder
from agentws.planning.notes import reading, vocabulary
from agentws.planning.notes.document import File
from agentws.planning.tokens import counters
from agentws.storage.disk import local_dir, lock
from agentws.storage.journal import select
from agentws.storage.system import vocabulary as _tables
from agentws.storage.workspace import writer_trust

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from agentws.formats.documents.entry_rows import KnownEntry
    from agentws.operations.curate.logs import Log
    from agentws.planning.curate.candidates import Candidate
    from agentws.planning.notes.entry import Entry
    from agentws.ports import TokenCounter
    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores

LOCK = "curation"
_LOCK_TIMEOUT_S = 5.0
_EMPTY_MEMORY = b"# Memory\n"
_MESSAGE_DAYS = 30
"""What the owner said in so many days is looked through."""


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
        self._private_tags = lines.private_labels(tags)

    @property
    def size(self) -> int:
        """The tokens of the section."""
        return checks.size(self.folder.memory.text, self.heading, self.counter)

    @cached_property
    def rows(self) -> dict[str, KnownEntry]:
        """Return what is known of the agent's own entries; one that left and is back is a person's."""
        made = {entry: row for entry, row in self.sidecar.made.items() if row.is_current}
        stated = {
            entry: row
            for entry, row in self.sidecar.stated.items()
            if row.is_current and origin.class_of(row.src) == origin.AGENT and entry not in self.sidecar.made
        }
        return {**stated, **made}

    @cached_property
    def entries(self) -> list[managed.ManagedEntry]:
        """The entries that the author decides about: those of the section, and what the agent remembered."""
        return checks.entries_of(self.folder.memory.text, self.heading, self.rows)

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

    def own_lines(self, but: Collection[str]) -> list[Entry]:
        """Return the lines of MEMORY.md that a brief may show, without those with these digests."""
        shown = [one for one in self.memory if not (self.is_private(one) or one.src or one.is_label)]
        shown = [one for one in shown if not any(map(origin.within, one.headings))]
        return [one for one in shown if managed.of_text(one.text.removeprefix("- ")) not in but]

    def own(self) -> list[str]:
        """The texts of the agent's own files."""
        return [_file(self._stores.files, path).text for path in layout.AGENT_FILES]

    @cached_property
    def hidden(self) -> named.Secrets:
        """The values that some line calls a secret."""
        return named.Secrets([self.folder.memory.text, *(one.body for one in self.logs)])

    def is_private(self, entry: Entry) -> bool:
        """Return whether an entry is private, or contains a secret: no brief shows it, and none enters."""
        return lines.is_private(entry, self._private_tags, self.hidden)

    def says_private(self, text: str, heading: str = "") -> bool:
        """The same, of a line of MEMORY.md, or of one that waits for it."""
        title = f"## {heading}\n\n" if heading else ""
        return any(map(self.is_private, reading.read(f"{title}- {text}\n", path="", words=self.words)))

    def candidates(self) -> list[Candidate]:
        """Return the candidates, in the order in which a brief offers them."""
        rows = self.sidecar.made.values()
        taken = {f"{one.path}:{at}" for row in rows for one in row.sources for at in range(one.line, one.end + 1)}
        waiting = proposals.proposals(self.folder.proposed.text)
        return candidates.of(
            self._said(),
            self.folder.memory.text,
            proposed=[one for one in waiting if not self.says_private(one.text)],
            declined=self.sidecar.declined,
            taken=taken,
        )

    def _said(self) -> Iterator[Candidate]:
        """What logs and messages of the owner say, the newest first."""
        yield from self._messages()
        for one, entries in zip(self.logs, self.days, strict=True):
            shown = [entry for entry in entries if not self.is_private(entry)]
            text = "\n" * (one.first_line - 1) + one.body
            yield from candidates.of_log(shown, text, self.words)

    def _messages(self) -> Iterator[Candidate]:
        """What the owner said to the agent; a journal that cannot be read says nothing here."""
        since = f"{(self._stores.clock.now() - timedelta(days=_MESSAGE_DAYS)).date()}"
        try:
            reader = select.Reader(self._stores.files, select.Wanted(kinds=(event.NOTE,), src=origin.USER, since=since))
            said = list(select.merged([reader.behind(writer, 0) for writer in writer_trust.known(self._stores)]))
        except DiskError:
            raise
        except AgentwsError:
            return
        for one in reversed(said):
            text = str((one.body or {}).get("text", ""))
            is_hidden = (one.body or {}).get("private") or secrets.find(text) or self.hidden.stand_in(text)
            if not is_hidden:
                yield from candidates.of_message(text, one.cursor, one.at[:10], self.words)

    @property
    def proposed(self) -> set[str]:
        """The digests of what earlier versions proposed, and nobody has decided on yet."""
        return {one.digest for one in proposals.proposals(self.folder.proposed.text)}


def _file(files: Files, path: str) -> File:
    """A file as it is, empty where there is none."""
    try:
        data = files.read(path)
    except MissingFileError:
        return File(path, b"", ABSENT)
    return File(path, data, digest.of(data))
