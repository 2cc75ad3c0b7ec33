"""The write access of this installation, judged from the facts; and recording a verb of `identity` in history."""

from __future__ import annotations

from agentws.core.identity import write_access
from agentws.core.identity.write_access import Facts, WriteAccess
from agentws.core.stores import facts
from agentws.core.stores.stores import Stores


def of(stores: Stores) -> tuple[Facts, WriteAccess]:
    """Return the facts about this installation, and the write access that follows from them."""
    known = write_access.Facts(**facts.gather(stores))
    return known, write_access.judge(known)


def put_into_history(stores: Stores, verb: str) -> None:
    """Record a state of history after an `identity` verb, if history is kept; a failure becomes a notice."""
    if stores.keeps_history():
        stores.record(f"identity {verb}")
