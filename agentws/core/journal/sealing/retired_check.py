"""The check of missing first segments of journals: retired by a sealed event, or lost.

Specified in docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core.formats.journal import retirement, segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from agentws.core.formats.journal.retirement import Retirement

UNCHECKED = "whether a seal covers the retirement of what is missing cannot be checked here"


class Base:
    """The line before the first present segment of a journal: the last missing segment's number, and the line's number
    and hash as that segment's first line gives them.
    """

    __slots__ = ("hash", "number", "seq")

    def __init__(self, number: int, *, seq: int, hash: str) -> None:
        self.number = number
        self.seq = seq
        self.hash = hash


class Retirements:
    """The retirements that journals record; `bases` are the lines behind which incomplete journals begin."""

    __slots__ = ("_told", "bases")

    def __init__(self) -> None:
        self._told: list[tuple[str, int, Retirement]] = []
        self.bases: dict[str, Base] = {}

    def add(self, by: str, seq: object, body: Mapping[str, Any]) -> None:
        """Add the retirement in the event `seq` of a writer; an invalid one is ignored."""
        try:
            if isinstance(seq, int):
                self._told.append((by, seq, retirement.decode(body)))
        except ValueError:
            return

    def is_gone(self, writer: object, seq: object) -> bool:
        """Return whether an event was before the first present segment of its writer."""
        base = self.bases.get(writer) if isinstance(writer, str) else None
        return base is not None and isinstance(seq, int) and seq <= base.seq

    def missing(self, sealed: Mapping[str, int], strangers: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield (path, what is wrong) of each missing beginning that no sealed event of a trusted writer has retired;
        `sealed` has the newest sealed number of each writer.
        """
        for writer, base in self.bases.items():
            orders = [(by, seq, one) for by, seq, one in self._told if one.writer == writer and _fits(one, base)]
            if any(by not in strangers and seq <= sealed.get(by, 0) for by, seq, _ in orders):
                continue
            through = max((one.through for by, _, one in orders if by not in strangers), default=0)
            count = base.number
            words = "this segment is missing" if count == 1 else f"{count} segments are missing from here on"
            why = ", and no seal covers the event that retires them" if through else ""
            yield segment.path(writer, 1), words + why


def _fits(one: Retirement, base: Base) -> bool:
    """Return whether the retirement explains this missing beginning; a kill may have left segments that it names."""
    return one.through > base.number or (one.through, one.seq, one.hash) == (base.number, base.seq, base.hash)
