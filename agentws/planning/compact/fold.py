"""One run of compaction as a ChangeSet. Pure.

In this order: the sidecar says where each new entry came from and what each log was, the logs move to the archive, and
MEMORY.md is replaced last: that is when the run has happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.changes import ABSENT, Change, ChangeSet, Move, Remove
from agentws.formats import digest, layout, origin
from agentws.formats.documents import managed, sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.formats.documents.managed import ManagedEntry
    from agentws.formats.documents.sources import Made
    from agentws.planning.compact.entries import NewEntry
    from agentws.planning.compact.page import Page
    from agentws.planning.notes.document import File
    from agentws.planning.notes.entry import Entry


@dataclass(frozen=True, slots=True)
class Folder:
    """The input of a run: the documents it writes, and the days that are compacted.

    `page` is the digest, `old_page` the file to which the text of an earlier version's digest goes. `months` are the
    files that say what days were, by path; `archive` says where each day that moves goes to. A day that it does not
    name stays where it is. By the rules of retention, `shelved` files move too (day, file, where to),
    and so do days that were folded before days moved; archived days that are `expired` are deleted.
    """

    memory: File
    sidecar: File
    months: Mapping[str, File]
    page: File
    old_page: File
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


def fold(
    found: Folder, new: Sequence[NewEntry], page: Page, *, run: str, heard: Mapping[ManagedEntry, Made] | None = None
) -> ChangeSet:
    """The changes of one run; without any where there is nothing to do.

    `heard` are entries that an earlier version made of text from outside without saying so, each with its row, which
    tells the source: they get its mark.
    """
    folded = [_folded(day, one, found.archive.get(one.path, ""), run) for day, one in found.days]
    folded += [_folded(day, one, to, run) for day, one, to in found.shelved]
    folded += [sources.deleted(row, run) for row, _ in found.expired]
    data = {file.path: file.data for file in (*(one for _, one in found.days), *(one for _, one, _ in found.shelved))}
    made = [_made(managed.of_text(one.text), one.lines, data, run, kind=one.kind) for one in new]
    made += [_made(one.digest, one.lines, data, run) for one in page.new]
    marked = {with_origin(entry.text, row.src): row for entry, row in (heard or {}).items()}
    made += [row.with_keys(entry=managed.of_text(text), run=run) for text, row in marked.items()]
    left = [sources.Left(one.digest, one.text, kind=one.kind, run=run) for one in heard or ()]
    changes: list[Change] = []
    if folded or made or page.text != found.page.text:
        # Also where it made nothing: this file tells the order of all runs, and no two can change it at once.
        ran = sources.Ran(run, days=len(found.days))
        changes += found.sidecar.becomes(sources.joined(found.sidecar.text, [*made, *left, ran]))
    for path in sorted({sources.month_path(one.day) for one in folded}):
        rows = [one for one in folded if sources.month_path(one.day) == path]
        changes += found.months[path].becomes(sources.joined(found.months[path].text, rows))
    if page.is_reduced and found.page.text not in found.old_page.text:
        changes += found.old_page.becomes(f"{found.old_page.text}{found.page.text}")
    changes += [Remove(one.path, expects=one.digest) for _, one in found.expired]
    changes += [Move(one.path, to, expects=one.digest) for _, one, to in found.moves]
    if page.text != found.page.text:
        changes += turned(found.page, page.text)
    memory = managed.rewritten(
        found.memory.text,
        heading=found.heading,
        leaving={one.digest for one in heard or ()},
        joining=[*((managed.KINDS[one.kind], one.text) for one in new), *((managed.HEARD, text) for text in marked)],
        order=managed.ORDER,
    )
    changes += found.memory.becomes(memory)
    return ChangeSet("compact", tuple(changes))


def with_origin(text: str, src: str) -> str:
    """Return the text of an entry of an earlier version that ends in the mark of its origin, which it lacked."""
    return text.rstrip().removesuffix(" !10").rstrip() + origin.ending(src)


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


def _made(name: str, lines: Sequence[Entry], data: Mapping[str, bytes], run: str, *, kind: str = "") -> sources.Made:
    """The row of an entry, or of a line of the digest; it names the lines of the logs that this run compacts."""
    days = sorted({line.day for line in lines})
    places = [
        sources.Source(line.path, line.line, line.end_line, sources.of_lines(data[line.path], line.line, line.end_line))
        for line in lines
        if line.path in data
    ]
    return sources.Made(
        name, places, day=max(days, default=""), run=run, src=origin.UNKNOWN, kind=kind,
        first=min(days, default=""), confirmed=days,
    )  # fmt: skip


def turned(one: File, text: str) -> list[Change]:
    """The changes that make `text` of a document, which goes where nothing is left of it."""
    if not text and one.digest != ABSENT:
        return [Remove(one.path, expects=one.digest)]
    return one.becomes(text)
