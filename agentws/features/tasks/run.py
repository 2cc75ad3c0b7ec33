"""task due --run: wakes tasks that can go on, and runs the user's agent for each, one after the other.

A run is noted before its task wakes, and each attempt before it begins: if a process dies in between, the next call has
enough to continue. Specified in docs/format/local.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from agentws.changes import ABSENT
from agentws.core.disk import local_dir, lock
from agentws.core.disk.system import user_programs, user_settings
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import task
from agentws.core.formats.documents.task import Task
from agentws.core.formats.json import plainjson
from agentws.core.installation import host_info
from agentws.core.notes import schedule
from agentws.core.stores import record
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError, MissingFileError
from agentws.features.tasks import due
from agentws.features.tasks.due import Due, TaskRun
from agentws.features.tasks.store import TaskStore

Waiting = dict[str, dict[str, Any]]
"""The agent's runs that are due, by slug: why the task woke, how many attempts, time and process of the last."""


RAN = "task.ran"
_LOCK = "task-runs"
_MOST_ATTEMPTS = 5
_FIRST_PAUSE_S = 300
_NO_AGENT = (
    "No agent is named, so tasks are left waiting. Name one: `agentws config --user agent.command COMMAND`. "
    "To wake tasks without one: `agentws task due`."
)


def run_due(stores: Stores, *, context: Callable[[], str] | None = None, dry_run: bool = False) -> Due:
    """Wake tasks like `due.due`, and run the user's agent for each of them, and for those left from before.

    `context` returns the start-up text that the agent gets before its task, if the user's settings want that. One call
    at a time: LockHeldError names the other one. A run that fails is repeated later, with five attempts at most.
    Without a configured agent nothing wakes: a wake that starts nobody would be lost.
    """
    if dry_run:
        return due.due(stores, dry_run=True)
    settings = user_settings.read(stores.environment.config)
    if not settings.agent:
        done = due.due(stores, dry_run=True)
        done.notices.append(_NO_AGENT)
        return done
    stores.check_writable()
    local_dir.prepare(stores.files)
    with lock.Lock(stores.files, _LOCK, timeout_s=0.5, note="task due --run"):
        runs = _Runs(stores)
        done = due.due(stores, noted=runs.add)
        done.notices += runs.notices
        tasks = {plan.slug: plan for _, plan in TaskStore(stores)}
        text = context() if context is not None and settings.agent_boots and runs.are_due else ""
        for slug in sorted(runs.notes):
            _run_one(stores, runs, tasks.get(slug), slug, settings, text, done)
    return done


def _run_one(
    stores: Stores,
    runs: _Runs,
    plan: Task | None,
    slug: str,
    settings: user_settings.UserSettings,
    context: str,
    done: Due,
) -> None:
    """Run the agent for one task, unless somebody else has moved the task on, or it is too early to try again."""
    if plan is None or plan.state != task.ACTIVE:
        runs.drop(slug)
        return
    note, now = runs.notes[slug], stores.clock.now()
    if local_dir.GIVEN_UP in note:
        return
    reason = _holds_back(note, now)
    if reason:
        done.notices.append(f"{slug}: {reason}")
        return
    log = f"{local_dir.FOLDER}/task-run-{digest.quick(slug.encode())}.log"
    note["attempts"] = attempt = _number(note.get("attempts")) + 1
    if attempt > _MOST_ATTEMPTS:  # the last attempt was killed, and could not record that
        note[local_dir.GIVEN_UP] = log
        runs.save()
        done.notices.append(f"{slug}: given up after {_MOST_ATTEMPTS} attempts. The agent's output: {log}")
        return
    note["last"] = now.isoformat()

    def started(pid: int) -> None:
        note["process"] = host_info.process(pid)
        runs.save()

    started(os.getpid())
    prompt = "\n".join(filter(None, (context, _prompt(plan, note, _answer(stores, note.get("approval"))))))
    outcome = user_programs.run(
        settings.agent,
        prompt,
        root=stores.root,
        log=os.path.join(stores.root, log),
        timeout_s=settings.agent_timeout_s,
        started=started,
    )
    ran = TaskRun(slug, attempt, log, outcome.code, outcome.failure)
    done.runs.append(ran)
    if ran.is_done:
        runs.drop(slug)
    else:
        note.pop("process", None)
        if attempt >= _MOST_ATTEMPTS:
            note[local_dir.GIVEN_UP] = log
        runs.save()
    done.notices += _record_run(stores, ran)


