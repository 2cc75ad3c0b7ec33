"""Apply a merged state to the workspace: the file changes and the new sync head, in one transaction."""

from __future__ import annotations

import contextlib

from agentws.changes import ABSENT, Change, ChangeSet, Remove, Write
from agentws.core.disk import local_dir
from agentws.core.disk.change import transaction, undo_record
from agentws.core.disk.files import exact
from agentws.core.formats import digest, layout
from agentws.core.formats.travel import conflict
from agentws.core.installation import scope_changes
from agentws.core.states import private
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError
from agentws.features.sync import state
from agentws.features.sync.state import State
from agentws.features.sync.store.repo import FOLDER, HEAD, Repo

VERB = "sync"
_MOST_WATCHED_BYTES = 1 << 15
"""The most bytes of log lines that one sync adds to the record of changes."""


def apply(stores: Stores, repo: Repo, outcome: State, head: str | None, commit: str) -> None:
    """Apply the planned file changes and set the sync head to `commit` (empty: unchanged), all or nothing.

    ChangedUnderneathError if a file has changed since it was merged.
    """
    changes = _changes(repo, outcome)
    if not changes:
        if commit and commit != head:
            _head(stores, commit)
        return
    ours = outcome.ours.tree.get(layout.MANIFEST)
    for change in changes:
        if isinstance(change, Write) and change.path == layout.MANIFEST and ours is not None:
            scope_changes.note(stores.files, repo.blob(ours), change.data)
    tasks = (change for change in changes if private.is_task(change.path))
    private.note(stores.files, {task.path: digest.of(task.data) if isinstance(task, Write) else "" for task in tasks})
    if commit:
        stores.files.make_folder(FOLDER)
        changes.append(_to(stores, commit))
    number = stores.apply(ChangeSet(VERB, tuple(changes)), receives=True, logs=_logs(repo, outcome)).number
    local_dir.done(stores.files, number)
    for path in sorted((each for each in outcome.plan.changes if each.startswith(f"{conflict.FOLDER}/")), reverse=True):
        stores.files.remove_folder(path.rpartition("/")[0])  # where that was the last one
    drop_records(stores, below=number)
    stores.load()
    state.tell_waiting(stores)


def newest_ns(stores: Stores, outcome: State) -> int:
    """Return the newest modification time (ns) of the documents that a sync has just changed; 0 for none."""
    paths = (path for path, value in outcome.plan.changes.items() if value is not None and layout.is_document(path))
    times, files = [0], exact(stores.files)  # a link that arrived is a file with its own time
    for path in paths:
        with contextlib.suppress(AgentwsError):  # it went meanwhile
            times.append(files.status(path).st_mtime_ns)
    return max(times)


def _changes(repo: Repo, outcome: State) -> list[Change]:
    made: list[Change] = []
    for path, value in outcome.plan.changes.items():
        known = outcome.ours.tree.get(path)
        expects = repo.digest(known) if known is not None else ABSENT
        if value is None:
            made.append(Remove(path, expects=expects))
        else:
            made.append(Write(path, value if isinstance(value, bytes) else repo.blob(value), expects=expects))
    return made


def _logs(repo: Repo, outcome: State) -> list[dict[str, object]]:
    """Return the lines that the merge brings to each daily log, of the newest days, for lost_lines.py to watch.

    Each run of lines with its offset; of a log that loses lines, all that stay.
    """
    logs: dict[str, dict[str, object]] = {}
    left_bytes = _MOST_WATCHED_BYTES
    for path in sorted(outcome.plan.changes, key=lambda each: each.rpartition("/")[2], reverse=True):
        folder, _, name = path.rpartition("/")
        value, place = outcome.plan.changes[path], f"{layout.DAYS}/{name}"
        if not path.startswith(f"{layout.DAYS}/") or layout.day_of(name) is None:
            continue
        if folder != layout.DAYS or value is None:
            logs[place] = {"path": place, "anew": True, "runs": []}
            continue
        known = outcome.ours.tree.get(path)
        data = value if isinstance(value, bytes) else repo.blob(value)
        runs = added(repo.blob(known) if known is not None else b"", data)
        is_anew, runs = runs is None, [(0, data)] if runs is None else runs
        size = sum(len(lines) for _, lines in runs)
        is_watched = size <= left_bytes
        left_bytes -= size if is_watched else 0
        plain_runs = [[at, lines.decode("utf-8", "surrogateescape")] for at, lines in runs if is_watched]
        logs.setdefault(place, {"path": place, "anew": is_anew or not is_watched, "runs": plain_runs})
    return [*logs.values()]


def added(before: bytes, after: bytes) -> list[tuple[int, bytes]] | None:
    """Return the runs of lines that were added to a text, with their offsets; None if it lost any line."""
    old, runs, at, offset, is_run = before.splitlines(keepends=True), list[tuple[int, bytes]](), 0, 0, False
    for line in after.splitlines(keepends=True):
        if at < len(old) and line == old[at]:
            at, is_run = at + 1, False
        elif is_run:
            runs[-1] = (runs[-1][0], runs[-1][1] + line)
        else:
            runs.append((offset, line))
            is_run = True
        offset += len(line)
    return runs if at == len(old) else None


def _to(stores: Stores, commit: str) -> Write:
    return Write(HEAD, f"{commit}\n".encode(), expects=stores.files.digest(HEAD))


def _head(stores: Stores, commit: str) -> None:
    stores.files.make_folder(FOLDER)
    to = _to(stores, commit)
    stores.files.replace(HEAD, to.data, expects=to.expects)


def drop_records(stores: Stores, *, below: int | None = None) -> None:
    """Drop the undo records of syncs, durably, or only those of syncs `below` a number.

    `undo` never reverts a sync, and they would push out its own records; they may hold lines that were purged since.
    """
    for record in local_dir.changes(stores.files):
        number = record.get("number")
        is_ours = record.get("verb") == VERB and isinstance(number, int) and (below is None or number < below)
        if is_ours and transaction.is_applied(stores.files, int(str(number))):
            undo_record.drop(stores.files, f"{local_dir.UNDO}/{number:06d}", durably=below is None)
