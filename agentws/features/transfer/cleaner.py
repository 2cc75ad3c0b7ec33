"""Text for an import: in valid Unicode, without secrets and forgotten text."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.kept_out import KeptOut
from agentws.core.formats.secrets import secrets
from agentws.core.stores.stores import Stores


class Cleaner:
    """Cleans the texts of an import. `secrets` were masked, and `forgotten` lines or requests left out, so far."""

    def __init__(self, stores: Stores) -> None:
        self.secrets = 0
        self.forgotten = 0
        self._kept = _kept(stores)

    def clean(self, text: str) -> str:
        """Return the text in valid Unicode, with secrets masked and without lines that contain forgotten text."""
        if not text.isascii():
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if self._kept is not None:
            lines = text.split("\n")
            over = self._kept.among(lines)
            self.forgotten += len(over)
            text = "\n".join(line for index, line in enumerate(lines) if index not in over)
        shown, count = secrets.hide(text)
        self.secrets += count
        return shown

    def has_forgotten(self, text: str) -> bool:
        """Return whether a text contains forgotten text."""
        return self._kept is not None and bool(self._kept.among(text.split("\n")))


def _kept(stores: Stores) -> KeptOut | None:
    if not stores.files.exists(layout.KEPT_OUT):
        return None
    from agentws.core.stores import kept_out  # only where something was forgotten

    return kept_out.read(stores)
