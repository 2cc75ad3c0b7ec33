"""backup remove: one backup taken away, also one that is kept since it alone holds events."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.errors import NeedsYouError, UsageError
from agentws.operations.backup import listing
from agentws.operations.backup.expiry import heads
from agentws.planning.backup import loss


@dataclass(frozen=True, slots=True)
class Removed:
    """A backup that was removed from `place`: its `name`, and how many `events` no other backup there holds."""

    place: str
    name: str
    events: int
    dry_run: bool = False


def remove_backup(to: str, name: str, *, agreed: bool = False, dry_run: bool = False) -> Removed:
    """Remove the backup called `name` at the destination `to`.

    UsageError for the newest one. NeedsYouError where it alone holds events, and that was not `agreed` to.
    """
    with listing.one_backup(to, name) as (place, found, _):
        *others, newest = place.names()
        if found == newest:
            raise UsageError(
                f"{found} is the newest backup.", hint="Make another one first: agentws backup create. Then re-run."
            )
        best: dict[str, int] = {}
        for held in (heads(place, one) for one in (*others, newest) if one != found):
            best.update({writer: seq for writer, seq in held.items() if seq > best.get(writer, 0)})
        events = sum(loss.events(best, heads(place, found)).values())
        if events and not (agreed or dry_run):
            raise NeedsYouError(
                f"Not confirmed, nothing changed: {found} alone holds {events:,} event{'s' * (events != 1)}.",
                hint="To lose them, re-run with --yes.",
            )
        if not dry_run:
            place.remove(found)
        return Removed(place.place, found, events, dry_run)
