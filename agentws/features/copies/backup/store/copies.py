"""Visit the backups at each known destination, to find or remove forgotten text."""

from __future__ import annotations

from contextlib import closing

from agentws.core.installation import backups
from agentws.core.stores.traces import HeldCopies
from agentws.errors import AgentwsError
from agentws.features.copies.backup.store import reach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentws.core.formats.travel.backup import Manifest
    from agentws.core.stores.stores import Stores
    from agentws.features.copies.backup.store.backups import Backups

GIT = ".git/"
INTERRUPTED = "an interrupted backup: delete this folder, if none is being made"
UNREADABLE = "the backup cannot be read"


def has_past(manifest: Manifest) -> bool:
    """Return whether a backup contains a git history (`.git/objects`)."""
    return f"{GIT}objects" in manifest.entries


def manifests(place: Backups, copies: HeldCopies) -> Iterator[tuple[str, Manifest]]:
    """Yield the name and the manifest of each backup; an unreadable one is noted in `copies` and skipped."""
    for name in place.names():
        try:
            manifest = place.manifest(name)
        except AgentwsError:
            copies.names.append(name)
            copies.left.append(f"{name}: {UNREADABLE}")
            continue
        yield name, manifest


def each(stores: Stores, act: Callable[[HeldCopies, Backups], None], *, all_: bool) -> list[HeldCopies]:
    """Call `act` for each known destination of backups, and return the results; an unreachable one is `absent`.

    Backups that cannot be changed must be fetched to be searched; they are skipped unless `all_`.
    """
    result = []
    agent = stores.manifest
    for destination in backups.read(stores.files, agent.agent_id, stores.environment.state):
        copies = HeldCopies(destination.to)
        result.append(copies)
        try:
            to = reach.named(destination.to)
            # What is fetched must not stay in the cache of this machine, which is cleared.
            with closing(reach.at(to, agent.agent_id, agent.name, known=True)) as place:
                copies.place, copies.stays = place.place, place.stays()
                if all_ or not copies.stays:
                    act(copies, place)
                    copies.is_searched = True
        except (AgentwsError, OSError) as error:
            copies.absent = error.message.rstrip(".") if isinstance(error, AgentwsError) else str(error)
    return result
