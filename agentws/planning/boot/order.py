"""In which order the rows of a file are taken where not all of them fit. Pure."""

from __future__ import annotations

from agentws.formats.markdown import markdown
from agentws.planning.boot import worth
from agentws.planning.boot.request import ACTIVITY, CONTEXT, DAY, DIGEST, HANDOFF, IN_FLIGHT, MEMORY, PINNED
from agentws.planning.boot.rows import says_nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.boot.part import Part

_LEAD = 8.0
_COUNTING = ("decision", "rule", "lesson", "preference", "todo", "waiting")


def of(part: Part) -> list[int]:
    """The rows that `part` may show at its own place, the first ones first."""
    role = part.source.role
    inside = part.inside
    if role == DAY:
        return inside[::-1]
    if role == ACTIVITY:
        weights = part.source.weights
        return sorted(inside, key=lambda at: -weights[at]) if len(weights) == len(part.rows) else inside[::-1]
    if role in (IN_FLIGHT, DIGEST):
        return inside
    if role == HANDOFF:
        return sorted(inside, key=lambda at: -_of_handoff(part, at))
    shown = frozenset(inside)
    return [at for at in part.ranked(_ranked) if at in shown] or inside


def every(part: Part) -> list[int]:
    """All rows that may be shown, in the order of the file."""
    return part.page.telling


def _ranked(part: Part) -> list[int]:
    """The rows of a file that seldom changes, by their worth, without what says nothing."""
    rows = part.rows
    every = part.page.telling
    telling = [at for at in every if rows[at].kind != markdown.HEADING and not says_nothing(rows[at])]
    if part.source.role in (MEMORY, CONTEXT, PINNED):
        return sorted(_latest_first(part, telling or every), key=lambda at: -worth.of_memory(part, at))
    return sorted(telling or every, key=lambda at: worth.of_identity(part, at))


def _latest_first(part: Part, rows: list[int]) -> list[int]:
    """What was remembered last stands at the end of a file; what compaction wrote begins with what matters most."""
    from agentws.formats.documents import managed  # most boots know the order of their files

    is_memory = part.source.role == MEMORY
    made = [at for at in rows if is_memory and (entry := part.entry(at)) and managed.HEADING in entry.headings]
    if not made:
        return rows[::-1]
    before, behind = ([at for at in rows if at < made[0]], [at for at in rows if at > made[-1]])
    return [*behind[::-1], *made, *before[::-1]]


def marked(part: Part, wanted: Sequence[str]) -> list[int]:
    """The rows that somebody marked as what counts, and those with a tag that is `wanted`; the last ones first."""
    found = (part.row_of(entry) for entry in reversed(part.entries) if worth.is_marked(entry, wanted))
    return [at for at in found if at is not None]


def _of_handoff(part: Part, at: int) -> float:
    from agentws.formats.documents import handoff  # most boots have none

    heading = part.rows[at].heading
    if heading < 0:
        return _LEAD if part.source.read_with else 0.0
    weights = {
        handoff.DOING: 7.0,
        handoff.NEXT: 6.0,
        handoff.IN_FLIGHT: 6.0,
        handoff.AT_RISK: 5.5,
        handoff.PENDING: 4.0,
        handoff.FAILED: 3.0,
        handoff.PERHAPS: 2.8,
        handoff.DECISIONS: 2.5,
        handoff.FILES: 0.5,
        handoff.NAMED: 0.5,
    }
    return weights.get(handoff.heading_of(title(part, heading)) or "", 0.0)


def title(part: Part, heading: int) -> str:
    """What a heading says."""
    return markdown.title_of(part.rows[heading].text)


def counting(part: Part) -> list[int]:
    """The rows of lists under a heading that says that they count, the last list first, each from its beginning."""
    groups: dict[int, list[int]] = {}
    for at in part.inside:
        entry = part.entry(at)
        if entry is not None and entry.kind in _COUNTING:
            groups.setdefault(part.rows[at].heading, []).append(at)
    return [at for rows in reversed(list(groups.values())) for at in rows]


def heads(part: Part, count: int) -> list[int]:
    """The first `count` rows of each section, the last section first."""
    groups: dict[int, list[int]] = {}
    rows = part.rows
    for at in part.inside:
        groups.setdefault(rows[at].heading, []).append(at)
    return [at for rows in reversed(list(groups.values())) for at in rows[:count]]
