"""Time: a calendar of logs, sessions and crashes; a day; a session as a timeline, with its handoff."""

from __future__ import annotations

import calendar
from datetime import date, datetime, timedelta

from agentws.core.disk import clock
from agentws.core.formats import layout
from agentws.core.formats.journal import event as events, summary, thread
from agentws.core.terminal.moments import span
from agentws.errors import AgentwsError, MissingFileError, UsageError
from agentws.features.journal.render import masked
from agentws.features.ui.page import Page, number
from agentws.features.ui.pages.text import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from agentws.core.formats.journal.event import Event
    from agentws.features.journal.session.listing import SessionRow
    from agentws.workspace import Workspace

_EVENTS, _MOST_EVENTS = 100, 500
_SUMMARY = 600
_BROKEN = ("crashed", "exited")
_OVER = ("ended", *_BROKEN)


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return a session, a day or a month, whichever the query names; else the present month."""
    if query.get("session"):
        return {"kind": "session", **_session(workspace, query)}
    if query.get("day"):
        return {"kind": "day", **_day(workspace, _date(query["day"]))}
    today = date.fromisoformat(workspace.stores.here().day)
    return {"kind": "month", **_month(workspace, _date(f"{query['month']}-01") if query.get("month") else today, today)}


def _date(text: str) -> date:
    if not layout.is_day(text) or not "0002" < text < "9999":  # with a year before and behind it
        raise UsageError(f"{text!r} is not a day.", hint="A day is written 2026-11-20.")
    return date.fromisoformat(text)


def _month(workspace: Workspace, shown: date, today: date) -> Mapping[str, object]:
    """Return the weeks of a month, each day with its logs and sessions."""
    first = shown.replace(day=1)
    after = (first + timedelta(days=31)).replace(day=1)
    listed = workspace.session.started(since=first.isoformat(), until=after.isoformat())
    zone = workspace.stores.clock.now().tzinfo
    sessions: dict[str, list[SessionRow]] = {}
    for row in listed.rows:
        sessions.setdefault(clock.day_in(zone, row.run.first.at), []).append(row)
    logs = _logs(workspace, first.year)
    oldest = _oldest(workspace) or today.isoformat()
    weeks = [
        [_marks(day, logs, sessions.get(day.isoformat(), ())) if day.month == first.month else None for day in week]
        for week in calendar.Calendar().monthdatescalendar(first.year, first.month)
    ]
    return {
        "title": f"{first:%B %Y}",
        "weeks": weeks,
        "today": today.isoformat(),
        "earlier": (first - timedelta(days=1)).strftime("%Y-%m") if oldest < first.isoformat() else "",
        "later": after.strftime("%Y-%m") if after <= today else "",
        "months": [
            (month, name, sum(day.startswith(month) for day in logs), oldest[:7] <= month <= f"{today:%Y-%m}")
            for month, name in ((f"{first.year}-{number:02}", calendar.month_abbr[number]) for number in range(1, 13))
        ],
        "years": [year for year in (first.year - 1, first.year + 1) if int(oldest[:4]) <= year <= today.year],
        "month": f"{first:%Y-%m}",
        "notices": listed.notices,
    }


def _marks(day: date, logs: Collection[str], sessions: Sequence[SessionRow]) -> Mapping[str, object]:
    return {
        "day": day.isoformat(),
        "number": day.day,
        "has_log": day.isoformat() in logs,
        "sessions": len(sessions),
        "broken": sum(row.likely.state in _BROKEN for row in sessions),
    }


def _logs(workspace: Workspace, year: int) -> dict[str, list[str]]:
    """Return (day → paths) of the logs of a year, archived ones included."""
    files = workspace.stores.visible_to().files
    paths: dict[str, list[str]] = {}
    for folder in (layout.DAYS, f"{layout.ARCHIVE}/{year}"):
        for name in layout.daily_logs(files.listing(folder)):
            if name.startswith(f"{year}-"):
                paths.setdefault(name[:10], []).append(f"{folder}/{name}")
    return paths


def _oldest(workspace: Workspace) -> str:
    """Return the day of the oldest log or event, empty without one."""
    files = workspace.stores.visible_to().files
    years = [name for name, kind in files.names(layout.ARCHIVE) if kind == "folder" and name.isdecimal()]
    folders = [layout.DAYS, *([f"{layout.ARCHIVE}/{min(years)}"] if years else [])]
    first = next(workspace.journal.list(after="", limit=1), None)
    days = [clock.day_in(workspace.stores.clock.now().tzinfo, first.at)] if first else []
    return min(
        [*days, *(name[:10] for folder in folders for name in layout.daily_logs(files.listing(folder)))], default=""
    )


def _day(workspace: Workspace, day: date) -> Mapping[str, object]:
    """Return the logs of a day and the sessions that began on it."""
    following = day + timedelta(days=1)
    now = workspace.stores.clock.now()
    listed = workspace.session.started(since=day.isoformat(), until=following.isoformat())
    notices = list(listed.notices)
    logs = []
    for path in _logs(workspace, day.year).get(day.isoformat(), ()):
        try:
            logs.append({"path": path, "lines": [*enumerate(lines_of(workspace, path), 1)]})
        except AgentwsError as error:
            notices.append(error.message)
    return {
        "title": f"{day:%A}, {day.day} {day:%B %Y}",
        "day": day.isoformat(),
        "month": f"{day:%Y-%m}",
        "earlier": (day - timedelta(days=1)).isoformat() if _oldest(workspace) < day.isoformat() else "",
        "later": following.isoformat() if following <= now.date() else "",
        "logs": logs,
        "sessions": [{**_head(row), "at": clock.local(row.run.first.at, now)[11:]} for row in listed.rows],
        "notices": notices,
    }


def _head(row: SessionRow) -> dict[str, object]:
    body = (row.run.started.body if row.run.started else None) or {}
    return {
        "id": row.run.id,
        "text": str(body.get("text") or row.run.id),
        "state": row.likely.state,
        "words": row.likely.words,
        "why": row.likely.why,
        "lasted": span(row.lasted_s) if row.run.ended else "",
        "is_broken": row.likely.state in _BROKEN,
    }


def _session(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the events of a session from a cursor on, in order; at its end how it ended, and its handoff."""
    session = query["session"]
    limit = number(query, "limit", _EVENTS, most=_MOST_EVENTS)
    rows = workspace.session.started(session=session).rows
    row = rows[-1] if rows else None
    start, end = (rows[0].run.first, rows[-1].run.ended) if rows else (_first(workspace, session), None)
    after = query.get("after") or f"{start.writer}:{start.seq - 1}"
    listed = workspace.journal.list(session=session, writer=start.writer, after=after)
    shown: list[Event] = []
    more = ""
    for entry in listed:
        if len(shown) == limit:
            more = shown[-1].cursor
            break
        shown.append(entry)
        if end is not None and entry.seq >= end.seq:
            break
    now = workspace.stores.clock.now()
    head: dict[str, object] = _head(row) if row else {"id": session, "text": session, "state": "", "is_broken": False}
    ended = {entry.call for entry in shown if entry.kind in events.ENDS}
    is_over = not more and head["state"] in _OVER
    handoffs = [] if more else _handoffs(workspace, session, start, is_broken=bool(head["is_broken"]))
    return {
        "title": str(head["text"]),
        "head": head,
        "day": clock.day_in(now.tzinfo, start.at),
        "began": clock.local(start.at, now),
        "ended": clock.local(end.at, now) if end else "",
        "events": [_step(entry, now, is_open=is_over and entry.call not in ended) for entry in shown],
        "is_first": "after" not in query,
        "more": more,
        "limit": limit,
        "in_flight": row.in_flight if row else 0,
        "handoffs": handoffs,
        "notices": listed.notices,
    }


