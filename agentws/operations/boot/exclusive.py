"""The lock under which one process makes all parts of a boot, for which a host asks at the same moment."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

from agentws.errors import AgentwsError
from agentws.storage.disk import local_dir, lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.storage.workspace.stores import Stores

_LOCK = "boot"
_TIMEOUT_S = 5.0
"""Less than a hook has for its answer, so that one that waited in vain still gives it."""


@contextmanager
def alone(stores: Stores) -> Iterator[None]:
    """Nobody else makes parts of a boot meanwhile; where that cannot be had, they are made all the same."""
    with ExitStack() as held:
        try:
            local_dir.prepare(stores.files)
            held.enter_context(lock.Lock(stores.files, _LOCK, timeout_s=_TIMEOUT_S, idle=True))
        except AgentwsError:
            pass  # what cannot be written can be read
        yield
