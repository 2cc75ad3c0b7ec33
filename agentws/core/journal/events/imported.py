"""Sessions of other programs that `import` brought: their events in the journal, several sessions in each. Pure."""

from __future__ import annotations

from agentws.core import Result
from agentws.core.formats.journal import event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from agentws.core.formats.journal.event import Event

KINDS = (event.IMPORTED, event.UNDONE, event.REDONE)
_MOST_SESSIONS = 200
"""So many in one event: boot reads the newest events, and should find the agent's own among them."""
_KEYS = ("id", "began", "ended", "requests", "failed", "path")


class ImportedSession(Result):
    """A session of another program: the `source` and its `id` there, and the first and last request (ISO 8601).

    `requests` and `failed` calls are counted; `path` is the daily log with the first of them.
    """

    __slots__ = ("began", "ended", "failed", "id", "path", "requests", "source")

    def __init__(self, source: str, id: str, *, began: str, ended: str, requests: int, failed: int, path: str) -> None:
        self.source = source
        self.id = id
        self.began = began
        self.ended = ended
        self.requests = requests
        self.failed = failed
        self.path = path

    def add(self, later: ImportedSession) -> None:
        """Add what came of the same session on a later day."""
        self.ended = max(self.ended, later.ended)
        self.requests += later.requests
        self.failed += later.failed


def bodies(sessions: Sequence[ImportedSession], *, changes: str) -> Iterator[dict[str, Any]]:
    """Yield the bodies of the events for sessions of one source, imported by the `changes` with this id."""
    for at in range(0, len(sessions), _MOST_SESSIONS):
        part = sessions[at : at + _MOST_SESSIONS]
        source = part[0].source
        count = "1 session" if len(part) == 1 else f"{len(part)} sessions"
        rows = [{key: getattr(session, key) for key in _KEYS} for session in part]
        yield {"text": f"{count} of {source}", "source": source, event.CHANGES: changes, "sessions": rows}


def entries(events: Iterable[Event]) -> list[ImportedSession]:
    """Return what these events, oldest first, say that was imported and not undone: a session once for each day."""
    imports: dict[str, list[ImportedSession]] = {}
    undone: dict[str, list[ImportedSession]] = {}
    for entry in events:
        body = entry.body or {}
        changes = str(body.get(event.CHANGES))
        if entry.kind == event.IMPORTED:
            imports.setdefault(changes, []).extend(_rows(body))
        else:
            gone, back = (imports, undone) if entry.kind == event.UNDONE else (undone, imports)
            if changes in gone:
                back[changes] = gone.pop(changes)
    return [session for several in imports.values() for session in several]


def sessions(events: Iterable[Event]) -> list[ImportedSession]:
    """Return the sessions that these events name, each once, the oldest first."""
    merged: dict[tuple[str, str], ImportedSession] = {}
    for entry in sorted(entries(events), key=lambda entry: entry.began):
        known = merged.setdefault((entry.source, entry.id), entry)
        if known is not entry:
            known.add(entry)
    return list(merged.values())


def _rows(body: dict[str, Any]) -> Iterator[ImportedSession]:
    rows = body.get("sessions")
    for row in rows if isinstance(rows, list) else ():
        try:
            yield ImportedSession(str(body.get("source")), **row)
        except TypeError:
            continue
