"""Files that the rules of retention find due: closed handoffs, finished tasks, answered approvals, archived days."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.errors import AgentwsError, TooLargeError, UnsafeFileError
from agentws.formats import layout
from agentws.formats.documents import document, handoff, sources, task
from agentws.operations.compact import inputs
from agentws.planning.compact import retention

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agentws.formats.documents.sources import Folded
    from agentws.planning.compact.entries import Folder
    from agentws.planning.notes.document import File
    from agentws.storage.workspace.stores import Stores

_SUFFIX = ".md"


def into(stores: Stores, folder: Folder, today: str) -> Folder:
    """Return the input of a run, with all that the manifest's rules of retention find due."""
    settings = {name: stores.manifest.setting(f"retention.{name}") for name in retention.NAMES}
    last = retention.rules(settings, today)
    moved = list(_due(stores, last, folder.skipped))
    expired = list(_expired(stores, last["archive"], folder.skipped)) if last["archive"] else []
    days = {*(day for day, _, _ in moved), *(row.day for row, _ in expired)}
    return replace(
        folder,
        shelved=[*folder.shelved, *((day, file) for day, file, _ in moved)],
        archive={**folder.archive, **{file.path: to for _, file, to in moved}},
        expired=expired,
        months={path: inputs.document(stores, path) for path in map(sources.month_path, days)} | {**folder.months},
    )


def _due(stores: Stores, last: Mapping[str, str], skipped: list[tuple[str, str]]) -> Iterator[tuple[str, File, str]]:
    """(day, file, where to) of each closed handoff, task and approval that is over and due to move.

    It goes to the archive of its folder, by year; what stands there stays.
    """
    kinds = ((layout.HANDOFFS, _handoffs), (layout.TASKS, _tasks), (layout.APPROVALS, _approvals))
    for folder, over in kinds:
        for day, file in over(stores, skipped) if last[folder] else ():
            to = f"{folder}/archive/{day[:4]}/{file.path.rpartition('/')[2]}"
            if not layout.is_day(day) or day > last[folder] or stores.files.exists(to):
                continue
            if way := _in_the_way(stores, to):
                skipped.append((file.path, f"{way} is not a folder"))
            else:
                yield day, file, to


def _in_the_way(stores: Stores, to: str) -> str:
    """What stands where a folder of the archive would be, empty where nothing does."""
    names = to.split("/")[:-1]
    for depth in range(1, len(names)):
        above, name = "/".join(names[:depth]), names[depth]
        if dict(stores.files.names(above)).get(name, "folder") != "folder":
            return f"{above}/{name}"
    return ""


def _expired(stores: Stores, last: str, skipped: list[tuple[str, str]]) -> Iterator[tuple[Folded, File]]:
    """The archived days that the rule keeps no longer."""
    for row in inputs.everything(stores).sidecar.every():
        if row.to.startswith(f"{layout.ARCHIVE}/") and not row.is_deleted and row.day <= last:
            try:
                file = inputs.document(stores, row.to)
            except (UnsafeFileError, TooLargeError) as error:
                skipped.append((row.to, inputs.why(row.to, error)))
                continue
            if file.digest:
                yield row, file


def _handoffs(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[tuple[str, File]]:
    """The handoffs that are not open. One that follows another stays as long as that one would be open without it."""
    notes = [(file, handoff.Handoff(file.path, made)) for file, made in _documents(stores, layout.HANDOFFS, skipped)]
    is_open = {note.path for note in handoff.still_open([note for _, note in notes])}
    unclosed = [note for _, note in notes if not note.closed]
    for file, note in notes:
        holds = any({other.path, other.name, other.session} & {*note.follows} for other in unclosed if other != note)
        if note.path not in is_open and not holds:
            yield note.at[:10], file


def _tasks(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[tuple[str, File]]:
    for file, made in _documents(stores, layout.TASKS, skipped):
        entry = task.Task(file.path.rpartition("/")[2].removesuffix(_SUFFIX), made)
        if entry.status.lower() in task.OVER:
            yield (entry.updated or entry.created)[:10], file


def _approvals(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[tuple[str, File]]:
    """The approvals that were used, rejected or not answered in time, by the journal: what a file says counts for none.

    One that may still be used stays.
    """
    from agentws.planning.ask import standing
    from agentws.storage.workspace import approval_events

    unread: list[str] = []
    facts = approval_events.by_id(stores, unread)
    if unread:
        skipped.append((layout.APPROVALS, "the journal cannot be read as a whole"))
        return
    for file, _ in _documents(stores, layout.APPROVALS, skipped):
        id = file.path.rpartition("/")[2].removesuffix(_SUFFIX)
        if since := standing.over_since([standing.Fact(*fact) for fact in facts.get(id, [])]):
            yield since[:10], file


def _documents(stores: Stores, folder: str, skipped: list[tuple[str, str]]) -> Iterator[tuple[File, document.Document]]:
    """The documents of a folder; one that cannot be read stays where it is."""
    for name in stores.files.listing(folder):
        if name.endswith(_SUFFIX) and not name.startswith("."):
            path = f"{folder}/{name}"
            try:
                file = inputs.document(stores, path)
                made = document.decode(file.data, where=path)
            except AgentwsError as error:
                skipped.append((path, inputs.why(path, error)))
                continue
            yield file, made
