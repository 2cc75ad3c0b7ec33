"""One look of `watch`: records a state in history, and reports edits that others made since the last look.

Its memory is `.agentws/watched`, which may be lost. Specified in docs/format/local.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from agentws.core import Result
from agentws.core.disk import local_dir, lock
from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.stores import record
from agentws.core.stores.stores import Stores
from agentws.core.text import names
from agentws.errors import AgentwsError, FormatVersionError, MayNotWriteError, NoWorkspaceError
from agentws.features.automation.watch import versions
from agentws.features.automation.watch.plan import ownership
from agentws.features.automation.watch.plan.ownership import Content, Loss
from agentws.features.automation.watch.versions import Document, OwnChanges, Versions
from agentws.features.tasks import edit as task_edit

EVENT = "file.edited"
"""The journal event that names the documents that others changed."""
_SRC = "tool:watch"
"""The origin of that event: file names are words of others."""
_LOCK_TIMEOUT_S = 60.0
MOST_TOLD = 10
"""The most documents of one look that are named."""


class Poller:
    """Looks at one workspace again and again, for `watch`.

    Fields:
        warned: how many warnings it has reported.
        has_failed: whether the newest look failed, or was not recorded.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._seen: Position | None = None
        self._told: list[tuple[str, str]] = []
        self._said: set[str] = set()
        self.warned = 0
        self.has_failed = False

    def look(self) -> Iterator[Observation]:
        """Look once and yield the sightings; AgentwsError if nothing may be written in the workspace."""
        stores = self._stores
        stores.begin()
        observations: list[Observation] = []
        try:
            self._look(observations)
            self.has_failed = bool(stores.history_failure()) and stores.keeps_history()
        except (MayNotWriteError, NoWorkspaceError, FormatVersionError):
            raise
        except AgentwsError as error:
            self.has_failed = True
            stores.notices.append(f"{error.message} {error.hint or ''}".rstrip())
        yield from observations
        yield from self._notices(stores.notices)

    def _notices(self, messages: list[str]) -> Iterator[Observation]:
        """Yield the notices of a look that the look before did not give already."""
        new = [notice for notice in dict.fromkeys(messages) if notice not in self._said]
        self._said = set(messages)
        kind = FAILED if self.has_failed else NOTICE
        yield from (Observation(kind, self._stores.clock.now(), text=notice) for notice in new)

    def _look(self, observations: list[Observation]) -> None:
        """Compare the documents with the last look, and add sightings to `observations` before they are recorded."""
        stores = self._stores
        stores.load()
        stores.close_journal()
        stores.check_writable()
        local_dir.prepare(stores.files)
        stores.settle()
        with lock.Lock(stores.files, LOCK, timeout_s=_LOCK_TIMEOUT_S, note="watch", idle=True):
            self._look_alone(observations)

    def _look_alone(self, observations: list[Observation]) -> None:
        stores = self._stores
        seen = read(stores.files) or self._seen
        before = versions.earlier(stores, seen.state, seen.apart) if seen is not None else None
        since = None
        if seen is None or before is None:
            before, since = versions.present(stores, holds=False)
            seen = Position(before.state, 0, before.apart)
        own = OwnChanges(stores.files, after=seen.change if since is None else None, since=since)
        tip = versions.newest(stores)
        stores.record("watch")
        now, _ = versions.present(stores)
        is_recorded = now.state not in ("", tip)
        edits = between(before, now, own)
        observations += self._tell(before, now, edits)
        observations += [Observation(RECORDED, stores.clock.now(), state=now.state)] if is_recorded else []
        if edits:
            self._record(before, now, edits)
        self._seen = Position(now.state, own.newest, now.apart)
        if seen != self._seen:
            write(stores.files, self._seen)

    def _tell(self, before: Versions, now: Versions, edits: list[Edit]) -> list[Observation]:
        """Return the sightings of one look, only once: changes that could not be recorded are looked at again."""
        there = now.documents
        contents = [(edit.path, there[edit.path].id if edit.path in there else "") for edit in edits]
        if edits and contents == self._told:
            return []
        self._told = contents
        at = self._stores.clock.now()
        observations = [_edited(edit, at) for edit in edits[:MOST_TOLD]]
        if len(edits) > MOST_TOLD:
            observations.append(Observation(EDITED, at, more=len(edits) - MOST_TOLD))
        warnings = [edit for edit in edits if edit.loss.warning]
        observations += [_warning(edit, before, at) for edit in warnings[:MOST_TOLD]]
        if len(warnings) > MOST_TOLD:
            observations.append(Observation(WARNING, at, more=len(warnings) - MOST_TOLD, state=before.state or None))
        self.warned += len(warnings)
        return observations

    def _record(self, before: Versions, now: Versions, edits: list[Edit]) -> None:
        """Record the edits in the journal: one event for all of them, and those of tasks."""
        stores = self._stores
        body = {
            "since": before.state or None,
            "state": now.state or None,
            "count": len(edits),
            "files": [_fields(edit) for edit in edits[:MOST_TOLD]],
        }
        listed = names.some([_edit_text(edit) for edit in edits])
        event = record.told(EVENT, f"Edited outside agentws: {listed}", via=_SRC, body=body)
        event.session = record.NOBODY
        stores.notices += record.record(stores, [event])[1]
        if any(edit.path.startswith(f"{layout.TASKS}/") for edit in edits):
            try:
                task_edit.note_edits(stores)
            except AgentwsError as error:
                stores.notices.append(f"Task edits were not recorded: {error.message} The next task command does it.")


