"""One look of a watcher: a state in history, and what others did since the last look, told and recorded."""

from __future__ import annotations

from agentws.core.disk import local_dir, lock
from agentws.core.disk.watch import position
from agentws.core.disk.watch.position import Position
from agentws.core.formats import layout
from agentws.core.stores import record
from agentws.core.text import names
from agentws.errors import AgentwsError, FormatVersionError, MayNotWriteError, NoWorkspaceError
from agentws.features.automation.watch import edits as _edits
from agentws.features.automation.watch import sighting, versions
from agentws.features.automation.watch.own_changes import OwnChanges
from agentws.features.automation.watch.sighting import Sighting
from agentws.features.tasks import edit as task_edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from agentws.core.stores.stores import Stores
    from agentws.features.automation.watch.edits import Edit
    from agentws.features.automation.watch.versions import Versions

EVENT = "file.edited"
"""The event that tells which documents others changed."""
_SRC = "tool:watch"
"""Names of files are others' words."""
_LOCK_TIMEOUT_S = 60.0
MOST_TOLD = 10
"""So many documents of one look are named."""


class Looker:
    """Looks at one workspace again and again.

    Fields:
        warned: how many warnings it has told.
        has_failed: whether the newest look could not be carried out, or recorded.
    """

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._seen: Position | None = None
        self._told: list[tuple[str, str]] = []
        self._said: set[str] = set()
        self.warned = 0
        self.has_failed = False

    def look(self) -> Iterator[Sighting]:
        """Yield what there is to tell. AgentwsError where nothing may be written here any more."""
        stores = self._stores
        stores.begin()
        found: list[Sighting] = []
        try:
            self._look(found)
            self.has_failed = bool(stores.history_failure()) and stores.keeps_history()
        except (MayNotWriteError, NoWorkspaceError, FormatVersionError):
            raise
        except AgentwsError as error:
            self.has_failed = True
            stores.notices.append(f"{error.message} {error.hint or ''}".rstrip())
        yield from found
        yield from self._notices(stores.notices)

    def _notices(self, said: list[str]) -> Iterator[Sighting]:
        """What is to be said besides, once as long as it stays so."""
        new = [notice for notice in dict.fromkeys(said) if notice not in self._said]
        self._said = set(said)
        kind = sighting.FAILED if self.has_failed else sighting.NOTICE
        yield from (Sighting(kind, self._stores.clock.now(), text=notice) for notice in new)

    def _look(self, told: list[Sighting]) -> None:
        """Look, and add to `told` what there is to tell, before it is recorded."""
        stores = self._stores
        stores.load()
        stores.close_journal()
        stores.check_writable()
        local_dir.prepare(stores.files)
        stores.settle()
        with lock.Lock(stores.files, position.LOCK, timeout_s=_LOCK_TIMEOUT_S, note="watch", idle=True):
            self._look_alone(told)

    def _look_alone(self, told: list[Sighting]) -> None:
        stores = self._stores
        seen = position.read(stores.files) or self._seen
        before = versions.earlier(stores, seen.state, seen.apart) if seen is not None else None
        since = None
        if seen is None or before is None:
            before, since = versions.present(stores)
            seen = Position(before.state, 0, before.apart)
        own = OwnChanges(stores.files, after=seen.change if since is None else None, since=since)
        tip = versions.newest(stores)
        stores.record("watch")
        now, _ = versions.present(stores)
        is_recorded = now.state not in ("", tip)
        found = _edits.between(before, now, own)
        told += self._tell(before, now, found)
        told += [Sighting(sighting.RECORDED, stores.clock.now(), state=now.state)] if is_recorded else []
        if found:
            self._record(before, now, found)
        self._seen = Position(now.state, own.newest, now.apart)
        if _is_other(seen, self._seen):
            position.write(stores.files, self._seen)

    def _tell(self, before: Versions, now: Versions, found: list[Edit]) -> list[Sighting]:
        """The sightings of one look, once: what could not be recorded is looked at again."""
        there = now.documents
        contents = [(edit.path, there[edit.path].id if edit.path in there else "") for edit in found]
        if found and contents == self._told:
            return []
        self._told = contents
        at = self._stores.clock.now()
        told = [_edited(edit, at) for edit in found[:MOST_TOLD]]
        if len(found) > MOST_TOLD:
            told.append(Sighting(sighting.EDITED, at, more=len(found) - MOST_TOLD))
        warnings = [edit for edit in found if edit.loss.warning]
        told += [_warning(edit, before, at) for edit in warnings[:MOST_TOLD]]
        if len(warnings) > MOST_TOLD:
            told.append(Sighting(sighting.WARNING, at, more=len(warnings) - MOST_TOLD, state=before.state or None))
        self.warned += len(warnings)
        return told

    def _record(self, before: Versions, now: Versions, found: list[Edit]) -> None:
        """Tell the journal: one event for all, and what has become of tasks."""
        stores = self._stores
        body = {
            "since": before.state or None,
            "state": now.state or None,
            "count": len(found),
            "files": [_fields(edit) for edit in found[:MOST_TOLD]],
        }
        said = names.some([_said(edit) for edit in found])
        event = record.told(EVENT, f"Edited outside agentws: {said}", via=_SRC, body=body)
        event.session = record.NOBODY
        stores.notices += record.record(stores, [event])[1]
        if any(edit.path.startswith(f"{layout.TASKS}/") for edit in found):
            try:
                task_edit.note_edits(stores)
            except AgentwsError as error:
                stores.notices.append(f"Task edits were not recorded: {error.message} The next task command does it.")


def _is_other(seen: Position, new: Position) -> bool:
    return (seen.state, seen.change, seen.apart) != (new.state, new.change, new.apart)


def _edited(edit: Edit, at: datetime) -> Sighting:
    return Sighting(sighting.EDITED, at, **_fields(edit))


def _fields(edit: Edit) -> dict[str, object]:
    found = {"path": edit.path, "status": edit.status, "added": edit.loss.added, "removed": edit.loss.removed}
    return {**found, "lost": edit.loss.lost, **({"was": edit.was} if edit.was else {})}


def _said(edit: Edit) -> str:
    if edit.status in (_edits.REMOVED, _edits.MOVED):
        return f"{edit.was or edit.path} {edit.status}"
    return f"{edit.path} +{edit.loss.added} -{edit.loss.removed}"


def _warning(edit: Edit, before: Versions, at: datetime) -> Sighting:
    return Sighting(
        sighting.WARNING,
        at,
        path=edit.path,
        why=edit.loss.warning,
        lost=edit.loss.lost,
        entries=edit.loss.entries,
        before_bytes=edit.loss.before_bytes,
        after_bytes=edit.loss.after_bytes,
        state=before.state if before.state and edit.path not in before.apart else None,
    )
