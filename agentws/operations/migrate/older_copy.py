"""Whether a copy that this agent has left somewhere is an older state of the one that is to go there."""

from __future__ import annotations

from agentws.errors import AgentwsError, UsageError
from agentws.storage.journal import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.planning.migrate.next_step import There
    from agentws.storage.disk.files import Files


def ahead(there: There, files: Files) -> AgentwsError | None:
    """That the copy there is not older: it holds events that `files` lack."""
    for writer, (seq, hash_) in (there.heads() or {}).items():
        try:
            same = read.find(files, writer, seq).hash == hash_
        except AgentwsError:
            same = False
        if not same:
            return UsageError(
                f"The copy of this agent at {there.path} holds events that are not here ({writer}:{seq}).",
                hint="It is no older state of this one. Name another folder, and look at what it holds.",
            )
    return None
