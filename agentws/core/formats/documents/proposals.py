"""memory/proposed.md: proposals for MEMORY.md that wait for its author's decision. See docs/format/memory.md."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from agentws.core.formats import layout
from agentws.core.formats.documents import managed
from agentws.core.markdown import markdown, notes
from agentws.core.text import sanitize

PATH = f"{layout.DAYS}/proposed.md"
HEADING = "## Proposed"
_BULLETS = ("- ", "* ", "+ ")
_TITLE = HEADING.lstrip("# ")
_HEAD = "# Proposed\n\nWaits for review: agentws curate. Nothing here is in MEMORY.md yet.\n"
_HEADS = (
    _HEAD,
    "# Proposed\n\nWaits for the author of MEMORY.md: agentws curate. Nothing here is in MEMORY.md yet.\n",
)
"""How it has begun, as it is written now and as it was written once."""


class Proposal:
    """A proposed line for MEMORY.md.

    Fields:
        text: the line as it would be written.
        kind: decision, lesson, preference, fact or rule.
        sources: references to where it was said, such as `memory/2026-11-20.md:14`.
        digest: that of the text, as core/formats/documents/managed.py makes it.
        line, end_line: its lines in proposed.md, 1-based; 0 for one that is not in a file.
    """

    __slots__ = ("digest", "end_line", "kind", "line", "sources", "text")

    def __init__(self, text: str, kind: str, sources: Iterable[str], *, line: int = 0, end_line: int = 0) -> None:
        self.text = " ".join(sanitize.inert(text).split())
        self.kind = kind
        self.sources = tuple(sources)
        self.digest = managed.of_text(self.text)
        self.line = line
        self.end_line = end_line or line

    def __repr__(self) -> str:
        """The proposed text, for messages of failed tests."""
        return f"<{self.kind} {self.text!r} {self.sources}>"


def proposals(text: str) -> list[Proposal]:
    """Return the proposals in a document, in order: the items below its heading, without duplicates."""
    by_digest: dict[str, Proposal] = {}
    for proposal in _every(text):
        if proposal.text:
            by_digest.setdefault(proposal.digest, proposal)
    return list(by_digest.values())


def is_empty(text: str) -> bool:
    """Return whether proposed.md holds nothing but its introduction, in its present or an earlier wording."""
    return text.strip() in (f"{head}\n{HEADING}" for head in _HEADS)


def without(text: str, digests: Collection[str]) -> str:
    """Return proposed.md without the proposals of these digests; every other line as it is."""
    gone = {
        at
        for proposal in _every(text)
        if proposal.digest in digests
        for at in range(proposal.line, proposal.end_line + 1)
    }
    return "\n".join(line for at, line in enumerate(text.split("\n"), 1) if at not in gone) if gone else text


def _every(text: str) -> list[Proposal]:
    """Return every proposal, duplicates included."""
    units = markdown.units(text) if HEADING in text else ()
    return [_proposal(unit) for unit in units if unit.kind == markdown.ITEM and unit.path[-1:] == (_TITLE,)]


def _proposal(unit: markdown.Unit) -> Proposal:
    statement = " ".join(unit.text[markdown.marker(unit.text) :].split())
    kind = notes.kind_in(f"- {statement}")
    if kind:
        statement = statement[statement.index("]") + 1 :].strip()
    text, brace, refs = statement.rpartition("{")
    if not (brace and refs.endswith("}")):
        text, refs = statement, ""
    sources = [ref for ref in refs.rstrip("}").replace(",", " ").split() if ref]
    end = unit.line + unit.text.rstrip("\r\n").count("\n")
    return Proposal(text.strip(), kind or "fact", sources, line=unit.line, end_line=end)
