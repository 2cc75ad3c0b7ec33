"""A watcher of file changes by watchdog: inotify, FSEvents or kqueue, or polling where these report nothing.

Watches the root without its subfolders, and the few folders that matter with theirs: so `.git`, `.agentws` and large
folders beside them cost no watch and wake nobody. The caller compares files after each wake-up and does not rely on
which file changed, so lost or repeated events do no harm.
"""

from __future__ import annotations

import logging
import os
from queue import Empty, SimpleQueue

from agentws.core.disk.inspect import mounts
from agentws.core.formats import layout

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
        self._signals = Signals()
        self._watched: dict[str, tuple[tuple[int, int], Any]] = {}
        self.kind = EVENTS if poll_s is None else POLLING
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
        if result != STOPPED:
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
            there = folder_id(path) if os.path.isdir(path) and not (name and os.path.islink(path)) else (0, 0)
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


EVENTS, POLLING = "events", "polling"
CHANGED, STOPPED, NOTHING = "changed", "stopped", "nothing"


class Signals:
    """The queue that ends a watcher's wait; several changes while nobody waits count as one."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[str] = SimpleQueue()  # the one queue that a handler of signals may put into
        self.is_stopped = False

    def changed(self) -> None:
        """Signal a file change to the watcher."""
        if self._queue.empty():
            self._queue.put(CHANGED)

    def stop(self) -> None:
        """Signal the watcher to stop."""
        self.is_stopped = True
        self._queue.put(STOPPED)

    def wait(self, timeout_s: float | None) -> str:
        """Wait until the watcher has a signal: CHANGED, STOPPED, or NOTHING after the timeout."""
        if self.is_stopped:
            return STOPPED
        try:
            text = self._queue.get(timeout=timeout_s)
        except Empty:
            return NOTHING
        return STOPPED if self.is_stopped else text


def is_same_folder(root: str, known: tuple[int, int]) -> bool:
    """Return whether the watched folder at `root` is still the known one (`folder_id`): not moved or replaced."""
    return folder_id(root) == known


def folder_id(root: str) -> tuple[int, int]:
    """Return the device and inode of the watched folder at `root`; zeros if it does not exist."""
    try:
        status = os.stat(root)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


FOLDERS = ("memory", "tasks", "contexts", "handoffs", "approvals", "identity")
"""The folders of the root that hold documents."""
FLOOD = 4_096
"""After so many irrelevant changes the files are checked: the system drops events after too many."""
REMOTE = (
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "ceph", "glusterfs", "lustre", "beegfs", "davfs", "ocfs2",
    "gfs2", "orangefs", "gpfs", "9p", "virtiofs", "vboxsf", "prl_fs", "fakeowner", "drvfs",
)  # fmt: skip
"""File systems that other kernels change too, of which this one gets no events."""


def matters(path: layout.RelPath, *, is_folder: bool) -> bool:
    """Return whether a change at `path` is relevant to history and the watcher; editors' temporary files are not."""
    if is_folder:
        top = path.partition("/")[0]
        return top in FOLDERS and "/." not in path
    return layout.is_document(path)


def needs_polling(kind: str) -> bool:
    """Return whether a watcher must poll a file system of this kind, which does not report all changes."""
    return kind in REMOTE or kind.startswith("fuse")


def listen(
    root: str,
    *,
    folders: Iterable[str],
    matters: Callable[[str, bool], bool],
    flood: int,
    needs_polling: Callable[[str], bool],
) -> Notified | None:
    """Return a watcher with sight of file system events; None if `needs_polling(kind of file system)`, or without them.

    For the other arguments see core/disk/watcher.py.
    """
    if needs_polling(mounts.kind_of(root)[0]):
        return None
    try:
        return Notified(root, folders=folders, matters=matters, flood=flood)
    except (ImportError, OSError):
        return None  # not installed, or no more watches: polling costs more, but finds the same
