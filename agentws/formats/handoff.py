"""A handoff: what one session leaves for the next, in `handoffs/`. Specified in docs/format/handoff.md."""

from __future__ import annotations

from agentws.formats import document as _document
from agentws.formats import fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Handoff:
    """One handoff as its file says. `at` and `session` are texts, empty where not said; `follows` names others."""

    __slots__ = ("at", "body", "closed", "follows", "labels", "origin", "path", "session")

    def __init__(self, path: str, document: _document.Document) -> None:
        self.path = path
        self.session = fields.text(document, "session")
        self.at = fields.text(document, "at")
        self.closed = fields.text(document, "status").lower() == "closed"
        self.origin = fields.text(document, "origin") or "agent"
        self.follows = fields.words(document, "follows")
        self.labels = fields.labels(document)
        self.body = document.body


def decode(data: bytes, *, path: str) -> Handoff:
    """The handoff that `data` holds; DamagedError where its front matter cannot be read."""
    return Handoff(path, _document.decode(data, where=path))


def still_open(handoffs: Sequence[Handoff]) -> list[Handoff]:
    """Those that are not closed and that no other one names as what it followed; newest (by file name) first."""
    followed = {name for handoff in handoffs for name in handoff.follows}
    names = {handoff.path: _name(handoff.path) for handoff in handoffs}
    found = [h for h in handoffs if not h.closed and not {h.path, names[h.path], h.session} & followed]
    return sorted(found, key=lambda handoff: names[handoff.path], reverse=True)


def _name(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
