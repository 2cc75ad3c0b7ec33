"""What this machine knows that tells whether a session runs: its name, its start, and which processes live."""

from __future__ import annotations

from agentws.errors import DamagedError
from agentws.planning.events import liveness
from agentws.storage.installation import host_info
from agentws.storage.journal import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from agentws.formats.journal.event import Event
    from agentws.planning.events.replay import Run
    from agentws.storage.workspace.stores import Stores


def here(runs: Collection[Run]) -> liveness.Here:
    """The facts by which these sessions are judged, as they are now."""
    host = host_info.name()
    lives = {one: host_info.lives(*one) for one in liveness.processes(runs, host)}
    return liveness.Here(host, host_info.boot_id(), host_info.namespace(), lives)


def whole(stores: Stores, events: Iterable[Event], kinds: Collection[str], notices: list[str]) -> Iterator[Event]:
    """The events, those of `kinds` with their whole body, also where that lies in a blob."""
    for found in events:
        if found.kind in kinds:
            try:
                found.body = read.body(stores.files, found)
            except DamagedError as error:
                notices.append(f"{found.cursor}: {error.message}")
        yield found