def _first(workspace: Workspace, session: str) -> Event:
    """Return the first event of a session whose start was not recorded. MissingFileError without any event."""
    first = next(workspace.journal.list(session=session, after="", limit=1), None)
    if first is None:
        raise MissingFileError(f"The journal has no session {session}.", hint="To list them: agentws session list")
    return first


def _step(entry: Event, now: datetime, *, is_open: bool) -> dict[str, object]:
    body = entry.body or {}
    return {
        "cursor": entry.cursor,
        "kind": entry.kind,
        "at": entry.at,
        "time": f"{datetime.fromisoformat(entry.at).astimezone(now.tzinfo):%H:%M:%S}",
        "text": summary.of(masked(entry.body), longest=_SUMMARY) if entry.body is not None else "(purged)",
        "agent": str(body.get(thread.AGENT_TYPE) or body.get(thread.AGENT) or ""),
        "is_open": entry.kind == events.ACTION and is_open,
        "retracted": entry.retracted,
        "wrong": entry.wrong,
    }


def _handoffs(workspace: Workspace, session: str, start: Event, *, is_broken: bool) -> list[Mapping[str, object]]:
    """Return the handoffs that a session wrote; of one that broke off, the one that boot recovers."""
    written = workspace.journal.list(
        session=session, kinds=("handoff.*",), writer=start.writer, after=f"{start.writer}:{start.seq - 1}"
    )
    paths = dict.fromkeys(str((entry.body or {}).get("path") or "") for entry in written)
    names = [path for path in paths if path] or ([session] if is_broken else [])
    shown: list[Mapping[str, object]] = []
    for name in names:
        try:
            note = workspace.handoff.show(name)
        except AgentwsError:
            continue
        shown.append({"path": note.row.path, "name": note.row.name, "body": note.body, "origin": note.row.origin})
    return shown


def _exported(query: Mapping[str, str], since: str) -> Mapping[str, str] | None:
    """Return the months and days from `since` on, and the sessions of these days in large parts."""
    if query.get("session"):
        return {**query, "limit": str(_MOST_EVENTS)}
    return query if query.get("day", query.get("month", since)) >= since[: 10 if "day" in query else 7] else None


PAGE = Page("time", "Time", view, exported=_exported)
