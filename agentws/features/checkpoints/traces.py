"""Traces of forgotten text in checkpoints: `forget` removes such checkpoints whole, as none is ever changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agentws.core.disk import lock
from agentws.core.formats import layout
from agentws.core.formats.documents import checkpoint
from agentws.core.formats.json import plainjson
from agentws.core.stores.traces import Traces
from agentws.errors import AgentwsError
from agentws.features.checkpoints.store import folder

Place = tuple[str, str]
"""The folder and the id of a checkpoint; for a file that a killed verb left its path and an empty id."""


class CheckpointTraces(Traces):
    """Finds and removes checkpoints, and their long texts, that hold what is to be forgotten."""

    _places: list[Place]

    def find(self, unread: list[str]) -> list[tuple[str, str]]:
        """Return the checkpoints whose header, state or long texts hold what is to be forgotten."""
        self._places = self._matches(unread)
        return [
            (checkpoint.path(name, id), f"all of checkpoint {id}")
            if id
            else (name, "all of it: no checkpoint needs it")
            for name, id in self._places
        ]

    def _matches(self, unread: list[str]) -> list[Place]:
        files = self.stores.files
        blobs = {name for name, is_in in self._blobs(unread) if is_in}
        pairs = []
        needed: set[str] = set()
        for task in folder.tasks(files):
            for id in folder.ids(files, task):
                data = self._read(checkpoint.path(task, id), unread)
                named = _named(data)
                needed |= named
                if self._is_in(data) or not blobs.isdisjoint(named):
                    pairs.append((task, id))
        unused = folder.unused_blobs(files) if blobs - needed else ()
        unread += [
            f"{checkpoint.blob_path(name)} holds it and stays: a damaged checkpoint may need it. See: agentws doctor"
            for name in sorted(blobs - needed)
            if name not in unused
        ]
        left, strays = folder.others(files)
        unread += [
            f"{path} holds it and was not written by agentws. Remove the file yourself."
            for path in strays
            if self._is_in(self._read(path, unread))
        ]
        contents = {path: self._read(path, unread) for path in left}
        left = [path for path, data in contents.items() if self._is_in(data) or not blobs.isdisjoint(_named(data))]
        left += [checkpoint.blob_path(name) for name in sorted(blobs) if name in unused]
        return [*pairs, *((path, "") for path in left)]

    def remove(self) -> list[str]:
        """Remove the checkpoints found, durably, and long texts that no other needs; their ids are recorded first."""
        if not self._places:
            return []
        from agentws.core.stores import record
        from agentws.features.checkpoints import restored_checkpoint  # a dry run needs neither

        files, notices = self.stores.files, []
        with lock.Lock(files, folder.LOCK, note="forget"):
            left = [path for path, id in self._places if not id and not checkpoint.is_blob(path)]
            folder.remove_leftovers(files, left)
            tasks = sorted({task for task, id in self._places if id})
            by_task = {task: [id for name, id in self._places if name == task] for task in tasks}
            pruned = [
                restored_checkpoint.pruned(task, ids) for task, ids in by_task.items() if not self.sought.is_in(task)
            ]
            notices += record.record(self.stores, pruned)[1] if pruned else []
            for task, ids in by_task.items():
                folder.remove(files, task, ids)
            folder.remove_unused_blobs(files)
        return notices

    def whole_files(self, held: Collection[str]) -> list[str]:
        """Return the checkpoints of a copy that hold what is to be forgotten, and long texts that no other needs."""
        if not any(path.startswith(f"{layout.CHECKPOINTS}/") for path in held):
            return []
        places = self._matches([])
        unused = folder.unused_blobs(self.stores.files, without=places)
        paths = [checkpoint.path(name, id) if id else name for name, id in places]
        return list(dict.fromkeys([*paths, *map(checkpoint.blob_path, unused)]))

    def _read(self, path: str, unread: list[str]) -> bytes:
        """Return the content of a file; empty, with a notice, if it cannot be read."""
        try:
            return self.stores.files.read(path)
        except AgentwsError as error:
            unread.append(f"Not searched: {error.message}")
            return b""

    def _blobs(self, unread: list[str]) -> Iterator[tuple[str, bool]]:
        for name in self.stores.files.listing(checkpoint.BLOBS):
            path = checkpoint.blob_path(name)
            if checkpoint.is_blob(path):
                try:
                    yield name, self.sought.is_in_bytes(self.stores.files.read(path))
                except AgentwsError as error:
                    unread.append(f"Not searched: {error.message}")

    def _is_in(self, data: bytes) -> bool:
        try:
            return self.sought.is_in_value(plainjson.loads(data))
        except (ValueError, RecursionError):  # damaged, but the text may still be in it
            return self.sought.is_in_bytes(data)


forget = CheckpointTraces


def _named(data: bytes) -> set[str]:
    try:
        return checkpoint.blobs(data)
    except AgentwsError:
        return set()
