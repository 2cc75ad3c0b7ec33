"""Traces in memory for `forget`: the records of curation briefs on this machine, which quote candidates."""

from __future__ import annotations

from agentws.core.stores.traces import Traces


class MemoryTraces(Traces):
    """The records of curation briefs, for `forget`."""

    def remove(self) -> list[str]:
        """Remove the records of curation briefs."""
        from agentws.features.memory.curate import curation  # a dry run does without

        curation.forget(self.stores.files)
        return []


forget = MemoryTraces
