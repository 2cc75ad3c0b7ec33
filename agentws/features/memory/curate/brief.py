"""Makes the curation brief for the author of MEMORY.md, decides when to ask for one, and reads its material."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from agentws.core.disk import clock, dir_cache, local_dir, lock
from agentws.core.disk.files import Files
from agentws.core.disk.system import shipped as _tables
from agentws.core.formats import audience, layout
from agentws.core.formats.documents import document, managed, proposals, sources
from agentws.core.formats.documents.entry_rows import KnownEntry
from agentws.core.formats.journal import event
from agentws.core.formats.secrets import named, secrets
from agentws.core.journal import select
from agentws.core.notes import reading, vocabulary
from agentws.core.notes.entry import Entry
from agentws.core.stores import freshness, provenance, writer_trust
from agentws.core.stores.stores import Stores
from agentws.core.text import origin
from agentws.core.tokens import counters
from agentws.errors import AgentwsError, DiskError, LockHeldError
from agentws.features.memory.compact.plan import marked_lines
from agentws.features.memory.curate import curation
from agentws.features.memory.curate.plan import brief as _brief, checks, evidence
from agentws.features.memory.curate.plan.brief import Brief, Candidate, Line, Row
from agentws.features.memory.curate.plan.operations import Folder

_LOCK = "curation"
_LOCK_TIMEOUT_S, _HOOK_TIMEOUT_S = 5.0, 0.2
_MESSAGE_DAYS = 30
"""The days for which the owner's messages are searched for candidates."""
_MOST_LOGS = 120
"""The number of newest logs that are searched for candidates."""
MOST_CHARS = 1 << 21
"""The most characters of logs that are searched; of a longer log the beginning, where its headings are known."""


@dataclass(frozen=True, slots=True)
class Briefed:
    """The curation `brief`, and notices."""

    brief: Brief
    notices: Sequence[str]


def brief(stores: Stores) -> Briefed:
    """Return the curation brief for the author of MEMORY.md: its entries, candidates, and how to answer.

    The numbers of entries are recorded, so that an answer means what was shown.
    """
    with curating(stores, "curate") as material:
        return Briefed(made(stores, material), stores.notices)


def made(stores: Stores, material: Material) -> Brief:
    """Return the curation brief of this material, and record its numbers for the answer."""
    numbers = curation.read(stores.files)
    ties = freshness.of(stores)
    rows = []
    for entry in material.entries:
        if material.says_private(entry.text, entry.kind):
            continue
        row, tie = material.rows.get(entry.digest), ties.get(entry.digest)
        day = max((row.first, *row.confirmed), default="") if row else ""
        changed = tie.path if tie and tie.is_doubtful else ""
        rows.append(Row(numbers.number(entry.digest), entry, is_theirs=row is None, day=day, tie=changed))
    shown = _brief.brief(
        rows,
        material.candidates(),
        size=material.size(),
        today=stores.here().day,
        withheld=len(material.entries) - len(rows),
        by_hand=material.by_hand(),
    )
    numbers.offer([sorted(candidate.digests) for candidate in shown.candidates], shown.name)
    curation.keep(stores.files, numbers)
    return shown


def ask_for_curation(stores: Stores) -> str:
    """Return what waits for curation, in a few words, if the agent is to be asked for it now; else empty.

    The agent is asked in a main session, once a day, and not on a day on which it has answered. That it is asked is
    recorded first: if that fails, it is not asked, since it would be at the end of each turn.
    """
    if stores.manifest.setting("curation.ask") != "turn" or stores.audience() != audience.MAIN:
        return ""
    today = stores.here().day
    if not _waits(stores, curation.read(stores.files), today):
        return ""
    local_dir.prepare(stores.files)
    try:
        with lock.Lock(stores.files, _LOCK, timeout_s=_HOOK_TIMEOUT_S, note="hook"):
            known = curation.read(stores.files)
            words = _waits(stores, known, today)  # empty if another session was first
            if words:
                known.asked = today
                curation.keep(stores.files, known)
            return words
    except LockHeldError:
        return ""


def _waits(stores: Stores, known: curation.Numbers, today: str) -> str:
    if curation.is_at(known.asked, today) or curation.is_at(known.day, today):
        return ""
    logged = {day for name in layout.daily_logs(stores.files.listing(layout.DAYS)) if (day := layout.day_of(name))}
    return curation.what(logged, answered=known.day)


@contextmanager
def curating(stores: Stores, what: str, *, is_alone: bool = True) -> Iterator[Material]:
    """Hold the curation lock, begin with a settled workspace, and return the material.

    Without `is_alone` there is no lock: nothing is written then.
    """
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    if not is_alone:
        yield Material(stores)
        return
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, note=what):
        stores.settle()
        yield Material(stores)


@dataclass(frozen=True, slots=True)
class Log:
    """A daily log in a brief's material: its `path`, its `day` (ISO), its text (`body`) that begins at `first_line`."""

    path: str
    day: str
    body: str
    first_line: int


