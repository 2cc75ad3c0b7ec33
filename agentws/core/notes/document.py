"""A document as a verb has read it, and the change that makes another one of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.changes import Write

if TYPE_CHECKING:
    from agentws.changes import Change


@dataclass(frozen=True, slots=True)
class File:
    """A document as it was read: `data`, empty where there is none, and the digest that a change of it expects."""

    path: str
    data: bytes
    digest: str

    @property
    def text(self) -> str:
        """The text; bytes that are not UTF-8 come back as they were."""
        return self.data.decode("utf-8", "surrogateescape")

    def becomes(self, text: str) -> list[Change]:
        """The change that makes `text` of it; none where it says so already."""
        data = text.encode("utf-8", "surrogateescape")
        return [] if data == self.data else [Write(self.path, data, expects=self.digest)]
