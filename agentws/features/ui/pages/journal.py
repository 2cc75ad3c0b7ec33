"""Journal: its events, the newest first, one event whole, and whether all of it is unchanged."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.formats.journal import summary
from agentws.core.formats.json import values
from agentws.errors import MissingFileError
from agentws.features.journal.render import masked, who
from agentws.features.ui.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.core.formats.journal.event import Event
    from agentws.workspace import Workspace

_EVENTS = 100
_SUMMARY = 240
_DIGITS = 18
_FILTERS = ("kind", "session", "task", "since", "writer")
KINDS = ("action", "result", "error", "decision", "plan", "thought", "note", "session.*", "approval.*", "task.*")


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the newest events that match the query, or the newest before a cursor; or the `event` that it names."""
    given = {name: query.get(name, "").strip() for name in _FILTERS}
    if query.get("event"):
        return {"event": _whole(workspace, query["event"])}
    events = workspace.journal.list(
        before=query.get("before") or None,
        session=given["session"] or None,
        kinds=given["kind"] or (),
        since=given["since"] or None,
        task=given["task"] or None,
        writer=given["writer"] or None,
        limit=_EVENTS,
    )
    now = workspace.stores.clock.now()
    rows = [{**_fields(event), "at": clock.local(event.at, now)} for event in events]
    return {
        "event": None,
        "given": given,
        "is_filtered": any(given.values()),
        "kinds": KINDS,
        "writers": events.writers,
        "events": rows[::-1],
        "earlier": events.before,
        "verified": workspace.journal.verify() if query.get("verify") else None,
        "notices": events.notices,
    }


def _fields(event: Event) -> dict[str, object]:
    return {
        "cursor": event.cursor,
        "kind": event.kind,
        "who": who(event),
        "session": event.session or "",
        "text": summary.of(masked(event.body), longest=_SUMMARY),
        "wrong": event.wrong,
        "retracted": event.retracted,
    }


def _whole(workspace: Workspace, cursor: str) -> dict[str, object]:
    """Return an event with its body. MissingFileError if the journal has none there."""
    writer, _, seq = cursor.rpartition(":")
    is_number = seq.isascii() and seq.isdigit() and len(seq) < _DIGITS and int(seq) > 0
    behind = f"{writer}:{int(seq) - 1}" if is_number else cursor
    event = next(workspace.journal.list(after=behind, writer=writer or None, limit=1, whole=True), None)
    if event is None or event.cursor != cursor:
        raise MissingFileError(f"The journal has no event {cursor}.", hint="To list them: agentws journal list")
    body = "(purged)" if event.body is None else values.dumps(masked(event.body), indent=2)
    return {**_fields(event), "at": event.at, "body": body}


def _exported(query: Mapping[str, str], since: str) -> Mapping[str, str] | None:
    return {**query, "since": since} if query.keys() <= {"before"} else None


PAGE = Page("journal", "Journal", view, exported=_exported)
