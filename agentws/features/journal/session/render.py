"""Rendering of `agentws session`: lists and single sessions as lines for people and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.journal import summary
from agentws.core.terminal import moments, output
from agentws.core.terminal.moments import Teller
from agentws.core.text import origin
from agentws.core.text.sanitize import one_line
from agentws.features.journal import render as journal_render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.features.journal.session.listing import SessionList, SessionRow
    from agentws.features.journal.session.show import Session


_WIDEST = 48


def list_fields(found: SessionList) -> dict[str, object]:
    """Return the fields of `agentws/session-list@1`."""
    rows = [{**_fields(row), "depth": row.depth, "in_flight": row.in_flight} for row in found.rows]
    return {"sessions": rows, "older": found.older, "notices": found.notices}


def show_fields(found: Session) -> dict[str, object]:
    """Return the fields of `agentws/session-show@1`."""
    told = output.fields(found, "earlier=run.earlier unended=run.unended counts=run.counts children handoff")
    state = journal_render.state_fields(found.state)
    decisions = [one.plain() for one in found.decisions]
    return {**_fields(found), **told, **state, "decisions": decisions, "notices": found.notices}


def _fields(found: SessionRow | Session) -> dict[str, object]:
    run, likely = found.run, found.likely
    return {
        **output.fields(run, "session=id writer parent"),
        "text": _text(run),
        **output.fields(likely, "state likely=words why"),
        "began": run.first.at,
        "ended": run.ended.at if run.ended else None,
        "newest": run.newest.at,
        "age_s": _whole(likely.age_s),
        "lasted_s": _whole(found.lasted_s),
        "events": run.events,
    }


def list_lines(teller: Teller, found: SessionList) -> Iterator[str]:
    """Yield the lines of `session list` as a table, child sessions indented below their parents."""
    if not found.rows:
        yield 'No session yet. Start one: agentws session start "What it is about"'
        return
    head = ("session", "state", "began", "lasted", "events", "in flight", "what")
    rows = [head, *(_cells(teller, row) for row in found.rows)]
    widths = [min(_WIDEST, max(len(row[column]) for row in rows)) for column in range(len(head))]
    for row in rows:
        yield "  ".join(_cell(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if found.older:
        yield f"{found.older:,} older: agentws session list --all"


def _cell(words: str, width: int) -> str:
    return (words if len(words) <= width else words[: width - 1] + "…").ljust(width)


def _cells(teller: Teller, row: SessionRow) -> tuple[str, ...]:
    run = row.run
    began = teller.moment(run.first.at)
    counts = f"{run.events:,}", f"{row.in_flight:,}" if row.in_flight else ""
    what = summary.cut(one_line(_text(run) or ""), _WIDEST)
    return ("  " * row.depth + one_line(run.id), _state(row), began, moments.span(row.lasted_s), *counts, what)


def _state(found: SessionRow | Session) -> str:
    likely = found.likely
    if likely.state == "ended":
        return f"ended, {one_line(likely.why)}" if likely.why == "failed" else "ended"
    if likely.state in ("unknown", "quiet") and likely.age_s is not None:
        return f"{likely.words}, last event {moments.span(likely.age_s)} ago"
    return str(likely.words)


def show_lines(teller: Teller, found: Session) -> Iterator[str]:
    """Yield the lines of `session show`, the most important first."""
    run, likely = found.run, found.likely
    text = _text(run)
    yield f"Session {one_line(run.id)}{f': {one_line(text)}' if text else ''}"
    why = f" ({one_line(likely.why)})" if likely.why else ""
    yield f"  state     {_state(found) if likely.state != 'ended' else 'ended'}{why}"
    yield f"  began     {teller.moment(run.first.at)}{'' if run.started else ', no start was recorded'}"
    yield f"  {'ended ' if run.ended else 'newest'}    {teller.moment((run.ended or run.newest).at)}"
    yield f"  lasted    {moments.span(found.lasted_s)}"
    counts = ", ".join(f"{one_line(kind)} ×{count:,}" for kind, count in sorted(run.counts.items()))
    yield f"  events    {run.events:,}: {counts}"
    yield from _around(found)
    yield from journal_render.state_lines(teller, found.state, found.decisions)


def _around(found: Session) -> Iterator[str]:
    run = found.run
    if run.parent:
        yield f"  part of   {one_line(run.parent)}"
    if found.children:
        yield f"  children  {one_line(', '.join(found.children))}"
    if found.handoff:
        yield f"  handoff   {one_line(found.handoff)}"
    if run.earlier:
        without = f", {run.unended} of them without an end" if run.unended else ""
        yield f"  earlier   {run.earlier} with the same id{without}"


def _text(run: Any) -> str | None:
    body = (run.started.body if run.started else None) or {}
    text = body.get("text")
    return f"{text}{origin.ending(run.started.src)}" if isinstance(text, str) else None


def _whole(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds)
