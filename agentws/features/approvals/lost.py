"""Requests whose file is gone or damaged: the events are believed, and say what was asked."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.documents import approval
from agentws.errors import AgentwsError
from agentws.features.approvals.plan import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.core.formats.documents.approval import Request
    from agentws.core.formats.documents.document import Value
    from agentws.core.stores.stores import Stores
    from agentws.features.approvals.plan.standing import Fact

_KEPT = ("expires", "task")


def of(told: Mapping[str, Sequence[Fact]], here: Collection[str]) -> list[Request]:
    """Return the requests that events tell of, by their ids, and that are not among those `here`."""
    found = []
    for id, facts in told.items():
        asked = next((one for one in facts if one.kind == standing.ASKED), None)
        if asked is not None and id not in here and approval.is_id(id):
            request = _asked(id, asked)
            if request is not None:
                found.append(request)
    return found


def archived(stores: Stores) -> dict[str, str]:
    """Return the ids of the requests whose file lies in the archive, with its path."""
    folder = f"{layout.APPROVALS}/archive"
    try:
        years = [name for name, kind in stores.files.names(folder) if kind == "folder"]
        paths = [f"{folder}/{year}/{name}" for year in years for name in stores.files.listing(f"{folder}/{year}")]
    except AgentwsError:
        return {}
    return {path.rpartition("/")[2].removesuffix(".md"): path for path in paths}


def _asked(id: str, asked: Fact) -> Request | None:
    """The request as its event tells it; None where that says no question by now, as after a purge."""
    if not asked.text("text"):
        return None
    state: dict[str, Value | None] = {
        "status": approval.PENDING,
        "asked": asked.at,
        "risk": asked.text("risk"),
        **{key: asked.text(key) for key in _KEPT if asked.text(key)},
    }
    try:
        return approval.decode(approval.new(asked.text("text"), asked.body.get("action"), state), id=id)
    except AgentwsError:
        return None
