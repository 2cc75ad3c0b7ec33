"""Handoffs recovered at boot from sessions that broke off, and the sessions that still run. Nothing is stored."""

from __future__ import annotations

from agentws.core.formats.documents import handoff
from agentws.core.installation import host_info
from agentws.core.journal.events import activity, liveness
from agentws.core.journal.events.liveness import OpenSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from agentws.core.formats.documents.handoff import Handoff
    from agentws.core.formats.journal.event import Event
    from agentws.core.journal.events.activity import Journal
    from agentws.core.journal.events.liveness import OrphanedSession
    from agentws.core.notes.request import Source
    from agentws.core.stores.stores import Stores

_MOST_NAME = 40


class Sessions:
    """The sessions in these journals that have not ended, as of `moment`, from which handoffs may be recovered.

    `asked` are the questions to the machine about their processes, with its answers; `running` are the sessions at work
    now; `turns` is when the next one becomes quiet without further events, None for never.
    """

    def __init__(self, stores: Stores, journals: Sequence[Journal], moment: datetime) -> None:
        self._stores = stores
        self._journals = journals
        self._moment = moment
        sessions = [OpenSession(name, events) for journal in journals for name, events in journal.unended.items()]
        again = filter(None, map(liveness.before_it_began_again, sessions))
        self._found = [*sessions, *again]
        machine = host_info.this_machine(liveness.processes([session.run for session in self._found], host_info.name()))
        processes = [[pid, began, alive] for (pid, began), alive in machine.lives.items()]
        self.asked = [stores.own_session, machine.host, machine.boot, machine.namespace, processes]
        self._here = machine
        runs = [session.run for session in sessions]
        self.running = {run.id for run in runs if liveness.judge(run, machine, moment).state == liveness.RUNNING}
        quiet = [liveness.quiet_at(run) for run in runs if run.ended is None]
        self.turns = min((at for at in quiet if at and at > moment), default=None)

    def beside(self) -> str:
        """Return words about the sessions that run now beside the one that boots; empty for none, or if it is unknown.

        They name the host of the one that did something last, since when it runs, and what it did.
        """
        own = self._stores.own_session
        others = [each for each in self._found if own and each.again is None and each.id in self.running - {own}]
        if not others:
            return ""
        from agentws.core.markdown.inset import inline
        from agentws.core.text.sanitize import one_line

        session = max(others, key=lambda each: each.run.newest.at)
        start = session.run.started or session.run.first
        host = start.src.removeprefix("agent:") if start.src.startswith("agent:") else session.id
        count = "another session runs" if len(others) == 1 else f"{len(others)} other sessions run, the most recent"
        did = ""
        for last in session.work[-1:]:
            tool = (last.body or {}).get("tool")
            name = one_line(tool)[:_MOST_NAME] if isinstance(tool, str) else last.kind
            did = f", last {inline(name)} at {activity.when(last, self._moment)}"
        return f"{count}: {inline(host)} since {activity.when(start, self._moment)}{did}"

    def handoffs(self, notes: Sequence[Handoff]) -> tuple[list[Source], list[Source]]:
        """Return the recovered handoffs of sessions that broke off and that nobody has taken over, newest first.

        In two lists: those newer than the newest of the `notes` written on purpose, and the older ones.
        """
        handed = [event for journal in self._journals for event in journal.handed]
        waiting = liveness.waiting(self._found, notes=notes, handed=handed)
        own_session = self._stores.own_session
        broken = liveness.broken(waiting, machine=self._here, own=own_session, moment=self._moment)
        full = liveness.in_full(broken)
        before = [orphan for orphan in broken if orphan not in full]
        if not broken:
            return [], []
        from agentws.features.handoff.plan import derive as _derive, render

        open_ = handoff.still_open(notes)
        made = []
        for place, session in enumerate(full):
            own = liveness.own_handoff(open_, session.session.id)
            events = liveness.after(own, session.session.events, handed) if own else self._whole(session)
            opened = [each for journal in self._journals for each in journal.open]
            actions = [each.action for each in opened if each.action and each.action.session == session.session.id]
            interrupted = {each.action.cursor for each in opened if each.action and each.interrupted}
            below = render.in_flight_line(len(actions))
            facts = _derive.Facts(events, open=actions, interrupted=interrupted)
            derived = (_derive.since if own else _derive.derive)(facts, self._moment, in_flight=below)
            made.append(render.source(session, derived, self._moment, before=() if place else before, own=own))
        newer = len(liveness.since(liveness.on_purpose(open_), full, handed))
        if before and not newer:
            made.append(render.more(len(before)))
        return made[:newer], made[newer:]

    def _whole(self, orphan: OrphanedSession) -> Sequence[Event]:
        """Return the loaded events of a session, with its first request, which may be far before them."""
        from agentws.core.journal import unended

        first, events = orphan.session.run.first, orphan.session.events
        begun = {"seq": first.seq, "segment": first.segment, "offset": first.offset}
        request = unended.first_request(self._stores.files, first.writer, orphan.session.id, begun)
        return sorted({event.seq: event for event in (*request, *events)}.values(), key=lambda event: event.seq)
