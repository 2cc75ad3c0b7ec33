"""memory/proposed.md as earlier versions wrote it: this one only reads such a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.formats.documents import proposals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.formats.documents.proposals import Proposal


def with_added(text: str, added: Iterable[Proposal]) -> str:
    """Return proposed.md with those of `added` that it does not list yet at the end of its list."""
    known = {proposal.digest for proposal in proposals.proposals(text)}
    rows = []
    for one in added:
        if one.digest not in known:
            known.add(one.digest)
            rows.append(_row(one))
    if not rows:
        return text
    if not text.strip():
        return f"{proposals._HEAD}\n{proposals.HEADING}\n\n" + "".join(rows)
    lines = text.split("\n")
    end = max((one.end_line for one in proposals._every(text)), default=0)
    if not end:
        head = next((at for at, line in enumerate(lines, 1) if line.strip() == proposals.HEADING), 0)
        if not head:
            return f"{text.rstrip()}\n\n{proposals.HEADING}\n\n" + "".join(rows)
        end, rows = head, ["\n", *rows]
    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    before, after = "\n".join(lines[:end]).rstrip("\r\n"), "\n".join(lines[end:])
    return f"{before}{newline}{''.join(rows).replace(chr(10), newline)}{after}"


def _row(proposal: Proposal) -> str:
    return f"- [{proposal.kind}] {proposal.text} {{{', '.join(proposal.sources)}}}\n"
