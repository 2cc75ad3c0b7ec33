"""A run of compaction taken back: the state before it, with all that came after it. Pure.

Entries that the run made leave MEMORY.md, those it took out come back, the days go where they were. What people and
other runs wrote since stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.changes import ABSENT, Change, ChangeSet, Move
from agentws.formats import layout, origin
from agentws.formats.documents import managed, proposals, sources, superseded
from agentws.planning.compact import digest as page
from agentws.planning.compact import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.formats.documents.sources import Folded, Made, Sidecar
    from agentws.planning.notes.document import File


NO_FILE = "no file"
"""The digest of what stands in the archive and is no file that may be moved."""
UNMARKED = f"{layout.MEMORY} without the mark of an origin"
"""What does not come back: an earlier version kept words from outside as if they were the agent's own."""
DELETED = "a retention rule deleted this file (try: agentws undo)"


@dataclass(frozen=True, slots=True)
class Present:
    """The workspace as it is now: the documents that a run writes, its archived days by path, and `taken` paths.

    `unchanged` are changes that make of documents what they were before the run, by path: those are as it left them.
    """

    memory: File
    sidecar: File
    months: Sequence[File]
    superseded: File
    page: File
    proposed: File
    archived: Mapping[str, File]
    taken: Collection[str]
    heading: str
    unchanged: Mapping[str, Change]


@dataclass(frozen=True, slots=True)
class Undoing:
    """The changes that take a run back, the days that come back, and those that cannot, each with its reason."""

    changes: ChangeSet
    days: Sequence[str]
    left: Sequence[tuple[str, str]]


def newest(known: Sidecar) -> str:
    """The newest run that was not taken back, by the order of writing (P18); empty where there is none."""
    return next(reversed(known.runs), "")


def undo(present: Present, known: Sidecar, run: str) -> Undoing:
    """The changes that take `run` back."""
    folded = [one for one in known.every() if one.run == run]
    back, left = _moves(present, [one for one in folded if one.to and not one.is_deleted])
    left += [(one.to, DELETED) for one in folded if one.is_deleted]
    staying = {path for path, _ in left}
    marked = _marked(known, run)
    stay = [one.with_keys(run="") for one in marked.values()]
    made = _made_in(present.sidecar, run)
    made -= {one.entry for one in stay}
    changes: list[Change] = [*_superseded(present, known, run), *_become(present.sidecar, run, stay, made)]
    for month in present.months:
        rows = [one for one in folded if one.to in staying and sources.month_path(one.day) == month.path]
        changes += _become(month, run, [sources.kept(one) for one in rows if _is_known(one, present)])
    changes += back
    days = [one for one in folded if one.to not in staying]
    changes += fold.turned(present.page, _page(present, known, run, made, {one.day for one in days}))
    changes += fold.turned(present.proposed, _proposed(present.proposed.text, made))
    changes += present.memory.becomes(_memory(present, known, run, made, marked))
    left += [(UNMARKED, f"the entry comes from {one.src}") for one in marked.values()]
    if not left:  # then all of the run goes, and what is as it left it becomes what it was, byte for byte
        known_to = {one.path for one in changes}
        rest = [one for path, one in present.unchanged.items() if path not in known_to]
        changes = [*rest, *(present.unchanged.get(one.path, one) for one in changes)]
    return Undoing(ChangeSet("compact --undo", tuple(changes)), [one.path for one in days], left)


def _marked(known: Sidecar, run: str) -> dict[str, Made]:
    """The entries that the run gave the mark of their origin and changed in nothing else, by the digest without it."""
    made = {one.entry: one for one in known.made.values() if one.run == run and origin.is_outside(one.src)}
    sources_of = {one.src for one in made.values()}
    found = {}
    for left in known.left.values():
        for src in sources_of if left.run == run else ():
            one = made.get(managed.of_text(fold.with_origin(left.text, src)))
            if one is not None and one.src == src and one.entry != left.entry:
                found[left.entry] = one
    return found


def _is_known(one: Folded, present: Present) -> bool:
    """Return True for a file that stays in the archive, or that is known to have been deleted there."""
    there = present.archived.get(one.to)
    return one.is_deleted or (there is not None and there.digest != ABSENT)


