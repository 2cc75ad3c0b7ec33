"""Checkpoints that hold what is to be forgotten: each goes as a whole, for none is ever changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentws.errors import AgentwsError
from agentws.formats.documents import checkpoint
from agentws.formats.json import plainjson
from agentws.planning.forget import strike
from agentws.planning.forget.strike import HIT, StruckLine
from agentws.storage.checkpoint import folder
from agentws.storage.disk import lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.forget.wanted import Wanted
    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores

    Place = tuple[str, str]
    """The folder and the id of a checkpoint."""


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
    return found


def lines(found: Sequence[Place]) -> list[tuple[str, StruckLine]]:
    """What goes, as forget shows it: the path, and that it is all of the file."""
    return [(checkpoint.path(*place), StruckLine(1, f"all of checkpoint {place[1]}", HIT)) for place in found]


def remove(stores: Stores, found: Sequence[Place]) -> None:
    """Remove them, durably, and the long texts that no other needs."""
    if not found:
        return
    with lock.Lock(stores.files, folder.LOCK, timeout_s=folder.LOCK_TIMEOUT_S, note="forget"):
        for task in {task for task, _ in found}:
            folder.remove(stores.files, task, [id for name, id in found if name == task])
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
