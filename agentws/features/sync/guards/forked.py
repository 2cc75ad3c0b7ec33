"""Begin a new journal for this machine if the remote holds a different history of its current one."""

from __future__ import annotations

from agentws.core.identity import join
from agentws.core.installation import installation
from agentws.core.journal import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.stores.stores import Stores


def part(stores: Stores, forks: Mapping[str, int]) -> int:
    """Make this installation a new writer if its journal is among `forks`; return how many events stay here only.

    `forks` gives, for each forked writer, the newest event number that both sides share. 0 if it is not forked.
    """
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    mark = installation.mark(here) if here is not None and here.writer in forks else None
    if here is None or mark is None:
        return 0
    count = read.last_seq(stores.files, here.writer) - forks[here.writer]
    join.continue_as_new_writer(stores.files, here, mark, stores.moment_us())
    stores.close_journal()
    return count
