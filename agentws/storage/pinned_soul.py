"""What SOUL.md was when a person last agreed to it: its digest, kept in the state of this installation.

It lies outside of the workspace, so whoever changes SOUL.md does not change it too.
"""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import digest, layout, plainjson
from agentws.formats.digest import ABSENT
from agentws.storage import files as _files
from agentws.storage import installation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.files import Files

NAME = installation.PIN
_LOCK_TIMEOUT_S = 30.0


class Pin:
    """The `digest` of SOUL.md (ABSENT for no file) as it was agreed to `at` a moment."""

    __slots__ = ("at", "digest")

    def __init__(self, digest: str, at: str) -> None:
        self.digest = digest
        self.at = at


def read(folder: str) -> Pin | None:
    """What is pinned in this state, None where nothing is that can be read."""
    try:
        told = plainjson.loads(_files.Files(folder).read(NAME, limit_bytes=1 << 10))
        return Pin(str(told["digest"]), str(told["at"]))
    except (AgentwsError, ValueError, KeyError, TypeError):
        return None


def present(files: Files) -> str:
    """The digest of SOUL.md as it is now, ABSENT where there is none that can be read."""
    try:
        return digest.of(files.part(layout.SOUL, _files.DOCUMENT_LIMIT_BYTES)[0])
    except AgentwsError:
        return ABSENT


def keep(folder: str, pinned: str, *, at: str) -> None:
    """Pin this digest, durably."""
    own = _files.Files(folder)
    told = {"agentws": 1, "digest": pinned, "at": at}
    own.replace(NAME, plainjson.dumps(told).encode() + b"\n", expects=own.digest(NAME))


def ensure(files: Files, folder: str, *, at: str) -> None:
    """Pin SOUL.md where nothing is pinned yet: as it was agreed to before the agent moved here, else as it is."""
    own = _files.Files(folder)
    if own.exists(NAME):
        return
    from agentws.storage import lock  # each boot looks at the pin, few make it

    with lock.Lock(files, lock.APPEND, timeout_s=_LOCK_TIMEOUT_S):  # several processes may write first at once
        if not own.exists(NAME):
            before = brought(files)
            keep(folder, before.digest if before else present(files), at=before.at if before else at)


def brought(files: Files) -> Pin | None:
    """What was pinned where the agent came from, None where it did not move here: a move agrees to nothing."""
    if not files.exists(layout.ARRIVAL):  # few have moved, and each boot asks
        return None
    from agentws.storage import arrival

    told = arrival.soul(files)
    return Pin(*told) if told else None
