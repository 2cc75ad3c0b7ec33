"""Traces of forgotten text in the contents of artifacts: `forget` removes such a content whole, and its row."""

from __future__ import annotations

from collections.abc import Collection

from agentws.core.disk import content
from agentws.core.formats import layout
from agentws.core.stores.traces import Traces
from agentws.errors import AgentwsError


class ArtifactTraces(Traces):
    """Finds and removes the contents of artifacts that hold a text to forget."""

    _paths: list[str]

    def find(self, unread: list[str]) -> list[tuple[str, str]]:
        """Return the contents that hold a text to forget."""
        self._paths = []
        for name, kind in self.stores.files.names(layout.ARTIFACTS):
            path = f"{layout.ARTIFACTS}/{name}"
            try:
                if kind == "file" and any(map(self.sought.is_in_bytes, content.pieces(self.stores.files, path))):
                    self._paths.append(path)
            except AgentwsError as error:
                unread.append(f"Not searched: {error.message}")
        return [(path, "all of this artifact's content") for path in self._paths]

    def remove(self) -> list[str]:
        """Remove the contents found, durably; the table of artifacts still names them, as not in this copy."""
        for path in self._paths:
            self.stores.files.remove(path, expects=self.stores.files.digest(path))
        return []

    def whole_files(self, held: Collection[str]) -> list[str]:
        """Return the contents of artifacts of a copy that hold a text to forget."""
        return [path for path in held if path.startswith(f"{layout.ARTIFACTS}/")]


forget = ArtifactTraces
