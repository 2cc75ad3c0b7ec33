"""Expiry of approval requests: scheduled verbs record it, so that nobody answers or uses the request."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError

_SUFFIX = ".md"


def expire(stores: Stores) -> list[str]:
    """Record each approval request that has expired, unless the journal says so already; return notices."""
    names = [name for name in stores.files.listing(layout.APPROVALS) if name.endswith(_SUFFIX)]
    if not names:
        return []
    from agentws.features.approvals import pending_approvals
    from agentws.features.approvals.approval import latest

    paths = [f"{layout.APPROVALS}/{name}" for name in names]
    if not pending_approvals.has_expired(stores.files, paths, latest(stores)):
        return []
    from agentws.core.stores import seals
    from agentws.features.approvals.store import ApprovalStore

    try:
        with ApprovalStore(stores, "ask catches up"):
            pass
    except AgentwsError as error:
        return [f"The expiry of a request was not recorded: {error.message}"]
    return [*stores.notices, *seals.quietly(stores, due=True)]
