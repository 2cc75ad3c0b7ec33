"""Sessions that did not end, and the layers of memory, for `status`."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agentws.core import Record
from agentws.core.formats import layout
from agentws.core.formats.documents.handoff import Handoff
from agentws.core.formats.journal import event
from agentws.core.formats.journal.event import Event
from agentws.core.journal import head, reference, rotation
from agentws.core.journal.events import liveness
from agentws.core.journal.events.liveness import OpenSession
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError


class Sessions(Record):
    """The ids of sessions that did not end: `gone` have crashed, and boot recovers a handoff for those in `broken`.

    `in_flight` are the actions of the latter without a result, as (tool, call).
    """

    broken: Sequence[str] = ()
    gone: Collection[str] = ()
    in_flight: Sequence[tuple[str, str]] = ()


WORKING, SESSION, LONG_TERM = "working", "session", "long-term"
_LARGEST_READ_BYTES = 1 << 20
_BULLETS = ("- ", "* ", "+ ")


def find(stores: Stores, notes: Sequence[Handoff]) -> Sessions:
    """Return the sessions without an end, as `handoff list` finds them; none if the journal is unreadable."""
    try:
        writers, moment = writer_trust.known(stores), stores.clock.now()
        from agentws.features.handoff import checks

        sessions, broken = checks.unended(stores, writers, notes, moment)
        machine = _this_machine(sessions)
        gone = [each.id for each in sessions if liveness.judge(each.run, machine, moment).state in liveness.GONE]
        crashed = [orphan.session for orphan in broken if orphan.session.id in gone]
        # Another session may have recorded the result of a call.
        calls = reference.open_calls(stores.files, writers) if crashed else []
        open_calls = {ref.get("call") for _, ref in calls}
        in_flight = [call for session in crashed for call in _in_flight(session.events) if call[1] in open_calls]
        return Sessions([orphan.session.id for orphan in broken], gone, in_flight)
    except AgentwsError:
        return Sessions()


def _in_flight(events: Sequence[Event]) -> list[tuple[str, str]]:
    begun = (entry for entry in events if entry.kind == event.ACTION)
    return [(str((entry.body or {}).get("tool") or "an action"), entry.call) for entry in begun if entry.call]


def _this_machine(sessions: Sequence[OpenSession]) -> liveness.ThisMachine:
    from agentws.core.installation import host_info

    return host_info.this_machine(liveness.processes([session.run for session in sessions], host_info.name()))


def layers(stores: Stores, *, days: Sequence[str], handoffs: int, gone: Collection[str]) -> list[tuple[str, str]]:
    """Return (layer, content) of each layer of memory, the shortest-lived first; `gone` sessions do not count."""
    newest = f"newest log {days[-1]}" if days else "no log yet"
    notes = f"{handoffs} handoff{'s' * (handoffs != 1)} open" if handoffs else "no handoff open"
    return [(WORKING, _working(stores, gone)), (SESSION, f"{newest}, {notes}"), (LONG_TERM, _long_term(stores))]


def _working(stores: Stores, gone: Collection[str]) -> str:
    try:
        own = stores.installation()
        end = head.read(stores.files, own.writer, own.secret) if own is not None else None
        if end is None:
            return "no session on this machine yet"
        outline = rotation.outline(stores.files, end)
    except (AgentwsError, ValueError):
        return "the journal is unreadable"
    running = (
        ", ".join([name for name in reversed(outline.sessions) if name not in gone][:3]) or "no session is running"
    )
    flying = len(outline.open)
    return running + (f"; {flying} action{'s' * (flying != 1)} in flight" if flying else "")


def _long_term(stores: Stores) -> str:
    try:
        text = stores.files.part(layout.MEMORY, _LARGEST_READ_BYTES)[0].decode("utf-8", "replace")
    except AgentwsError:
        return f"no {layout.MEMORY}"
    count = sum(line.startswith(_BULLETS) for line in text.split("\n"))
    return f"{layout.MEMORY}, {count} entr{'y' if count == 1 else 'ies'}"
