"""The sync remotes as `forget` handles them: they hold forgotten text until the next sync renews them."""

from __future__ import annotations

from collections.abc import Iterable

from agentws.core.stores.traces import Traces


class SyncTraces(Traces):
    """The traces of forgotten text in sync remotes."""

    def announce(self, lines: Iterable[bytes]) -> list[str]:
        """Mark every remote for renewal at the next sync, without these forgotten lines; returns notices."""
        from agentws.core.installation import remotes  # a dry run does without

        synced = remotes.forgotten(*self.stores.machine, at=self.stores.now_text(), lines=lines)
        return [f"The remotes still hold it ({', '.join(synced)}): agentws sync"] if synced else []


forget = SyncTraces
