"""What compaction decided to keep, to fold into another memory, or to let go: plain values. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.formats import origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.compaction.units import Source


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry of the managed section: its sub-heading `kind`, its `text`, the lines it came from.

    `worth` compares entries, of this run and earlier ones, in thousandths; `why` says in a few words what spoke for it.
    `src` is the source of its words, the lowest of what it was made of.
    """

    text: str
    kind: str
    day: str
    sources: Sequence[Source]
    worth: int
    why: str = ""
    src: str = origin.UNKNOWN


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence that is not kept: it stays in its log, or its archive. `why` says what stood against it."""

    text: str
    day: str
    source: Source
    worth: int
    why: str


@dataclass(frozen=True, slots=True)
class Gone:
    """An entry of an earlier run that leaves MEMORY.md: its `digest`, its `text`, and the text of its `successor`.

    `kind` is the sub-heading it stood under.
    """

    digest: str
    text: str
    why: str
    successor: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """All that one run decided: the entries that are `new`, those that are `gone`, and, for explanations, the rest."""

    new: Sequence[Kept] = ()
    gone: Sequence[Gone] = ()
    stayed: Sequence[str] = ()
    """The digests of entries of earlier runs that stay."""
    dropped: Sequence[Dropped] = field(default=())
    weighty: tuple[int, int] = (0, 0)
    """How many decisions, lessons and preferences of the days were kept, of how many."""
