"""What the transcripts of hosts tell about sessions that hooks did not: why they failed, calls that were not recorded.

The `transcript.py` in a host's folder reads that host's own format; a host without one tells nothing.
"""

from __future__ import annotations

import glob
from importlib.util import find_spec

from agentws import features
from agentws.core.formats.journal import event
from agentws.core.installation import host_info
from agentws.core.journal import select
from agentws.core.stores import record
from agentws.features import hosts
from agentws.features.hosts import plan
from agentws.features.hosts.family import transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from agentws.core.findings import Finding
    from agentws.core.formats.journal.event import Event
    from agentws.core.stores.seen import Seen
    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.call import Fields

    Failure = Callable[[Sequence[Fields]], str]
    Calls = Callable[[Sequence[Fields]], Iterator[tuple[str, str]]]

_SRC, _MODEL = "agent:", "tool:model"
_MOST_SESSIONS, _MOST_CALLS = 8, 10_000
_MOST_BYTES = 16 << 20
_AT = 19
"""A time to the second: hosts write their own milliseconds."""


def note_failures(stores: Stores, variables: Mapping[str, str], *, besides: str) -> list[str]:
    """Record why the model's service ended sessions whose program is gone without reporting it; return notices."""
    writer, told = stores.appender().writer, []
    for session in list(stores.appender().sessions())[-_MOST_SESSIONS:]:
        if session == besides:
            continue
        newest = select.Reader(stores.files, select.Wanted(session=session)).newest(writer, 1)
        if any(one.src == _MODEL for one in newest):
            continue
        wanted = select.Wanted(session=session, kinds=(event.STARTED,))
        for started in select.Reader(stores.files, wanted).newest(writer, 1):
            failure: Failure | None = _reads(started, "failure")
            why = failure(_lines(started, variables)) if failure and _is_gone(started) else ""
            if why:
                told.append(record.told(event.ERROR, body={"tool": "model", "text": why}, session=session, via=_MODEL))
    return record.record(stores, told)[1] if told else []


def unrecorded(seen: Seen) -> Iterator[Finding]:
    """Yield a finding for each of the newest sessions with tool calls that are missing in the journal."""
    if not seen.stores.adopted or seen.stores.damage is not None:
        return
    writer = seen.stores.appender().writer
    wanted = select.Wanted(kinds=(event.STARTED,))
    newest = select.Reader(seen.stores.files, wanted).newest(writer, _MOST_SESSIONS)
    first = {one.session: one for one in reversed(newest)}
    for session, started in first.items():
        calls: Calls | None = _reads(started, "calls")
        lines = _lines(started, seen.variables, _MOST_BYTES) if calls and session else []
        if not (calls and lines):
            continue
        wanted = select.Wanted(session=session, kinds=event.CALLS)
        events = select.Reader(seen.stores.files, wanted).newest(writer, _MOST_CALLS)
        known = {one.call for one in events}
        missing = {name for name, at in calls(lines) if at[:_AT] >= started.at[:_AT] and name not in known}
        if missing:
            title = features.HOSTS[started.src.removeprefix(_SRC)].title
            yield plan.unrecorded(title, str(session), len(missing))


def _reads(started: Event, what: str) -> Callable[..., Any] | None:
    """Return a function of the transcript module of the host that began a session, None if it has none."""
    host = started.src.removeprefix(_SRC)
    if host not in features.HOSTS or find_spec(f"{features.host_module(host).__name__}.transcript") is None:
        return None
    return getattr(features.host_module(host, "transcript"), what, None)


def _lines(started: Event, variables: Mapping[str, str], most: int = transcript.MOST_BYTES) -> list[Fields]:
    """Return the end of the transcript of a session."""
    host = started.src.removeprefix(_SRC)
    home = hosts.settings(host).home(variables)
    place = features.host_module(host, "transcript").PLACE.format(glob.escape(started.session or ""))
    found = glob.glob(f"{glob.escape(home)}/{place}") if home else []
    return transcript.newest(found[0], most) if len(found) == 1 else []


def _is_gone(started: Event) -> bool:
    """Return whether the process of a session ran under this kernel, and is over."""
    body = started.body or {}
    here = (host_info.boot_id(), host_info.namespace())
    process, began = body.get("process"), body.get("started")
    if (body.get("boot"), body.get("namespace")) != here or not isinstance(process, int):
        return False
    return host_info.lives(process, began if isinstance(began, int) else None) is False
