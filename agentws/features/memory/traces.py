"""Records of briefs of MEMORY.md on this machine, which quote what they offered."""

from __future__ import annotations

from agentws.core.stores.traces import Traces


class MemoryTraces(Traces):
    """What briefs have offered."""

    def remove(self) -> list[str]:
        """Remove the records of briefs."""
        from agentws.features.memory.curate import curation  # a dry run does without

        curation.forget(self.stores.files)
        return []


forget = MemoryTraces
