"""backup remove: remove one backup, also one that the rule keeps because it alone has some events."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core.disk.files import Files
from agentws.core.formats.travel import backup
from agentws.errors import AgentwsError, NeedsYouError, UsageError
from agentws.features.copies.backup import expiry, listing
from agentws.features.copies.backup.plan import loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.ports import Backups
    from agentws.features.copies.backup.plan.loss import Span


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
    with listing.one_backup(to, name) as (place, chosen, _):
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
        return expiry.spans(place, name, files)
    except AgentwsError:
        if agreed:
            return None
        raise
