"""Days folded into memory: what one run of compaction changes, as a ChangeSet. Pure.

In this order: what leaves MEMORY.md is written down as superseded, the sidecar says where each new entry came from and
what each day was, the days move to the archive, and MEMORY.md is replaced last: that is when the run has happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentws.changes import Change, ChangeSet, Move, Remove
from agentws.formats import digest, layout
from agentws.formats.documents import entry_rows, managed, proposals, sources, superseded
from agentws.formats.documents.proposals import Proposal
from agentws.planning.compact import digest as page

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.formats.documents.sources import Sidecar
    from agentws.planning.compact.choice import Choice, Gone, Kept
    from agentws.planning.compact.units import Source
    from agentws.planning.notes.document import File

_MOST_REFS = 5
"""Of the references by which an entry is known, so many are written down, the newest."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The input of a run: the documents it writes, and the days that are compacted.

    `months` are the files that say what days were, by path; `archive` says where each day that moves goes to. A day
    that it does not name stays where it is. By the rules of retention, `shelved` files move too (day, file, where to),
    and so do days that were folded before days moved; archived days that are `expired` are deleted.
    """

    memory: File
    sidecar: File
    months: Mapping[str, File]
    superseded: File
    page: File
    proposed: File
    days: Sequence[tuple[str, File]]
    archive: Mapping[str, str]
    shelved: Sequence[tuple[str, File, str]] = ()
    expired: Sequence[tuple[sources.Folded, File]] = ()
    heading: str = managed.HEADING

    @property
    def moves(self) -> list[tuple[str, File, str]]:
        """Every file that moves: its day, the file, where to."""
        days = [(day, one, self.archive[one.path]) for day, one in self.days if one.path in self.archive]
        return [*days, *self.shelved]


def fold(found: Folder, choice: Choice, sidecar: Sidecar, *, run: str, today: str) -> ChangeSet:
    """The changes of one run; without any where there is nothing to do. `sidecar` is what earlier runs said."""
    folded = [_folded(day, one, found.archive.get(one.path, ""), run) for day, one in found.days]
    folded += [_folded(day, one, to, run) for day, one, to in found.shelved]
    folded += [sources.deleted(row, run) for row, _ in found.expired]
    known = _Known(found, sidecar)
    made = [known.made(one, run) for one in (*choice.new, *choice.confirmed, *choice.page.new, *choice.proposed)]
    memory = found.memory.text
    if choice.new or choice.gone:
        memory = managed.rewritten(
            memory,
            heading=found.heading,
            leaving={one.digest for one in choice.gone},
            joining=[(one.kind, one.text) for one in choice.new],
            order=managed.ORDER,
        )
    changes: list[Change] = []
    if choice.gone:
        changes += found.superseded.becomes(_superseded(found.superseded.text, choice.gone, today))
    made = [*known.left(choice.gone, run, today), *made]  # what moved to the digest has a row of that, the newest
    left = [sources.Left(one.digest, one.text, kind=one.kind, run=run) for one in (*choice.gone, *choice.page.gone)]
    waits = known.waiting(choice.queued, run) if folded or made or left else []
    if folded or made or left:
        # Also where it made nothing: this file tells the order of all runs, and no two can change it at once.
        ran = sources.Ran(run, days=len(found.days))
        changes += found.sidecar.becomes(sources.joined(found.sidecar.text, [*made, *left, *waits, ran]))
    for path in sorted({sources.month_path(one.day) for one in folded}):
        month = found.months[path]
        rows = [one for one in folded if sources.month_path(one.day) == path]
        changes += month.becomes(sources.joined(month.text, rows))
    changes += [Remove(one.path, expects=one.digest) for _, one in found.expired]
    changes += [Move(one.path, to, expects=one.digest) for _, one, to in found.moves]
    changes += _page(found.page, choice)
    changes += found.proposed.becomes(_proposed(found.proposed.text, choice.proposed))
    changes += found.memory.becomes(memory)
    return ChangeSet("compact", tuple(changes))


def _page(before: File, choice: Choice) -> list[Change]:
    if not (choice.page.gone or choice.page.new):
        return []
    leaving = {one.digest for one in choice.page.gone}
    joining = [(one.kind, one.text) for one in choice.page.new]
    return turned(before, page.rewritten(before.text, leaving=leaving, joining=joining))


def without(found: Folder, held: Collection[str]) -> Folder:
    """Return the folder without the moves of these days."""
    if not held:
        return found
    archive = {path: to for path, to in found.archive.items() if path not in held}
    return replace(found, archive=archive, shelved=[one for one in found.shelved if one[1].path not in held])


def archived(path: str, taken: set[str]) -> str:
    """Return the archive path of a day: `memory/archive/<year>/<name>`, with a number where that is taken."""
    name = path.rpartition("/")[2]
    folder = f"{layout.ARCHIVE}/{name[:4]}"
    day, rest = name[:10], name[10:].removesuffix(".md")
    number = 1
    target = f"{folder}/{name}"
    while target in taken:
        number += 1
        target = f"{folder}/{day}{rest}.{number}.md"
    return target


def _folded(day: str, one: File, to: str, run: str) -> sources.Folded:
    lines = sources.line_digests(one.data)
    size = len(one.data)
    return sources.Folded(one.path, to, day=day, size=size, digest=digest.of(one.data), lines=lines, run=run)


class _Known:
    """The sources of entries: lines of days that are folded now, and what earlier runs wrote down."""

    def __init__(self, found: Folder, sidecar: Sidecar) -> None:
        self._data = {each.path: each.data for _, each in found.days}
        self._rows, self._waiting = sidecar.made, sidecar.waiting
        rows = (*self._rows.values(), *(one.made for one in self._waiting.values()))
        every = (each for made in rows for each in made.sources)
        self._before = {(each.path, each.line, each.end): each for each in every}

    def made(self, one: Kept, run: str) -> sources.Made:
        """The row of an entry that a run makes, or that it confirms."""
        those = [source for each in one.sources if (source := self._source(each)) is not None]
        return sources.Made(
            one.digest or managed.of_text(one.text), those, day=one.day, run=run, src=one.src, kind=one.says,
            first=min(one.days, default=""), confirmed=one.days, more=_more(one),
        )  # fmt: skip

    def waiting(self, queued: Sequence[Kept], run: str) -> list[sources.Waiting]:
        """The rows of what waits without room from now on, and of what did and does no longer."""
        now = {one.digest: one for one in queued}
        over = [sources.Waiting(sources.Made(name, (), day="", run=run)) for name in self._waiting if name not in now]
        new = [one for name, one in now.items() if _differs(one, self._waiting.get(name))]
        return [*over, *(sources.Waiting(self.made(one, run), one.text) for one in new)]

    def left(self, gone: Sequence[Gone], run: str, today: str) -> list[sources.Made]:
        """The rows that say why entries left."""
        return [
            self._rows[one.digest].with_keys(
                run=run, state=one.state, reason=one.why, until=today,
                by=managed.of_text(one.successor) if one.successor else "",
            )
            for one in gone
            if one.digest in self._rows
        ]  # fmt: skip

    def _source(self, one: Source) -> sources.Source | None:
        if data := self._data.get(one.path):
            return sources.Source(one.path, one.line, one.end_line, sources.of_lines(data, one.line, one.end_line))
        return self._before.get((one.path, one.line, one.end_line))


def _differs(one: Kept, known: sources.Waiting | None) -> bool:
    return known is None or entry_rows.newest(one.days) != known.made.confirmed


def _more(one: Kept) -> dict[str, object]:
    """What the row of an entry says by keys of its own."""
    told: dict[str, object] = {"importance": one.importance} if one.importance else {}
    told |= {"nested": True} if one.is_nested else {}
    return told | ({"refs": [*one.refs][-_MOST_REFS:]} if one.says and one.refs else {})


def turned(one: File, text: str) -> list[Change]:
    """The changes that make `text` of a document, which goes where nothing is left of it."""
    if not text and one.digest != digest.ABSENT:
        return [Remove(one.path, expects=one.digest)]
    return one.becomes(text)


def _proposed(text: str, lines: Sequence[Kept]) -> str:
    """The document of what waits for the author, with these in it."""
    found = [Proposal(one.text, one.says, [f"{each.path}:{each.line}" for each in one.sources]) for one in lines]
    return proposals.with_added(text, found)


def _superseded(text: str, gone: Sequence[Gone], today: str) -> str:
    """The document of what left MEMORY.md, with these behind it, under the day on which they left."""
    lines = [superseded.line(one.text, f"→ {one.successor}" if one.successor else f"({one.why})") for one in gone]
    return superseded.with_lines(text, lines, today)
