"""What the transcripts of hosts tell about sessions that hooks did not: why they failed, calls that were not recorded.

The `transcript.py` in a host's folder reads that host's own format; a host without one tells nothing.
"""

from __future__ import annotations

import glob

from agentws import features
from agentws.core.disk import local_dir
from agentws.core.findings import WARNING, Finding
from agentws.core.formats.journal import event, thread
from agentws.core.installation import host_info
from agentws.core.journal import head, reference, select
from agentws.core.stores import record, writer_trust
from agentws.features import hosts
from agentws.features.hosts.family import transcript
from agentws.features.hosts.hook import session as hook_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.seen import Seen
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.call import Fields

    Failure = Callable[[Sequence[Fields]], str]
    Calls = Callable[[Sequence[Fields]], Iterator[tuple[str, str]]]

_SRC, _MODEL = "agent:", "tool:model"
_MOST_SESSIONS, _MOST_EVENTS = 8, 10_000
_MOST_BYTES = 16 << 20
_MOST_MARK_BYTES = 1 << 13
_AT = 19
"""A time to the second: hosts write their own milliseconds."""


def note_failures(stores: Stores, variables: Mapping[str, str], *, besides: str) -> list[str]:
    """Record why the model's service ended sessions whose program is gone without reporting it; return notices.

    Each start of a session is looked at once: a host waits for this at each session start.
    """
    writer, happenings = stores.appender().writer, []
    begun = reference.outlined(stores.files, writer).begun
    places = {session: f"{writer}:{ref['seq']}" for session, ref in begun.items() if session != besides}
    looked_at = set(head.get(stores.files, local_dir.TRANSCRIPTS_READ, _MOST_MARK_BYTES) or []) & {*places.values()}
    known = set(looked_at)
    for session in (name for name, place in places.items() if place not in known):
        started = reference.at(stores.files, writer, begun[session])
        if started is None or not _is_gone(started):
            continue
        looked_at.add(places[session])
        failure: Failure | None = _reads(started, "failure")
        why = failure(_lines(started, variables)) if failure else ""
        if why and not hook_session.has_failed(stores, session):
            happenings.append(
                record.told(event.ERROR, body={"tool": "model", "text": why}, session=session, via=_MODEL)
            )
    notices = record.record(stores, happenings)[1] if happenings else []
    if looked_at != known:
        head.put(stores.files, local_dir.TRANSCRIPTS_READ, sorted(looked_at))
    return notices


def unrecorded(seen: Seen) -> Iterator[Finding]:
    """Yield a finding for each of the newest ended sessions with tool calls that are missing in the journal.

    A session that may still run is left out, since it has calls that no hook has seen yet; so is one with purged or
    too many events, since the journal cannot say which calls it had.
    """
    stores = seen.stores
    own = writer_trust.reachable(stores) if stores.adopted and stores.damage is None else None
    if own is None or stores.manifest.setting("journal.granularity") != record.EVERY:
        return
    wanted = select.Wanted(kinds=(event.STARTED,))
    starts = select.Reader(stores.files, wanted).newest(own.writer, _MOST_SESSIONS)
    first, last = ({entry.session: entry for entry in some} for some in (reversed(starts), starts))
    unended = reference.outlined(stores.files, own.writer).sessions
    for session, started in first.items():
        if session in unended and not _is_gone(last[session]):
            continue
        calls: Calls | None = _reads(started, "calls")
        lines = _lines(started, seen.variables, _MOST_BYTES) if calls and session else []
        if not (calls and lines):
            continue
        wanted = select.Wanted(session=session, kinds=event.CALLS)
        events = select.Reader(stores.files, wanted).newest(own.writer, _MOST_EVENTS)
        if len(events) == _MOST_EVENTS or any(entry.purged for entry in events):
            continue
        known = {entry.call for entry in events}
        missing = {name for name, at in calls(lines) if at[:_AT] >= started.at[:_AT] and name not in known}
        if missing:
            count = "1 tool call" if len(missing) == 1 else f"{len(missing)} tool calls"
            yield Finding(
                "calls-unrecorded",
                WARNING,
                f"{count} of session {session} ({features.HOSTS[started.src.removeprefix(_SRC)].title}) "
                f"{'is' if len(missing) == 1 else 'are'} not in the journal: "
                "the hooks failed, took too long, or did not run",
                remedy=f"agentws journal list --session {session} --kind hook.failed",
            )


def _reads(started: Event, what: str) -> Callable[..., Any] | None:
    """Return a function of the transcript module of the host that began a session, None if it has none."""
    host = started.src.removeprefix(_SRC)
    if host not in features.HOSTS or not features.has_module(host, "transcript"):
        return None
    return getattr(features.host_module(host, "transcript"), what, None)


def _lines(started: Event, variables: Mapping[str, str], most: int = transcript.MOST_BYTES) -> list[Fields]:
    """Return the end of the transcript of a session."""
    host = started.src.removeprefix(_SRC)
    home = hosts.settings(host).home(variables)
    place = features.host_module(host, "transcript").PLACE.format(glob.escape(started.session or ""))
    names = glob.glob(f"{glob.escape(home)}/{place}") if home else []
    return transcript.newest(names[0], most) if len(names) == 1 else []


def _is_gone(started: Event) -> bool:
    """Return whether the process of a session is known to be over."""
    body = started.body or {}
    machine = host_info.this_machine(thread.processes(body))
    return thread.fate_of(body, machine)[0] == thread.CRASHED
