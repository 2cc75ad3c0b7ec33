"""Verbs agentws task add, edit, rename, list, show, start, step, wait, pause, resume, rollback, done, cancel, due."""

from __future__ import annotations

from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run, check_read
from agentws.core.terminal.options import AGAIN, DRY_RUN, VIA, Verb, flag, number, numbers, text, texts, word, words
from agentws.errors import OutsideProgramError
from agentws.features.tasks import render as task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.features.tasks.change import TaskChanged
    from agentws.features.tasks.pause import Moved
    from agentws.workspace import Workspace


def add(run: Run, *, title: list[str], goal: str, step: list[str] | None, **options: Any) -> None:
    """Create a task, tasks/<slug>.md, for work that outlives the session."""
    tasks = run.workspace().tasks
    _done(run, tasks.add(invocation.said(title), goal=_text(goal), steps=step or (), **options))


def edit(run: Run, *, slug: str, goal: str | None, **options: str | None) -> None:
    """Change the fields of a task. Without options, open its file in $EDITOR."""
    workspace = run.workspace()
    if goal is None and not any(value is not None for value in options.values()):
        _done(run, _edited(workspace, slug))
    else:
        _done(run, workspace.tasks.edit(slug, goal=goal and _text(goal), **options))


def _edited(workspace: Workspace, slug: str) -> TaskChanged:
    from agentws.core.terminal import editor

    name, before = workspace.plumbing.task_text(slug)
    text = editor.text(workspace, before, name=f"{name}.md", instead=f"agentws task edit {name} --title TEXT")
    with editor.kept_if_it_fails(workspace, text, before):
        return workspace.plumbing.rewrite_task(name, text, before=before)


def rename(run: Run, *, slug: str, title: list[str], via: str | None) -> None:
    """Rename a task and its file; its history follows."""
    _done(run, run.workspace().tasks.rename(slug, " ".join(title), via=via))


def list_tasks(run: Run, *, all: bool) -> None:
    """List tasks: active ones first, then those ready to resume."""
    result = run.workspace().tasks.list(all=all)
    tasks = [task.task_fields(each, ready=each.slug in result.ready) for each in result.tasks] if run.as_json else []
    lines = task.list_lines(result, output.width())
    run.result("task-list", result, "tasks over notices", lines, look=output.TABLE, tasks=tasks)
    check_read(result.unread)


def show(run: Run, *, slug: str) -> None:
    """Show a task: state, numbered steps, past changes."""
    result = run.workspace().tasks.show(slug)
    names = "*task checklist=task.boxes[text done] body=task.body checkpoints restored history[.plain] notices"
    fields = task.task_fields(result.task, ready=result.ready)
    run.result("task-show", result, names, task.show_lines(result), task=fields)


def start(run: Run, *, slug: str, reason: list[str], via: str | None) -> None:
    """Start a task, or reopen a finished one."""
    _done(run, run.workspace().tasks.start(slug, _words(reason), via=via))


def step(run: Run, *, slug: str, text: list[str], done: list[int] | None, via: str | None) -> None:
    """Set the current step of a task, or tick steps. A number as text ticks that step."""
    _done(run, run.workspace().tasks.step(slug, _words(text), done=done or (), via=via))


def wait(run: Run, *, slug: str, on: str | None, **options: Any) -> None:
    """Make a task wait for a time, file, answer, command, URL, process, event, or what you describe."""
    _done(run, run.workspace().tasks.wait(slug, on=on and _text(on), **options))


def pause(run: Run, *, slug: str, reason: list[str], state: str | None, via: str | None) -> None:
    """Pause a task; a waiting task keeps its time or file. With `--state`, save a checkpoint first."""
    if state is None:
        _done(run, run.workspace().plumbing.pause_task(slug, _words(reason), via=via))
        return
    from agentws.features.checkpoints import command as checkpoint

    moved = run.workspace().tasks.pause(slug, checkpoint.state_in(state), reason=_words(reason), via=via)
    _moved(run, moved, has_state=False)


def resume(run: Run, *, slug: str, reason: list[str], state: bool, via: str | None) -> None:
    """Resume a paused or waiting task. A paused task whose condition is not met waits again."""
    workspace = run.workspace()
    if state:
        _moved(run, workspace.tasks.resume(slug, reason=_words(reason), via=via), has_state=True)
    else:
        _done(run, workspace.plumbing.resume_task(slug, _words(reason), via=via))


