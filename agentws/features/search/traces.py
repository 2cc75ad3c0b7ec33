"""The index of search, its vectors, and the marks of recalls on this machine."""

from __future__ import annotations

from agentws.core.stores.traces import Traces


class SearchTraces(Traces):
    """What search keeps to answer sooner."""

    def remove(self) -> list[str]:
        """Remove the marks of recalls."""
        from agentws.features.search import recall_marks  # a dry run does without

        recall_marks.forget(self.stores.files)
        return []

    def clear_cache(self, notices: list[str]) -> None:
        """Remove the vectors of texts that are gone, and the index."""
        from agentws.features.search import embedding
        from agentws.features.search.store import database

        notices += embedding.forget_vectors(self.stores)
        database.forget(self.stores.cache.folder)


forget = SearchTraces
