"""Output of the handoff verbs: lines for people and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.documents import handoff
from agentws.core.terminal import output
from agentws.core.terminal.moments import Teller
from agentws.core.text import names
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.handoff.listing import HandoffList, HandoffRow, ShownHandoff
    from agentws.features.handoff.write import Closed, Written


_WIDEST = 48


def written_fields(found: Written) -> dict[str, object]:
    """Return the fields of `agentws/handoff@1`."""
    note = handoff.decode(found.text.encode("utf-8", "surrogateescape"), path=found.path)
    return {
        "path": found.path,
        "session": found.session or None,
        "at": note.at,
        "follows": list(found.follows),
        "sections": _sections(handoff.sections(note.body)),
        **output.fields(found, "left_out dry_run notices"),
    }


def written_lines(found: Written) -> Iterator[str]:
    """Yield the path of the handoff and what it follows; after a dry run also its text."""
    if found.dry_run:
        yield f"Would write {found.path}:"
        yield from found.text.rstrip("\n").split("\n")
        return
    yield found.path
    if found.follows:
        yield f"Replaces {names.some(found.follows)}"


def list_fields(found: HandoffList) -> dict[str, object]:
    """Return the fields of `agentws/handoff-list@1`."""
    return {"handoffs": [_row(row) for row in found.rows], "notices": found.notices}


def list_lines(teller: Teller, found: HandoffList) -> Iterator[str]:
    """Return the handoffs, newest first, one a line."""
    if not found.rows:
        yield "No open handoff."
        return
    cells = [(row.status, _at(teller, row.at), row.origin, one_line(row.name), _more(row)) for row in found.rows]
    widths = [min(_WIDEST, max(len(row[column]) for row in cells)) for column in range(4)]
    for row in cells:
        told = [cell.ljust(width) for cell, width in zip(row[:4], widths, strict=True)]
        yield "  ".join([*told, row[4]]).rstrip()


def show_fields(found: ShownHandoff) -> dict[str, object]:
    """Return the fields of `agentws/handoff-show@1`."""
    return {**_row(found.row), "sections": _sections(found.sections), "text": found.body, "notices": found.notices}


def show_lines(teller: Teller, found: ShownHandoff) -> Iterator[str]:
    """Yield the header line of a handoff, then its text."""
    row = found.row
    of = f" · session {one_line(row.session)}" if row.session else ""
    written = row.path or "recovered from the journal"
    via = f" · via {one_line(row.src)}" if row.src else ""
    yield f"# Handoff · {_at(teller, row.at)}{of} · {row.status}{via} · {written}"
    yield ""
    yield from found.body.rstrip("\n").split("\n")


def closed_fields(found: Closed) -> dict[str, object]:
    """Return the fields of `agentws/handoff-ack@1`."""
    return output.fields(found, "name path session? origin already dry_run notices")


def closed_lines(found: Closed) -> Iterator[str]:
    """Yield the lines about a closed handoff, with its path."""
    if found.already:
        yield f"Already closed: {one_line(found.name)}"
    else:
        kept = f" (saved as {found.path})" if found.origin == handoff.DERIVED and found.name != found.path else ""
        yield f"{'Would close' if found.dry_run else 'Closed'}: {one_line(found.name)}{kept}"


def _row(row: HandoffRow) -> dict[str, object]:
    return output.fields(row, "name path? session? at? origin src? status follows why?")


def _sections(found: dict[str, str]) -> dict[str, str]:
    """Return the sections by JSON key; other headings stay as they are."""
    keys = {heading: key for key, heading in reversed(handoff.KEYS.items())}
    return {keys.get(heading, heading or "text"): text for heading, text in found.items()}


def _more(row: HandoffRow) -> str:
    via = f"via {one_line(row.src)}" if row.src else ""
    return f"recovered: {row.why}" if row.origin == handoff.DERIVED and not row.path else via


def _at(teller: Teller, at: str) -> str:
    return teller.moment(at) if at else "time unknown"
