"""Traces of content that search leaves on this machine, for `forget`: its index, vectors and recall marks."""

from __future__ import annotations

from agentws.core.stores.traces import Traces


class SearchTraces(Traces):
    """Removes the search index, its vectors and the recall marks when content is forgotten."""

    def remove(self) -> list[str]:
        """Remove the recall marks of all sessions, since they may trace forgotten text."""
        from agentws.core.journal import recall_marks  # a dry run does without

        recall_marks.forget(self.stores.files)
        return []

    def clear_cache(self, notices: list[str]) -> None:
        """Remove the vectors of texts that are gone, and the search index."""
        from agentws.features.search import embedding
        from agentws.features.search.store import database

        notices += embedding.forget_vectors(self.stores)
        database.forget(self.stores.cache.folder)


forget = SearchTraces
