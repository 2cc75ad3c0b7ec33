"""A journal of this machine of which the remote has another history: the next event begins a new one."""

from __future__ import annotations

from agentws.core.identity import join
from agentws.core.installation import installation
from agentws.core.journal import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.stores.stores import Stores


def part(stores: Stores, forks: Mapping[str, int]) -> int:
    """Make this installation another writer where its journal is one of `forks`, which are by writer the newest number
    that both sides share; how many events stay here alone. 0 where nothing is to be done.
    """
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    mark = installation.mark(here) if here is not None and here.writer in forks else None
    if here is None or mark is None:
        return 0
    count = read.last_seq(stores.files, here.writer) - forks[here.writer]
    join.continue_as_new_writer(stores.files, here, mark, stores.moment_us())
    stores.close_journal()
    return count
