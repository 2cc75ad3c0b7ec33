"""Admission of an installation to write: it joins, continues as a new writer, or is refused.

Needed only if something has changed; otherwise `Stores` decides by one small file. Specified in
docs/format/identity.md; the messages are in core/identity/write_access.py.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.identity import join
from agentws.core.installation import installation, stale_copy
from agentws.core.journal import append, head
from agentws.errors import MayNotWriteError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.disk.files import Files
    from agentws.core.installation.installation import Installation, Mark
    from agentws.core.installation.stale_copy import RecordedChange
    from agentws.core.installation.state_dir import State
    from agentws.core.journal.append import Appender


def admit(
    files: Files,
    agent: str,
    state: State,
    now_us: Callable[[], int],
    *,
    before: Callable[[], None] | None = None,
    older: RecordedChange | None = None,
) -> tuple[Appender, bool]:
    """Admit this installation to write: return (appender, is new) for its journal. Its writer is made if there is none,
    or it may not continue.

    A new journal has begun with this call: history is to record the changes in `identity/`, and `before` is called
    before they are made.

    A writer may not continue if the workspace lacks events that it has written: else two different events would have
    the same number. `older` is a change by this installation that was found missing before this write. `now_us` returns
    the present time in microseconds since 1970, and is called only if something is made.
    """
    own = installation.find(files, agent, state)
    if own is None:
        own = join.register(files, agent, state, now_us())
    elif (lost := missing_event(files, own) or older or stale_copy.missing_change(files, own.folder)) is not None:
        own = join.continue_as_new_writer(files, own, lost, now_us())
    if own.secret is None:  # an earlier version has made it
        from agentws.core.identity import pinned_writers
        from agentws.core.journal import stamp

        own = pinned_writers.ensure(files, own, at=stamp.text(now_us()))
    journal = append.Appender(files, own.agent, own.writer, own.folder, secret=own.secret)
    if join.has_begun(files, own):
        return journal, False
    if before is not None:
        before()
    join.begin(files, own, state, journal, now_us())
    return journal, True


def missing_history(files: Files, own: Installation) -> Mark | RecordedChange | None:
    """Return the newest event or change that bars this installation's admission, as this copy lacks it; or None."""
    return missing_event(files, own) or stale_copy.missing_change(files, own.folder)


def missing_event(files: Files, own: Installation) -> Mark | None:
    """Return the newest event that bars this installation's admission: it wrote it, this copy lacks it; or None.

    A damaged journal is not an older copy: appending to it, or verifying it, reports the damage.
    """
    # The mark first: what another process appends meanwhile may only take the journal past it.
    mark = installation.mark(own)
    if mark is None or head.is_level(files, mark.writer, mark.seq, mark.hash, own.secret):
        return None
    return mark if join.is_older(files, own, mark, head.read(files, own.writer, own.secret)) else None


def _has_token(files: Files, agent: str, now: Callable[[], str]) -> bool:
    """Return whether a valid one-time token came with this copy, with which the first event will sign in."""
    from agentws.core.identity import arrival

    given = arrival.token(files)
    return given is not None and arrival.is_good(files, agent, given, now()[:10])


def require(files: Files, agent: str, state: State, now: Callable[[], str]) -> None:
    """Refuse admission, MayNotWriteError, if nobody vouched for this installation and no person took over with it.

    `now` returns the present time as in the journal, and is called only if a token came with the copy.
    """
    own = installation.find(files, agent, state)
    admitted = own is not None and own.record.get(installation.ADMITTED)
    if not admitted and not join.admit(files, own) and not _has_token(files, agent, now):
        raise MayNotWriteError(
            "Nothing was written: this workspace requires a vouch, and this installation has none "
            f"(identity.mode in {layout.MANIFEST}).",
            hint="Run agentws identity takeover here, or agentws identity vouch on both sides.",
        )
