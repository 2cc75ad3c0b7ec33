"""How every verb changes a task: under a lock, first its file, then its journal event.

The file is the truth. If a process dies between the two, or a person edits the file, the journal's last event is
outdated: the next verb records what the file says before it does its own work.
"""

from __future__ import annotations

from agentws.changes import ABSENT, ChangeSet, Remove, Write
from agentws.core import Record, Result
from agentws.core.disk import local_dir, lock, task_heads
from agentws.core.disk.change import transaction
from agentws.core.formats import audience, layout
from agentws.core.formats.documents import document, task
from agentws.core.formats.journal import event
from agentws.core.formats.secrets import secrets
from agentws.core.notes import schedule, transitions, vocabulary
from agentws.core.stores import record, seals
from agentws.core.text import names, origin, sanitize, utf8
from agentws.errors import AgentwsError, LockHeldError, UsageError
from agentws.features.tasks import journal_state
from agentws.features.tasks.store import TaskFile, TaskStore, archived

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import date, datetime
    from types import TracebackType
    from typing import Any

    from agentws.core.formats.documents.task import Task
    from agentws.core.notes.transitions import TaskChange
    from agentws.core.stores.stores import Stores

    _Happened = tuple[str, str, dict[str, Any], str]
    """A task event to record: slug, kind, body and source."""

_LOCK = "tasks"
_KNOWS_SESSION = (transitions.START, transitions.RESUME, transitions.STEP)
_MOST_AT_ONCE = 1_000
"""Edits that are recorded at once, so that those of fifty thousand tasks need no more memory than these."""


class TaskChanged(Record, Result):
    """The result of a verb that changes a task: `task` as it is now, `before` its status before, `path` its file.

    `changed` is False if nothing had to change; `noticed` are the slugs of tasks whose files were edited since the
    journal's last event about them; `now` is the moment of the change.
    """

    verb: str
    slug: str
    path: str
    task: Task
    before: str | None
    changed: bool
    noticed: list[str]
    now: datetime
    notices: list[str]


