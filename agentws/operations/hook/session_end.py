"""Whether a session that ends leaves work that nobody has handed over, and whether that can be done at once."""

from __future__ import annotations

from agentws.errors import LockHeldError
from agentws.formats.journal import event
from agentws.formats.json import plainjson
from agentws.operations.hook import events
from agentws.storage.disk import local_dir, lock
from agentws.storage.journal import read, select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.formats.journal.event import Event
    from agentws.storage.workspace.stores import Stores

_MOST_SEGMENTS = 16
"""Of what is older nothing is looked for: a host does not wait long."""
_PATIENCE_S = 0.3
_WRITTEN = "handoff.written"
_NO_WORK = (
    *event.STRUCTURE, event.STARTED, event.ENDED, events.COMPACTING, events.COMPACTED, events.STOPPED,
    events.FAILED,
)  # fmt: skip
_LAST_WORDS = (event.RESULT, event.ERROR, event.NOTE)


def has_work(stores: Stores, session: str) -> bool:
    """True where the session has done something since its last handoff.

    What only ends the turn in which the agent itself wrote one is no work: results, and what it said last.
    """
    said_last = False
    for one in _newest_first(stores, session):
        if one.kind == _WRITTEN:
            return False
        if one.kind not in _NO_WORK:
            if one.kind not in _LAST_WORDS or one.src == event.USER:
                return True
            said_last = True
    return said_last


def is_changing(stores: Stores) -> bool:
    """True where another process holds the transaction lock, and goes on holding it: a handoff would have to wait."""
    stores.check_writable()
    local_dir.prepare(stores.files)
    try:
        with lock.Lock(stores.files, lock.TRANSACTION, timeout_s=_PATIENCE_S):
            return False
    except LockHeldError:
        return True


def _newest_first(stores: Stores, session: str) -> Iterator[Event]:
    writer = stores.journal().writer
    reader = select.Reader(stores.files, select.Wanted(session=session))
    word = f'"session":{plainjson.dumps(session)},'.encode()
    for number in list(reversed(read.segments(stores.files, writer)))[:_MOST_SEGMENTS]:
        lines = [one for one in read.lines(stores.files, writer, number) if word in one[1]]
        yield from reader.of(writer, number, reversed(lines))
