"""watch: the loop of one process that records documents, compares them and warns as files change."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from agentws.core import Result
from agentws.core.disk import watcher
from agentws.core.disk.watcher import Notified
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, NoWorkspaceError, UsageError
from agentws.features.automation.watch import poll
from agentws.features.automation.watch.poll import Observation, Poller
from agentws.features.search import index

REFRESH_S = 1.0
"""Seconds from the first change to the refresh of the search index."""
SETTLE_S = 30.0
"""Seconds without a change after which the documents are looked at."""
PATIENCE_S = 600.0
"""The most seconds to wait for such a pause."""
ANYWAY_S = 900.0
"""Seconds between looks if no change was reported."""
_FIRST_RETRY_S, _LAST_RETRY_S = 60.0, 900.0


class Pace:
    """The next times of refresh and look of `watch`, by a clock that only moves forward.

    Fields:
        settle_s: seconds without a change before a look.
        refresh_at, look_at: the moments of the next refresh of the index and the next look at the documents (s).
    """

    __slots__ = ("_began", "_retry_s", "look_at", "refresh_at", "settle_s")

    def __init__(self, now: float, *, settle_s: float = SETTLE_S) -> None:
        self.settle_s = settle_s
        self._began: float | None = None
        self._retry_s = _FIRST_RETRY_S
        self.refresh_at: float | None = None
        self.look_at = now

    @property
    def is_pending(self) -> bool:
        """Return whether something changed since the last look."""
        return self._began is not None

    def changed(self, now: float) -> None:
        """Note that something has changed just now, which sets the times of refresh and look."""
        if self._began is None:
            self._began = now
        if self.refresh_at is None:
            self.refresh_at = now + REFRESH_S
        self.look_at = min(now + self.settle_s, self._began + max(PATIENCE_S, self.settle_s))

    def wait_s(self, now: float) -> float:
        """Return the seconds until the next refresh or look."""
        next_at = self.look_at if self.refresh_at is None else min(self.refresh_at, self.look_at)
        return max(0.0, next_at - now)

    def is_refresh_due(self, now: float) -> bool:
        """Return whether `watch` must refresh the index now."""
        return self.refresh_at is not None and now >= self.refresh_at

    def is_look_due(self, now: float) -> bool:
        """Return whether the documents must be looked at now."""
        return now >= self.look_at

    def refreshed(self) -> None:
        """Note that `watch` has refreshed the index."""
        self.refresh_at = None

    def looked(self, now: float, *, failed: bool = False) -> None:
        """Note that the documents were looked at; after a look that `failed` the next one is later each time."""
        self._began = now if failed else None
        self.look_at = now + (self._retry_s if failed else ANYWAY_S)
        self._retry_s = min(self._retry_s * 2, _LAST_RETRY_S) if failed else _FIRST_RETRY_S


_POLL_S = 5.0


class Watcher(Result):
    """An iterator over the sightings of `watch`, without end unless `once`; `stop` ends it, also from a signal handler.

    Fields:
        warned: how many warnings it has reported.
    """

    def __init__(
        self, stores: Stores, *, settle_s: float, poll_s: float | None, once: bool, clock: Callable[[], float]
    ) -> None:
        self._stores = stores
        self._settle_s = settle_s
        self._poll_s = poll_s
        self._is_once = once
        self._clock = clock
        self._poller = Poller(stores)
        self._source: Notified | None = None
        self._is_stopped = False
        self._said = ""

    @property
    def warned(self) -> int:
        """How many warnings the watcher has reported."""
        return self._poller.warned

    def stop(self) -> None:
        """Stop the watcher; changes so far are still looked at and recorded."""
        self._is_stopped = True
        if self._source is not None:
            self._source.stop()

    def __iter__(self) -> Iterator[Observation]:
        if self._is_once:
            yield from self._poller.look()
            yield from self._refresh()
            return
        home = watcher.folder_id(self._stores.root)
        self._source = source = open_source(self._stores, self._poll_s)
        try:
            if self._is_stopped:
                source.stop()
            yield self._observation(poll.WATCHING, root=self._stores.root, eyes=source.kind, settle_s=self._settle_s)
            yield from self._watch(source, home)
            yield self._observation(poll.STOPPED)
        finally:
            source.close()

    def _watch(self, source: Notified, home: tuple[int, int]) -> Iterator[Observation]:
        pace = Pace(self._clock(), settle_s=self._settle_s)
        while True:
            text = source.wait(pace.wait_s(self._clock()))
            if not watcher.is_same_folder(self._stores.root, home):
                raise _gone(self._stores.root)
            if text == watcher.STOPPED:
                if pace.is_pending:
                    yield from self._poller.look()
                return
            now = self._clock()
            if text == watcher.CHANGED:
                pace.changed(now)
            if pace.is_refresh_due(now):
                pace.refreshed()
                yield from self._refresh()
            if pace.is_look_due(now):
                yield from self._poller.look()
                yield from self._refresh()  # a look records its findings in the journal, which is searched too
                pace.looked(self._clock(), failed=self._poller.has_failed)

    def _refresh(self) -> Iterator[Observation]:
        """Update the search index, if one can be kept."""
        if self._stores.cache.folder is None:
            return
        message = ""
        try:
            index.refresh(self._stores)
        except AgentwsError as error:
            message = f"The search index was not updated: {error.message}"
        if message and message != self._said:
            yield self._observation(poll.NOTICE, text=message)
        self._said = message

    def _observation(self, kind: str, **facts: object) -> Observation:
        return Observation(kind, self._stores.clock.now(), **facts)


def watch(
    stores: Stores,
    *,
    settle_s: float = SETTLE_S,
    poll_s: float | None = None,
    once: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Watcher:
    """Watch the workspace: iterate over what others change and lose, as it is recorded.

    Once nothing has changed for `settle_s` seconds, a state is recorded in history. `poll_s` polls for changes so
    often, instead of waiting for file system events. `once` looks one time. NoWorkspaceError if the folder is gone.
    """
    if settle_s < 0 or (poll_s is not None and poll_s <= 0):
        raise UsageError("--settle must not be negative, and --poll must be more than 0 seconds.")
    stores.check_writable()
    return Watcher(stores, settle_s=settle_s, poll_s=poll_s, once=once, clock=clock)


def open_source(stores: Stores, poll_s: float | None) -> Notified:
    """Return what `watch` waits for changes with: file system events if the system reports all, else polling."""
    from agentws.core.disk.watcher import Notified

    def matters(path: str, is_folder: bool) -> bool:
        return watcher.matters(path, is_folder=is_folder)

    if poll_s is None:
        heard = watcher.listen(
            stores.root,
            folders=watcher.FOLDERS,
            matters=matters,
            flood=watcher.FLOOD,
            needs_polling=watcher.needs_polling,
        )
        if heard is not None:
            return heard
    return Notified(
        stores.root,
        folders=watcher.FOLDERS,
        matters=matters,
        flood=watcher.FLOOD,
        poll_s=_POLL_S if poll_s is None else poll_s,
    )


def _gone(root: str) -> NoWorkspaceError:
    return NoWorkspaceError(f"{root} was moved or deleted.", hint="To watch it in its new place: agentws -C DIR watch")
