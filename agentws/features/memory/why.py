"""why: the origin of a line in a document; for an entry of MEMORY.md, the log lines that compaction or curate used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agentws.core.disk.change import undo_record
from agentws.core.formats import layout
from agentws.core.formats.documents import managed, proposals, sources
from agentws.core.formats.documents.sources import KnownEntry, Made, Sidecar, Stated
from agentws.core.formats.journal import summary
from agentws.core.formats.journal.event import Event
from agentws.core.journal import select
from agentws.core.journal.events import imported
from agentws.core.markdown import markdown
from agentws.core.notes import reading
from agentws.core.states import repository
from agentws.core.stores import freshness, provenance, referent, writer_trust
from agentws.core.stores.provenance import EntrySource
from agentws.core.stores.stores import Stores
from agentws.core.text import origin

_MOST_EVENTS = 5
_IMPORT, _CLOCK = "import:", len("07:15")
_REFUSED = "Declined for MEMORY.md by a person: agentws curate --review"
_LEFT_OUT = "Declined for MEMORY.md; it will not be proposed again."


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A memory that compaction or curate made: its place, its text, the `run` that made it, and how many `sources`.

    `src` is whose words it is, empty if an earlier version made it.
    """

    path: str
    line: int
    text: str
    day: str
    run: str
    sources: int
    src: str = ""


@dataclass(frozen=True, slots=True)
class MemoryList:
    """The memories of a document that compaction or curate made."""

    path: str
    entries: Sequence[MemoryEntry]
    notices: list[str]


