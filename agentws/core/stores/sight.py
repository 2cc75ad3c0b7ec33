"""Ears for a workspace: the events of its file system, where these tell of all changes."""

from __future__ import annotations

from agentws.core.disk.inspect import mounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agentws.core.disk.watch.notified import Notified


def listen(
    root: str,
    *,
    folders: Iterable[str],
    matters: Callable[[str, bool], bool],
    flood: int,
    needs_polling: Callable[[str], bool],
) -> Notified | None:
    """Return eyes by events; None where they must be looked for: `needs_polling(kind of file system)`, or no events.

    The rest as core/disk/watch/notified.py says.
    """
    if needs_polling(mounts.kind_of(root)[0]):
        return None
    try:
        from agentws.core.disk.watch.notified import Notified

        return Notified(root, folders=folders, matters=matters, flood=flood)
    except (ImportError, OSError):
        return None  # not installed, or the system watches no more: looking costs more, and tells the same
