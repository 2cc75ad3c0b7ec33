"""The verb `agentws remember`: its options and its call."""

from __future__ import annotations

from agentws.core.terminal import invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import AGAIN, VIA, Verb, flag, text, words
from agentws.core.text import origin
from agentws.core.text.sanitize import one_line
from agentws.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def remember(run: Run, *, text: list[str], stated_from: str | None, about: str | None, **options: Any) -> None:
    """Store a lasting fact in MEMORY.md."""
    if not text and stated_from is None:
        raise UsageError("Missing TEXT.", hint="agentws remember TEXT, or --from REF")
    message = invocation.said(text) if text else None
    workspace = run.workspace()
    about = about if about is None else invocation.resolved(about, workspace.root)
    done = workspace.remember(message, stated_from=stated_from, about=about, **options)
    place = output.place(done.path, done.line)
    line = place + ("" if done.is_new else " (already there)")
    if done.ref:
        whose = f" (now your own statement; source: {done.ref.ref}, {done.ref.src})"
        line += whose if origin.is_outside(done.ref.src) else f" (from {done.ref.ref})"
    old = [f"Replaced: {one_line(done.replaced.text)}"] if done.replaced else []
    run.result("remember", done, _REMEMBERED, [line, *old])


_REMEMBERED = """
    path line entry new=is_new src from=ref[ref src] about[path sha256=digest] replaced[line text] dry_run notices
"""
VERBS = (
    Verb(
        "remember",
        remember,
        (
            words(
                "text",
                "[TEXT]",
                "The fact; `-` reads standard input. Optional with --from.",
                is_required=False,
                is_text=True,
            ),
            text("--section", "HEADING", "Section heading; created if missing."),
            VIA,
            text(
                "--from",
                "REF",
                "Adopt FILE:LINE or the event WRITER:SEQ as your own.",
                to="stated_from",
            ),
            text("--about", "PATH", "File that the fact describes; boot warns when it changes."),
            text(
                "--replaces",
                "REF",
                "Replace an entry: MEMORY.md:LINE or unique words.",
            ),
            flag("--dry-run", "Show where the fact would be added."),
            AGAIN,
        ),
        "agentws remember Leo likes his coffee black",
        'agentws remember --section People "Anna is Sam\'s sister"',
        "agentws remember --from memory/2026-11-20.md:3           as your own, with its source",
        'agentws remember --about src/index.py "One SQLite file"    boot warns when it changes',
        'agentws remember --replaces MEMORY.md:12 "Backups run on Sundays"',
        "a fact of the day goes to the log; work to be done is a task",
    ),
)