class Bench:
    """The tasks under a lock, for a verb that changes some of them, within a `with` block.

    `store` are the task files, `now` is the present moment, `src` is whose words the verb was given. On entry, edits of
    task files that the journal does not know are recorded, for a new task only some; `noticed` are their slugs.
    """

    def __init__(self, stores: Stores, verb: str, src: str | None = None) -> None:
        stores.check_writable()
        self.stores = stores
        self.verb = verb
        self.src = src
        self.now = stores.clock.now()
        self.noticed: list[str] = []
        self._archived: set[str] = set()
        self._session: str | None = None
        self._heard: Collection[str] | None = None
        local_dir.prepare(stores.files)
        self._lock = lock.Lock(stores.files, _LOCK, note=f"task {verb}")

    def __enter__(self) -> Bench:
        self._lock.__enter__()
        try:
            self.stores.settle()
            self._heard = self._heard_slugs()
            self.store = TaskStore(self.stores, heard=self._heard)
            self._known = journal_state.LastTold(self.stores, self.stores.notices)
            self._notice(self._few() if self.verb == transitions.ADD else self._known.slugs.union(self.store.names))
        except BaseException:
            self._lock.__exit__()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._lock.__exit__()

    def _heard_slugs(self) -> Collection[str] | None:
        """Return the tasks that the audience of this verb may know of; None for all."""
        heard = self.stores.visible_to()
        if heard is self.stores:
            return None
        return {
            name.removesuffix(".md") for name in heard.own_documents(layout.TASKS, heard.files.listing(layout.TASKS))
        }

    @property
    def is_for_others(self) -> bool:
        """Return whether others read what the verb prints, so that it must not even name tasks not meant for them."""
        return self._heard is not None

    def session(self) -> str | None:
        """Return the session of the task events; a name that the journal refuses raises its error here."""
        if self._session is None:
            name = self.stores.environment.session or self.stores.appender().running()
            event.check_words(kind=transitions.EDITED, session=name, src="agent")
            secrets.refuse(name)
            self._session = name or record.NOBODY
        return self._session or None

    def _few(self) -> set[str]:
        """Return the tasks to check before adding one: those a killed verb may not have recorded, and missing ones."""
        last = map(task_heads.slug, transaction.newest_within(self.stores.files, layout.TASKS))
        return (self._known.slugs - self.store.names.keys()) | set(last)

    def _notice(self, slugs: Collection[str]) -> None:
        """Record an event for each of these tasks whose file is not as the journal knows it."""
        happened: list[_Happened] = []
        for slug, task_file in self.store.each(sorted(slugs)):
            notice = self._unknown(slug, task_file)
            if notice is not None and not self.is_forgotten(slug):
                happened.append((slug, *notice, task_file.task.src if task_file else ""))
                if slug not in self._archived:
                    self.noticed.append(slug)
            if len(happened) == _MOST_AT_ONCE:
                self._record(happened)
                happened.clear()
        if happened:
            self._record(happened)

    def _unknown(self, slug: str, task_file: TaskFile | None) -> tuple[str, dict[str, Any]] | None:
        """Return the event to record for a task before the verb's own, None for none."""
        known = self._known.of(slug)
        newest = known[0] if known else None
        if task_file is None:
            # An unreadable file still exists.
            return None if slug in self.store.names else self._left(slug, known)
        if any(fields["file"] == task_file.digest for fields in known) or self._is_received(task_file):
            return None
        try:
            return transitions.noticed(newest, task_file.task, task_file.digest)
        except AgentwsError:
            return None  # its front matter cannot be read, which `task list` reports

    def _left(self, slug: str, known: Sequence[dict[str, Any]]) -> tuple[str, dict[str, Any]] | None:
        """Return the event for a task whose file is gone: deleted, or archived as the journal knew it."""
        notice = transitions.noticed(known[0] if known else None, None, "")
        if notice is None:
            return None
        path = archived(self.stores.files, slug, {fields["file"] for fields in known})
        if path:
            self._archived.add(slug)
        return transitions.noticed(known[0], None, "", archived=path)

    def _is_received(self, task_file: TaskFile) -> bool:
        from agentws.core.states import private  # few files are not as the journal says

        return private.holds(self.stores.files, task_file.path, task_file.digest)

    def apply(
        self,
        changes: Sequence[tuple[TaskFile | None, TaskFile, TaskChange]],
        name: str,
        *,
        renamed: TaskFile | None = None,
    ) -> None:
        """Write these task files (before, after) in one change, then record the events.

        A `renamed` task's old file is removed, and that is recorded first.
        """
        self.stores.refuse_forgotten(*(change.text for _, _, change in changes))
        self.session()  # before a file changes
        writes: list[Write | Remove] = [
            Write(new.path, new.data, expects=old.digest if old and old is not renamed else ABSENT)
            for old, new, _ in changes
        ]
        happened: list[_Happened] = []
        if renamed is not None:
            writes.append(Remove(renamed.path, expects=renamed.digest))
            gone = {"text": f"renamed to {changes[0][1].slug}", "before": renamed.task.status, "after": None}
            happened.append((renamed.slug, transitions.RENAMED, gone, renamed.task.src))
        self.stores.apply(ChangeSet(name, tuple(writes)))
        happened += [
            (
                *(new.slug, change.kind, transitions.told(change, old.task if old else None, new.task, new.digest)),
                origin.lowest([self.src, new.task.src or None]),
            )
            for old, new, change in changes
        ]
        try:
            self._record(happened)
        except AgentwsError as error:
            paths = names.some(new.path for _, new, _ in changes)
            # Running the verb again does not help: the file has the change already.
            hint = None if isinstance(error, LockHeldError) else error.hint
            raise type(error)(
                f"{paths}: changed, but not recorded in the journal: {error.message}",
                hint=hint or "The next task command records the change.",
            ) from error
        self.stores.notices += seals.quietly(self.stores, due=True)

    def is_forgotten(self, slug: str) -> bool:
        """Return whether the name of a task contains forgotten text."""
        if not self.stores.files.exists(layout.KEPT_OUT):
            return False
        from agentws.core.stores import kept_out  # only where something was forgotten

        return kept_out.holds(self.stores, slug)

    def _record(self, happened: Sequence[_Happened]) -> None:
        """Record these task events, in this order; each names the events of other writers that it follows.

        Events of a task with a forgotten name are left out: the journal no longer knows it.
        """
        own = self.stores.appender().writer
        happenings = []
        for slug, kind, body, src in happened:
            if self.is_forgotten(slug):
                continue
            knows = [fields["cursor"] for fields in self._known.of(slug) if not fields["cursor"].startswith(own)]
            known = {**body, journal_state.KNOWS: knows} if knows else body
            happening = record.told(kind, task=slug, body=known, via=src or None)
            happening.session = self.session() or record.NOBODY
            happenings.append(happening)
        self.stores.notices += record.record(self.stores, happenings)[1]

    def due(self, text: str | date) -> str:
        """Return the day or moment that `text` names for a task's `due`; one that is past is a notice. UsageError."""
        day, is_past = schedule.due(text, now=self.now, day_name=vocabulary.day)
        self.stores.notices += [f"The due date {str(text).strip()} is in the past: already overdue."] if is_past else []
        return day

    def changed(self, task_file: TaskFile, change: TaskChange) -> TaskFile:
        """Return the task's file as it will be after this change."""
        state = {**change.state, "updated": self.now.isoformat(timespec="seconds")}
        if ("step" in change.state or "waiting_on" in change.state) and origin.is_outside(self.src):
            state["src"] = origin.lowest([self.src, task_file.task.src or None])
        if self.verb in _KNOWS_SESSION:
            state["session"] = self.session()
        if task_file.task.state == change.status:
            del state["status"]  # the user's own word for the same status stays
        if self.verb != transitions.WAKE and self.stores.made_for() != audience.SHARED:
            state[audience.KEY] = None  # a text by several is as private as the most private of them
        made = task.changed(task_file.document, state=state, checked=change.checked, where=task_file.path)
        return TaskFile(task_file.slug, document.encode(made))

    def done(self, task_file: TaskFile, before: str | None, *, changed: bool) -> TaskChanged:
        """Return the result of the verb for one task."""
        heard = self._heard
        noticed = [slug for slug in self.noticed if heard is None or slug in heard]
        notices = [*self.stores.notices, *(self.store.notices if heard is None else ())]
        slug, path, plan = task_file.slug, task_file.path, task_file.task
        return TaskChanged(self.verb, slug, path, plan, before, changed, noticed, self.now, notices)


def check_priority(priority: str | None, src: str | None) -> None:
    """Raise UsageError for a task's priority that is unknown, and for a high one from outside."""
    if priority is not None and priority not in task.PRIORITIES:
        raise UsageError(f"{priority!r} is not a priority.", hint=f"Choose one of: {', '.join(task.PRIORITIES)}.")
    if priority == task.HIGH:
        origin.check(src, importance=task.HIGH)


def one_line(text: str) -> str:
    """Return a task's text on one line, control characters as codes; refuses a likely secret, or what is not UTF-8."""
    secrets.refuse(text)
    utf8.check(text)
    return " ".join(sanitize.written(text).split())


def carry_out(bench: Bench, task_file: TaskFile, change: TaskChange | None) -> TaskChanged:
    """Apply the change of one task, if there is one, and return the result."""
    before: Task = task_file.task
    if change is None:
        return bench.done(task_file, before.status, changed=False)
    new = bench.changed(task_file, change)
    bench.apply([(task_file, new, change)], f"task {bench.verb} {task_file.slug}")
    return bench.done(new, before.status, changed=True)
