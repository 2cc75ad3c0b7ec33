"""fold: a projection for programs: applies a function to each event of the journal, from any cursor on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agentws.core import Result, several
from agentws.core.formats.journal import event, retraction
from agentws.core.formats.journal.event import Event
from agentws.core.stores.stores import Stores
from agentws.features.journal import listing


class Fold(Result):
    """The result of a fold: the `state`, and the `cursor` behind the last event, to pass as `after` next time.

    `stale` are the cursors of events before `after` that were retracted since: a state that counts them is outdated, so
    fold again without `after`.
    """

    __slots__ = ("cursor", "notices", "stale", "state")

    def __init__(self, state: Any, cursor: str, stale: list[str], notices: list[str]) -> None:
        self.state = state
        self.cursor = cursor
        self.stale = stale
        self.notices = notices


def fold(
    stores: Stores,
    initial: Any,
    function: Callable[[Any, Event], Any],
    *,
    after: str | Sequence[str] | None = None,
    kinds: str | Sequence[str] = (),
) -> Fold:
    """Fold `function(state, event)` over each event behind the cursor `after`, beginning with the state `initial`.

    `kinds` are the kinds of events (`task.*` for a family), by default all but structural ones. Events come one at a
    time in the order of `journal list`, with their whole bodies. Events that were purged, retracted or altered, or are
    by a writer unknown to this machine, are left out. UsageError for an invalid cursor.
    """
    behind = listing.position(stores, after)
    wanted = [*several(kinds), event.RETRACTED] if kinds else ()
    events = listing.events(stores, after=after, kinds=wanted, whole=True)
    strangers, stale, state = events._trust.unknown, list[str](), initial
    for entry in events:
        if entry.writer in strangers or entry.wrong or entry.body is None:
            continue
        if entry.kind == event.RETRACTED:
            stale += _stale(entry, behind)
        elif entry.kind not in event.STRUCTURE and not entry.retracted:
            state = function(state, entry)
    return Fold(state, events.after, stale, [*stores.notices, *events.notices])


def _stale(entry: Event, behind: dict[str, int]) -> list[str]:
    try:
        named = retraction.decode(entry)
    except ValueError:
        return []
    return [f"{named.writer}:{named.seq}"] if named.seq <= behind.get(named.writer, 0) else []
