"""What this machine knows that tells whether a session runs: its name, its start, and which processes live."""

from __future__ import annotations

from agentws.errors import DamagedError
from agentws.planning import sessions
from agentws.storage import machine
from agentws.storage.journal import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from agentws.formats.event import Event
    from agentws.planning.projection import Run
    from agentws.storage.stores import Stores


def here(runs: Collection[Run]) -> sessions.Here:
    """The facts by which these sessions are judged, as they are now."""
    host = machine.name()
    lives = {one: machine.lives(*one) for one in sessions.processes(runs, host)}
    return sessions.Here(host, machine.boot_id(), machine.namespace(), lives)


def whole(stores: Stores, events: Iterable[Event], kinds: Collection[str], notices: list[str]) -> Iterator[Event]:
    """The events, those of `kinds` with their whole body, also where that lies in a blob."""
    for found in events:
        if found.kind in kinds:
            try:
                found.body = reading.body(stores.files, found)
            except DamagedError as error:
                notices.append(f"{found.cursor}: {error.message}")
        yield found
