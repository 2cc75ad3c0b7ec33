"""A watcher of file changes by watchdog: inotify, FSEvents or kqueue, or polling where these report nothing.

Watches the root without its subfolders, and the few folders that matter with theirs: so `.git`, `.agentws` and large
folders beside them cost no watch and wake nobody.
"""

from __future__ import annotations

import logging
import os

from agentws.core.disk.watch import signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver

_STOP_S = 2.0


class Notified:
    """A watcher that the operating system notifies of changes to a workspace's files.

    `matters(path, is_folder)` says which changes count; `folders` are those of the root that are watched with all below
    them; `flood` other changes count as one that matters. OSError if the system allows no more watches.

    With `poll_s` the files are polled at this interval, without events. `kind` says which is used.
    """

    def __init__(
        self,
        root: str,
        *,
        folders: Iterable[str],
        matters: Callable[[str, bool], bool],
        flood: int,
        poll_s: float | None = None,
    ) -> None:
        from watchdog import events
        from watchdog.observers import Observer
        from watchdog.observers.polling import PollingObserverVFS

        # Its log messages about overflows are dropped: after one, the files are compared anyway.
        logging.getLogger("watchdog").addHandler(logging.NullHandler())
        self._handler = events.FileSystemEventHandler()
        self._handler.on_any_event = self._heard  # type: ignore[method-assign]
        # Reads of a file are not events: else a watcher would wake itself.
        self._wanted: list[type[FileSystemEvent]] = [
            *(events.DirCreatedEvent, events.DirDeletedEvent, events.DirMovedEvent, events.FileClosedEvent),
            *(events.FileCreatedEvent, events.FileDeletedEvent, events.FileModifiedEvent, events.FileMovedEvent),
        ]
        self._root = root
        self._folders = tuple(folders)
        self._matters = matters
        self._flood = flood
        self._passed = 0
        self._signals = signals.Signals()
        self._watched: dict[str, tuple[tuple[int, int], Any]] = {}
        self.kind = signals.EVENTS if poll_s is None else signals.POLLING
        self._observer: BaseObserver = (
            Observer()
            if poll_s is None
            # Its stat is lstat: a link to a folder above would be followed without end.
            else PollingObserverVFS(os.lstat, os.scandir, polling_interval=poll_s)
        )
        self._observer.daemon = True
        # A network file system comes back; where the system watches no more, it is not asked again.
        self._passing: type[OSError] = FileNotFoundError if poll_s is None else OSError
        os.stat(root)
        try:
            self._observer.start()
            self._follow_folders()
        except BaseException:
            self.close()
            raise

    def wait(self, timeout_s: float | None) -> str:
        """Wait until the watcher is notified: CHANGED, STOPPED, or NOTHING after the timeout."""
        result = self._signals.wait(timeout_s)
        if result != signals.STOPPED:
            self._follow_folders()
        return result

    def stop(self) -> None:
        """End the watcher's wait, the present or the next one; may be called by a signal handler."""
        self._signals.stop()

    def close(self) -> None:
        """Stop watching: no change is notified after this."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join(_STOP_S)

    def _heard(self, event: FileSystemEvent) -> None:
        """Signal a change that counts. Called in a thread of the observer."""
        places = [os.path.relpath(os.fsdecode(path), self._root) for path in (event.src_path, event.dest_path) if path]
        if os.curdir in places or any(self._matters(path, event.is_directory) for path in places):
            self._signals.changed()
            return
        self._passed += 1
        if self._passed % self._flood == 0:
            self._signals.changed()

    def _follow_folders(self) -> None:
        """Watch the root and each present folder, also one that has replaced another."""
        living = {emitter.watch for emitter in self._observer.emitters if emitter.is_alive()}
        for name in ("", *self._folders):
            path = f"{self._root}/{name}" if name else self._root
            there = signals.folder_id(path) if os.path.isdir(path) and not (name and os.path.islink(path)) else (0, 0)
            known, watch = self._watched.get(name, ((0, 0), None))
            if there == known and (watch is None or watch in living):
                continue
            if watch is not None:
                self._forget(watch)
            self._watched[name] = (0, 0), None
            if there != (0, 0):
                try:
                    observed_watch = self._observer.schedule(
                        self._handler, path, recursive=bool(name), event_filter=self._wanted
                    )
                except self._passing:
                    continue  # it went again meanwhile
                self._watched[name] = there, observed_watch
                self._signals.changed()  # what came into it before it was watched

    def _forget(self, watch: Any) -> None:
        try:
            self._observer.unschedule(watch)
        except KeyError:
            return
