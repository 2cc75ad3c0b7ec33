"""The workflows as the journal tells them. What was read before is remembered in the cache, up to an event whose hash
covers all before it.
"""

from __future__ import annotations

from agentws.core.formats.journal import chain, segment
from agentws.core.journal import linkage, read, select
from agentws.core.stores import writer_trust
from agentws.errors import AgentwsError, DamagedError, MissingFileError, UsageError
from agentws.features.workflow import doubts
from agentws.features.workflow.plan import state as _state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.stores import Stores
    from agentws.features.workflow.plan.state import Flow, Workflows

    Ends = dict[str, tuple[int, str]]
    """The number and the hash of the newest event that was read, of each writer."""

_ENTRY = "workflows"
_MADE_BY = (__file__, doubts.__file__, _state.__file__)
_WORTH_KEEPING = 256
_MOST_NAME = 200


def workflows(stores: Stores, notices: list[str]) -> Workflows:
    """Return all workflows, by what writers that this machine knows have recorded."""
    trust = writer_trust.of(stores)
    ends = {writer: end for writer in trust.known if (end := _end(stores, writer))}
    found, start = _remembered(stores, ends)
    reader = select.Reader(stores.files, select.Wanted(kinds=(_state.FAMILY,), words=(doubts.WORD,)))
    behind = [reader.behind(writer, start.get(writer, 0)) for writer in trust.known]
    for one in select.merged(behind):
        doubts.move(reader.lost, found.doubts)
        found.take(one.kind, whole(stores, one, notices), one.cursor, one.at)
    doubts.move(reader.lost, found.doubts)
    notices += [note for note in (*trust.notices, *reader.notices) if note not in notices]
    if missing := doubts.gaps(stores, start):
        notices.append(
            f"The journal lacks events, the first is {missing[0].cursor}. A person is asked about each step without a "
            "result. Restore them from a backup, or go on without: agentws journal renew"
        )
        found.doubts += missing  # and what was read without them is not remembered
    elif sum(seq - start.get(writer, 0) for writer, (seq, _) in ends.items()) >= _WORTH_KEEPING:
        told = [[writer, *end] for writer, end in ends.items()]
        stores.cache.put(_ENTRY, [told, found.plain(), doubts.plain(found.doubts)], made_by=_MADE_BY)
    return found


def named(stores: Stores, name: str, notices: list[str]) -> Flow:
    """Return the workflow with this name; a new one where no event tells of it."""
    found = workflows(stores, notices)
    if lost := doubts.lost(stores):
        found.doubts += lost
        notices.append(
            f"This copy lacks events that this machine recorded, the newest is {lost[-1].cursor}. A person is asked "
            "about each step without a result. To accept the copy: agentws identity takeover"
        )
    return found.named(name)


def whole(stores: Stores, one: Event, notices: list[str]) -> dict[str, Any] | None:
    """The body of an event, also where it lies in a blob; None where it was purged, or cannot be read."""
    try:
        return read.body(stores.files, one)
    except DamagedError as error:
        notices.append(f"{one.cursor}: {error.message}")
        return None


def result(stores: Stores, cursor: str) -> tuple[bool, Any]:
    """(is it still there, the result) of the event at a cursor."""
    writer, _, number = cursor.rpartition(":")
    try:
        found = read.find(stores.files, writer, int(number))
        body = None if linkage.wrong_of(stores.files, found) else read.body(stores.files, found)
    except (DamagedError, MissingFileError, ValueError):
        return False, None
    return (True, body.get("result")) if body is not None else (False, None)


def check_name(what: str, name: object) -> str:
    """The name of a workflow or step, or a key; UsageError where it is none."""
    if isinstance(name, str) and name == name.strip() and 0 < len(name) <= _MOST_NAME and name.isprintable():
        from agentws.core.formats.secrets import secrets

        secrets.refuse(name)  # it is compared: a placeholder in its place would be another name
        return name
    raise UsageError(f"{name!r} is not a valid {what}: 1 to {_MOST_NAME} printable characters in one line.")


def _end(stores: Stores, writer: str) -> tuple[int, str] | None:
    line = read.newest_line(stores.files, writer)
    return (segment.seq_of(line), chain.hash_of(line)) if line else None


def _remembered(stores: Stores, ends: Ends) -> tuple[Workflows, dict[str, int]]:
    """What was read before, and up to which number of each writer; nothing where the journal is not as it was then."""
    kept = stores.cache.get(_ENTRY)
    if kept is None:
        return _state.Workflows(), {}
    told, plain, doubted = kept
    if not all(writer in ends and _stands(stores, writer, seq, hash_) for writer, seq, hash_ in told):
        return _state.Workflows(), {}
    found = _state.restored(plain)
    found.doubts = doubts.restored(doubted)
    return found, {writer: seq for writer, seq, _ in told}


def _stands(stores: Stores, writer: str, seq: int, hash_: str) -> bool:
    try:
        return read.find(stores.files, writer, seq).hash == hash_
    except AgentwsError:
        return False
