"""Whether a journal would take the next event, as far as can be told without reading all of it."""

from __future__ import annotations

from agentws.formats.journal import segment
from agentws.storage.journal import head, recovery, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files
    from agentws.storage.installation.installation import Installation


def check(files: Files, here: Installation) -> None:
    """DamagedError where this installation's journal would refuse the next event, or its newest segment is not what was
    written. Whether all of it is, only `journal verify` can tell.
    """
    hint = head.read(files, here.writer, here.secret)
    if hint is None:
        recovery.check_seal(files, here.agent, here.writer, here.folder)
    number = tail.newest(files, here.writer, hint)
    if not number:
        return
    tail.walk(files, here.agent, here.writer, number, hint)
    end, size, reason = tail.walk(files, here.agent, here.writer, number, None)
    path = segment.path(here.writer, number)
    if end.offset < size and not recovery.is_crash(files, path, end, size, hint):
        raise tail.damaged(path, files.part(path, size)[0], end.offset, reason)
