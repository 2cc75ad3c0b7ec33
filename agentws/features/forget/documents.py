"""Finds what to forget in documents and in compaction's records, and makes the changes that remove it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import chain

from agentws.changes import Change, ChangeSet, Remove, Write
from agentws.core.disk import content
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import managed, proposals, sources
from agentws.core.formats.json import plainjson
from agentws.core.formats.travel import conflict
from agentws.core.markdown import conflict as merge_conflict
from agentws.core.notes import reading
from agentws.core.states import versions
from agentws.core.stores import scrub
from agentws.core.stores.stores import Stores
from agentws.core.text import utf8
from agentws.errors import AgentwsError, TooLargeError
from agentws.features.forget.plan import sidecars, strike
from agentws.features.forget.plan.sidecars import Changed
from agentws.features.forget.plan.strike import HIT, Struck, StruckLine
from agentws.features.forget.plan.wanted import Wanted

_EDITED = ".md.edited-meanwhile-"
_BEGINS = (b"-", b"*", b"+", b"#", b"|", b">", b"\n")
"""First bytes of a line that continues no earlier line."""


@dataclass(slots=True)
class DocumentMatches:
    """The matches of forget in documents: the `changes` that remove them, and the `lines` removed, by path.

    `looked` are all searched paths, `headings` the removed headings with text below them, `derived` the lines of
    MEMORY.md whose sources are forgotten, before (in a dry run) or after the change. `unread` says what could not be
    read, `unsearched` which other files were not searched. `large` are documents too large to change, and whether they
    contain a match.
    """

    changes: ChangeSet
    lines: list[tuple[str, StruckLine]] = field(default_factory=list)
    headings: list[tuple[str, int]] = field(default_factory=list)
    derived: list[int] = field(default_factory=list)
    looked: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    unsearched: list[str] = field(default_factory=list)
    large: dict[str, bool] = field(default_factory=dict)


def find(stores: Stores, wanted: Wanted, *, run: str, dry_run: bool) -> DocumentMatches:
    """Return what to forget in all Markdown documents of the workspace and in compaction's records."""
    matches = DocumentMatches(ChangeSet(scrub.VERB))
    every = paths(stores)
    read = {
        path: data
        for path in every
        if _is_sidecar(path) and (data := _content(stores, wanted, path, matches)) is not None
    }
    beside = dict(read)
    known = _known(beside)
    heading = str(stores.manifest.setting("compaction.section"))
    struck: dict[str, Struck] = {}
    memory, memory_path = b"", stores.files.real(layout.MEMORY)
    for path in every:  # of a document that does not change nothing is kept
        data = _content(stores, wanted, path, matches) if path not in beside else None
        if data is None:
            continue
        memory = data if path == memory_path else memory
        ours = known.made if path == memory_path else ()
        if conflict.is_record(path):
            cut = sidecars.struck(path, data, wanted)
        elif path.startswith(f"{layout.DATA}/"):
            cut = struck_rows(data, wanted)
        else:
            cut = strike.strike(data, wanted, ours=ours, heading=heading)
        if cut.lines:
            read[path], struck[path] = data, cut
    days = _days(known, read, struck)
    after = {path: cut.data for path, cut in struck.items()}
    after |= _without(beside, wanted, matches, struck, read, days, run)
    _note(matches, struck)
    matches.changes = ChangeSet(scrub.VERB, tuple(_changes(read, after)))
    gone = struck[memory_path].entries if memory_path in struck else ()
    shown = memory if dry_run else after.get(memory_path, memory)
    matches.derived = list(_derived(known, _text(shown), heading, days, gone))
    return matches


def _known(beside: Mapping[str, bytes]) -> sources.Sidecar:
    """Return compaction's records, decoded."""
    known = sources.Sidecar()
    for data in beside.values():
        sources.decode(_text(data), known)
    return known


