"""Ships that hooks make when a session has ended: nobody waits, and the next ship sends what one could not."""

from __future__ import annotations

from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores


def ship_aside(stores: Stores) -> None:
    """Ship the workspace if its agent is in a fleet."""
    if not (stores.adopted and _may_be_joined(stores)):
        return
    from agentws.features.fleet import membership, ship

    try:
        if membership.joined(stores) is not None:
            ship.ship(stores)
    except AgentwsError:
        return  # `fleet status` shows when the newest ship was


def _may_be_joined(stores: Stores) -> bool:
    """Return whether the user's settings name the agent: reading them whole costs each session's end 20 ms."""
    try:
        with open(stores.environment.config or "", "rb") as file:
            return stores.manifest.agent_id.encode() in file.read()
    except OSError:
        return False
