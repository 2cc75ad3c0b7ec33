"""journal verify: checks that the journal is unchanged: every chain, digest, blob, purge and seal."""

from __future__ import annotations

from agentws.core.installation import installation, replaced
from agentws.core.journal.sealing import verify as _verify
from agentws.core.stores import writer_trust
from agentws.errors import NoWorkspaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.journal.sealing.verified import VerifiedJournal
    from agentws.core.stores.stores import Stores


def verify(stores: Stores, *, progress: Callable[[int, int], None] | None = None) -> VerifiedJournal:
    """Verify every chain, digest, blob, purge and seal of the journal, and return the findings with their places.

    `progress` is called with (bytes read, bytes in all). NoWorkspaceError if the folder is not adopted, since the
    chains begin with the agent's id; DamagedError if the manifest cannot be read.
    """
    if not stores.adopted:
        raise NoWorkspaceError(
            f"{stores.root} is not adopted, and the journal cannot be verified without the agent's id.",
            hint="Restore agentws.toml from a backup.",
        )
    if stores.damage is not None:
        raise stores.damage
    agent = stores.manifest.agent_id
    own = installation.find(stores.files, agent, stores.environment.state)
    memory = writer_trust.remembered(stores)
    for mark in replaced.marks(stores.files, agent, stores.environment.state):
        memory.before.setdefault(mark.writer, {})[mark.seq] = mark.hash
    return _verify.verify(stores.files, agent, own, memory=memory, progress=progress)
