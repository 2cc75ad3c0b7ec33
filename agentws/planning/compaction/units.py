"""The values of compaction: days and old entries go in, units are weighed, entries come out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.formats import origin
from agentws.planning.compaction import kinds, tiers

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Day:
    """A daily log: its path in the workspace, its day (ISO), its text."""

    path: str
    day: str
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """The lines `line` to `end_line` of a file, 1-based and inclusive."""

    path: str
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A bullet of the managed section, without its mark; `kind` is the sub-heading it stands under.

    `score` is how much it is worth keeping: of an old entry as it was recorded, None where that is not known.
    `is_pinned`: it stays, whatever it costs. `src` is the source of its words, the lowest of what it was made of.
    """

    text: str
    kind: str
    days: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    score: float | None = None
    reason: str = ""
    is_pinned: bool = False
    src: str = origin.UNKNOWN


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was not kept, and why; `successor` is the text that says it now. `was_entry`: it had been in memory."""

    text: str
    day: str
    sources: tuple[Source, ...]
    score: float
    reason: str
    successor: str = ""
    was_entry: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """What is known besides the days that are folded.

    `tasks` are the texts of open tasks, `memory` is what its owner wrote. `days` are others, before and after: nothing
    of them is kept, but what comes up in them again is worth more. `logs` are the texts of the days that are folded:
    what they call a secret is told nowhere. `log_days` are their days, where these are known.
    """

    tasks: Sequence[str] = ()
    memory: Sequence[str] = ()
    days: Sequence[Day] = ()
    logs: Sequence[str] = ()
    log_days: Sequence[str] = ()


@dataclass(slots=True)
class Unit:
    """A sentence that may be kept, or a whole entry that is in memory already (`entry`).

    `who` said it (empty in notes); `about` is what its heading tells; `turn` numbers what belongs together (what one
    speaker said in a row, an item of a list), `place` orders the sentences in it, of which there are `size`; `group`
    numbers what may share one entry. `is_low`: a mere record, as its heading says or its form shows. `src` is whose
    words it is: what stands in a log without a mark is of an unknown source.
    """

    text: str
    day: str
    who: str = ""
    about: str = ""
    sources: tuple[Source, ...] = ()
    turn: int = 0
    place: int = 0
    size: int = 1
    group: int = 0
    kind: str | None = None
    importance: int | None = None
    done: bool | None = None
    form: str = "item"
    is_spoken: bool = False
    is_low: bool = False
    after_question: bool = False
    entry: Entry | None = field(default=None)
    src: str = origin.UNKNOWN

    @property
    def is_pinned(self) -> bool:
        """True for what somebody marked to stay."""
        return self.importance == 10 or (self.entry is not None and self.entry.is_pinned)

    @property
    def is_weighty(self) -> bool:
        """True for a decision, a lesson or a preference, noted as such or kept under its sub-heading."""
        if self.entry is not None:
            return self.entry.kind in kinds.WEIGHTY
        return not self.is_spoken and self.kind in tiers.WEIGHTY

    @property
    def lead(self) -> str:
        """What an entry with it begins with: when, and who said it or what it is about."""
        context = self.who or self.about
        return f"{self.day} {context}: " if context else f"{self.day} "
