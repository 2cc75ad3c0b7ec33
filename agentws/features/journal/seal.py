"""journal seal: this installation's key signs how far its journal goes."""

from __future__ import annotations

from agentws.core.stores import seals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.journal.sealing.seal import Sealed
    from agentws.core.stores.stores import Stores


def may_seal_aside(stores: Stores) -> bool:
    """Return whether another process may seal the journal when this one has ended; then it has to begin to."""
    return seals.begin_aside(stores)


def seal_aside(stores: Stores) -> list[str]:
    """Seal what has ended before, as `seal` does; failures become notices."""
    return seals.end_aside(stores)


def seal(stores: Stores) -> Sealed:
    """Seal the newest event; `seq` of the result is None where there was nothing to seal, or nothing that seals.

    OutsideProgramError where signing fails, DamagedError where the journal is damaged.
    """
    done = seals.seal(stores)
    done.notices = [*stores.notices, *done.notices]
    return done
