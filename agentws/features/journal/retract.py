"""journal retract: makes events count as if they had not happened; they stay in the journal, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core import Result
from agentws.core.disk import lock
from agentws.core.formats.journal import event, retraction
from agentws.core.journal import read, retractions, select
from agentws.core.stores import record, writer_trust
from agentws.errors import MissingFileError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.formats.journal.event import Body, Event
    from agentws.core.stores.stores import Stores

_MOST_REASON = 1_000
_ID_LENGTH = 36
_LOCK, _LOCK_TIMEOUT_S = "retract", 10.0


class RetractedEvent(Result):
    """A retracted event: `by` is the cursor of the event that retracts it, empty in a dry run.

    `already`: it had been retracted before.
    """

    __slots__ = ("already", "at", "by", "cursor", "event", "kind")

    def __init__(self, entry: Event, by: str) -> None:
        self.event = entry
        self.cursor = entry.cursor
        self.kind = entry.kind
        self.at = entry.at
        self.by = by
        self.already = bool(by)


@dataclass(slots=True, repr=False)
class Retracted(Result):
    """The result of `retract`: the events in the order in which they were named."""

    events: list[RetractedEvent]
    reason: str
    dry_run: bool
    notices: list[str]


def retract(stores: Stores, events: Sequence[str], *, reason: str, dry_run: bool = False) -> Retracted:
    """Retract these events (each `WRITER:SEQ` or an id), and record the reason in the journal.

    `replay`, `fold`, handoffs, boot, search and open calls leave them out; `list` and `audit` show them marked. Nothing
    is deleted. UsageError for an event that a verb of agentws recorded, MissingFileError for a missing one; then
    nothing is written.
    """
    if not reason.strip() or len(reason) > _MOST_REASON:
        raise UsageError(
            f"--reason must have 1 to {_MOST_REASON:,} characters.", hint='--reason "measured the wrong room"'
        )
    if not events:
        raise UsageError("Name the events to retract.", hint="To find them: agentws journal list")
    if dry_run:
        return Retracted(_named(stores, events), reason, dry_run=True, notices=list(stores.notices))
    stores.check_writable()
    with lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, note="journal retract"):
        lines = _named(stores, events)
        new = [retracted_event for retracted_event in lines if not retracted_event.already]
        happenings = [
            record.Happening(event.RETRACTED, _body(stores, retracted_event.event, reason)) for retracted_event in new
        ]
        recorded, notices = record.record(stores, happenings) if happenings else ([], [])
    for line, done in zip(new, recorded, strict=True):
        line.by = done.cursor or ""
    return Retracted(lines, reason, dry_run=False, notices=[*stores.notices, *notices])


def _named(stores: Stores, events: Sequence[str]) -> list[RetractedEvent]:
    trust = writer_trust.of(stores)
    gone = retractions.of(stores.files, stores.cache, trust.known)
    entries = {entry.cursor: entry for text in events if (entry := _find(stores, text.strip(), trust.known))}
    for entry in entries.values():
        _check(entry)
    return [RetractedEvent(entry, gone.by(entry)) for entry in entries.values()]


def _find(stores: Stores, text: str, writers: Sequence[str]) -> Event:
    if len(text) != _ID_LENGTH:
        return read.find(stores.files, *read.cursor(stores.files, text))
    reader = select.Reader(stores.files, select.Wanted())
    for writer in writers:
        for entry in reader.behind(writer, 0):
            if entry.id == text.lower():
                return entry
    raise MissingFileError(f"No event {text}.", hint="To list the events: agentws journal list --json")


def _check(entry: Event) -> None:
    if not retraction.is_retractable(entry.kind):
        raise UsageError(
            f"{entry.cursor} is a `{entry.kind}` event, which agentws recorded for something it did.",
            hint="To take back a change of documents: agentws undo. A step: agentws workflow resolve",
        )


def _body(stores: Stores, entry: Event, reason: str) -> Body:
    """Return the body of the retraction, with a reference to the reopened action if it retracts the end of one."""
    body = retraction.body(entry, reason=reason)
    if entry.kind in event.ENDS and entry.call is not None and (began := _action(stores, entry)):
        body["reopens"] = began
    return body


def _action(stores: Stores, end: Event) -> dict[str, object] | None:
    """Return a reference to the action that `end` ended, None if another writer began it or another event ends it."""
    wanted = select.Wanted(kinds=event.CALLS)
    reader = select.Reader(stores.files, wanted)
    gone = retractions.of(stores.files, stores.cache, [end.writer])
    began = None
    for entry in gone.without(reader.behind(end.writer, 0)):
        if entry.call != end.call or entry.seq == end.seq:
            continue
        began = entry if entry.kind == event.ACTION else None
    if began is None:
        return None
    return {"seq": began.seq, "segment": began.segment, "offset": began.offset, "kind": began.kind, "call": end.call}
