"""The restored checkpoint of a task: the one restored last counts until the next save, else the newest.

The journals of known writers record it. Marks in `.agentws/restored/` give it faster for this machine, and may be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from agentws.core.disk import local_dir
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import checkpoint, document, task
from agentws.core.formats.documents.checkpoint import Header
from agentws.core.journal import select
from agentws.core.stores import marks, record, writer_trust
from agentws.core.stores.stores import Stores
from agentws.core.text.names import some
from agentws.errors import AgentwsError
from agentws.features.checkpoints.store import folder

Restored = tuple[str, str, str]
"""(moment, id, writer) of a restored checkpoint."""


_MOST_BYTES = 1_000
_SAVED = "-"
"""Stands in a mark instead of an id: a checkpoint was saved since."""
_KINDS = ("checkpoint.saved", "checkpoint.restored")
PRUNED = "checkpoint.pruned"
_MOST_TOLD = 500
_ADDED = "task.added"
"""A new task with the name of an earlier one has none of its checkpoints."""


def names(stores: Stores, slug: str) -> list[str]:
    """Return the folder names of a task's checkpoints: its name, and former names that no other task has now."""
    files = stores.whole.files
    path = f"{layout.TASKS}/{slug}.md"
    try:
        was = task.Task(slug, document.decode(files.read(path), where=path)).was
    except AgentwsError:
        return [slug]  # the task is gone, or damaged, which `task show` reports
    # A name with a slash would lead to another folder; no verb writes one.
    former = (name for name in was if name != slug and "/" not in name and name.strip(". "))
    return [slug, *(name for name in former if not files.exists(f"{layout.TASKS}/{name}.md"))]


def restored(stores: Stores, names: Sequence[str], headers: Callable[[], Iterable[Header]]) -> str:
    """Return the id of the checkpoint restored last of the task with these names, empty if one was saved since.

    `headers` returns the headers of the existing checkpoints, and is called only if they matter.
    """
    whole = stores.whole
    current = writer_trust.present(whole)
    own = current.writer if current is not None else ""
    marked = _read(whole.files, names)
    writers = [writer for writer in writer_trust.known(whole) if marked is None or writer != own]
    pairs = [pair for writer in writers if (pair := _last_restored(whole, writer, names))]
    if marked is not None and marked[1] != _SAVED:
        pairs.append((*marked, own))
    if not pairs:
        return ""
    at, id, by = max(pairs)
    there = list(headers())
    later = any(head.writer != by and (head.at, head.parent == id) > (at, False) for head in there)
    return id if not later and any(head.id == id for head in there) else ""


def lost(stores: Stores, names: Sequence[str], there: Collection[str]) -> str:
    """Return the id of the current checkpoint by the journals of known writers, if it is not among `there`.

    Empty if it is, if it was pruned or forgotten, and if none was saved.
    """
    whole = stores.whole
    writers = writer_trust.known(whole)
    wanted = [select.Wanted(kinds=(*_KINDS, _ADDED), task=name) for name in names]
    newest = []
    for writer in writers:
        events = [event for each in wanted for event in select.Reader(whole.files, each).newest(writer, 1)]
        newest += [max(events, key=lambda event: event.seq)] if events else []
    last = max(newest, key=lambda event: event.at, default=None)
    if last is None or last.kind == _ADDED:
        return ""
    id = str((last.body or {}).get("id"))
    return "" if id in there or _is_pruned(whole, writers, id, since=last.at) else id


def _without(stores: Stores, there: Collection[str]) -> set[str]:
    """Return the names of tasks for which a writer's newest event names a checkpoint that is not among `there`."""
    result: set[str] = set()
    for writer in writer_trust.known(stores.whole):
        wanted = select.Wanted(kinds=(*_KINDS, _ADDED))
        events = select.Reader(stores.whole.files, wanted).behind(writer, 0)
        newest = {str((event.body or {}).get("task")): event for event in events}
        result |= {
            name for name, event in newest.items() if event.kind != _ADDED and (event.body or {}).get("id") not in there
        }
    return result


