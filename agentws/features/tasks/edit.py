"""task edit and task rename: change the words of a task, not its state. `via` is whose words were given."""

from __future__ import annotations

from datetime import date

from agentws.core.formats import audience, layout
from agentws.core.formats.documents import context as _context, document, task
from agentws.core.formats.documents.document import Document, Value
from agentws.core.formats.documents.task import Task
from agentws.core.formats.secrets import secrets
from agentws.core.markdown import escape
from agentws.core.notes import transitions
from agentws.core.notes.transitions import TaskChange
from agentws.core.stores.stores import Stores
from agentws.core.text import names, origin, sanitize, utf8
from agentws.errors import AgentwsError, ChangedUnderneathError, UsageError
from agentws.features.tasks.change import Bench, TaskChanged, check_priority, one_line
from agentws.features.tasks.store import TaskFile, TaskStore

NO_DUE = "none"


def note_edits(stores: Stores) -> list[str]:
    """Record an event for each task whose file somebody edited; return their slugs."""
    with Bench(stores, transitions.EDIT) as bench:
        return bench.noticed


def task_text(stores: Stores, slug: str) -> tuple[str, str]:
    """Return the slug and the text of a task's file, to be edited; MissingFileError, AmbiguousError."""
    task_file = TaskStore(stores).get(slug)
    return task_file.slug, task_file.data.decode("utf-8", "surrogateescape")


def rewrite(stores: Stores, slug: str, text: str, *, before: str) -> TaskChanged:
    """Replace the task's text `before` by the one that a person edited; ChangedUnderneathError if it has changed."""
    secrets.refuse(text)
    with Bench(stores, transitions.EDIT) as bench:
        task_file = bench.store.get(slug)
        if task_file.data != before.encode("utf-8", "surrogateescape"):
            raise ChangedUnderneathError(
                f"{task_file.path} was changed while you edited it, so your edit was not applied.",
                hint="Check the file, then edit it again.",
            )
        made = document.decode(text.encode("utf-8", "surrogateescape"), where=task_file.path)
        return _apply(bench, task_file, made, ["its file"])


def edit(
    stores: Stores,
    slug: str,
    *,
    title: str | None = None,
    goal: str | None = None,
    priority: str | None = None,
    due: str | date | None = None,
    via: str | None = None,
) -> TaskChanged:
    """Change the given fields of a task: title, goal, priority, the day it is due (`none` removes that). UsageError."""
    src = origin.given(via)
    due = due if due is None else str(due)
    secrets.refuse(title, goal, due)
    utf8.check(title, goal, due)
    given = {"title": title, "goal": goal, "priority": priority, "due": due}
    words = [name for name, value in given.items() if value is not None]
    if not words:
        raise UsageError(
            "No change was given.", hint=f"agentws task edit {slug} --title TEXT, --goal, --priority, --due"
        )
    check_priority(priority, src)
    with Bench(stores, transitions.EDIT, src) as bench:
        task_file = bench.store.get(slug)
        made = task_file.document
        if title is not None:
            made = _titled(made, title, src, task_file.path)
        if goal is not None:
            made = task.with_goal(made, escape.quoted(src, sanitize.written(goal.strip())))
        state: dict[str, Value | None] = {}
        if priority is not None:
            state["priority"] = None if priority == task.NORMAL else priority
        if due is not None:
            state["due"] = None if due == NO_DUE else bench.due(due)
        made = document.with_fields(made, state, where=task_file.path)
        return _apply(bench, task_file, made, words)


def rename(stores: Stores, slug: str, title: str, *, via: str | None = None) -> TaskChanged:
    """Give a task another title, and its file the matching name; its history follows. UsageError."""
    src = origin.given(via)
    with Bench(stores, transitions.RENAME, src) as bench:
        task_file = bench.store.get(slug)
        made = _titled(task_file.document, title, src, task_file.path)
        others = [name for name in bench.store.taken if name != task_file.slug]
        prefix = transitions.SHARED if bench.is_for_others else ""
        new = transitions.slug(one_line(title), others, prefix=prefix)
        if new == task_file.slug:
            return _apply(bench, task_file, made, ["title"])
        before = task_file.task
        old = "" if bench.is_forgotten(task_file.slug) else task_file.slug
        earlier: list[str] = [*before.was, *([old] if old else [])]
        made = document.with_fields(made, {"was": list(dict.fromkeys(earlier)) or None}, where=task_file.path)
        text = f"renamed from {old}" if old else "renamed"
        change = TaskChange(transitions.RENAMED, before.status, text=text)
        after = _marked(bench, before, bench.changed(TaskFile(new, document.encode(made)), change))
        bench.apply([(task_file, after, change)], " ".join(filter(None, ("task rename", old, new))), renamed=task_file)
        done = bench.done(after, before.status, changed=True)
        done.notices += _naming(bench, task_file.slug)
        return done


def _titled(made: Document, title: str, src: str | None, path: str) -> Document:
    escape.check_heading(" ".join(title.split()), what="The title")
    return task.titled(made, escape.signed(src, one_line(title)), where=path)


def _apply(bench: Bench, task_file: TaskFile, made: Document, words: list[str]) -> TaskChanged:
    """Write the document of a task if it differs from the file."""
    data, before = document.encode(made), task_file.task
    if data == task_file.data:
        return bench.done(task_file, before.status, changed=False)
    edited = TaskFile(task_file.slug, data)
    change = TaskChange(transitions.EDITED, edited.task.status, text=f"edited: {', '.join(words)}")
    new = _marked(bench, before, bench.changed(edited, change))
    bench.apply([(task_file, new, change)], f"task {bench.verb} {task_file.slug}")
    return bench.done(new, before.status, changed=True)


def _marked(bench: Bench, before: Task, new: TaskFile) -> TaskFile:
    """Return the task's file with the mark of the source, if the words it was given come from outside."""
    if not origin.is_outside(bench.src):
        return new
    state: dict[str, Value | None] = {"src": origin.lowest([bench.src, before.src or None])}
    return TaskFile(new.slug, document.encode(document.with_fields(new.document, state, where=new.path)))


def _naming(bench: Bench, slug: str) -> list[str]:
    """Return a notice if contexts still use the task's old name; none for a shared audience."""
    if bench.stores.audience() != audience.MAIN:
        return []
    files, naming = bench.stores.files, []
    for name in layout.markdown_files(files.listing(layout.CONTEXTS)):
        path = f"{layout.CONTEXTS}/{name}"
        try:
            context = _context.decode(files.read(path), name=name, where=path)
        except AgentwsError:
            continue
        naming += [path] if slug in context.tasks else []
    return [f"These files still use the old name {slug}: {names.some(naming)}."] if naming else []
