"""The remotes of this installation: they hold what is forgotten until the next sync has renewed them."""

from __future__ import annotations

from agentws.core.stores.traces import Traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class SyncTraces(Traces):
    """What remotes hold."""

    def announce(self, lines: Iterable[bytes]) -> list[str]:
        """Let the next sync renew every remote, which these lines go from."""
        from agentws.core.installation import remotes  # a dry run does without

        agent, state = self.stores.manifest.agent_id, self.stores.environment.state
        synced = remotes.forgotten(self.stores.files, agent, state, at=self.stores.now_text(), lines=lines)
        return [f"The remotes still hold it ({', '.join(synced)}): agentws sync"] if synced else []


forget = SyncTraces
