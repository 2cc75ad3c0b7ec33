"""A document as a verb read it, and the change that rewrites it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.changes import Change, Write


@dataclass(frozen=True, slots=True)
class File:
    """A document as read: `data`, empty for a missing file, and the digest that a change of it expects."""

    path: str
    data: bytes
    digest: str

    @property
    def text(self) -> str:
        """The document's text; bytes that are not UTF-8 become lone surrogates."""
        return self.data.decode("utf-8", "surrogateescape")

    def becomes(self, text: str) -> list[Change]:
        """Return the change that gives the document this text; none if it has it already."""
        data = text.encode("utf-8", "surrogateescape")
        return [] if data == self.data else [Write(self.path, data, expects=self.digest)]
