"""A new journal beside a damaged one: the worst minute, in which nothing can be recorded any more.

What was written stays where it is, byte for byte; the new writer's first event says where the old one broke off.
"""

from __future__ import annotations

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir, lock
from agentws.core.formats import layout
from agentws.core.formats.journal import chain, event
from agentws.core.installation import installation
from agentws.core.journal import end, read
from agentws.core.journal.sealing import verify
from agentws.errors import DamagedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.installation.installation import Installation

JOINED = "writer.joined"
_LOCK_TIMEOUT_S = 30.0


def damage(files: _files.Files, here: Installation) -> str:
    """Return what is wrong with this installation's journal, empty where all of it is what was written."""
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
    """The writer before this one, whose renewal was cut off before it was told in the new journal.

    UsageError where there is none: then there is nothing to renew.
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
    # It is told at the beginning of the new journal, so in its first segment.
    for number in read.segments(files, here.writer)[:1]:
        for _, line in read.lines(files, here.writer, number):
            if all(word in line for word in words):
                return True
    return False


def last_good(files: _files.Files, agent: str, writer: str) -> dict[str, object]:
    """Number and hash of the last event of a journal that holds together with all before it."""
    seq, hash_ = 0, chain.genesis(agent, writer)
    numbers = read.segments(files, writer)
    due = numbers[0] if numbers else 1
    if due > 1:
        seq, hash_ = read.before(files, writer, due) or (seq, hash_)
    for number in numbers:
        if number != due:
            break
        for _, line in read.lines(files, writer, number):
            try:
                hash_ = chain.check(line, seq=seq + 1, prev=hash_)
            except ValueError:
                return {"seq": seq, "hash": hash_}
            seq += 1
        due += 1
    return {"seq": seq, "hash": hash_}


def body(old: str, head: dict[str, object], reason: str) -> event.Body:
    """The body of the event by which the new writer joins."""
    return {"v": event.VERSION, "after": {old: head}, "reason": reason}
