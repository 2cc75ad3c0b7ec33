"""What boot says of this installation: new here, beside an older copy, left behind; and of a SOUL.md that changed."""

from __future__ import annotations

from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.stores import Stores


def notices(stores: Stores, *, shared: bool) -> list[str]:
    """The notices, none where all is as usual. Others (`shared`) are not told of machines, nor of what was lost."""
    if not stores.adopted or stores.environment.as_of:
        return []
    from agentws.planning import footing
    from agentws.storage import drift, facts

    try:
        found = footing.judge(footing.Facts(**facts.gather(stores)))
        said = [f"{found.said} {found.remedy}."] if found.said else []
        # Whose journal is this installation's is not known either where the manifest cannot be read.
        if shared or stores.damage is not None:
            return said if found.kind in (footing.MOVED, footing.RETIRED) else []
        return said + drift.notices(stores)
    except AgentwsError as error:
        return [f"Whether this is the installation that wrote here is not known: {error.message}"]