def _edited(edit: Edit, at: datetime) -> Observation:
    return Observation(EDITED, at, **_fields(edit))


def _fields(edit: Edit) -> dict[str, object]:
    fields = {"path": edit.path, "status": edit.status, "added": edit.loss.added, "removed": edit.loss.removed}
    return {**fields, "lost": edit.loss.lost, **({"was": edit.was} if edit.was else {})}


def _edit_text(edit: Edit) -> str:
    if edit.status in (REMOVED, MOVED):
        return f"{edit.was or edit.path} {edit.status}"
    return f"{edit.path} +{edit.loss.added} -{edit.loss.removed}"


def _warning(edit: Edit, before: Versions, at: datetime) -> Observation:
    return Observation(
        WARNING,
        at,
        path=edit.path,
        why=edit.loss.warning,
        lost=edit.loss.lost,
        entries=edit.loss.entries,
        before_bytes=edit.loss.before_bytes,
        after_bytes=edit.loss.after_bytes,
        state=before.state if before.state and edit.path not in before.apart else None,
    )


ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"
_IDENTITY = "identity/"
"""A folder that is skipped: agentws's additions there are not in its record of changes; `identity verify` checks it."""
_AT_ONCE = 50
_MOST_READ = 500


@dataclass(slots=True)
class Edit:
    """A document that others changed between two looks: `path` is its newest path, `was` the one before a move.

    `status` is ADDED, REMOVED, CHANGED or MOVED; `loss` what it has lost (features/automation/watch/plan/ownership.py).
    """

    path: str
    status: str
    loss: Loss
    was: str = ""


def between(before: Versions, now: Versions, own: OwnChanges) -> list[Edit]:
    """Return the documents that others changed between two looks, by path."""
    then, there = before.documents, now.documents
    paths = sorted(path for path in {*then, *there} if then.get(path) != there.get(path))
    paths = [path for path in paths if not path.startswith(_IDENTITY)]
    moved = _moved({path: then[path] for path in paths if path in then and path not in there}, there, then)
    edits: list[Edit] = []
    doubted: list[tuple[Edit, Content, Content]] = []
    for start in range(0, len(paths), _AT_ONCE):
        some = paths[start : start + _AT_ONCE]
        old, new = before.contents(some), now.contents(path for path in some if path in then or path in own.steps)
        for path in some:
            if path in moved.values():
                continue
            for edit, was, is_now in _edits(path, before, now, old, new, own, moved):
                edits.append(edit)
                if edit.loss.lost:
                    doubted.append((edit, was, is_now))
    if doubted:
        elsewhere = _entries(now, [path for path in paths if path in there][:_MOST_READ], then, before)
        for edit, was, is_now in doubted:
            others = {entry for path, entries in elsewhere.items() if path != edit.path for entry in entries}
            edit.loss = ownership.loss(edit.path, was, is_now, elsewhere=others)
    return edits


