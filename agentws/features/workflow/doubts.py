"""The events that cannot be read, or are gone, and may tell of the beginning of a step: nobody knows whose it was."""

from __future__ import annotations

from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.core.stores import facts, writer_trust
from agentws.features.workflow.plan import state as _state
from agentws.features.workflow.plan.state import Doubt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agentws.core.stores.stores import Stores

WORD = b'"workflow":"'
"""Stands in each event of a step, also where its kind was altered."""
_OTHERS = (_state.FINISHED, _state.FAILED, _state.UNKNOWN, _state.RESOLVED, _state.ASKED, _state.USING, _state.LEFT)
"""Without one of these a step is unknown as well: its beginning stands."""


def move(lost: list[tuple[str, bytes]], found: list[Doubt]) -> None:
    """Move what was lost to the doubts, as far as it may be the beginning of a step."""
    while lost:
        cursor, line = lost.pop(0)
        kind, names = _told(line)
        if kind not in _OTHERS and all(one.cursor != cursor for one in found):
            found.append(Doubt(cursor, names))


def lost(stores: Stores) -> list[Doubt]:
    """Return what this installation has recorded and this copy of the workspace lacks, until a person accepts that."""
    here = writer_trust.reachable(stores.whole)
    return [Doubt(f"{writer}:{seq}") for writer, seq in facts.lost(stores.whole, here)] if here is not None else []


def gaps(stores: Stores, start: Mapping[str, int]) -> list[Doubt]:
    """Return where the journal of this installation lacks events behind `start` that no rule has retired.

    Who renews that journal goes on without them.
    """
    here = writer_trust.reachable(stores.whole)
    if here is None:
        return []
    missing = read.gaps(stores.whole.files, here.writer, start.get(here.writer, 0))
    return [Doubt(f"{here.writer}:{seq}") for seq in missing if seq > 1 or not _is_retired(stores, here.writer)]


def _is_retired(stores: Stores, writer: str) -> bool:
    """Return whether an event says that the beginning of this journal was retired, as far as it is missing."""
    from agentws.core.journal.sealing import retire  # seldom needed: most journals have their beginning

    behind = read.retired(stores.whole.files, writer)
    told = retire.orders(stores.whole.files, lambda _: True)
    return any(order.writer == writer and order.seq >= behind for order, _ in told)


def plain(found: Iterable[Doubt]) -> list[list[object]]:
    """Return doubts as plain values, for the cache."""
    return [[one.cursor, list(one.names)] for one in found]


def restored(told: Iterable[tuple[str, list[str]]]) -> list[Doubt]:
    """The doubts that were told as `plain`."""
    return [Doubt(cursor, names) for cursor, names in told]


def _told(line: bytes) -> tuple[str, list[str]]:
    """The kind and the names of workflow, step and key that a line tells; no names where it tells not enough."""
    try:
        told = plainjson.loads(line)
        kind, body = str(told["kind"]), told["body"]
        names = [body["workflow"], body["step"], body.get("key", "")]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "", []
    return kind, names if all(isinstance(one, str) for one in names) else []
