"""Disputes: conflicts of the base that both machines resolved; if differently, all kept versions stay. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentws.core.formats.travel import conflict
from agentws.errors import DamagedError
from agentws.features.sync.plan import decision
from agentws.features.sync.plan.merged import Conflict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.features.sync.plan.merged import Side
    from agentws.features.sync.plan.plan import Blobs, Tree, Value
    from agentws.features.sync.plan.state.forgotten import Touched


Sides = tuple["Side", "Side"]

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
        found = {n for n, side in enumerate(self.sides) if isinstance(side, str) and decision.stands(text, side)}
        return found or {n for n, side in enumerate(self.sides) if side is None}

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
    found: dict[str, list[Dispute]] = {}
    records = [each for each in base if conflict.is_record(each) and _is_decided(each, base, ours, theirs, blobs)]
    touched = _touched(base, ours, theirs, blobs) if records and forgets else ()
    for path in (each for each in records if not any(one.holds(each) for one in touched if not one.every)):
        record = _read(path, base[path], blobs)
        if record is not None:
            made = _dispute(record, base, blobs, is_open=path in ours or path in theirs)
            sides = (touched[0].holds(record.path), touched[1].holds(record.path)) if touched else (False, False)
            if not (any(sides) and made.is_open):
                found.setdefault(record.path, []).append(replace(made, forgets=sides))
    return found


def _touched(base: Tree, ours: Tree, theirs: Tree, blobs: Blobs) -> tuple[Touched, Touched]:
    from agentws.features.sync.plan.state import forgotten  # seldom

    return forgotten.both(base, ours, theirs, blobs)


def stays(path: str, base: Value, one: Value, other: Value, blobs: Blobs) -> bool:
    """Return whether a conflict record that one side removed was opened again on the other side since."""
    now = one if one is not None else other
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
    for one in disputes:
        first, second = one.kept(ours), one.kept(theirs)
        lost = one.lost(first, second)
        if first != second and not (lost and one.is_whole):
            words[_LOST if (first | second) & lost else _SPLIT] = None
            base = one.base(base, {0, 1} - (first & second) - lost)
            if len((first | second) - lost) > 1:
                again.append(one.again)
    return base, again, [*words]


def _is_decided(path: str, base: Tree, ours: Tree, theirs: Tree, blobs: Blobs) -> bool:
    one, other = ours.get(path), theirs.get(path)
    return (one is None and other is None) or (None in (one, other) and stays(path, base[path], one, other, blobs))


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