class Material:
    """The material of a curation brief: documents (`folder`), facts about entries (`sidecar`), the managed `section`.

    `rows` are the facts about the agent's own entries, by digest: one that was removed and is back is a person's.
    `entries` are those on which the author decides: those of the section, and those that the agent remembered.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        memory = provenance.memory_of(stores.files)
        sidecar, left, proposed = (
            provenance.file_of(stores.files, path) for path in (sources.PATH, sources.SUPERSEDED_PATH, proposals.PATH)
        )
        self.folder = Folder(memory, sidecar, left, proposed)
        self.sidecar = sources.decode(sidecar.text)
        self.heading: str = stores.manifest.setting("compaction.section")
        self.section = managed.read(memory.text, self.heading)
        self.counter = counters.counter(stores.manifest.setting("boot.tokenizer"), _tables.open_o200k)
        self.rows: dict[str, KnownEntry] = {
            digest: row
            for digest, row in self.sidecar.stated.items()
            if row.is_current and origin.class_of(row.src) == origin.AGENT and digest not in self.sidecar.made
        }
        self.rows |= {digest: row for digest, row in self.sidecar.made.items() if row.is_current}
        self.entries = checks.entries_of(memory.text, self.heading, self.rows)
        self.words = vocabulary.extended(stores.manifest.vocabulary)
        self._private_labels = marked_lines.private_labels(stores.manifest.setting("boot.private_tags"))
        self._places: dict[str, str] = {}
        self.proposed = proposals.proposals(proposed.text)

    def size(self, document: str | None = None) -> int:
        """Return the tokens of MEMORY.md's managed section, or of that of another `document`."""
        return checks.size(self.folder.memory.text if document is None else document, self.heading, self.counter)

    @cached_property
    def logs(self) -> list[Log]:
        """The newest logs for the brief, the newest first."""
        files = dir_cache.over(self._stores.files)
        try:
            return list(self._read(files))
        finally:
            dir_cache.let_go(files)

    def place(self, ref: str) -> str:
        """Return the brief's reference to a line of a log, with the path that the log has now."""
        path, colon, line = ref.rpartition(":")
        places = self._places if self.logs else {}  # reading the logs shows which are archived
        return f"{places.get(path, path)}{colon}{line}"

    @cached_property
    def days(self) -> list[list[Entry]]:
        """The entries of the brief's logs, by log."""
        return [
            reading.read(log.body, path=log.path, day=log.day, words=self.words, first_line=log.first_line)
            for log in self.logs
        ]

    def own_lines(self) -> list[Line]:
        """Return the lines of MEMORY.md that a review may show."""
        return [
            Line(f"{layout.MEMORY}:{entry.line}", entry.said)
            for entry in reading.read(self.folder.memory.text, path=layout.MEMORY, words=self.words)
            if not (self.is_private(entry) or entry.src or entry.is_label)
            and not any(map(origin.within, entry.headings))
        ]

    def by_hand(self) -> list[Line]:
        """Return the lines of MEMORY.md, as a review may show them, that are no entries of this material."""
        entries = {f"{layout.MEMORY}:{entry.line}" for entry in self.entries}
        return [line for line in self.own_lines() if line.name not in entries]

    def _read(self, files: Files) -> Iterator[Log]:
        """Yield the newest logs, also archived ones; one that cannot be read or is too long is a notice."""
        folders = [layout.DAYS]
        if ("archive", "folder") in files.names(layout.DAYS):
            years = [name for name, kind in files.names(layout.ARCHIVE) if kind == "folder" and name.isdecimal()]
            folders += [f"{layout.ARCHIVE}/{year}" for year in years]
        logs = [
            (name[:10], f"{folder}/{name}") for folder in folders for name in layout.daily_logs(files.listing(folder))
        ]
        logs = sorted(logs, reverse=True)[:_MOST_LOGS]
        known = sources.Sidecar()
        for month in {sources.month_path(day) for day, path in logs if path.startswith(layout.ARCHIVE)}:
            sources.decode(provenance.text_of(files, month), known)
        before = {row.to: row.path for row in known.every() if len(known.places(row.path)) == 1}
        live = {path for _, path in logs}
        room = MOST_CHARS
        for day, path in logs:
            try:
                read, damage = document.lenient(files.read(path), where=path)
            except DiskError:
                raise
            except AgentwsError as error:
                self._stores.notices.append(error.message)
                continue
            if damage is not None:
                self._stores.notices.append(damage.message)
            named_before = before.get(path, path)
            body = beginning(read.body, room)
            if named_before not in live:  # sources name its lines by that path
                self._places[named_before] = path
            yield Log(path, day, body, read.body_line)
            if body != read.body:
                last = read.body_line + body.count("\n") - 1
                self._stores.notices.append(f"{path}: too long to search. Skipped: everything after line {last}.")
            room -= len(body)

    @cached_property
    def hidden(self) -> named.Secrets:
        """The values that some line of MEMORY.md or a log calls a secret, and forgotten text."""
        texts = [self.folder.memory.text, *(log.body for log in self.logs)]
        return named.Secrets(texts, keeps_out=self._stores.keeps_out())

    def is_private(self, entry: Entry) -> bool:
        """Return whether an entry is private or contains a secret, so that no brief shows it and no answer adds it."""
        return marked_lines.is_private(entry, self._private_labels, self.hidden)

    def says_private(self, text: str, heading: str = "") -> bool:
        """Return whether a line of MEMORY.md, or a proposed one, is private or contains a secret."""
        title = f"## {heading}\n\n" if heading else ""
        return any(map(self.is_private, reading.read(f"{title}- {text}\n", path="", words=self.words)))

    @cached_property
    def _small_words(self) -> set[str]:
        """The words that a log or a file of the agent writes in lower case, which are no names."""
        texts = [provenance.text_of(self._stores.files, path) for path in (layout.MEMORY, *layout.AGENT_FILES)]
        return evidence.plain_words([*texts, *(log.body for log in self.logs)])

    def standing(
        self, numbers: Mapping[int, str], known: Mapping[str, evidence.Evidence], *, is_person: bool = False
    ) -> checks.CheckContext:
        """Return the state for checking an answer: entries have these `numbers`, references this `known` evidence."""
        return checks.CheckContext(
            document=self.folder.memory.text,
            heading=self.heading,
            numbers=numbers,
            rows=self.rows,
            evidence=known,
            counter=self.counter,
            is_hidden=self.hidden.stand_in,
            is_small=lambda word: word in self._small_words,
            is_person=is_person,
        )

    def candidates(self) -> list[Candidate]:
        """Return the candidates, in the order in which a brief offers them."""
        return [
            candidate for candidate in self._all_candidates() if not any(map(self._stores.is_over, candidate.readings))
        ]

    def rejected(self) -> list[Candidate]:
        """Return the candidates that are kept out, and not yet recorded as declined: a kill came between."""
        return [candidate for candidate in self._all_candidates() if any(map(self._stores.is_over, candidate.readings))]

    def _all_candidates(self) -> list[Candidate]:
        taken = {
            self.place(f"{source.path}:{line}")
            for row in self.sidecar.made.values()
            for source in row.sources
            for line in range(source.line, source.end + 1)
        } | {row.ref for row in self.sidecar.stated.values()}
        return _brief.candidates_of(
            [*self._messages(), *self._logged(), *self._imported()],
            self.folder.memory.text,
            proposed=[
                Candidate(proposal.text, proposal.kind, [*map(self.place, proposal.sources)], "")
                for proposal in self.proposed
                if not self.says_private(proposal.text)
            ],
            declined=self.sidecar.declined,
            taken=taken,
        )

    def _logged(self) -> Iterator[Candidate]:
        """Yield the candidates in the logs, the newest first."""
        closed = marked_lines.closed_in(self.days)
        for log, entries in zip(self.logs, self.days, strict=True):
            shown = [entry for entry in entries if not self.is_private(entry)]
            yield from _brief.of_log(shown, "\n" * (log.first_line - 1) + log.body, self.words, closed)

    def _imported(self) -> Iterator[Candidate]:
        """Yield the memories that were imported from other programs; only `remember --from` or a person adopts one."""
        room = MOST_CHARS
        for name, kind in self._stores.files.names(layout.IMPORTED):
            path = f"{layout.IMPORTED}/{name}"
            if kind != "file" or not name.endswith(".md") or room <= 0:
                continue
            body = provenance.text_of(self._stores.files, path)[:room]
            room -= len(body)
            entries = reading.read(body, path=path, words=self.words)
            yield from _brief.of_page(entry for entry in entries if not self.is_private(entry))

    def _messages(self) -> Iterator[Candidate]:
        """Yield the candidates in the owner's messages to the agent; none if the journal cannot be read."""
        now = self._stores.clock.now()
        since = f"{(now - timedelta(days=_MESSAGE_DAYS)).date()}"
        wanted = select.Wanted(kinds=(event.NOTE,), src=origin.USER, since=since)
        try:
            reader = select.Reader(self._stores.files, wanted)
            notes = list(select.merged([reader.behind(writer, 0) for writer in writer_trust.known(self._stores)]))
        except DiskError:
            raise
        except AgentwsError:
            return
        for note in reversed(notes):
            body = note.body or {}
            text = str(body.get("text", ""))
            if not (body.get("private") or secrets.find(text) or self.hidden.stand_in(text)):
                yield from _brief.of_message(text, note.cursor, clock.day_in(now.tzinfo, note.at), self.words)


def beginning(text: str, most: int) -> str:
    """Return the beginning of a log that a brief searches: whole lines, at most so many characters."""
    return text if len(text) <= most else text[: text.rfind("\n", 0, most) + 1]
