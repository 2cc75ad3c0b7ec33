"""Which session the verb that changes a task stands in, where nobody says so: one that is gone did not do it."""

from __future__ import annotations

from agentws.planning import projection, sessions
from agentws.storage import machine
from agentws.storage.journal import reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.event import Event
    from agentws.storage.stores import Stores


def newest(stores: Stores, names: Sequence[str]) -> str | None:
    """The newest of these sessions of this installation, oldest first, that is not known to have crashed."""
    if not names:
        return None
    writer = stores.journal().writer
    begun = reference.outlined(stores.files, writer).begun
    for name in reversed(names):
        event = reference.at(stores.files, writer, begun[name]) if name in begun else None
        if event is None or not _is_gone(stores, name, event):
            return name
    return None


def _is_gone(stores: Stores, name: str, event: Event) -> bool:
    run = projection.Run(name, event)
    run.take(event)
    host = machine.name()
    lives = {one: machine.lives(*one) for one in sessions.processes([run], host)}
    here = sessions.Here(host, machine.boot_id(), machine.namespace(), lives)
    return sessions.judge(run, here, stores.clock.now()).state == sessions.CRASHED
