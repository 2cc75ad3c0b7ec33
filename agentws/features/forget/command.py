"""agentws forget."""

from __future__ import annotations

from agentws.core.terminal import asking, invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import YES, Verb, flag, text, texts
from agentws.errors import NeedsYouError
from agentws.features.forget import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.features.forget.forget import Forgotten


def forget(
    run: Run,
    *,
    matching: list[str] | None,
    subject: list[str] | None,
    reason: str,
    copies: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Forget a text or a person, in documents, archive and journal. This cannot be undone."""
    if copies:
        from agentws.core.terminal import termination  # seldom

        termination.cleanly()
    workspace = run.workspace()
    wanted = {"matching": [invocation.argument(text).strip() for text in matching or ()], "subjects": subject or []}
    found = workspace.forget(**wanted, reason=reason, dry_run=True, copies=copies)  # type: ignore[arg-type]
    now = workspace.clock.now()
    if dry_run or found.is_empty:
        fields = render.fields(found, done=False, dry_run=dry_run)
        run.done("forget", fields, render.lines(found, asks=False, now=now), found.notices)
        _check_whole(found, is_left=found.is_left and not dry_run)
        return
    if not (yes or _answer(run, found, now)):
        if not asking.is_terminal(run):
            fields = render.fields(found, done=False, dry_run=False)
            run.done("forget", fields, render.lines(found, asks=True, now=now), found.notices)
        raise NeedsYouError("Not confirmed, nothing changed.", hint="To forget everything above, re-run with --yes.")
    done = run.workspace().forget(**wanted, reason=reason, known=found.known, copies=copies)  # type: ignore[arg-type]
    run.done("forget", render.fields(done, done=True, dry_run=False), render.done_lines(done), done.notices)
    _check_whole(done, is_left=done.is_left)


def _check_whole(found: Forgotten, *, is_left: bool) -> None:
    """NeedsYouError where something was not searched, or keeps it all the same."""
    if found.unread:
        raise NeedsYouError(
            f"{len(found.unread):,} places could not be searched (see above)."
            if len(found.unread) > 1
            else "1 place could not be searched (see above).",
            hint="Fix the listed places, then re-run the command.",
        )
    if is_left:
        raise NeedsYouError(
            "Some matches remain (see above).",
            hint=_next(found),
        )


def _answer(run: Run, found: Forgotten, now: datetime) -> bool:
    """What the person at the terminal says to what is shown; no where there is none."""
    if not asking.is_terminal(run):
        return False
    output.notices(found.notices, quiet=run.quiet)
    output.lines(render.lines(found, asks=True, now=now))
    return asking.confirm("Permanently forget everything listed above?")


VERBS = (
    Verb(
        "forget",
        forget,
        (
            texts("--matching", "TEXT", "Text to forget, also in encoded form; `-` reads standard input; repeatable."),
            texts("--subject", "NAME", "Name to forget, matched as whole words in any form; repeatable."),
            text("--reason", "TEXT", "Reason, recorded in the journal.", default=""),
            flag("--copies", "Forget it in backups too, where these can be changed."),
            flag("--dry-run", "List matches without changing anything."),
            YES,
        ),
        'agentws forget --subject "Anna Lind" --dry-run      lists all matches',
        'agentws forget --subject "Anna Lind" --subject Anni --reason "she asked for it"',
        'agentws forget --matching "+49 30 901820" --yes',
        "agentws forget --matching - --yes < secret.txt       keeps the text out of the shell history",
    ),
)


def _next(found: Forgotten) -> str:
    """What to do about what keeps it."""
    if any(one.holds for one in found.left):
        return "Rename or edit the listed files, then re-run the command."
    if any(event.line.waiting for event in found.events):
        return "The machine that wrote these events removes them: agentws sync here, then there."
    return "Do what is said above of each copy."
