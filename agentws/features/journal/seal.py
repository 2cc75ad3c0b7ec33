"""journal seal: signs this installation's journal up to its newest event with the installation's key."""

from __future__ import annotations

from agentws.core.journal.sealing.seal import Sealed
from agentws.core.stores import seals
from agentws.core.stores.stores import Stores


def may_seal_aside(stores: Stores) -> bool:
    """Return whether another process may seal the journal after this one; if so, the caller has to start it."""
    return seals.begin_aside(stores)


def seal_aside(stores: Stores) -> list[str]:
    """Seal the journal in the process that `may_seal_aside` allowed; failures become notices."""
    return seals.end_aside(stores)


def seal(stores: Stores) -> Sealed:
    """Seal the newest event; `seq` of the result is None if there was nothing to seal, or no program that can sign.

    OutsideProgramError if signing fails, DamagedError if the journal is damaged.
    """
    done = seals.seal(stores)
    done.notices = [*stores.notices, *done.notices]
    return done
