"""migrate --abort: cancel a migration before the agent has arrived at its destination."""

from __future__ import annotations

from agentws.core.disk import tombstone
from agentws.core.disk.tombstone import Underway
from agentws.core.formats.travel import parcel
from agentws.core.stores.stores import Stores
from agentws.errors import MayNotWriteError, NeedsYouError, UsageError
from agentws.features.copies.migrate import arrival, handover
from agentws.features.copies.migrate.arrival import Migrated
from agentws.features.copies.migrate.migrate import ABORTED, absolute, held, way
from agentws.features.copies.migrate.plan import destination, next_step
from agentws.features.copies.transfer.transport import Transport


def abort(stores: Stores, to: str | None = None, *, sure: bool = False) -> Migrated:
    """Remove the copy at the destination, then the tombstone here, so that this copy may write again.

    A re-run finishes an interrupted abort. `sure` confirms the abort if neither copy nor agent is at the destination.
    UsageError if no migration is running, MayNotWriteError if the agent has arrived, OutsideProgramError.
    """
    with held(stores):
        known = tombstone.migration(stores.files)
        if known is None or known.step == tombstone.DONE:
            raise _none(stores, known)
        via = destination.GIT if known.via == destination.GIT else None
        goal = destination.parse(known.to, via)
        if to is not None and destination.parse(to, via, absolute=absolute).shown != goal.shown:
            raise UsageError(f"The running migration goes to {known.to}.", hint="To cancel it: agentws migrate --abort")
        with way(stores, goal) as transport:
            return _aborted(stores, transport, known, goal, sure=sure)


def _aborted(
    stores: Stores, transport: Transport, known: Underway, goal: destination.Destination, *, sure: bool
) -> Migrated:
    there = next_step.There(transport.inspect(goal.path, known.id))
    buried = handover.is_buried(stores, known.id)
    if there.arrived == known.id:
        raise _too_late(stores, known, goal)
    if buried and not (there.waiting or there.ready) and known.step != tombstone.ABORTING and not sure:
        gone = f"Neither the agent nor a copy is at {there.path}; somebody may have moved it."
        if goal.via == destination.GIT:
            gone = f"{known.to} no longer has the agent: somebody took or removed it."
        raise NeedsYouError(
            gone,
            hint="If no other copy exists: agentws migrate --abort --yes",
        )
    # From here on the copy can never be put in place, so this order leaves at most one that may write.
    known.step = tombstone.ABORTING
    tombstone.keep_migration(stores.files, known)
    try:
        is_abandoned = transport.abandon()
    except MayNotWriteError as error:
        raise _too_late(stores, known, goal) from error  # it was put in its place after we had looked
    if not is_abandoned or goal.via == destination.GIT:
        arrival.void(stores, known.id)  # whoever has a copy of it has its token too
    handover.take_back(stores, known.id)
    handover.aborted(stores, known)
    return Migrated(
        to=known.to,
        via=goal.via,
        state=ABORTED,
        migration=known.id,
        path=there.path,
        host=there.host,
        notices=tuple(stores.notices),
    )


def _too_late(stores: Stores, known: Underway, goal: destination.Destination) -> MayNotWriteError:
    """Return the error that the agent has arrived; the tombstone stays, and re-running the move finishes it."""
    if known.step == tombstone.ABORTING and handover.is_buried(stores, known.id):
        known.step = tombstone.READY if goal.via == destination.GIT else tombstone.COPIED
        tombstone.keep_migration(stores.files, known)
    if goal.via == destination.GIT:
        return _being_taken(known)
    return MayNotWriteError(
        f"The agent has arrived at {known.to}: too late to cancel.",
        hint="To bring it back, run agentws migrate there with this folder as destination.",
    )


def _being_taken(known: Underway) -> MayNotWriteError:
    ref = parcel.ref(known.id, parcel.TAKEN)
    return MayNotWriteError(
        f"The agent is being taken from {known.to}: too late to cancel.",
        hint="Finish the move on the other machine. Only if that machine is lost for good: "
        f"git push {known.to} :{ref}, then agentws migrate --abort --yes",
    )


def _none(stores: Stores, known: Underway | None) -> UsageError:
    if known is not None and handover.is_buried(stores, known.id):
        return UsageError(
            f"The agent has moved to {known.to}: nothing to cancel.",
            hint="To bring it back, run agentws migrate there with this folder as destination.",
        )
    return UsageError("No migration is running.", hint="Start one: agentws migrate user@host:path")