@dataclass(slots=True)
class Why:
    """The origin of a line, as `why` finds it.

    `run` made it of `sources`, or `change` (a number of undo) by `verb` wrote it, for certain or not (`is_sure`), in
    `session`, if that is known; or one of `or_changes` (number, verb) did. `became` are the memories that were made of
    the line, `left_in` the run that removed it from MEMORY.md, `events` the journal's newest about its file, `says`
    what is not known. `src` is whose words it is, `unknown` without a mark. If the agent stated as its own what it had
    from elsewhere, `stated_from` is the reference to that, and `stated_src` the source of that. `kind`, `first` and
    `confirmed` are known of an entry, `about` is the file that it is about and `freshness` whether that file has
    changed; for an entry that was removed, `state` says how, `reason` why, `until` when. `at` is when it was remembered
    (ISO 8601), empty if unknown.
    """

    path: str
    line: int
    text: str
    run: str = ""
    day: str = ""
    sources: list[EntrySource] = field(default_factory=list)
    left_in: str = ""
    src: str = origin.UNKNOWN
    stated_from: str = ""
    stated_src: str = ""
    kind: str = ""
    first: str = ""
    at: str = ""
    confirmed: list[str] = field(default_factory=list)
    state: str = ""
    reason: str = ""
    until: str = ""
    about: str = ""
    freshness: str = ""
    became: list[str] = field(default_factory=list)
    verb: str = ""
    change: int = 0
    is_sure: bool = False
    session: str = ""
    or_changes: list[tuple[int, str]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def memories(stores: Stores) -> MemoryList:
    """Return the memories in MEMORY.md that compaction or curate made, each with how many sources it has."""
    path, known = layout.MEMORY, _sidecar(stores)
    units = markdown.units(referent.read(stores.files, path).decode("utf-8", "surrogateescape"))
    rows = [(unit, made) for unit in units if (made := known.made.get(managed.of_unit(unit))) is not None]
    entries = [
        MemoryEntry(path, unit.line, " ".join(_words(unit).split()), made.day, made.run, len(made.sources), made.src)
        for unit, made in rows
    ]
    return MemoryList(path, entries, list(stores.notices))


def why(stores: Stores, place: str) -> Why:
    """Return the origin of the line at `place` (`MEMORY.md:12`); UsageError for an invalid place."""
    path, line = referent.place(stores.root, place)
    known = _sidecar(stores)
    path = provenance.place(stores.files, path, known)
    data = referent.read(stores.files, path)
    answer = Why(path, line, referent.line_of(data, path, line))
    units = markdown.units(data.decode("utf-8", "surrogateescape"))
    unit = next((each for each in units if each.line <= line <= each.end_line), None)
    words = "" if unit is None else " ".join(_words(unit).split())
    digests = _digests(data, line, known, path, words)
    made = next((known.made[each] for each in digests if each in known.made), None)
    stated = next((known.stated[each] for each in digests if each in known.stated), None)
    if stated is not None and stated.ref:
        answer.src, answer.stated_from, answer.stated_src = stated.src, stated.ref, stated.ref_src
        answer.sources = provenance.of(stores.files, stated, known)
    elif made is not None:
        answer.run, answer.day = made.run, made.day
        answer.sources = provenance.of(stores.files, made, known)
        answer.src = made.src or origin.lowest([origin.UNKNOWN, *(source.src for source in answer.sources)])
        answer.left_in = (
            known.left[made.entry].run if path == sources.SUPERSEDED_PATH and made.entry in known.left else ""
        )
        if not made.run:  # by an answer to `curate`
            _by_whom(stores, answer, data)
    else:
        answer.src = referent.source(data, path, line, line)
        if stated is not None and not origin.is_outside(answer.src):
            answer.src = stated.src or answer.src
        _by_whom(stores, answer, data)
        answer.became = list(_became(stores, answer, known, data))
        answer.says = [*_declined(words, known), *_imported(stores, answer, words)]
        answer.events = _events_about(stores, path)
    _what_is_known(stores, answer, made, stated)
    answer.says += _unknown(stores, answer)
    answer.notices = list(stores.notices)
    return answer


def _what_is_known(stores: Stores, answer: Why, made: Made | None, stated: Stated | None) -> None:
    """Fill in since and until when an entry held, and what has become of the file that it is about."""
    rows: list[KnownEntry] = [row for row in (stated, made) if row is not None]
    for name in ("kind", "first"):
        setattr(answer, name, next((value for row in rows if (value := getattr(row, name))), ""))
    answer.at = stated.at if stated is not None else ""
    answer.confirmed = list(max((row.confirmed for row in rows), default=()))
    if answer.path == sources.SUPERSEDED_PATH:
        left = next((row for row in rows if not row.is_current), None)
        if left is not None:
            answer.state, answer.reason, answer.until = left.state, left.reason, left.until
    elif layout.usual(answer.path) == layout.MEMORY and rows:
        tie = freshness.of(stores).get(rows[0].entry)
        answer.about, answer.freshness = (tie.path, tie.state) if tie else ("", "")


def _sidecar(stores: Stores) -> Sidecar:
    """Return the records of where entries come from."""
    return sources.decode(provenance.text_of(stores.files, sources.PATH))


# Memories


def _words(unit: markdown.Unit) -> str:
    return unit.text[markdown.marker(unit.text) :]


def _digests(data: bytes, line: int, known: Sidecar, path: str, words: str) -> list[str]:
    """Return the digests by which the entry at a line may be recorded, none if there is no entry."""
    if path == proposals.PATH:  # a proposal has its kind and its sources around the text
        rows = proposals.proposals(data.decode("utf-8", "surrogateescape"))
        return [proposal.digest for proposal in rows if proposal.line <= line <= proposal.end_line]
    if path == sources.SUPERSEDED_PATH:  # the text is followed by the reason for its removal
        texts = [(" ".join(left.text.split()), left.entry) for left in known.left.values()]
        entry = max((each for each in texts if words.startswith(each[0])), key=lambda each: len(each[0]), default=None)
        return [entry[1]] if entry else []
    return [managed.of_text(words)] if words else []


def _became(stores: Stores, answer: Why, known: Sidecar, data: bytes) -> Iterator[str]:
    """Yield the places of the memories made of this line; if several days had its path, of those with its text."""
    provenance.learn(stores.files, answer.path, known)
    names = {answer.path, *(folded.path for folded in known.every() if folded.to == answer.path)}
    made_of = [
        (made.entry, sources.of_lines(data, source.line, source.end) == source.digest)
        for made in known.made.values()
        for source in made.sources
        if source.path in names and source.line <= answer.line <= source.end
    ]
    is_as_it_was = any(same for _, same in made_of)
    entries = {entry for entry, same in made_of if same or not is_as_it_was}
    if entries:
        memory = provenance.text_of(stores.files, layout.MEMORY)
        for unit in markdown.units(memory):
            if managed.of_text(_words(unit)) in entries:
                yield f"{layout.MEMORY}:{unit.line}"


# Other lines


def _declined(words: str, known: Sidecar) -> Iterator[str]:
    """Yield a sentence if the author of MEMORY.md, or a person, declined an entry with these words."""
    entries = reading.read(f"- {words}\n", path="") if words and known.declined else ()
    by = known.declined.get(managed.of_text(" ".join(entries[0].body.split()))) if entries else None
    if by is not None:
        yield _REFUSED if by == sources.PERSON else _LEFT_OUT


def _by_whom(stores: Stores, answer: Why, data: bytes) -> None:
    """Find the change by agentws that wrote the line: the file has the line after it, and not before."""
    paths = (answer.path, *sources.once(answer.path)) if answer.text.strip() else ()
    number = next(filter(None, (undo_record.logged(stores.files, path, answer.text) for path in paths)), 0)
    if number:
        answer.verb, answer.change, answer.is_sure = "log", number, True
        answer.session = undo_record.session_of(stores.files, number)
        return
    brought = undo_record.writer_of(stores.files, answer.path, answer.text, data)
    if brought is not None:
        answer.verb, answer.change, answer.is_sure = brought.verb, brought.number, brought.is_sure
        answer.session = undo_record.session_of(stores.files, brought.number) if brought.is_sure else ""
        answer.or_changes = [(logged_change.number, logged_change.verb) for logged_change in brought.others]


def _events_about(stores: Stores, path: str) -> list[Event]:
    """Return the newest journal events about a task or a handoff."""
    folder, _, name = path.rpartition("/")
    slug = name.removesuffix(".md")
    if folder not in (layout.TASKS, layout.HANDOFFS):
        return []
    is_task = folder == layout.TASKS
    asked = select.Wanted(task=slug) if is_task else select.Wanted(kinds=("handoff.*",))
    reader = select.Reader(stores.files, asked)
    streams = [reader.behind(writer, 0) for writer in writer_trust.known(stores)]
    events = [event for event in select.merged(streams) if is_task or _names(event, slug)]
    return events[-_MOST_EVENTS:]


def _imported(stores: Stores, answer: Why, words: str) -> Iterator[str]:
    """Yield a sentence for each imported session whose entry, in these words, has the line."""
    if not answer.src.startswith(_IMPORT):
        return
    reader = select.Reader(stores.files, select.Wanted(kinds=imported.KINDS))
    events = select.merged([reader.behind(writer, 0) for writer in writer_trust.known(stores)])
    zone = stores.clock.now().tzinfo
    for session in imported.entries(events):
        began = datetime.fromisoformat(session.began).astimezone(zone)
        if session.path == answer.path and f"{began:%H:%M}" == words[:_CLOCK]:
            yield f"Imported session {session.id} of {session.source}, {began:%Y-%m-%d %H:%M}."


def _names(event: Event, slug: str) -> bool:
    return slug in summary.shown(dict(event.body or {}))


def _unknown(stores: Stores, answer: Why) -> Iterable[str]:
    if answer.run or answer.stated_from or answer.is_sure or answer.sources:
        return
    if answer.or_changes:
        changes = [(answer.change, answer.verb), *reversed(answer.or_changes)]
        named = " or ".join(f"{number} (`agentws {verb}`)" for number, verb in changes)
        yield f"Added by change {named}: `agentws forget` removed the old versions that would tell which."
    elif answer.verb:
        yield f"Added by change {answer.change} (`agentws {answer.verb}`), or by hand before the next change."
    else:
        yield "agentws has no record of this line: written by hand, by another program, or long ago."
    if repository.find(stores.root) is not None:
        yield f"To see when it changed: git log --all -p -- {answer.path}"
