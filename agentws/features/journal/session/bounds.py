"""session start and end: where a run of the agent begins, and where it ends."""

from __future__ import annotations

import os

from agentws.core.formats import audience as _audience
from agentws.core.formats.journal import event as _event
from agentws.core.formats.journal.segment import MOST_SESSIONS
from agentws.core.installation import host_info
from agentws.core.journal import session_audience
from agentws.core.stores import record
from agentws.errors import NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentws.core.stores.record import Recorded
    from agentws.core.stores.stores import Stores


class Started:
    """A session that began: its `session` id and its event."""

    __slots__ = ("event", "notices", "session")

    def __init__(self, session: str, event: Recorded, notices: list[str]) -> None:
        self.session = session
        self.event = event
        self.notices = notices


def start_session(
    stores: Stores,
    text: str | None = None,
    *,
    session: str | None = None,
    process: int | None = None,
    parent: str | None = None,
    via: str | None = None,
    audience: str | None = None,
    daemon: bool = False,
) -> Started:
    """Begin a session; events that name none belong to the one whose process has called.

    `session` is its id, else one is made; `process` is the id of the process whose end would be its end, a
    `daemon` where that serves other sessions too, and lives on when nobody works in this one; `parent` is the session
    that began this one, as a subagent's; `via` is who says so. `audience` is who hears what it says: what
    its parent or the surroundings narrowed stays narrow. An earlier session that has crashed is a notice.
    """
    if audience is not None and audience not in _audience.AUDIENCES:
        raise UsageError(
            f"--audience must be {' or '.join(_audience.AUDIENCES)}, not {audience!r}.",
            hint="If others read the session: --audience shared",
        )
    name = session or name_of(stores, parent)
    body: dict[str, object] = {
        "host": host_info.name(),
        "boot": host_info.boot_id(),
        "namespace": host_info.namespace(),
    }
    body.update(host_info.process(process) if process else {})
    if process and daemon:
        body["daemon"] = True
    if parent is not None:
        _event.check_words(kind=_event.STARTED, session=parent, src="agent")
        body["parent"] = parent
    body.update(_heard_by(stores, name, parent, audience))
    crashed = _crashed(stores.heard())
    told = record.told(_event.STARTED, text, session=name, body=body, via=via)
    (done,), notices = record.record(stores, [told])
    return Started(name, done, [*stores.notices, *crashed, *notices])


def _heard_by(stores: Stores, name: str, parent: str | None, audience: str | None) -> dict[str, str]:
    """What the beginning of a session says of its audience; nothing for the main one."""
    stores.check_writable()
    _event.check_words(kind=_event.STARTED, session=name, src="agent")
    above = session_audience.recorded(stores.files, parent) if parent else None
    wanted = _audience.narrower(stores.environment.audience, audience, above)
    if session_audience.mark(stores.files, name, wanted) == _audience.MAIN:
        return {}
    return {_audience.KEY: _audience.SHARED}


def end_session(
    stores: Stores, text: str | None = None, *, session: str | None = None, via: str | None = None
) -> Started:
    """End the session, by its whole id, else that of the environment, else the newest that runs, and seal the journal.

    `via` is who says so. NeedsYouError where it does not run. A seal that cannot be made is a notice.
    """
    unended = [one for one in stores.journal().sessions() if _may_be_ended(stores, one)]
    name = session or stores.environment.session or _running(stores)
    if name is not None and not _may_be_ended(stores, name):
        raise NeedsYouError(
            "The session is hidden from this audience.", hint="To end your own session, leave out the id."
        )
    if name not in unended and not (name and _runs(stores, name, unended)):
        named = f"Session {name} is not running" if name else "No session is running"
        from agentws.core.text import names

        hint = (
            f"Sessions that have not ended: {names.some(unended)}." if unended else "Start one: agentws session start"
        )
        raise NeedsYouError(f"{named}.", hint=hint)
    return end(stores, name, text, {}, via=via)


def _running(stores: Stores) -> str | None:
    """The session that runs, by the processes alone. NeedsYouError where it is the host's own: that ends it itself."""
    found = stores.journal().running(by_host=False)
    if found is not None and found == stores.environment.hosted:
        raise NeedsYouError(
            f"Session {found} belongs to the calling program, which ends it.",
            hint=f"To end it now: agentws session end {found}",
        )
    return found


def _may_be_ended(stores: Stores, name: str) -> bool:
    """Return whether this audience may end the session: others end none of the main one."""
    if stores.audience() == _audience.MAIN:
        return True
    return session_audience.recorded(stores.files, name) == _audience.SHARED


def find_session(stores: Stores, part: str) -> str:
    """The id of a session, of which the beginning or end will do where it is the only one.

    MissingFileError where there is none, with those that are near; UsageError where several fit.
    """
    unended = stores.journal().sessions()
    if part in unended:
        return part
    from agentws.core.journal import session_scan
    from agentws.core.stores import writer_trust

    return session_scan.named_session(stores.files, part, stores.notices, writer_trust.known(stores))


def end(stores: Stores, name: str, text: str | None, body: Mapping[str, Any], *, via: str | None = None) -> Started:
    """Record the end of a session, with `body` saying how, and seal the journal."""
    from agentws.core.stores import seals  # a beginning seals nothing

    (done,), notices = record.record(stores, [record.told(_event.ENDED, text, session=name, body=body, via=via)])
    notices += seals.quietly(stores)
    return Started(name, done, [*stores.notices, *notices])


def name_of(stores: Stores, parent: str | None = None) -> str:
    """The id of a session that was given none: that of the environment, else one that says when it began.

    `20261120-0715-3fa9c1`. What another session begins has an id of its own: the environment names that other one.
    """
    if stores.environment.session and parent is None:
        return stores.environment.session
    here = stores.here()
    return f"{here.day.replace('-', '')}-{here.time.replace(':', '')}-{os.urandom(3).hex()}"


def _runs(stores: Stores, name: str, running: list[str]) -> bool:
    """Return True for a session that has not ended, where more run than are known by their ids."""
    if len(running) < MOST_SESSIONS:
        return False
    from agentws.features.journal.session import orphaned

    return orphaned.runs(stores, name)


def _crashed(stores: Stores) -> list[str]:
    running = stores.journal().sessions()
    if not running:
        return []
    from agentws.features.journal.session import orphaned

    return orphaned.crashed(stores, running)
