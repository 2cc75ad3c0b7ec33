"""The result of a file merge, with the conflicts that a person has to decide."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core.formats import digest

ENTRY, FIELD, FILE, REMOVAL = "entry", "field", "file", "removal"
"""What a conflict is about: text that both edited, a field's value, a whole file, what one removed and one edited."""
_ID_DIGITS = 8

Side = str | bytes | None
"""What one side says: a text, a file's content, or None where it has nothing there."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A place in which two sides say different things.

    Fields:
        path: the file.
        what: ENTRY, FIELD, FILE or REMOVAL.
        where: the place in the file: its headings, or the name of the field; empty for a whole file.
        base: what both sides came from.
        ours, theirs: what each side says: bytes for a whole file, else text.
        opened: how often it was opened: again where two machines decided it differently.
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
        """Both sides, in the order that is the same on every machine."""
        first, second = sorted((self.ours, self.theirs), key=weight)
        return first, second

    @property
    def id(self) -> str:
        """The name of the conflict, the same on every machine: 8 hexadecimal digits."""
        told = [self.path.encode("utf-8", "surrogateescape"), self.where.encode("utf-8", "surrogateescape")]
        parts = [*told, *(b"%d%s" % weight(side) for side in self.sides)]
        return digest.of(b"".join(b"%d:%s" % (len(part), part) for part in parts))[:_ID_DIGITS]

    @property
    def turned(self) -> Conflict:
        """The same conflict as the other machine sees it."""
        return Conflict(self.path, self.what, self.where, self.base, self.theirs, self.ours, self.opened)


@dataclass(frozen=True, slots=True)
class Merged:
    """The content that two sides lead to, None for no file, with its conflicts."""

    content: bytes | None
    conflicts: tuple[Conflict, ...] = ()


def weight(side: Side) -> tuple[int, bytes]:
    """Return what orders two sides on every machine alike: nothing first, then by the bytes."""
    if side is None:
        return 0, b""
    return 1, side if isinstance(side, bytes) else side.encode("utf-8", "surrogateescape")
