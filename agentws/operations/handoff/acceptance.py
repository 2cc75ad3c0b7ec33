"""handoff show --accept: a handoff that was not written here, as one that came through git, becomes the agent's own."""

from __future__ import annotations

from agentws.formats import handoff
from agentws.operations.handoff import listing
from agentws.operations.handoff.reading import Known
from agentws.planning import unended
from agentws.storage import recording, seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.operations.handoff.listing import Shown
    from agentws.storage.stores import Stores


def accept(stores: Stores, name: str | None = None) -> Shown:
    """Take a handoff as the agent's own, durably, and show it; one that is its own already is only shown.

    MissingFileError where there is none.
    """
    stores.check_writable()
    known = Known(stores, own=stores.environment.session)
    found = listing.chosen(known, name)
    said = []
    if isinstance(found, handoff.Handoff) and found.path in known.unwritten:
        body = {"text": found.name, "path": found.path}
        happened = recording.Happening(unended.ACCEPTED, body, session=recording.NOBODY)  # it hands over no session
        said = recording.record(stores, [happened])[1] + seals.quietly(stores)
    done = listing.show_handoff(stores, name)
    done.notices += said
    return done
