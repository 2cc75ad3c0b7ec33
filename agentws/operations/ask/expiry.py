"""Requests that expired are recorded as such by what a schedule runs: nobody answers or uses them any more."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.workspace.stores import Stores

_SUFFIX = ".md"


def expire(stores: Stores) -> list[str]:
    """Record each request that has expired where the journal does not say so; what went wrong, in words."""
    names = [name for name in stores.files.listing(layout.APPROVALS) if name.endswith(_SUFFIX)]
    if not names:
        return []
    from agentws.storage.workspace import pending_approvals

    paths = [f"{layout.APPROVALS}/{name}" for name in names]
    if not pending_approvals.has_expired(stores.files, paths, stores.clock.now()):
        return []
    from agentws.operations.ask.desk import Desk
    from agentws.storage.workspace import seals

    try:
        with Desk(stores, "ask catches up"):
            pass
    except AgentwsError as error:
        return [f"The expiry of a request was not recorded: {error.message}"]
    return [*stores.notices, *seals.quietly(stores, due=True)]
