"""Ships that hooks make when a session has ended: nobody waits, and the next ship sends what one could not."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.features.fleet import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores


def ship_aside(stores: Stores) -> None:
    """Ship the workspace if its agent is in a fleet."""
    try:
        if not stores.adopted or settings.joined(stores) is None:
            return
        from agentws.features.fleet import ship

        ship.ship(stores)
    except AgentwsError:
        return  # `fleet status` shows when the newest ship was
