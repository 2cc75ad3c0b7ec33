"""Receipts of recall: which memories reached the agent at which prompt, and whether they have changed since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from agentws.core.disk import clock
from agentws.core.formats import digest, layout
from agentws.core.formats.journal import event
from agentws.core.formats.journal.event import Event
from agentws.core.journal import select
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError

AS_IT_WAS, CHANGED, PURGED = "as it was", "changed since", "purged"


@dataclass(frozen=True, slots=True)
class RecalledEntry:
    """A memory in a receipt, which recall gave to the agent.

    Fields:
        path, line, end_line: its place at that time.
        score: how well it answered the prompt.
        state: AS_IT_WAS, or CHANGED if the file has other text there now.
        text: its lines, empty if they have changed.
    """

    path: str
    line: int
    end_line: int
    score: float | None
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt of a prompt to which recall added memories: the event's `cursor`, `at`, `session` and `entries`.

    `tokens` is their size; `purged` is True if the event was forgotten.
    """

    cursor: str
    at: str
    session: str | None
    tokens: int | None
    entries: list[RecalledEntry]
    purged: bool = False


@dataclass(slots=True)
class Receipts:
    """The receipts, oldest first; `more` is True if there are older ones than were asked for."""

    rows: list[Receipt]
    writers: list[str]
    more: bool = False
    notices: list[str] = field(default_factory=list)


def recalled(
    stores: Stores, *, since: str | date | None = None, session: str | None = None, limit: int | None = None
) -> Receipts:
    """Return the receipts of recalls since a moment, or in a session: all, or the newest `limit`."""
    moment = clock.stamp(since, now=stores.clock.now())
    reader = select.Reader(stores.files, select.Wanted(kinds=(event.RECALLED,), since=moment, session=session))
    trust = writer_trust.of(stores)
    events = list(select.merged(reader.behind(writer, 0) for writer in trust.known))
    shown = events[-limit:] if limit else events
    rows = [_receipt(stores, entry) for entry in shown]
    notices = [*stores.notices, *trust.notices, *reader.notices]
    return Receipts(rows, trust.known, more=len(shown) < len(events), notices=notices)


def _receipt(stores: Stores, entry: Event) -> Receipt:
    body = entry.body or {}
    entries = body.get("entries")
    rows = [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    tokens = body.get("tokens")
    return Receipt(
        entry.cursor,
        entry.at,
        entry.session,
        tokens if isinstance(tokens, int) else None,
        [_entry(stores, each) for each in rows],
        purged=entry.body is None,
    )


def _entry(stores: Stores, fields: Mapping[str, Any]) -> RecalledEntry:
    path = str(fields.get("path", ""))
    line, end = (value if isinstance(value := fields.get(key), int) else 0 for key in ("line", "end_line"))
    score = fields.get("score")
    text = next((text for text in _texts(stores, path, line, end) if _digest(text) == fields.get("digest")), None)
    state = CHANGED if text is None else AS_IT_WAS
    return RecalledEntry(path, line, end, score if isinstance(score, float | int) else None, state, text or "")


def _texts(stores: Stores, path: str, line: int, end: int) -> Iterator[str]:
    """Yield the present lines at a recalled place, also in the archive if it is in a daily log."""
    name = path.rpartition("/")[2]
    day = layout.day_of(name)
    for each in (path, *([f"{layout.ARCHIVE}/{day[:4]}/{name}"] if day else ())):
        try:
            data = stores.files.read(each)
        except AgentwsError:
            continue
        text = data.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode()  # as search read it
        lines = text.split("\n")
        yield "\n".join(lines[max(0, line - 1) : end]).rstrip("\r")


def _digest(text: str) -> str:
    return digest.of(text.encode("utf-8", "surrogateescape"))