def missing(stores: Stores) -> list[tuple[str, str]]:
    """Return (task, path) of each current checkpoint whose file is missing."""
    files = stores.whole.files
    there = {id for name in folder.tasks(files) for id in folder.ids(files, name)}
    lost_names = _without(stores, there)
    if not lost_names:
        return []
    slugs = [name.removesuffix(".md") for name in layout.markdown_files(files.listing(layout.TASKS))]
    pairs = [
        (slug, lost(stores, names(stores, slug), there))
        for slug in slugs
        if lost_names.intersection(names(stores, slug))
    ]
    return [(slug, checkpoint.path(folder_of(stores, names(stores, slug), id), id)) for slug, id in pairs if id]


def folder_of(stores: Stores, names: Sequence[str], id: str) -> str:
    """Return the name that the task had when this checkpoint was saved, by the journal; else its present name."""
    for writer in writer_trust.known(stores.whole):
        for name in names:
            wanted = select.Wanted(kinds=_KINDS[:1], task=name)
            if any(
                (event.body or {}).get("id") == id for event in select.Reader(stores.files, wanted).behind(writer, 0)
            ):
                return name
    return names[0]


def pruned(slug: str, ids: Sequence[str]) -> record.Happening:
    """Return the event that records the removal of checkpoints of a task."""
    body = {"ids": [*ids[:_MOST_TOLD]], "count": len(ids)}
    return record.told(PRUNED, f"{slug}: removed {some(ids)}", task=slug, body=body)


def _is_pruned(stores: Stores, writers: Iterable[str], id: str, *, since: str) -> bool:
    """Return whether an event records that the checkpoint was removed; one since then with an incomplete list counts.

    An event that names it always counts: another machine may have restored it later, without knowing.
    """
    for writer in writers:
        for event in select.Reader(stores.files, select.Wanted(kinds=[PRUNED])).behind(writer, 0):
            ids, count = ((event.body or {}).get(key) for key in ("ids", "count"))
            is_named = isinstance(ids, list) and id in ids
            is_whole = isinstance(ids, list) and count == len(ids)
            if is_named or (not is_whole and event.at >= since):
                return True
    return False


def _last_restored(stores: Stores, writer: str, names: Sequence[str]) -> Restored | None:
    """Return the checkpoint of the task that a writer restored last, None if it has saved one since."""
    newest = [
        event
        for name in names
        for event in select.Reader(stores.files, select.Wanted(kinds=_KINDS, task=name)).newest(writer, 1)
    ]
    last = max(newest, key=lambda event: event.seq, default=None)
    if last is None or last.kind != _KINDS[1]:
        return None
    return last.at, str((last.body or {}).get("id")), writer


def _read(files: Files, names: Sequence[str]) -> tuple[str, str] | None:
    """Return (moment, id) of the newest mark of this machine for these names, None without one."""
    pairs = []
    for name in names:
        try:
            messages = files.part(_path(name), _MOST_BYTES)[0].decode("utf-8", "replace").split()
        except AgentwsError:
            continue
        if len(messages) == 2:
            pairs.append((messages[1], messages[0]))
    return max(pairs, key=lambda pair: pair[0], default=None)  # of two with one moment that of the present name


def write(stores: Stores, task: str, id: str = _SAVED) -> None:
    """Mark a checkpoint as restored on this machine; without an id, mark that one was saved since."""
    files = stores.files
    marked = _read(files, [task])
    if id == _SAVED and marked is not None and marked[1] == _SAVED:
        return
    local_dir.prepare(files)
    if not files.exists(layout.RESTORED):
        files.make_folder(layout.RESTORED)
    marks.leave(files, _path(task), f"{id}\n{stores.now_text()}")


def _path(task: str) -> str:
    return f"{layout.RESTORED}/{digest.quick(task.encode())[:16]}"