def _moved(run: Run, moved: Moved, *, has_state: bool) -> None:
    from agentws.features.checkpoints import render as checkpoints
    from agentws.features.tasks import render_checkpoints

    state = "state" if has_state else ""
    names = f"*task *done[before changed noticed] notices {checkpoints.OF_TASK} {state}"
    lines = checkpoints.state_lines(moved.state) if has_state else task.changed_lines(moved.done)
    if not has_state and moved.checkpoint is not None and not moved.done.changed:
        lines = render_checkpoints.saved_again_lines(moved)
    moved.notices += task.noticed(moved.done.noticed)
    fields = task.task_fields(moved.done.task, ready=False)
    run.result(f"task-{moved.done.verb}", moved, names, lines, task=fields)


def rollback(run: Run, *, slug: str, to: str) -> None:
    """Return a task to an earlier checkpoint, and list what has happened since.

    Calls of tools are listed, not undone. To print the state: agentws checkpoint restore
    """

    from agentws.core.terminal.moments import Teller
    from agentws.features.tasks import render_checkpoints

    workspace = run.workspace()
    result = workspace.tasks.rollback(slug, to)
    lines = render_checkpoints.rollback_lines(Teller((), workspace.stores.clock.now().tzinfo), result)
    run.result("task-rollback", result, render_checkpoints.ROLLBACK, lines)


def finish(run: Run, *, slug: str, reason: list[str], via: str | None) -> None:
    """Mark a task as done."""
    _done(run, run.workspace().tasks.done(slug, _words(reason), via=via))


def cancel(run: Run, *, slug: str, reason: list[str], via: str | None) -> None:
    """Cancel a task."""
    _done(run, run.workspace().tasks.cancel(slug, _words(reason), via=via))


def due(run: Run, *, run_agent: bool, dry_run: bool) -> None:
    """Wake waiting tasks that can continue, and print them. Made for cron.

    With --run it exits 20 if an agent failed.
    """
    workspace = run.workspace()
    if run_agent:
        done = workspace.tasks.run_due(context=lambda: workspace.boot().text, dry_run=dry_run)
    else:
        done = workspace.tasks.due(dry_run=dry_run)
    notices = [*done.notices, *task.noticed(done.noticed)]
    run.result("task-due", done, task.DUE, task.due_lines(done, workspace.stores.clock.now()), notices=notices)
    failed = [f"{item.slug} ({item.log})" for item in done.runs if not item.is_done]
    if failed:
        raise OutsideProgramError(
            f"The agent failed: {', '.join(failed)}.", hint="A later run tries again, until status says given up."
        )


def _done(run: Run, done: TaskChanged) -> None:
    lines = task.changed_lines(done)
    done.notices += task.noticed(done.noticed)
    fields = task.task_fields(done.task, ready=False)
    run.result(f"task-{done.verb}", done, "*task before changed noticed notices", lines, task=fields)


def _text(text: str) -> str:
    return invocation.argument(text) if text else ""


def _words(words: list[str]) -> str:
    return invocation.said(words) if words else ""


