"""The verbs agentws todo, done and drop."""

from __future__ import annotations

from agentws.core.terminal import invocation, output
from agentws.core.terminal.options import AGAIN, Verb, flag, number, text, words
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.terminal.invocation import Run
    from agentws.features.tasks.todo.closure import Closing


def todo(run: Run, *, text: list[str], stale: bool, limit: int, **options: str | None) -> None:
    """Add an item to today's log, or list open items of logs, MEMORY.md and tasks.

    The list exits 3 if a file cannot be read.
    """
    if not text or stale:
        from agentws.features.tasks.todo import render as todo_render

        todo_render.list_open(run, [" ".join(text) or None, *options.values()], stale=stale, limit=limit)
        return
    if [word.strip() for word in text] == ["list"]:
        raise UsageError("`list` is not an item.", hint="To list the open items: agentws todo")
    done = run.workspace().todo(invocation.said(text), **options)
    fields = {**done.plain(), "ref": done.ref, "notices": done.notices}
    run.done("todo", fields, [f"{done.ref} {output.place(done.path, done.line)}"], done.notices)


def done(run: Run, *, words: list[str], note: str, **options: Any) -> None:
    """Close an open item, by its reference or words, or an action in flight."""
    _closed(run, "done", run.workspace().done(*words, note=invocation.argument(note), **options))


def drop(run: Run, *, words: list[str], note: str, dry_run: bool) -> None:
    """Close an open item that is no longer planned."""
    _closed(run, "drop", run.workspace().drop(*words, note=invocation.argument(note), dry_run=dry_run))


def _closed(run: Run, verb: str, closing: Closing) -> None:
    from agentws.features.tasks.todo import render as todo_render

    todo_render.closed(run, verb, closing)


_WORDS = words(
    "words",
    "WORDS|REF...",
    "References, or words of one open item, in any order.",
    completes="reference",
)
_WORDS_OR_CALL = words(
    "words",
    "[WORDS|REF...]",
    "References, or words of one open item, in any order.",
    completes="reference",
    is_required=False,
)
_CALL = text("--call", "ID", "Action in flight whose result you know.")
_M = text("-m --note", "NOTE", "Note on the closing; `-` reads standard input.", default="")
_DRY_RUN = flag("--dry-run", "Show what would be closed.")
VERBS = (
    Verb(
        "todo",
        todo,
        (
            words(
                "text",
                "[TEXT]",
                "Text of the item; `-` reads standard input. Without TEXT, open items are listed.",
                is_required=False,
                is_text=True,
            ),
            text("--due", "TIME", "Due: 2026-11-24, today, monday, 3d, 2026-11-24T09:00."),
            text("--for", "WHO", "Person that the item is for.", to="for_whom"),
            text("--via", "SRC", "Source of the text: tool:NAME, net:CHANNEL, user."),
            flag("--stale", "Only items that no day has mentioned for 14 days.", is_hot=False),
            number("--limit", "N", "List at most N; 0 for all.", default=50, least=0, is_hot=False),
            AGAIN,
        ),
        "agentws todo Call Tom about the lease",
        'agentws todo --due friday --for Sam "Send the survey"',
        "agentws todo                       lists what is open, each with its reference",
        "agentws todo --stale               only what no day has mentioned for 14 days",
        "work with several steps is a task: agentws task add",
        is_hot=True,
    ),
    Verb(
        "done",
        done,
        (_WORDS_OR_CALL, _CALL, _M, _DRY_RUN, AGAIN),
        "agentws done t3fk",
        "agentws done call tom              the one open item that says both words",
        'agentws done call tom -m "He signs on Monday"',
        'agentws done --call 9 -m "The mail was sent"      an action that was in flight, as boot names it',
    ),
    Verb(
        "drop",
        drop,
        (_WORDS, _M, _DRY_RUN, AGAIN),
        "agentws drop t3fk",
        'agentws drop call tom -m "He sold the house"',
    ),
)