def _without(
    beside: Mapping[str, bytes],
    wanted: Wanted,
    matches: DocumentMatches,
    struck: Mapping[str, Struck],
    read: Mapping[str, bytes],
    days: Mapping[str, Changed],
    run: str,
) -> dict[str, bytes]:
    """Return compaction's records without the matches; the rows removed are added to `matches`."""
    entries = {each for cut in struck.values() for each in cut.entries}
    entries |= {each for data in beside.values() for each in sidecars.left(_text(data), wanted)}
    if (path := layout.spelt(layout.MEMORY, struck)) in struck:
        # A digest in a row of what was stated would confirm what was forgotten.
        entries |= managed.digests(_text(read[path])) - managed.digests(_text(struck[path].data))
    for path, cut in struck.items():
        if path.startswith(f"{layout.DAYS}/"):  # and so would one of a line that was not taken up
            entries |= _entry_digests(read[path], {each.line for each in cut.lines}, path)
        if path == proposals.PATH:
            entries |= _proposed(read[path]) - _proposed(cut.data)
    # What was stated may come from a day that is not folded yet, a task, a handoff.
    places = {path: Changed(read[path], cut.data, cut.blanked) for path, cut in struck.items() if cut.blanked}
    days = {**places, **days}
    after = {}
    for path, data in beside.items():
        text, gone = sidecars.without(_text(data), wanted, entries=entries, days=days, run=run)
        after[path] = text.encode("utf-8", "surrogateescape")
        matches.lines += [(path, line) for line in gone]
    return after


def _entry_digests(data: bytes, lines: Collection[int], path: str) -> set[str]:
    """Return the digests, as `curate` computes them, of the log entries that contain these `lines`."""
    result: set[str] = set()
    block: list[bytes] = []
    is_wanted = False
    for number, line in enumerate(chain(BytesIO(data), [b"\n"]), 1):
        if line[:1] in _BEGINS:
            result |= _digests(_text(b"".join(block)), path) if is_wanted else set()
            block, is_wanted = [], False
        block.append(line)
        is_wanted = is_wanted or number in lines
    return result


def _digests(text: str, path: str) -> set[str]:
    return {managed.of_text(" ".join(entry.body.split())) for entry in reading.read(text, path=path)}


def _proposed(data: bytes) -> set[str]:
    return {proposal.digest for proposal in proposals.proposals(_text(data))}


def _note(matches: DocumentMatches, struck: Mapping[str, Struck]) -> None:
    for path, cut in sorted(struck.items()):
        matches.lines += [(path, line) for line in cut.lines]
        matches.headings += [(path, line) for line in cut.headings]


def paths(stores: Stores) -> list[str]:
    """Return the paths that forget searches: documents, compaction's records and copies beside them."""
    versioned = versions.paths(stores.files)
    every = [path for path in versioned if path.endswith(".md") or _is_sidecar(path)]
    return sorted({*every, *_named(stores), *_kept_beside(stores, versioned), *_in_conflict(stores), *_rows(stores)})


def _rows(stores: Stores) -> list[str]:
    """Return the tables of rows, and the logs of rows that programs keep."""
    result, folders = [], [layout.DATA]
    while folders:
        folder = folders.pop()
        every = [(f"{folder}/{name}", kind) for name, kind in stores.files.names(folder)]
        folders += [path for path, kind in every if kind == "folder"]
        result += [path for path, kind in every if kind == "file" and path.endswith(".jsonl")]
    return result


def _is_sidecar(path: str) -> bool:
    return path.startswith(f"{layout.DAYS}/") and path.endswith(".jsonl")


def _named(stores: Stores) -> list[str]:
    """Return the documents pinned for boot (`boot.pinned`), and those to which links of the agent's files lead."""
    named = [str(path) for path in stores.manifest.setting("boot.pinned")]
    named += map(stores.files.real, layout.AGENT_FILES)
    return [path for path in named if path.endswith(".md") and _is_file(stores, path)]