_SLUG = word("slug", "SLUG", "Task name, unique prefix, or path.", completes="task")
_REASON = words(
    "reason", "[TEXT]", "Reason, for the journal; `-` reads standard input.", is_required=False, is_text=True
)
VERBS = (
    Verb(
        "task add",
        add,
        (
            words("title", "TITLE", "Title; `-` reads standard input.", is_text=True),
            text("--goal", "TEXT", "Goal of the task; `-` reads standard input.", default=""),
            texts("--step", "TEXT", "A step, as a check box; repeatable."),
            text("--priority", "WORD", "Priority: high, normal or low."),
            text("--due", "TIME", "Due: 2026-11-24, today, monday, 3d, 2026-11-24T09:00."),
            flag("--start", "Start the task immediately."),
            VIA,
            AGAIN,
        ),
        'agentws task add "Move the address book" --step "export" --step "import the contacts" --start',
        'agentws task add "Ask Sam about the roof" --priority high --goal "Dry before winter."',
        'agentws task add "Order firewood" --due friday',
    ),
    Verb(
        "task edit",
        edit,
        (
            _SLUG,
            text("--title", "TEXT", "New title; the file name stays."),
            text("--goal", "TEXT", "Goal of the task; `-` reads standard input."),
            text("--priority", "WORD", "Priority: high, normal or low."),
            text("--due", "TIME", "Due: 2026-11-24, monday, 3d; `none` removes it."),
            VIA,
            AGAIN,
        ),
        "agentws task edit move-the-address-book      opens its file in $EDITOR",
        "agentws task edit roof --due monday --priority high",
    ),
    Verb(
        "task rename",
        rename,
        (_SLUG, words("title", "TITLE", "New title.", is_text=True), VIA, AGAIN),
        "agentws task rename roof Repair the roof and the gutter",
    ),
    Verb(
        "task list",
        list_tasks,
        (flag("--all", "Include finished tasks."),),
        "agentws task list",
        "agentws task list --all --json",
    ),
    Verb(
        "task show",
        show,
        (_SLUG,),
        "agentws task show move-the-address-book",
        "agentws task show move      a unique prefix suffices",
    ),
    Verb("task start", start, (_SLUG, _REASON, VIA), "agentws task start move-the-address-book"),
    Verb(
        "task step",
        step,
        (
            _SLUG,
            words("text", "[TEXT]", "Current step; `-` reads standard input.", is_required=False, is_text=True),
            numbers("--done", "N", "Tick step N, as numbered by `agentws task show`; repeatable."),
            VIA,
            AGAIN,
        ),
        'agentws task step move-the-address-book "import the contacts"',
        "agentws task step move-the-address-book 1             ticks its first step",
        "agentws task step address --done 1 --done 2           the task that this word names",
    ),
    Verb(
        "task wait",
        wait,
        (
            _SLUG,
            text("--until", "TIME", "2026-11-23T09:00, tomorrow, monday, 3d, 2h."),
            text("--for", "PATH", "File in the workspace.", to="path"),
            text("--on", "TEXT", "Anything else, in words."),
            text("--approval", "ID", "Request of `agentws ask`."),
            text("--command", "NAME", "Command that must succeed: `waits.NAME.command` of your config.toml."),
            text("--url", "NAME", "URL that must answer: `waits.NAME.url` of your config.toml."),
            number("--process", "PID", "Process of this machine that must end."),
            text("--event", "KIND", "Kind of an awaited event."),
            text("--by", "WRITER", "With --event: its writer.", to="writer"),
            VIA,
            AGAIN,
        ),
        "agentws task wait move-the-address-book --until monday",
        "agentws task wait move-the-address-book --until 2026-11-23T09:00",
        "agentws task wait move-the-address-book --for inbox/contacts.csv",
        'agentws task wait move-the-address-book --on "Sam, which of the two Annas is which"',
        "agentws task wait roof --approval t3fk9b",
        "agentws task wait roof --process 4711",
    ),
    Verb(
        "task pause",
        pause,
        (_SLUG, _REASON, text("--state", "FILE", "State to save, as JSON; `-` reads standard input."), VIA),
        'agentws task pause move-the-address-book "Sam is on holiday"',
        "agentws task pause loan-7 --state - < state.json",
    ),
    Verb(
        "task resume",
        resume,
        (_SLUG, _REASON, flag("--state", "Print the state of the checkpoint restored last, else the newest."), VIA),
        "agentws task resume move-the-address-book",
        "agentws task resume loan-7 --state > state.json",
    ),
    Verb(
        "task rollback",
        rollback,
        (_SLUG, text("--to", "ID", "Checkpoint: number, label, or id.", is_required=True)),
        "agentws task rollback loan-7 --to assessed",
    ),
    Verb(
        "task done",
        finish,
        (_SLUG, _REASON, VIA, AGAIN),
        "agentws task done move-the-address-book",
        'agentws task done roof "It was the gutter"',
    ),
    Verb("task cancel", cancel, (_SLUG, _REASON, VIA, AGAIN), 'agentws task cancel roof "The house was sold"'),
    Verb(
        "task due",
        due,
        (
            flag("--run", "Then start the agent of your config.toml for each: agent.command.", to="run_agent"),
            DRY_RUN,
        ),
        "agentws task due",
        "agentws task due --run",
        "*/10 * * * * agentws task due -C /home/robin      a line for cron",
    ),
)
