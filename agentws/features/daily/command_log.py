"""The verb `agentws log`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import invocation, output
from agentws.core.terminal.options import AGAIN, Verb, number, text, texts, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.terminal.invocation import Run


def log(run: Run, *, text: list[str], **options: Any) -> None:
    """Append one durable line to today's log.

    Without TEXT it reads standard input.
    """
    done = run.workspace().log(invocation.said(text), **options)
    run.done("log", {**done.plain(), "notices": done.notices}, [output.place(done.path, done.line)], done.notices)


VERBS = (
    Verb(
        "log",
        log,
        (
            words("text", "TEXT", "Text to log; `-` or none reads standard input.", is_required=False, is_text=True),
            text(
                "--kind",
                "WORD",
                "decision, lesson, fact, preference, question, todo, done, dropped, error, or any word.",
                completes="log-kind",
            ),
            number("--importance", "N", "Importance, 1 to 10; default 5.", least=1, most=10),
            texts("--tag", "TAG", "A tag; repeatable.", to="tags"),
            text("--via", "SRC", "Source of the text: tool:NAME, net:CHANNEL, user."),
            text("--task", "SLUG", "Task of the line.", completes="task"),
            texts(
                "--closes",
                "REF",
                "With --kind done or dropped: reference of the item; repeatable.",
                completes="reference",
            ),
            AGAIN,
        ),
        'agentws log "Chose SQLite for the index"',
        "agentws log Sam said yes",
        'agentws log --kind decision --importance 8 --tag db "Chose SQLite"',
        'agentws log --via tool:web "The API limit is 60 requests a minute"',
        'agentws log --kind done --closes t3fk "Sent it by post"',
        "git log -1 | agentws log           a text of several lines",
        is_hot=True,
    ),
)