def _edits(
    path: str,
    before: Versions,
    now: Versions,
    old: Mapping[str, bytes],
    new: Mapping[str, bytes],
    own: OwnChanges,
    moved: Mapping[str, str],
) -> Iterator[tuple[Edit, Content, Content]]:
    """Yield (edit, content before, content after) for the change of one document by others, if there is one."""
    then, there = before.documents.get(path), now.documents.get(path)
    if then is not None and versions.is_content(then, new.get(path)):
        return  # unchanged, and in history since
    status = ADDED if then is None else CHANGED if there is not None else REMOVED
    steps = own.steps.get(path, ())
    if path in moved:
        if not steps:
            yield Edit(moved[path], MOVED, ownership.loss_of_size(0, 0), was=path), None, None
        return
    if (then is not None and path not in old) or (there is not None and path not in new):
        # Its content is not known: no state of history has it, or the new content need not be read.
        if not steps and not own.forgotten:
            size = 0 if then is None else then.size
            loss = ownership.loss_of_size(size, there.size if there is not None else None)
            yield Edit(path, status, loss), None, None
        return
    pairs = ownership.foreign(old.get(path), new.get(path), steps, {})
    if pairs and steps:
        pairs = ownership.foreign(old.get(path), new.get(path), steps, now.earlier(path))
    if pairs and not own.forgotten:
        was, is_now = max(pairs, key=lambda pair: ownership.loss(path, *pair).lost)
        status = ADDED if was is None else CHANGED if is_now is not None else REMOVED
        yield Edit(path, status, ownership.loss(path, was, is_now)), was, is_now


def _moved(gone: Mapping[str, Document], there: Mapping[str, Document], then: Mapping[str, Document]) -> dict[str, str]:
    """Return path then → path now of the documents that were moved, byte for byte."""
    new = {version.id: path for path, version in there.items() if path not in then}
    result: dict[str, str] = {}
    for path, version in gone.items():
        if version.id in new:
            result[path] = new.pop(version.id)
    return result


def _entries(
    now: Versions, paths: Iterable[str], then: Mapping[str, Document], before: Versions
) -> dict[str, set[str]]:
    """Return, by path, the entries of these documents that they did not have before."""
    paths = list(paths)
    try:
        new, old = now.contents(paths), before.contents([path for path in paths if path in then])
    except AgentwsError:
        return {}
    return {
        path: {*ownership.entries(path, data)} - {*ownership.entries(path, old.get(path, b""))}
        for path, data in new.items()
    }


WATCHING, EDITED, WARNING, RECORDED = "watching", "edited", "warning", "recorded"
NOTICE, FAILED, STOPPED = "notice", "failed", "stopped"


class Observation(Result):
    """Something that `watch` reports.

    Fields:
        kind: WATCHING, EDITED, WARNING, RECORDED, NOTICE, FAILED or STOPPED.
        at: when.
        facts: the facts of this kind, by name (docs/guides/watch.md).
    """

    __slots__ = ("at", "facts", "kind")

    def __init__(self, kind: str, at: datetime, **facts: Any) -> None:
        self.kind = kind
        self.at = at
        self.facts = facts


LOCK = "watch"
"""Held during one check, never while a watcher waits: with two watchers, each change is reported by one."""
PATH = f"{local_dir.FOLDER}/watched"


@dataclass(slots=True)
class Position:
    """The watcher's position: the newest state of history that it has seen, empty for none.

    `change` is the number of the newest change by agentws then; `apart` has, by path, (digest, bytes) of documents that
    no state of history holds.
    """

    state: str
    change: int
    apart: dict[str, tuple[str, int]]


def read(files: Files) -> Position | None:
    """Return the watcher's position saved last, None if unknown."""
    try:
        decoded = plainjson.loads(files.read(PATH))
        apart = {str(path): (str(seen[0]), int(seen[1])) for path, seen in decoded["apart"].items()}
        return Position(str(decoded["state"]), int(decoded["change"]), apart)
    except (AgentwsError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return None


def write(files: Files, seen: Position) -> None:
    """Save the watcher's position, durably; AgentwsError if the disk refuses."""
    data = plainjson.dumps({"agentws": 1, **asdict(seen)}, indent=1).encode() + b"\n"
    files.replace(PATH, data, expects=files.digest(PATH))
