"""The checkpoint of a task that counts: what was restored last, until the next save; else the newest.

The journals of known writers say it. `.agentws/restored/` says it sooner for this machine, and may be lost.
"""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats import digest
from agentws.storage.disk import local_dir
from agentws.storage.workspace import marks, writer_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agentws.formats.documents.checkpoint import Header
    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores

    Restored = tuple[str, str, str]
    """(moment, id, writer) of what was restored."""

_FOLDER = f"{local_dir.FOLDER}/restored"
_MOST_BYTES = 1_000
_SAVED = "-"
"""Stands in a mark for no id: something was saved since."""
_KINDS = ("checkpoint.saved", "checkpoint.restored")


def restored(stores: Stores, names: Sequence[str], headers: Callable[[], Iterable[Header]]) -> str:
    """The id of what was restored last of the task with these names, empty where something was saved since.

    `headers` gives those of the checkpoints that there are, and is called where that matters.
    """
    whole = stores.whole
    here = writer_trust.present(whole)
    own = here.writer if here is not None else ""
    marked = _read(whole.files, names)
    told = [writer for writer in writer_trust.known(whole) if marked is None or writer != own]
    found = [one for writer in told if (one := _told(whole, writer, names))]
    if marked is not None and marked[1] != _SAVED:
        found.append((*marked, own))
    if not found:
        return ""
    at, id, by = max(found)
    there = list(headers())
    later = any(head.writer != by and (head.at, head.parent == id) > (at, False) for head in there)
    return id if not later and any(head.id == id for head in there) else ""


def _told(stores: Stores, writer: str, names: Sequence[str]) -> Restored | None:
    """What a writer restored last of the task, None where it has saved since."""
    from agentws.storage.journal import select

    newest = [
        one
        for name in names
        for one in select.Reader(stores.files, select.Wanted(kinds=_KINDS, task=name)).newest(writer, 1)
    ]
    last = max(newest, key=lambda one: one.seq, default=None)
    if last is None or last.kind != _KINDS[1]:
        return None
    return last.at, str((last.body or {}).get("id")), writer


def _read(files: Files, names: Sequence[str]) -> tuple[str, str] | None:
    """(moment, id) of what this machine marked last for these names, None where it marked nothing."""
    found = []
    for name in names:
        try:
            said = files.part(_path(name), _MOST_BYTES)[0].decode("utf-8", "replace").split()
        except AgentwsError:
            continue
        if len(said) == 2:
            found.append((said[1], said[0]))
    return max(found, key=lambda one: one[0], default=None)  # of two at once the present name's, the first


def write(stores: Stores, task: str, id: str = _SAVED) -> None:
    """Note what was restored; without an id, that something was saved since."""
    files = stores.files
    marked = _read(files, [task])
    if id == _SAVED and marked is not None and marked[1] == _SAVED:
        return
    local_dir.prepare(files)
    if not files.exists(_FOLDER):
        files.make_folder(_FOLDER)
    marks.leave(files, _path(task), f"{id}\n{stores.now_text()}")


def _path(task: str) -> str:
    return f"{_FOLDER}/{digest.quick(task.encode())[:16]}"
