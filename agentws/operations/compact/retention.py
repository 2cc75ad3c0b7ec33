"""Files that the rules of retention find due: closed handoffs, finished tasks, answered approvals, archived days."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from agentws.errors import AgentwsError, TooLargeError, UnsafeFileError
from agentws.formats import layout
from agentws.formats.documents import document, handoff, sources, task
from agentws.operations.compact import inputs
from agentws.planning.compact import retention
from agentws.planning.compact.retention import Shelved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.formats.documents.handoff import Handoff
    from agentws.formats.documents.sources import Folded
    from agentws.operations.compact.inputs import Input
    from agentws.planning.compact.retention import Rules
    from agentws.planning.notes.document import File
    from agentws.storage.workspace.stores import Stores

_SUFFIX = ".md"


def into(stores: Stores, found: Input, today: str) -> Input:
    """Return the input of a run, with all that the manifest's rules of retention find due."""
    settings = {name: stores.manifest.setting(f"retention.{name}") for name in retention.NAMES}
    rule = retention.rules(settings, today)
    moved = _due(stores, rule, found.skipped)
    expired = _expired(stores, rule, found.skipped)
    days = {*(day for day, _, _ in moved), *(row.day for row, _ in expired)}
    months = {path: inputs.document(stores, path) for path in sorted(map(sources.month_path, days))}
    shelved = [*found.folder.shelved, *moved]
    found.folder = replace(found.folder, shelved=shelved, expired=expired, months={**months, **found.folder.months})
    return found


def _due(stores: Stores, rule: Rules, skipped: list[tuple[str, str]]) -> list[tuple[str, File, str]]:
    """(day, file, where to) of each closed handoff and task that is over and due to move."""
    found: list[Shelved] = []
    if rule.handoffs:
        found += _handoffs(stores, skipped)
    if rule.tasks:
        found += _tasks(stores, skipped)
    if rule.approvals:
        found += _approvals(stores, skipped)
    dated = [one for one in found if one.day]
    taken = {to for one in dated if stores.files.exists(to := retention.place(one))}
    days = {one.file.path: one.day for one in dated}
    due: list[tuple[str, File, str]] = []
    for file, to in retention.moved(dated, rule, taken):
        if way := _in_the_way(stores, to):
            skipped.append((file.path, f"{way} is not a folder"))
        else:
            due.append((days[file.path], file, to))
    return due


def _in_the_way(stores: Stores, to: str) -> str:
    """What stands where a folder of the archive would be, empty where nothing does."""
    names = to.split("/")[:-1]
    for depth in range(1, len(names)):
        above, name = "/".join(names[:depth]), names[depth]
        if dict(stores.files.names(above)).get(name, "folder") != "folder":
            return f"{above}/{name}"
    return ""


def _expired(stores: Stores, rule: Rules, skipped: list[tuple[str, str]]) -> list[tuple[Folded, File]]:
    """The archived days that the rule keeps no longer."""
    if not rule.archive:
        return []
    found: list[tuple[Folded, File]] = []
    for row in inputs.everything(stores).sidecar.every():
        if _is_day(row) and retention.is_due(row.day, rule):
            try:
                file = inputs.document(stores, row.to)
            except (UnsafeFileError, TooLargeError) as error:
                skipped.append((row.to, _why(row.to, error)))
                continue
            if file.digest:
                found.append((row, file))
    return found


def _is_day(one: Folded) -> bool:
    return one.to.startswith(f"{layout.ARCHIVE}/") and not one.is_deleted


def _handoffs(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[Shelved]:
    """The handoffs that are not open. One that follows another stays as long as that one would be open without it."""
    read = [(one, handoff.Handoff(one.path, made)) for one, made in _documents(stores, layout.HANDOFFS, skipped)]
    is_open = {note.path for note in handoff.still_open([note for _, note in read])}
    for one, note in read:
        if note.path not in is_open and not _holds_another(note, [other for _, other in read]):
            yield Shelved(one, layout.HANDOFFS, note.at[:10] if layout.is_day(note.at[:10]) else "")


def _holds_another(note: Handoff, others: list[Handoff]) -> bool:
    return any(
        not other.closed and {other.path, other.name, other.session} & set(note.follows)
        for other in others
        if other.path != note.path
    )


def _tasks(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[Shelved]:
    for one, made in _documents(stores, layout.TASKS, skipped):
        found = task.Task(one.path.rpartition("/")[2].removesuffix(_SUFFIX), made)
        if found.status.lower() in task.OVER:
            day = (found.updated or found.created)[:10]
            yield Shelved(one, layout.TASKS, day if layout.is_day(day) else "")


def _approvals(stores: Stores, skipped: list[tuple[str, str]]) -> Iterator[Shelved]:
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
    for one, _ in _documents(stores, layout.APPROVALS, skipped):
        id = one.path.rpartition("/")[2].removesuffix(_SUFFIX)
        if since := standing.over_since([standing.Fact(*told) for told in facts.get(id, [])]):
            yield Shelved(one, layout.APPROVALS, since[:10])


def _documents(stores: Stores, folder: str, skipped: list[tuple[str, str]]) -> Iterator[tuple[File, document.Document]]:
    """The documents of a folder; one that cannot be read stays where it is."""
    for name in stores.files.listing(folder):
        if name.endswith(_SUFFIX) and not name.startswith("."):
            path = f"{folder}/{name}"
            try:
                one = inputs.document(stores, path)
                made = document.decode(one.data, where=path)
            except AgentwsError as error:
                skipped.append((path, _why(path, error)))
                continue
            yield one, made


def _why(path: str, error: AgentwsError) -> str:
    return error.message.removeprefix(f"{path}: ").rstrip(".")
