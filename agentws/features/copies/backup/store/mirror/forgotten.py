"""Mirrors of earlier versions, after something was forgotten: the own ones go, those that hold it still are named."""

from __future__ import annotations

from contextlib import suppress

from agentws.core.installation import backups
from agentws.errors import AgentwsError
from agentws.features.copies.backup.store import erase, folder, reach
from agentws.features.copies.backup.store.mirror import medium

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.core.stores.purges import PurgedEvent
    from agentws.core.stores.stores import Stores
    from agentws.features.copies.backup.store.mirror.medium import Medium

_HOW = "Delete this folder, or run on its machine: agentws backup create"
_REMOVED = "Removed the mirror {} of an earlier version."
_AHEAD = "The mirror {} of an earlier version holds events that are missing here: delete it yourself."


def clear(stores: Stores) -> list[str]:
    """Remove the mirrors of this installation: the workspace holds what they do. Returns notices.

    One that holds events which are missing here stays.
    """
    notices: list[str] = []
    owner = reach.owner(stores.root)

    def look(replica: Medium) -> None:
        state = replica.state()
        if replica.owner != owner:
            return
        if state is not None and not medium.has_events(stores.files, state):
            notices.append(_AHEAD.format(replica.path))
        else:
            replica.remove()
            notices.append(_REMOVED.format(replica.path))

    _each(stores, look)
    return notices


def holding(stores: Stores, lines: Sequence[PurgedEvent], *, but: str = "") -> list[str]:
    """Return, in words, which mirrors at known destinations, `but` those of one owner, hold some of these bodies."""
    result: list[str] = []

    def look(replica: Medium) -> None:
        if replica.owner != but and any(erase.whole(replica.tree, line) is not None for line in lines):
            result.append(words(replica))

    _each(stores, look)
    return result


def words(replica: Medium) -> str:
    """What there is to say of a mirror that holds what is forgotten."""
    return f"The mirror {replica.path} contains matches. {_HOW}"


def _each(stores: Stores, act: Callable[[Medium], None]) -> None:
    """Let `act` look at each mirror in a folder that can be reached; a mirror that cannot be read or removed stays."""
    agent = stores.manifest
    for known in backups.read(stores.files, agent.agent_id, stores.environment.state):
        if known.to.startswith("/"):
            with suppress(AgentwsError):
                place = folder.at(known.to, agent.agent_id, agent.name, known=True).place
                for replica in medium.all_of(place):
                    with suppress(AgentwsError):
                        act(replica)
