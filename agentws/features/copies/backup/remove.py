"""backup remove: remove one backup, also one that the rule keeps; and the old ones that the rule does not keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentws.core.disk.files import Files
from agentws.core.formats.travel import backup
from agentws.core.installation.backups import Known
from agentws.errors import AgentwsError, DamagedError, NeedsYouError, UsageError
from agentws.features.copies.backup import destinations
from agentws.features.copies.backup.plan import keep, loss
from agentws.features.copies.backup.plan.loss import Span
from agentws.features.copies.backup.store import chain
from agentws.features.copies.backup.store.backups import Backups


@dataclass(frozen=True, slots=True)
class Removed:
    """A removed backup: its `place` and `name`, and how many `events` no other backup there has."""

    place: str
    name: str
    events: int
    dry_run: bool = False


def remove_backup(to: str, name: str, *, agreed: bool = False, dry_run: bool = False) -> Removed:
    """Remove the backup called `name` at the destination `to`.

    UsageError for the newest one. Unless `agreed`, NeedsYouError if it alone has some events, or is damaged.
    """
    with destinations.one_backup(to, name) as (place, chosen):
        *others, newest = place.names()
        if chosen == newest:
            raise UsageError(
                f"{chosen} is the newest backup.", hint="Make another one first: agentws backup create. Then re-run."
            )
        files = Files(f"{place.place}/{newest}/{backup.TREE}") if place.place.startswith("/") else None
        held = [_spans(place, text, files, agreed=agreed) or {} for text in (*others, newest) if text != chosen]
        own = _spans(place, chosen, files, agreed=agreed)
        events = loss.alone(held, own or {})
        if own is None and not (agreed or dry_run):
            raise NeedsYouError(
                f"Not confirmed, nothing changed: {chosen} is damaged, and may alone hold events.",
                hint="To remove it anyway, re-run with --yes.",
            )
        if events and not (agreed or dry_run):
            raise NeedsYouError(
                f"Not confirmed, nothing changed: {chosen} alone holds {events:,} event{'s' * (events != 1)}.",
                hint="To lose them, re-run with --yes.",
            )
        if not dry_run:
            place.remove(chosen)
        return Removed(place.place, chosen, events, dry_run)


def _spans(place: Backups, name: str, files: Files | None, *, agreed: bool) -> dict[str, Span] | None:
    """Return the event spans of a backup by writer; None if it is damaged, or unreadable and removal is `agreed`."""
    try:
        return spans(place, name, files)
    except AgentwsError:
        if agreed:
            return None
        raise


def expire(place: Backups, destination: Known, newest: Mapping[str, Span], files: Files) -> list[str]:
    """Remove the backups that the rule does not keep, and return their names.

    A backup with events that no other one has stays, however old: the workspace may be a restored older state, or the
    journal's beginning may be retired.
    """
    gone = to_expire(place, destination.keep, place.names(), newest, files)
    for name in gone:
        place.remove(name)
    return gone


def to_expire(place: Backups, rule: str, names: Sequence[str], newest: Mapping[str, Span], files: Files) -> list[str]:
    """Return the names of the backups to remove by the rule; `newest` are the event spans of the newest backup.

    `files` is the workspace. A backup whose events cannot be read is not removed.
    """
    late = keep.removable(keep.parse(rule), [(name, backup.moment_of(name)) for name in names])
    held = {name: writer_spans for name in late if (writer_spans := spans(place, name, files)) is not None}
    gone = [name for name in late if name in held]
    if any(loss.alone([newest], writer_spans) for writer_spans in held.values()):
        others = [name for name in names[:-1] if name not in late]
        held |= {name: spans(place, name, files) or {} for name in others}
        gone = keep.spared(gone, {name: held[name] for name in names[:-1] if name in held}, newest)
    return gone


def spans(place: Backups, name: str, files: Files | None = None) -> dict[str, Span] | None:
    """Return the first and newest event number of each writer in a backup; None if it is damaged.

    A writer with another event at that number in the workspace `files` is listed with its hash, since its numbers
    belong to another history. Errors other than damage are raised: an unreachable medium is not an empty backup.
    """
    try:
        header = place.header(name)
    except DamagedError:
        return None
    return {
        f"{writer} {hash_}" if files is not None and chain.differs(files, writer, seq, hash_) else writer: span
        for (writer, (seq, hash_)), span in zip(header.heads.items(), header.spans.values(), strict=True)
    }
