"""The sessions of a journal without an end, with the events from which handoffs are derived. Without the lock."""

from __future__ import annotations

from itertools import islice

from agentws.core.formats.journal import event, segment
from agentws.core.journal import read, reference, select
from agentws.core.journal.events import liveness
from agentws.core.journal.events.liveness import OpenSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.documents.handoff import Handoff
    from agentws.core.formats.journal.event import Event
    from agentws.core.formats.journal.segment_index import Outline
    from agentws.core.journal.events.liveness import OrphanedSession

_MOST_EVENTS, _MOST_NOTES, _MOST_HANDED = 400, 100, 64
_NOTES = (event.PLAN, event.DECISION, event.ERROR, event.NOTE)
_TURNS = (event.STARTED, event.ENDED)
_SEGMENTS_BEFORE = 8
"""A session may have begun again: so many segments before its newest start are read."""
_REQUEST_BYTES = 1 << 18
"""How far behind a session's start its first request is searched for."""


class Unended:
    """The sessions without an end in the journals of these writers, given with their outlines.

    `handed` are the events about handoffs: the newest ones, and those that took over the work of such a session.
    Events that cannot be read are added to `notices`.
    """

    def __init__(self, files: Files, outlines: Mapping[str, Outline], notices: list[str]) -> None:
        self._files = files
        self._outlines = outlines
        self._gone = reference.retracted(outlines.values())
        self._notices = notices
        self.handed = [entry for writer in outlines for entry in self._handed(writer)]
        names = [(writer, name) for writer, outline in outlines.items() for name in outline.sessions]
        self.sessions = [OpenSession(name, events) for writer, name in names if (events := self.events(writer, name))]

    def broken(self, *, notes: Sequence[Handoff], own: str | None, moment: datetime) -> list[OrphanedSession]:
        """Return the sessions that broke off and that nobody took over; `notes` are the handoffs written here."""
        from agentws.core.installation import host_info

        waiting = liveness.waiting(self.sessions, notes=notes, handed=self.handed)
        machine = host_info.this_machine(liveness.processes([each.run for each in waiting], host_info.name()))
        return liveness.broken(waiting, machine=machine, own=own, moment=moment)

    def events(self, writer: str, session: str | None) -> list[Event]:
        """Return the newest events of a session, or of all, oldest first, without errors that a result resolved.

        Of a session that has more also its newest start, its first request, and its newest notes, decisions and plans.
        """
        outline = self._outlines[writer]
        begun = outline.begun.get(session or "", {})
        first = number if isinstance(number := begun.get("segment"), int) else 0
        entries = self._newest(writer, _MOST_EVENTS, first=first, session=session)
        if session and len(entries) == _MOST_EVENTS:
            for limit, kinds in ((2, _TURNS), (_MOST_NOTES, _NOTES)):  # it may have ended before it began
                entries += self._newest(writer, limit, first=first, session=session, kinds=kinds)
            entries += first_request(self._files, writer, session, begun)
        unresolved = {ref.get("seq") for ref in outline.errors}
        chosen = {
            entry.seq: entry
            for entry in entries
            if (entry.writer, entry.seq) not in self._gone
            and (not session or entry.kind != event.ERROR or entry.seq in unresolved)
        }
        return [entry for _, entry in sorted(chosen.items())]

    def _handed(self, writer: str) -> list[Event]:
        outline = self._outlines[writer]
        refs = [ref for name, ref in outline.handed.items() if name in outline.sessions]
        earlier = [entry for ref in refs if (entry := reference.at(self._files, writer, ref))]
        return [*earlier, *self._newest(writer, _MOST_HANDED, kinds=(f"{event.HANDOFFS}*",))]

    def _newest(
        self, writer: str, limit: int, *, first: int = 0, session: str | None = None, kinds: Sequence[str] = ()
    ) -> list[Event]:
        wanted = select.Wanted(session=session, kinds=kinds, without=(*event.STRUCTURE, event.RETRACTED))
        reader = select.Reader(self._files, wanted)
        newest = next(read.newest_first(self._files, writer), 0)
        events = reader.newest(writer, limit, first=min(first, newest - _SEGMENTS_BEFORE))
        self._notices += [notice for notice in reader.notices if notice not in self._notices]
        return events


def first_request(files: Files, writer: str, session: str, begun: dict[str, Any]) -> list[Event]:
    """Return the user's first request in a session, as a list: empty if it does not follow closely behind `begun`, the
    reference of the session's start.
    """
    start = reference.at(files, writer, begun)
    if start is None:
        return []
    wanted = select.Wanted(session=session, kinds=(event.NOTE,), src=event.USER)
    block = read.piece(files, segment.path(writer, start.segment), start.offset, _REQUEST_BYTES)
    block = block[: block.rfind(b"\n") + 1]
    return list(islice(select.Reader(files, wanted).within(writer, start.segment, start.offset, block), 1))
