"""The history that keeps nothing. The one that keeps past states is in storage/git/plumbing.py."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class NoHistory:
    """A History that keeps no states: everything may be asked of it, and there is never anything to see."""

    kind = "none"

    def ids(self) -> dict[str, str]:
        """No ids."""
        return {}

    def blob_id(self, data: bytes) -> str:
        """No id."""
        return ""

    def record(
        self, files: Mapping[str, bytes], *, message: str, at: datetime, known: Mapping[str, str] | None = None
    ) -> str | None:
        """None: no state was kept."""
        return None

    def newest(self) -> tuple[str, datetime, str] | None:
        """None: there is no newest state."""
        return None

    def read(self, path: str, *, at: str) -> bytes | None:
        """None: no state holds the path."""
        return None

    def log(self, *, limit: int) -> list[tuple[str, datetime, str]]:
        """No states."""
        return []