def _moves(present: Present, folded: Sequence[Folded]) -> tuple[list[Change], list[tuple[str, str]]]:
    back: list[Change] = []
    left: list[tuple[str, str]] = []
    for one in folded:
        there = present.archived.get(one.to)
        if there is None or there.digest == ABSENT:
            left.append((one.to, "the file is no longer in the archive"))
        elif there.digest == NO_FILE:
            left.append((one.to, "the path is not a regular file"))
        elif one.path in present.taken:
            left.append((one.to, f"{one.path} was created again since"))
        else:
            back.append(Move(one.to, one.path, expects=there.digest))
    return back, left


def _memory(present: Present, known: Sidecar, run: str, made: set[str], marked: Collection[str]) -> str:
    entries = {one.digest for one in managed.read(present.memory.text, present.heading).entries}
    left = [one for one in known.left.values() if one.run == run and not one.kind.startswith(page.PLACE)]
    back = [(one.kind, one.text) for one in left if one.entry not in entries and one.entry not in marked]
    if not made & entries and not back:
        return present.memory.text
    return managed.rewritten(
        present.memory.text, heading=present.heading, leaving=made, joining=back, order=managed.EVERY
    )


def _made_in(sidecar: File, run: str) -> set[str]:
    """What a run made, without what stood there before and was only confirmed by it."""
    stood: set[str] = set()
    made: set[str] = set()
    for name, its_run, is_made in sources.turns(sidecar.text):
        if its_run != run:
            (stood.add if is_made else stood.discard)(name)
        elif is_made and name not in stood:
            made.add(name)
    return made


def _page(present: Present, known: Sidecar, run: str, made: set[str], days: Collection[str]) -> str:
    """The digest of the logs before the run; the next list goes with its log, which is back."""
    text = present.page.text
    if not page.is_ours(text):
        return text
    if page.next_day(text) in days:
        text = page.with_next(text, "", ())
    there = {one.digest for one in page.lines(text)}
    gone = [one for one in known.left.values() if one.run == run and one.kind.startswith(page.PLACE)]
    back = [(one.kind.removeprefix(page.PLACE), one.text) for one in gone if one.entry not in there]
    # What left MEMORY.md in the run and stands here in the same words has moved here by it.
    leaving = made | {one.entry for one in known.left.values() if one.run == run and one not in gone}
    return page.rewritten(text, leaving=leaving, joining=back) if back or there & leaving else text


def _proposed(text: str, made: Collection[str]) -> str:
    """What waits for the author, without what the run proposed; the document goes where that was all of it."""
    left = proposals.without(text, made)
    return "" if left != text and proposals.is_empty(left) else left


def _superseded(present: Present, known: Sidecar, run: str) -> list[Change]:
    """The document of what left, without what left in this run; one that then says nothing goes."""
    text = present.superseded.text
    for one in known.left.values():
        if one.run == run and not one.kind.startswith(page.PLACE):
            text = _without_last(text, superseded.begins(one.text))
    if text == present.superseded.text:
        return []
    return fold.turned(present.superseded, "" if superseded.is_empty(text) else text)


def _without_last(text: str, begins: str) -> str:
    """The text without the last line that begins so, and without the title above where that was its only one."""
    lines = text.split("\n")
    for index in reversed(range(len(lines))):
        # What follows tells two entries apart of which one begins as the other.
        if lines[index].startswith((f"{begins}→ ", f"{begins}(")):
            del lines[index]
            break
    else:
        return text
    title = lines[max(0, index - 3) : index]
    if index == len(lines) - 1 and len(title) == 3 and title[1].startswith("## ") and not (title[0] or title[2]):
        del lines[index - 3 : index]
    return "\n".join(lines)


def _become(one: File, run: str, kept: Sequence[Folded | Made], leaving: Collection[str] = ()) -> list[Change]:
    """A sidecar without the lines of the run, and with those of what stays; one that has no line left goes.

    What only confirms entries that are `leaving` goes too: it would tell of them as of what somebody took out.
    """
    text = sources.without_entries(sources.without_run(one.text, run), leaving)
    return fold.turned(one, sources.joined(text, kept) if kept else text)
