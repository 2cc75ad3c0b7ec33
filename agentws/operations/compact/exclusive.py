"""The lock of compaction: one run at a time in a workspace, from what it reads to what it writes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentws.errors import AgentwsError
from agentws.storage.disk import local_dir, lock
from agentws.storage.workspace import record, seals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.storage.workspace.record import Happening
    from agentws.storage.workspace.stores import Stores

_LOCK = "compaction"
_LOCK_TIMEOUT_S = 2.0


@contextmanager
def alone(stores: Stores, what: str) -> Iterator[None]:
    """Hold off other runs meanwhile, and begin with a workspace that no killed verb has left half done.

    LockHeldError where another one is at it. Without this two runs would read the same, and the one that comes second
    would find out only when it writes.
    """
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, note=what):
        stores.settle()
        yield


def told(stores: Stores, what: str, happened: Happening) -> list[str]:
    """Record what was done; a journal that refuses it is a notice, for the files are changed and safe."""
    try:
        _, notices = record.record(stores, [happened])
    except AgentwsError as error:
        return [f"{what}, but its event was not recorded: {error.message} {error.hint or ''}".rstrip()]
    return [*notices, *seals.quietly(stores)]
