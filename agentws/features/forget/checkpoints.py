"""Checkpoints that hold what is to be forgotten: each goes as a whole, for none is ever changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.core.disk import lock
from agentws.core.formats.documents import checkpoint
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError
from agentws.features.checkpoints.store import folder
from agentws.features.forget.plan import strike
from agentws.features.forget.plan.strike import HIT, StruckLine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.stores.stores import Stores
    from agentws.features.forget.plan.wanted import Wanted

    Place = tuple[str, str]
    """The folder and the id of a checkpoint; of what a killed save left the path, and nothing."""


def find(stores: Stores, wanted: Wanted, unread: list[str]) -> list[Place]:
    """The checkpoints whose header, state or long texts hold any of it; what could not be read is told in `unread`."""
    blobs = dict(_blobs(stores.files, wanted, unread))
    found = []
    for task in folder.tasks(stores.files):
        for id in folder.ids(stores.files, task):
            try:
                data = stores.files.read(checkpoint.path(task, id))
            except AgentwsError as error:
                unread.append(f"Not searched: {error.message}")
                continue
            if _holds(data, wanted) or any(blobs.get(name) for name in _named(data)):
                found.append((task, id))
    left, strays = folder.others(stores.files)
    unread += [
        f"{path} holds it and was not written by agentws. Remove the file yourself."
        for path in strays
        if _is_in_file(stores.files, path, wanted, unread)
    ]
    return [*found, *((path, "") for path in left if _is_in_file(stores.files, path, wanted, unread))]


def _is_in_file(files: Files, path: str, wanted: Wanted, unread: list[str]) -> bool:
    try:
        return _holds(files.read(path), wanted)
    except AgentwsError as error:
        unread.append(f"Not searched: {error.message}")
        return False


def lines(found: Sequence[Place]) -> list[tuple[str, StruckLine]]:
    """What goes, as forget shows it: the path, and that it is all of the file."""
    return [
        (checkpoint.path(name, id), StruckLine(1, f"all of checkpoint {id}", HIT))
        if id
        else (name, StruckLine(1, "all of it: a save was killed", HIT))
        for name, id in found
    ]


def remove(stores: Stores, found: Sequence[Place], wanted: Wanted) -> None:
    """Remove them, durably, and the long texts that no other needs. The journal is told of their ids."""
    if not found:
        return
    from agentws.core.stores import record
    from agentws.features.checkpoints import restored_checkpoint  # a dry run needs neither

    with lock.Lock(stores.files, folder.LOCK, timeout_s=folder.LOCK_TIMEOUT_S, note="forget"):
        folder.remove_leftovers(stores.files, [path for path, id in found if not id])
        by_task = {
            task: [id for name, id in found if name == task] for task in sorted({task for task, id in found if id})
        }
        told = [restored_checkpoint.pruned(task, ids) for task, ids in by_task.items() if not wanted.is_in(task)]
        stores.notices += record.record(stores, told)[1] if told else []
        for task, ids in by_task.items():
            folder.remove(stores.files, task, ids)
        folder.remove_unused_blobs(stores.files)


def _blobs(files: Files, wanted: Wanted, unread: list[str]) -> Iterator[tuple[str, bool]]:
    for name in files.listing(checkpoint.BLOBS):
        path = checkpoint.blob_path(name)
        if checkpoint.is_blob(path):
            try:
                yield name, strike.holds(files.read(path), wanted)
            except AgentwsError as error:
                unread.append(f"Not searched: {error.message}")


def _holds(data: bytes, wanted: Wanted) -> bool:
    try:
        return wanted.is_in_value(plainjson.loads(data))
    except (ValueError, RecursionError):  # damaged, but what it says is there
        return strike.holds(data, wanted)


def _named(data: bytes) -> set[str]:
    try:
        return checkpoint.blobs(data)
    except AgentwsError:
        return set()
