"""What the newest segments of a journal leave unfinished: sessions without an end, and what is known of them."""

from __future__ import annotations

from agentws.formats.journal import event as _event
from agentws.storage.journal import reference, select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.journal.event import Event
    from agentws.storage.disk.files import Files

_MOST_EVENTS = 64


def sessions(files: Files, writer: str) -> list[str]:
    """The ids of the sessions of a writer that have not ended, by its newest segment with a complete line."""
    return list(reference.outlined(files, writer).sessions)


def events(files: Files, writer: str, session: str) -> list[Event]:
    """The beginning of a session and its newest events, oldest first."""
    began = newest(files, writer, 1, session=session, kinds=(_event.STARTED,))
    told = newest(files, writer, _MOST_EVENTS, session=session)
    return sorted({one.seq: one for one in [*began, *told]}.values(), key=lambda one: one.seq)


def newest(
    files: Files, writer: str, limit: int, *, session: str | None = None, kinds: Sequence[str] = ()
) -> list[Event]:
    """The newest events of a writer, of one session or of these kinds alone."""
    wanted = select.Wanted(session=session, kinds=kinds, without=_event.STRUCTURE)
    return select.Reader(files, wanted).newest(writer, limit)
