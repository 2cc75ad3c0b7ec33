"""Reading workflows from the journal: events since the cached state, and doubts for missing or altered events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentws.core.formats.journal import chain, segment
from agentws.core.formats.journal.event import Event
from agentws.core.formats.json import plainjson
from agentws.core.journal import line_check, read, select
from agentws.core.stores import facts, writer_trust
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, DamagedError, MissingFileError, UsageError
from agentws.features.workflow.plan import state as _state
from agentws.features.workflow.plan.state import Doubt, Flow, Workflows

Ends = dict[str, tuple[int, str]]
"""The number and the hash of the newest event that was read, by writer."""


_ENTRY = "workflows"
_MADE_BY = (__file__, __file__, _state.__file__)
_WORTH_KEEPING = 256
_MOST_NAME = 200


def workflows(stores: Stores, notices: list[str]) -> Workflows:
    """Return all workflows, from the events of writers that this machine knows."""
    trust = writer_trust.of(stores)
    ends = {writer: end for writer in trust.known if (end := _end(stores, writer))}
    state, start = _remembered(stores, ends)
    reader = select.Reader(stores.files, select.Wanted(kinds=(_state.FAMILY,), words=(WORD,)))
    behind = [reader.behind(writer, start.get(writer, 0)) for writer in trust.known]
    for event in select.merged(behind):
        move_to_doubts(reader.lost, state.doubts)
        state.take(event.kind, whole(stores, event, notices), event.cursor, event.at)
    move_to_doubts(reader.lost, state.doubts)
    notices += [note for note in (*trust.notices, *reader.notices) if note not in notices]
    if missing := gaps(stores, start):
        notices.append(
            f"The journal lacks events, the first is {missing[0].cursor}. A person is asked about each step without a "
            "result. Restore them from a backup, or go on without: agentws journal renew"
        )
        state.doubts += missing  # and the state without them is not cached
    elif sum(seq - start.get(writer, 0) for writer, (seq, _) in ends.items()) >= _WORTH_KEEPING:
        rows = [[writer, *end] for writer, end in ends.items()]
        doubts = [[doubt.cursor, list(doubt.names)] for doubt in state.doubts]
        stores.cache.put(_ENTRY, [rows, state.plain(), doubts], made_by=_MADE_BY)
    return state


def named(stores: Stores, name: str, notices: list[str]) -> Flow:
    """Return the workflow with this name, read from the journal; a new one if it has no event."""
    state = workflows(stores, notices)
    if missing := missing_events(stores):
        state.doubts += missing
        notices.append(
            f"This copy lacks events that this machine recorded, the newest is {missing[-1].cursor}. A person is asked "
            "about each step without a result. To accept the copy: agentws identity takeover"
        )
    return state.named(name)


def whole(stores: Stores, event: Event, notices: list[str]) -> dict[str, Any] | None:
    """Read the body of a step's event, also from a blob; None if it was purged or cannot be read."""
    try:
        return read.body(stores.files, event)
    except DamagedError as error:
        notices.append(f"{event.cursor}: {error.message}")
        return None


def result(stores: Stores, cursor: str) -> tuple[bool, Any]:
    """Read the result of a step: (whether the event at the cursor still exists, the result in it)."""
    writer, _, number = cursor.rpartition(":")
    try:
        event = read.find(stores.files, writer, int(number))
        body = None if line_check.wrong_of(stores.files, event) else read.body(stores.files, event)
    except (DamagedError, MissingFileError, ValueError):
        return False, None
    return (True, body.get("result")) if body is not None else (False, None)


def check_name(what: str, name: object) -> str:
    """Return a valid name of a workflow or step, or a key; UsageError for any other value."""
    if isinstance(name, str) and name == name.strip() and 0 < len(name) <= _MOST_NAME and name.isprintable():
        from agentws.core.formats.secrets import secrets

        secrets.refuse(name)  # names are compared: a placeholder would be another name
        return name
    raise UsageError(f"{name!r} is not a valid {what}: 1 to {_MOST_NAME} printable characters in one line.")


def _end(stores: Stores, writer: str) -> tuple[int, str] | None:
    line = read.newest_line(stores.files, writer)
    return (segment.seq_of(line), chain.hash_of(line)) if line else None


def _remembered(stores: Stores, ends: Ends) -> tuple[Workflows, dict[str, int]]:
    """Return the cached workflows, and up to which number of each writer they go; none if the journal has changed."""
    kept = stores.cache.get(_ENTRY)
    if kept is None:
        return _state.Workflows(), {}
    value, plain, doubted = kept
    if not all(writer in ends and _stands(stores, writer, seq, hash_) for writer, seq, hash_ in value):
        return _state.Workflows(), {}
    state = _state.restored(plain)
    state.doubts = [Doubt(cursor, names) for cursor, names in doubted]
    return state, {writer: seq for writer, seq, _ in value}


def _stands(stores: Stores, writer: str, seq: int, hash_: str) -> bool:
    try:
        return read.find(stores.files, writer, seq).hash == hash_
    except AgentwsError:
        return False


WORD = b'"workflow":"'
"""In every event of a step, even if its kind was altered."""
_OTHERS = (_state.FINISHED, _state.FAILED, _state.UNKNOWN, _state.RESOLVED, _state.ASKED, _state.USING, _state.LEFT)
"""Kinds that cannot be the beginning of a step: if one is lost, the step's beginning is still there."""


def move_to_doubts(lost: list[tuple[str, bytes]], doubts: list[Doubt]) -> None:
    """Move lost lines that may be the beginning of a step to the doubts."""
    while lost:
        cursor, line = lost.pop(0)
        kind, names = _names_in(line)
        if kind not in _OTHERS and all(doubt.cursor != cursor for doubt in doubts):
            doubts.append(Doubt(cursor, names))


def missing_events(stores: Stores) -> list[Doubt]:
    """Return doubts for events that this installation recorded and this copy of the workspace lacks, until accepted."""
    own = writer_trust.reachable(stores.whole)
    return [Doubt(f"{writer}:{seq}") for writer, seq in facts.lost(stores.whole, own)] if own is not None else []


def gaps(stores: Stores, start: Mapping[str, int]) -> list[Doubt]:
    """Return doubts for gaps in this installation's journal behind `start` that no event has retired.

    `journal renew` accepts them.
    """
    own = writer_trust.reachable(stores.whole)
    if own is None:
        return []
    missing = read.gaps(stores.whole.files, own.writer, start.get(own.writer, 0))
    return [Doubt(f"{own.writer}:{seq}") for seq in missing if seq > 1 or not _is_retired(stores, own.writer)]


def _is_retired(stores: Stores, writer: str) -> bool:
    """Return whether an event retired all of the missing beginning of this journal."""
    from agentws.core.journal.sealing import retire  # seldom needed: most journals have their beginning

    behind = read.retired(stores.whole.files, writer)
    orders = retire.orders(stores.whole.files, lambda _: True)
    return any(order.writer == writer and order.seq >= behind for order, _ in orders)


def _names_in(line: bytes) -> tuple[str, list[str]]:
    """Return the kind, and the names of workflow, step and key in a line; no names if one is missing."""
    try:
        decoded = plainjson.loads(line)
        kind, body = str(decoded["kind"]), decoded["body"]
        names = [body["workflow"], body["step"], body.get("key", "")]
    except (ValueError, TypeError, KeyError, AttributeError):
        return "", []
    return kind, names if all(isinstance(name, str) for name in names) else []
