"""Says to open pages that a file changed: one watching thread, and a stream of server-sent events for each page."""

from __future__ import annotations

import asyncio
import threading

from agentws.core.disk import watcher
from agentws.core.disk.watcher import CHANGED, STOPPED, Notified
from agentws.core.formats import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_FOLDERS = (*watcher.FOLDERS, layout.JOURNAL, layout.CONFLICTS, layout.CALLS)
_SETTLE_S, _POLL_S, _ALIVE_S = 0.3, 2.0, 15.0
_MOST_WAITS = 4
_HEADER, _EVENT, _COMMENT = b"retry: 2000\n\n", b"event: changed\ndata:\n\n", b":\n\n"


class Changes:
    """The changes of a workspace. `streams` yield an event for each; `close` ends them all."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wakes: set[asyncio.Event] = set()
        self._source: Notified | None = None
        self.is_closed = False
        self.count = 0
        """How many changes were announced: a page says which it has seen."""

    async def stream(self, seen: str | None = None) -> AsyncIterator[bytes]:
        """Yield the changes as server-sent events, until the page is closed or the server ends.

        `seen` is the `count` that the page was made with: one event says that it is no longer the newest.
        """
        self._loop = asyncio.get_running_loop()
        wake = asyncio.Event()
        self._wakes.add(wake)
        try:
            yield _HEADER
            if seen is not None and seen != str(self.count):
                yield _EVENT
            while not self.is_closed:
                try:
                    await asyncio.wait_for(wake.wait(), _ALIVE_S)
                except TimeoutError:
                    yield _COMMENT  # a page that has gone is noticed by this
                    continue
                wake.clear()
                if not self.is_closed:
                    yield _EVENT
        finally:
            self._wakes.discard(wake)

    def announce(self) -> None:
        """Wake every stream. May be called by any thread, and by a signal handler."""
        self.count += 1
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for wake in self._wakes:
            wake.set()

    def watch(self, root: str) -> None:
        """Watch the documents and the journal of a workspace, in a thread of its own."""
        threading.Thread(target=self._follow, args=(root,), name="agentws-ui-watch", daemon=True).start()

    def _follow(self, root: str) -> None:
        try:
            source = _source(root)
        except OSError:
            return  # the folder has gone: a page says so when it is loaded
        self._source = source
        try:
            while not self.is_closed:
                heard = source.wait(None)
                if heard == STOPPED:
                    return
                if heard == CHANGED:
                    any(source.wait(_SETTLE_S) != CHANGED for _ in range(_MOST_WAITS))
                    self.announce()
        except OSError:
            return
        finally:
            source.close()

    def close(self) -> None:
        """End the streams and the watching thread. May be called by a signal handler."""
        self.is_closed = True
        if self._source is not None:
            self._source.stop()
        self.announce()


def _source(root: str) -> Notified:
    return watcher.listen(
        root, folders=_FOLDERS, matters=_matters, flood=watcher.FLOOD, needs_polling=watcher.needs_polling
    ) or Notified(root, folders=_FOLDERS, matters=_matters, flood=watcher.FLOOD, poll_s=_POLL_S)


def _matters(path: str, is_folder: bool) -> bool:
    is_told = path.startswith(tuple(f"{name}/" for name in (layout.JOURNAL, layout.CONFLICTS, layout.CALLS)))
    return watcher.matters(path, is_folder=is_folder) or (not is_folder and is_told)