def _kept_beside(stores: Stores, versioned: Iterable[str]) -> list[str]:
    """Return the `edited-meanwhile` versions kept beside documents."""
    folders = {path.rpartition("/")[0] for path in versioned} | {""}
    names = [(folder, name) for folder in folders for name, kind in stores.files.names(folder) if kind == "file"]
    return [f"{folder}/{name}".lstrip("/") for folder, name in names if _EDITED in name]


def _in_conflict(stores: Stores) -> list[str]:
    """Return the files of open sync conflicts."""
    folders = [f"{conflict.FOLDER}/{name}" for name, kind in stores.files.names(conflict.FOLDER) if kind == "folder"]
    every = [(folder, *pair) for folder in (conflict.FOLDER, *folders) for pair in stores.files.names(folder)]
    return [f"{folder}/{name}" for folder, name, kind in every if kind == "file" and not name.startswith(".")]


def _is_file(stores: Stores, path: str) -> bool:
    try:
        return stores.files.size(path) >= 0
    except AgentwsError:
        return False


def _content(stores: Stores, wanted: Wanted, path: str, matches: DocumentMatches) -> bytes | None:
    """Return a document's content; None if it cannot be read, or is too large to change and only searched."""
    try:
        try:
            data = stores.files.read(path)
            utf8.check_file(path, data)
            if b"<<<<<<<" in data and layout.is_memory(path):  # without half of its markers it would count as resolved
                merge_conflict.check(path, _text(data))
        except TooLargeError:
            pieces = content.pieces(stores.files, path)
            matches.large[path] = any(strike.holds(piece, wanted) for piece in pieces)
            data = None
    except AgentwsError as error:
        matches.unread.append(" ".join(filter(None, ("Not searched:", error.message, error.hint))))
        return None
    matches.looked.add(path)
    return data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _days(known: sources.Sidecar, read: Mapping[str, bytes], struck: Mapping[str, Struck]) -> dict[str, Changed]:
    """Return the folded days that lose lines, by the path before folding."""
    days: dict[str, Changed] = {}
    for folded in known.folded.values():
        now = struck.get(folded.to or folded.path)
        if now is not None and now.blanked:
            days[folded.path] = Changed(read[folded.to or folded.path], now.data, now.blanked)
    return days


def _changes(read: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[Change]:
    """Return the changes to files, MEMORY.md last."""
    order: Sequence[str] = sorted(after, key=lambda path: (layout.usual(path) == layout.MEMORY, path))
    return [_change(path, read[path], after[path]) for path in order if after[path] != read[path]]


def _change(path: str, before: bytes, after: bytes) -> Change:
    expects = digest.of(before)
    # The record of a conflict that has ended: an empty one would be damaged.
    is_over = conflict.is_record(path) and not after
    return Remove(path, expects=expects) if is_over else Write(path, after, expects=expects)


def _derived(
    known: sources.Sidecar, memory: str, heading: str, days: Mapping[str, Changed], gone: Collection[str]
) -> Iterable[int]:
    for entry in managed.read(memory, heading).entries:
        made = known.made.get(entry.digest) if entry.digest not in gone else None
        for source in made.sources if made is not None else ():
            day = days.get(source.path)
            if day is not None and any(source.line <= line <= source.end for line in day.lines):
                yield entry.line
                break


def struck_rows(data: bytes, wanted: Wanted) -> Struck:
    """Return a file of rows after forgetting, with the lines that become empty."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    gone = []
    for at, line in enumerate(lines):
        if line.strip() and _holds(line, wanted):
            gone.append(StruckLine(at + 1, line.strip(), HIT))
            lines[at] = ""
    return Struck("\n".join(lines).encode("utf-8", "surrogateescape"), gone)


def _holds(line: str, wanted: Wanted) -> bool:
    try:
        return wanted.is_in_value(plainjson.loads(line))
    except (ValueError, RecursionError):
        return wanted.is_in(line)
