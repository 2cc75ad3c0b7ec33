"""backup remove: one backup taken away, also one that is kept since it alone holds events."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.errors import AgentwsError, NeedsYouError, UsageError
from agentws.formats.travel import backup
from agentws.operations.backup import expiry, listing
from agentws.planning.backup import loss
from agentws.storage.disk.files import Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.ports import Backups


@dataclass(frozen=True, slots=True)
class Removed:
    """A backup that was removed from `place`: its `name`, and how many `events` no other backup there holds."""

    place: str
    name: str
    events: int
    dry_run: bool = False


def remove_backup(to: str, name: str, *, agreed: bool = False, dry_run: bool = False) -> Removed:
    """Remove the backup called `name` at the destination `to`.

    UsageError for the newest one. NeedsYouError where it alone holds events, or nobody can read which, and that was
    not `agreed` to.
    """
    with listing.one_backup(to, name) as (place, found, _):
        *others, newest = place.names()
        if found == newest:
            raise UsageError(
                f"{found} is the newest backup.", hint="Make another one first: agentws backup create. Then re-run."
            )
        best: dict[str, int] = {}
        files = Files(f"{place.place}/{newest}/{backup.TREE}") if place.place.startswith("/") else None
        for held in (_heads(place, one, files, agreed=agreed) for one in (*others, newest) if one != found):
            best.update({writer: seq for writer, seq in (held or {}).items() if seq > best.get(writer, 0)})
        own = _heads(place, found, files, agreed=agreed)
        events = sum(loss.events(best, own or {}).values())
        if own is None and not (agreed or dry_run):
            raise NeedsYouError(
                f"Not confirmed, nothing changed: {found} is damaged, and may alone hold events.",
                hint="To remove it anyway, re-run with --yes.",
            )
        if events and not (agreed or dry_run):
            raise NeedsYouError(
                f"Not confirmed, nothing changed: {found} alone holds {events:,} event{'s' * (events != 1)}.",
                hint="To lose them, re-run with --yes.",
            )
        if not dry_run:
            place.remove(found)
        return Removed(place.place, found, events, dry_run)


def _heads(place: Backups, name: str, files: Files | None, *, agreed: bool) -> dict[str, int] | None:
    """The newest events of a backup; None where nobody can tell: it is damaged, or who agreed wants no more of it."""
    try:
        return expiry.heads(place, name, files)
    except AgentwsError:
        if agreed:
            return None
        raise
