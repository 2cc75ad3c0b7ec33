"""Merged: the result of merging a file, with the conflicts that a person has to decide."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core.formats import digest

ENTRY, FIELD, FILE, REMOVAL = "entry", "field", "file", "removal"
"""Subject of a conflict: an entry that both edited, a field, a whole file, or text that one removed and one edited."""
_ID_DIGITS = 8

Side = str | bytes | None
"""One side of a conflict: a text, a file's content, or None if it has nothing at this place."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict in a merged file: a place at which both sides changed it differently.

    Fields:
        path: the file.
        what: ENTRY, FIELD, FILE or REMOVAL.
        where: the place in the file: its headings, or the name of the field; empty for a whole file.
        base: the content in the base.
        ours, theirs: the content on each side: bytes for a whole file, else text.
        opened: how often the conflict was opened; again after two machines decided it differently.
    """

    path: str
    what: str
    where: str
    base: Side
    ours: Side
    theirs: Side
    opened: int = 1

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sides of the merged file at the conflict, in an order that is the same on every machine."""
        first, second = sorted((self.ours, self.theirs), key=weight)
        return first, second

    @property
    def id(self) -> str:
        """The id of the conflict in a merged file, the same on every machine: 8 hexadecimal digits."""
        places = [self.path.encode("utf-8", "surrogateescape"), self.where.encode("utf-8", "surrogateescape")]
        parts = [*places, *(b"%d%s" % weight(side) for side in self.sides)]
        return digest.of(b"".join(b"%d:%s" % (len(part), part) for part in parts))[:_ID_DIGITS]

    @property
    def turned(self) -> Conflict:
        """The same conflict with ours and theirs swapped, as the other machine has it in its merged file."""
        return Conflict(self.path, self.what, self.where, self.base, self.theirs, self.ours, self.opened)


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged content of a file, None for no file, with its conflicts."""

    content: bytes | None
    conflicts: tuple[Conflict, ...] = ()


def weight(side: Side) -> tuple[int, bytes]:
    """Return the sort key that orders the sides of a conflict alike on every machine: nothing first, then by bytes."""
    if side is None:
        return 0, b""
    return 1, side if isinstance(side, bytes) else side.encode("utf-8", "surrogateescape")
