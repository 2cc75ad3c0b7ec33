"""Admission of an installation that is not as it left the workspace: it joins, continues as another, or is refused.

Where all is as it was, `Stores` tells so by one small file. Specified in docs/format/identity.md; what is said of it is
judged in core/identity/write_access.py.
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
    """The journal of this installation, to append to; its writer is made where it has none, or may not go on.

    With it, whether that begins here: history is to record what `identity/` tells of it then, and `before` is called
    before it is told.

    It may not where the workspace lacks what it has written: else two different events would have the same number.
    `older` is a change that it has made and that was found missing before this write. `now_us` is asked for the present
    moment, in microseconds since 1970, where something is made.
    """
    here = installation.find(files, agent, state)
    if here is None:
        here = join.register(files, agent, state, now_us())
    elif (lost := lacks_event(files, here) or older or stale_copy.lacked(files, here.folder)) is not None:
        here = join.continue_as_new_writer(files, here, lost, now_us())
    if here.secret is None:  # an earlier version has made it
        from agentws.core.identity import pinned_writers
        from agentws.core.journal import stamp

        here = pinned_writers.ensure(files, here, at=stamp.text(now_us()))
    journal = append.Appender(files, here.agent, here.writer, here.folder, secret=here.secret)
    if join.has_begun(files, here):
        return journal, False
    if before is not None:
        before()
    join.begin(files, here, state, journal, now_us())
    return journal, True


def missing_history(files: Files, here: Installation) -> Mark | RecordedChange | None:
    """The newest event that this installation has written, or change that it has made, which this copy does not hold;
    None where it holds both.
    """
    return lacks_event(files, here) or stale_copy.lacked(files, here.folder)


def lacks_event(files: Files, here: Installation) -> Mark | None:
    """The newest event that this installation has written, where this copy does not hold it; None where it does.

    A journal that is damaged is not an older copy: whoever appends to it or verifies it says what is wrong.
    """
    # The mark first: what another process appends meanwhile may only take the journal past it.
    mark = installation.mark(here)
    if mark is None or head.is_level(files, mark.writer, mark.seq, mark.hash, here.secret):
        return None
    return mark if join.is_older(files, here, mark, head.read(files, here.writer, here.secret)) else None


def _has_token(files: Files, agent: str, now: Callable[[], str]) -> bool:
    """Return whether a token came with this copy that signs in whoever begins here: its first event will use it."""
    from agentws.core.identity import arrival

    given = arrival.token(files)
    return given is not None and arrival.is_good(files, agent, given, now()[:10])


def require(files: Files, agent: str, state: State, now: Callable[[], str]) -> None:
    """MayNotWriteError where nobody vouched for this installation, and no person took over with it.

    `now` is asked for the present moment, as the journal tells it, where a token came with the copy.
    """
    here = installation.find(files, agent, state)
    admitted = here is not None and here.record.get(installation.ADMITTED)
    if not admitted and not join.admit(files, here) and not _has_token(files, agent, now):
        raise MayNotWriteError(
            "Nothing was written: this workspace requires a vouch, and this installation has none "
            f"(identity.mode in {layout.MANIFEST}).",
            hint="Run agentws identity takeover here, or agentws identity vouch on both sides.",
        )
