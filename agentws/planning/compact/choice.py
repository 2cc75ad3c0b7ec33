"""The choice of a run: lines to keep, to join with another memory, or to drop. Plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentws.formats import origin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from agentws.planning.compact.candidates import Candidate
    from agentws.planning.compact.units import Source

LEFT = "stays in its log"


@dataclass(frozen=True, slots=True)
class Kept:
    """A line of the managed section or of the digest: its `text`, the lines it came from, the sub-heading `kind`.

    `worth` orders the lines of a run, in thousandths; `why` says in a few words what spoke for it. `src` is the source
    of its words, the lowest of what it was made of. `says` is what it is by its marks (`decision`), empty where it has
    none; `days` are those on which it was said, `importance` is 0 where it names none. `digest` is that of an entry
    which stands in MEMORY.md or in the digest already. `refs` are the references by which a later line may close it.
    `is_nested`: it only says more of the item that it stands below in its log.
    """

    text: str
    kind: str
    day: str
    sources: Sequence[Source]
    worth: int = 0
    why: str = ""
    src: str = origin.UNKNOWN
    says: str = ""
    days: Sequence[str] = ()
    importance: int = 0
    digest: str = ""
    refs: Sequence[str] = ()
    is_nested: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """A sentence that is not kept: it stays in its log, or its archive. `why` says what stood against it."""

    text: str
    day: str
    source: Source
    worth: int
    why: str


class Unkept(Sequence["Dropped"]):
    """Lines that are not kept; each is explained when it is asked for, since of a year there are fifty thousand."""

    def __init__(self, lines: Sequence[Candidate], explain: Callable[[Candidate], Dropped]) -> None:
        self._lines = lines
        self._explain = explain

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, at: int) -> Dropped:  # type: ignore[override]  # nobody asks for a part of it
        return self._explain(self._lines[at])


@dataclass(frozen=True, slots=True)
class Gone:
    """An entry of an earlier run that leaves: its `digest`, its `text`, and the text of its `successor`.

    `kind` is the sub-heading it stood under, `state` why it left, as memory/sources.jsonl says it.
    """

    digest: str
    text: str
    why: str
    successor: str = ""
    kind: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """The change of memory/digest.md: lines that are `new`, lines that are `gone`."""

    new: Sequence[Kept] = ()
    gone: Sequence[Gone] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """The decisions of one run: entries that are `new`, entries that are `gone`, and, for explanations, the rest."""

    new: Sequence[Kept] = ()
    gone: Sequence[Gone] = ()
    stayed: Sequence[str] = ()
    """The digests of entries of earlier runs that stay."""
    confirmed: Sequence[Kept] = ()
    """Lines of earlier runs that stay, and were said again."""
    page: Page = field(default_factory=Page)
    proposed: Sequence[Kept] = ()
    """What waits for the author: memory/proposed.md."""
    waiting: int = 0
    """How many lines that may stand in MEMORY.md wait in the digest, or in their logs."""
    queued: Sequence[Kept] = ()
    """Those of them for which the digest has no room."""
    held: Collection[str] = ()
    """The paths of days that stay where they are: something is open in them that the digest does not say."""
    dropped: Sequence[Dropped] = field(default=())
    weighty: tuple[int, int] = (0, 0)
    """How many marked lines of the days are in MEMORY.md now, of how many."""