def _holds_back(note: dict[str, Any], now: datetime) -> str:
    """Return why a run must wait, empty if it need not: its agent still runs, or has failed a moment ago."""
    process = note.get("process")
    if isinstance(process, dict) and isinstance(process.get("process"), int) and process["process"] != os.getpid():
        started = process.get("started")
        if host_info.lives(process["process"], started if isinstance(started, int) else None):
            return f"its agent still runs, or is being started: process {process['process']}."
    attempts, last = _number(note.get("attempts")), note.get("last")
    if not attempts or not isinstance(last, str) or not task.is_time(last):
        return ""
    again = datetime.fromisoformat(last) + timedelta(seconds=_FIRST_PAUSE_S * 2 ** (attempts - 1))
    if now < datetime.fromisoformat(last) or now >= again:  # a clock that was set back does not delay a run
        return ""
    ended = "its agent failed" if process is None else "nobody knows how its agent ended"
    return f"{ended}; the next attempt is after {schedule.clock(again.isoformat())}."


def _number(value: object) -> int:
    return min(value, _MOST_ATTEMPTS) if isinstance(value, int) and value > 0 else 0


def _prompt(plan: Task, note: dict[str, Any], answer: str) -> str:
    """Return the agent's prompt for a task; `answer` is what a person answered to the request that it waited for."""
    again = "An earlier run of it ended before its work was done: look first at what was done.\n"
    return (
        f"The task {plan.slug} waited {note.get('why') or 'until now'}. "
        f"{answer or 'It can continue now: please continue it.'}\n{again if note['attempts'] > 1 else ''}"
        f"Its file is tasks/{plan.slug}.md. Read it first: agentws task show {plan.slug}\n"
        f"When it is done: agentws task done {plan.slug}. If it has to wait again: agentws task wait {plan.slug} …\n"
    )


def _answer(stores: Stores, request: object) -> str:
    """Return the answer to a request, in words for the agent; empty if the task waited for none."""
    if not isinstance(request, str):
        return ""
    from agentws.features.approvals import store  # seldom

    try:
        approval = store.show(stores.visible_to(), request)
    except AgentwsError as error:
        return f"That request cannot be read: {error.message} Do not do what it asked for."
    message = f" They say: {approval.message}" if approval.message else ""
    if approval.is_usable:
        return f"A person approved it.{message} Before you do it: agentws ask use {approval.id} --action JSON"
    return f"The answer is no: it is {approval.status}. {approval.reason}{message} Do not do what it asked for."


def _record_run(stores: Stores, ran: TaskRun) -> list[str]:
    """Record the agent's run; an error of the journal is a notice, because the work was done."""
    reason = ran.failure or f"exit code {ran.code}"
    text = "the agent ran" if ran.is_done else f"the agent failed: {reason}"
    body = {"task": ran.slug, "text": text, "exit": ran.code, "attempt": ran.attempt}
    if not ran.is_done and ran.attempt >= _MOST_ATTEMPTS:
        text = body["text"] = f"{text}; given up after {ran.attempt} attempts"
    try:
        _, notices = record.record(stores, [record.Happening(RAN, body)])
    except AgentwsError as error:
        notices = [f"The run was not recorded: {error.message}"]
    return notices if ran.is_done else [f"{ran.slug}: {text}. Its output: {ran.log}", *notices]


class _Runs:
    """The agent's runs that are due, as noted on this machine."""

    def __init__(self, stores: Stores) -> None:
        self._files = stores.files
        self.notices: list[str] = []
        self._digest = stores.files.digest(layout.TASK_RUNS)
        self.notes: Waiting = {}
        try:
            decoded = plainjson.loads(stores.files.read(layout.TASK_RUNS).decode())
        except MissingFileError:
            return
        except ValueError:
            self.notices.append(f"{layout.TASK_RUNS} cannot be read and is replaced; failed runs are not repeated.")
            return
        if isinstance(decoded, dict):
            self.notes = {slug: note for slug, note in decoded.items() if isinstance(note, dict)}

    @property
    def are_due(self) -> bool:
        """Return whether any run is not given up."""
        return any(local_dir.GIVEN_UP not in note for note in self.notes.values())

    def add(self, woken: list[Task]) -> None:
        """Note a run for each task that is about to wake."""
        for plan in woken:
            self.notes[plan.slug] = {"why": schedule.awaited(plan), "attempts": 0}
            if request := plan.condition.get(task.APPROVAL):
                self.notes[plan.slug]["approval"] = request
        self.save()

    def save(self) -> None:
        """Write the notes of the runs, durably."""
        data = plainjson.dumps(self.notes).encode()
        if digest.of(data) != self._digest and (self.notes or self._digest != ABSENT):
            self._files.replace(layout.TASK_RUNS, data, expects=self._digest)
            self._digest = digest.of(data)

    def drop(self, slug: str) -> None:
        """Remove the run of a task."""
        del self.notes[slug]
        self.save()
