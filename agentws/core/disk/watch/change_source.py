"""Sight of a workspace's changes: a watcher by file system events, where these report all changes."""

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
    """Return a watcher with sight of file system events; None if `needs_polling(kind of file system)`, or without them.

    For the other arguments see core/disk/watch/notified.py.
    """
    if needs_polling(mounts.kind_of(root)[0]):
        return None
    try:
        from agentws.core.disk.watch.notified import Notified

        return Notified(root, folders=folders, matters=matters, flood=flood)
    except (ImportError, OSError):
        return None  # not installed, or no more watches: polling costs more, but finds the same
