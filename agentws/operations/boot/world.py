"""The questions a boot asked of this machine: asked again, they show whether a remembered answer still holds."""

from __future__ import annotations

from agentws.storage.installation import host_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from agentws.planning.events.liveness import ThisMachine
    from agentws.planning.events.replay import Run
    from agentws.storage.workspace.stores import Stores

    Asked = list[Any]


def ask(stores: Stores, runs: Collection[Run]) -> tuple[ThisMachine, Asked]:
    """The facts by which these sessions are judged; and the same, with the question, as plain values."""
    from agentws.planning.events import liveness

    here = host_info.this_machine(liveness.processes(runs, host_info.name()))
    told = [[pid, started, alive] for (pid, started), alive in here.lives.items()]
    return here, [stores.own_session, here.host, here.boot, here.namespace, told]


def holds(stores: Stores, asked: Asked) -> bool:
    """Return whether the same questions have the same answers now."""
    session, host, boot, namespace, told = asked
    now = [stores.own_session, host_info.name(), host_info.boot_id(), host_info.namespace()]
    return now == [session, host, boot, namespace] and all(
        host_info.lives(pid, started) == alive for pid, started, alive in told
    )
