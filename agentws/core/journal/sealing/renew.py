"""Renewal of a damaged journal: a new journal is begun beside it, so that events can be recorded again.

The old journal is kept byte for byte; the new writer's first event names the last good event of the old one.
"""

from __future__ import annotations

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir, lock
from agentws.core.formats import layout
from agentws.core.formats.journal import event
from agentws.core.installation import installation
from agentws.core.journal import end, read, walk
from agentws.core.journal.sealing import verify
from agentws.errors import DamagedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.installation import Installation

JOINED = "writer.joined"
_LOCK_TIMEOUT_S = 30.0


def damage(files: _files.Files, here: Installation) -> str:
    """Return what is wrong with this installation's journal, empty for nothing."""
    local_dir.prepare(files)
    try:
        with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):
            end.find(files, here.agent, here.writer, None, secret=here.secret)
    except DamagedError as error:
        return error.message
    ours = f"{layout.JOURNAL}/{here.writer}/"
    found = verify.verify(files, here.agent, here).findings
    return next((f"{one.path}:{one.line}: {one.what}" for one in found if one.path.startswith(ours)), "")


def unfinished(files: _files.Files, here: Installation) -> str:
    """Return the former writer whose renewal was interrupted before the new journal recorded it.

    UsageError if there is none: nothing is to be renewed.
    """
    former = installation.former(here)
    if not former or former[-1] == here.writer or _is_told(files, here, former[-1]):
        raise UsageError(
            "The journal of this installation is intact: nothing to renew.",
            hint="Check: agentws journal verify",
        )
    return former[-1]


def _is_told(files: _files.Files, here: Installation, before: str) -> bool:
    words = (b'"kind":"%s"' % JOINED.encode(), before.encode())
    if read.segments(files, here.writer)[:1] > [1]:
        return True  # so long ago that its beginning was retired
    # The event is at the beginning of the new journal, so in its first segment.
    for number in read.segments(files, here.writer)[:1]:
        for _, line in read.lines(files, here.writer, number):
            if all(word in line for word in words):
                return True
    return False


def last_good(files: _files.Files, agent: str, writer: str) -> dict[str, object]:
    """Return number and hash of the last event up to which a journal's chain is unbroken."""
    path = walk.Walk(files, agent, writer, read.segments(files, writer))
    for lines in path:
        if lines.error is not None:
            raise lines.error
        if lines.verdict not in (*walk.FOLLOWS, walk.Verdict.TORN):
            break
    return {"seq": path.newest[0], "hash": path.newest[1]}


def body(old: str, head: dict[str, object], reason: str) -> event.Body:
    """Return the body of the event by which the new writer joins."""
    return {"v": event.VERSION, "after": {old: head}, "reason": reason}
