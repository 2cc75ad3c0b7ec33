"""The standing of this installation, from the facts; and what the verbs of this family share."""

from __future__ import annotations

from agentws.core.identity import write_access
from agentws.core.stores import facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.identity.write_access import Facts, WriteAccess
    from agentws.core.stores.stores import Stores


def of(stores: Stores) -> tuple[Facts, WriteAccess]:
    """The facts, and the standing that follows from them."""
    known = write_access.Facts(**facts.gather(stores))
    return known, write_access.judge(known)


def put_into_history(stores: Stores, verb: str) -> None:
    """Record the documents as one state, where history is kept; what fails is a notice."""
    if stores.keeps_history():
        stores.record(f"identity {verb}")
