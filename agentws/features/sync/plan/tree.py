"""Three-way merge of whole workspace trees, file by file and journal by journal. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from agentws.core.formats import layout
from agentws.core.formats.travel import conflict, sync_path
from agentws.core.formats.travel.sync_path import Merge
from agentws.errors import DamagedError
from agentws.features.sync.plan import decision, file, plan
from agentws.features.sync.plan.file import Rule
from agentws.features.sync.plan.merged import REMOVAL, Conflict, Side
from agentws.features.sync.plan.plan import Blobs, Plan, Tree, Value
from agentws.features.sync.plan.state import archive, derived, forgotten, journal, late, moves

Files = dict[str, Value]
Decided = dict[str, "list[Dispute]"]
_MADE = (Merge.DIGEST, Merge.MADE)
"""Files that compaction makes: they never become a conflict."""


def merge(
    base: Tree,
    ours: Tree,
    theirs: Tree,
    read: Callable[[str], bytes],
    *,
    own: str,
    rule: Rule,
    forgets: bool = False,
    orders: Collection[str] | None = None,
) -> Plan:
    """Return the plan that turns our tree into the merged tree of both sides.

    `read` returns the content of a blob, `own` is the writer of this installation, `rule` returns how a path is merged.
    If a side `forgets`, nothing that one side removed comes back. `orders` are the writers that may retire what others
    wrote (None: all). The merged files are the same whichever side is ours.
    """
    merging = _Merging(Blobs(read), rule, forgets=forgets)
    made = merging.made
    result = merging.documents(base, ours, theirs)
    for old, new in moves.settled(result, base).items():
        result[new] = result.pop(old)
        made.notices.append(f"{old} is {new} now: some file systems cannot tell its name from that of another file.")
    result |= journal.merge(ours, theirs, merging.blobs, made, own=own, orders=orders)
    made.changes = plan.changes(ours, result, merging.blobs)
    return made


class _Merging:
    """A merge of two trees: how files are merged, and what it has `made` so far."""

    def __init__(self, blobs: Blobs, rule: Rule, *, forgets: bool) -> None:
        self.blobs = blobs
        self.made = Plan()
        self._rule = rule
        self._forgets = forgets
        self._decided: Decided = {}

    def documents(self, base: Tree, ours: Tree, theirs: Tree) -> Files:
        """Return the merged files that belong to no journal."""
        common, mine, others = (_without_journal(each) for each in (base, ours, theirs))
        if mine == common or others in (mine, common):  # one side alone changed anything
            return others if mine == common else mine
        before = dict(mine), dict(others)
        self._decided = by_path(base, ours, theirs, self.blobs, forgets=self._forgets)
        moves.align(common, mine, others, self.blobs)
        result: Files = {}
        for path in sorted({*mine, *others}):
            if not self._forgets and (path not in mine or path not in others) and self._rule(path) == Merge.KEPT:
                # Another machine may need for a new checkpoint what this one no longer needs: each prunes its own.
                result[path] = mine.get(path) or others.get(path)
                continue
            value = self._file(path, common.get(path), mine.get(path), others.get(path))
            if value is not None and not (isinstance(value, bytes) and late.is_bare(path, value)):
                result[path] = value
        gone = archive.settle(result, _without_journal(base), *before, self.blobs)
        title = derived.heading(result, self.blobs) if self.made.conflicts else ""
        self.made.conflicts = [
            clash
            for clash in self.made.conflicts
            if layout.usual(clash.path) != layout.MEMORY or derived.asks(clash, gone, title)
        ]
        return result

    def _file(self, path: str, base: Value, ours: Value, theirs: Value) -> Value:
        """Return the merged content of a path."""
        if self.blobs.same(theirs, ours):
            return ours
        kind = self._rule(path)
        disputed = self._decided.get(path) or self._decided.get(_logical(path))
        if disputed and kind not in _MADE:
            return self._disputed(path, disputed, base, ours, theirs)
        if kind == Merge.RECORD and (ours is None or theirs is None) and self._is_open(path):
            return theirs if ours is None else ours
        if self.blobs.same(theirs, base):
            return ours
        if self.blobs.same(ours, base):
            return theirs
        if kind == Merge.RECORD:  # removed if a side resolved the conflict, one of two if both sides changed it
            return None if ours is None or theirs is None else min(ours, theirs, key=self.blobs.bytes_of)
        if kind in _MADE:
            return self._lines(path, base, ours, theirs)
        if late.is_second(path) and base is not None:  # a missing second file counts as one without lines
            ours, theirs = (late.added_to(path, b"", ()) if content is None else content for content in (ours, theirs))
        content = self.blobs.content
        return self._merged(path, content(base), content(ours), content(theirs))

    def _merged(
        self, path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None, again: Iterable[Conflict] = ()
    ) -> Value:
        """Merge a file by its content; conflicts that are open `again` replace the same ones of this merge."""
        merged = file.merge(_logical(path), base, ours, theirs, self._rule, forgets=self._forgets)
        new = [_shown(path, clash) for clash in merged.conflicts if not _is_title(clash)]
        opened = [replace(clash, path=path) for clash in again]
        self.made.conflicts += {clash.id: clash for clash in (*new, *opened)}.values() if opened else new
        return merged.content

    def _disputed(self, path: str, disputed: list[Dispute], base: Value, ours: Value, theirs: Value) -> Value:
        """Merge a file with conflicts that both sides resolved: what either side kept stays."""
        mine, others = self.blobs.content(ours), self.blobs.content(theirs)
        before, again, words = split(disputed, self.blobs.content(base), mine, others)
        self.made.notices += [f"{path}: {each}" for each in words]
        return self._merged(path, before, mine, others, again)

    def _is_open(self, path: str) -> bool:
        """Return whether a file in `conflicts/` belongs to a conflict that one side has opened again."""
        id = path.removeprefix(f"{sync_path.CONFLICTS}/").partition("/")[0].removesuffix(".json")
        disputes = (dispute for each in self._decided.values() for dispute in each)
        return any(dispute.again.id == id and dispute.is_open for dispute in disputes)

    def _lines(self, path: str, base: Value, ours: Value, theirs: Value) -> Value:
        """Merge a file that compaction makes by lines; a side that removed the file removed its lines."""
        before = self.blobs.content(base)
        sides = [
            derived.emptied(before or b"") if side is None else self.blobs.content(side) for side in (ours, theirs)
        ]
        content = file.merge(path, before, sides[0], sides[1], self._rule).content
        return content if content is None or None not in (ours, theirs) else derived.settled(path, content)


def _without_journal(tree: Mapping[str, Value]) -> Files:
    return {path: oid for path, oid in tree.items() if not journal.is_ours(path)}


def _logical(path: str) -> str:
    """Return the path that a file had before it was archived."""
    folder, _, rest = path.partition("/archive/")
    name = rest.rpartition("/")[2]
    is_archived = folder in (layout.DAYS, layout.HANDOFFS, layout.TASKS) and "/" in rest and not moves.is_month(path)
    return f"{folder}/{name}" if is_archived else path


def _is_title(conflict: Conflict) -> bool:
    """Return whether a conflict is only a heading that one side removed: it stays for the text below, undecided."""
    sides = [content for content in (conflict.ours, conflict.theirs) if content]
    titles = [isinstance(side, str) and side.startswith("#") and "\n" not in side.strip() for side in sides]
    return conflict.what == REMOVAL and all(titles)


def _shown(path: str, conflict: Conflict) -> Conflict:
    """Return the conflict at its path, without its base if one side removed the text: it may have been forgotten."""
    is_gone = not conflict.ours or not conflict.theirs
    return replace(conflict, path=path, base=None) if is_gone else replace(conflict, path=path)


Sides = tuple[Side, Side]

_SPLIT = "decided differently on two machines. All kept versions stay."
_LOST = "decided differently on two machines, one of which forgot something there. Check what is left of it."


@dataclass(frozen=True, slots=True)
class Dispute:
    """A dispute: a conflict of the base that both sides resolved; `again` is the same conflict, to be opened again.

    `is_open`: one side has already opened it again. `forgets`: which of ours and theirs may have forgotten a line of
    the file, so that what this side lacks does not come back.
    """

    again: Conflict
    sides: Sides
    is_open: bool
    forgets: tuple[bool, bool] = (False, False)

    def kept(self, content: bytes | None) -> set[int]:
        """Return which sides of the disputed conflict a file still has; if none, those that are empty."""
        if self.is_whole:
            return {number for number, side in enumerate(self.sides) if side == content}
        text = (content or b"").decode("utf-8", "surrogateescape")
        ns = {n for n, side in enumerate(self.sides) if isinstance(side, str) and decision.stands(text, side)}
        return ns or {n for n, side in enumerate(self.sides) if side is None}

    @property
    def is_whole(self) -> bool:
        """Return whether the sides of the disputed conflict are whole files."""
        return any(isinstance(side, bytes) for side in self.sides)

    def lost(self, first: set[int], second: set[int]) -> set[int]:
        """Return which disputed sides may be forgotten, if ours kept those in `first` and theirs those in `second`."""
        kept = (each for each, forgets in zip((first, second), self.forgets, strict=True) if forgets)
        return {number for each in kept for number in {0, 1} - each}

    def base(self, content: bytes | None, numbers: Iterable[int]) -> bytes | None:
        """Return a base file without these sides, so that the merge takes a side that one machine kept as added."""
        if self.is_whole:
            return None
        text = (content or b"").decode("utf-8", "surrogateescape")
        for number in numbers:
            side = self.sides[number]
            text = decision.without(text, side) if isinstance(side, str) else text
        return text.encode("utf-8", "surrogateescape")


def by_path(base: Tree, ours: Tree, theirs: Tree, blobs: Blobs, *, forgets: bool = False) -> dict[str, list[Dispute]]:
    """Return the disputes by path: conflicts of the base that both sides resolved, or one resolved and one reopened.

    If a side `forgets`, records that forgetting changed are left out: no person decided these.
    """
    result: dict[str, list[Dispute]] = {}
    records = [each for each in base if conflict.is_record(each) and _is_decided(each, base, ours, theirs, blobs)]
    touched = forgotten.both(base, ours, theirs, blobs) if records and forgets else ()
    for path in (each for each in records if not any(version.holds(each) for version in touched if not version.every)):
        record = _read(path, base[path], blobs)
        if record is not None:
            made = _dispute(record, base, blobs, is_open=path in ours or path in theirs)
            sides = (touched[0].holds(record.path), touched[1].holds(record.path)) if touched else (False, False)
            if not (any(sides) and made.is_open):
                result.setdefault(record.path, []).append(replace(made, forgets=sides))
    return result


def stays(path: str, base: Value, content: Value, other: Value, blobs: Blobs) -> bool:
    """Return whether a conflict record that one side removed was opened again on the other side since."""
    now = content if content is not None else other
    if base is None or now is None or not conflict.is_record(path):
        return False
    before, after = _read(path, base, blobs), _read(path, now, blobs)
    return before is not None and after is not None and after.opened > before.opened


def split(
    disputes: Iterable[Dispute], base: bytes | None, ours: bytes | None, theirs: bytes | None
) -> tuple[bytes | None, list[Conflict], list[str]]:
    """Return the base to merge disputed files from, the conflicts to open again, and messages.

    A message says which conflicts were decided differently, and whether a side had forgotten text.
    """
    again, words = [], dict[str, None]()
    for dispute in disputes:
        first, second = dispute.kept(ours), dispute.kept(theirs)
        lost = dispute.lost(first, second)
        if first != second and not (lost and dispute.is_whole):
            words[_LOST if (first | second) & lost else _SPLIT] = None
            base = dispute.base(base, {0, 1} - (first & second) - lost)
            if len((first | second) - lost) > 1:
                again.append(dispute.again)
    return base, again, [*words]


def _is_decided(path: str, base: Tree, ours: Tree, theirs: Tree, blobs: Blobs) -> bool:
    own, other = ours.get(path), theirs.get(path)
    return (own is None and other is None) or (None in (own, other) and stays(path, base[path], own, other, blobs))


def _dispute(record: conflict.Record, base: Tree, blobs: Blobs, *, is_open: bool) -> Dispute:
    first, second = (
        blobs.content(base.get(side.file)) if side.file else side.text for side in (record.sides[0], record.sides[1])
    )
    again = Conflict(record.path, record.what, record.where, record.base.text, first, second, opened=record.opened + 1)
    return Dispute(again, (first, second), is_open)


def _read(path: str, value: Value, blobs: Blobs) -> conflict.Record | None:
    try:
        return conflict.decode(conflict.id_of(path.rpartition("/")[2]), blobs.bytes_of(value))
    except DamagedError:
        return None
