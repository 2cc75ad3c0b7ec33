"""Which lines of a handoff come first where not all of it fits, whatever words its headings have. Pure."""

from __future__ import annotations

from agentws.formats import handoff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.planning.excerpt import Entry

_COUNTS = {
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
_LEAD = 8.0


def prefer(entries: Sequence[Entry], *, is_derived: bool) -> None:
    """Let the lines below a heading that means one of a handoff's come sooner, as far as it matters most.

    In one that was derived what stands above all headings says what it is, and comes first.
    """
    for entry in entries:
        if entry.path:
            entry.priority += next((_COUNTS[found] for step in entry.path if (found := handoff.heading_of(step))), 0.0)
        elif is_derived:
            entry.priority += _LEAD
