"""agentws forget."""

from __future__ import annotations

from itertools import groupby

from agentws.core.disk import clock
from agentws.core.terminal import dialog, invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import YES, Verb, flag, text, texts
from agentws.core.text import names as _names
from agentws.core.text.sanitize import one_line
from agentws.errors import ChangedUnderneathError, NeedsYouError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from agentws.features.forget.forget import Forgotten


def forget(
    run: Run,
    *,
    matching: list[str] | None,
    subject: list[str] | None,
    reason: str,
    copies: bool,
    no_trace: bool,
    lists: bool,
    lift: list[str] | None,
    dry_run: bool,
    yes: bool,
) -> None:
    """Forget a text or a person, in documents, archive and journal. This cannot be undone.

    From then on, commands refuse the text with exit code 17, and hooks leave it out.
    """
    if lists or lift:
        _kept_out(run, lift or [], is_alone=lists != bool(lift) and not (matching or subject))
        return
    if copies:
        dialog.terminate_cleanly()
    workspace = run.workspace()
    wanted: dict[str, Any] = {
        "matching": [invocation.argument(text).strip() for text in matching or ()],
        "subjects": subject or [],
        "trace": not no_trace,
        "reason": reason,
        "copies": copies,
    }
    agreed = {**wanted, "confirm": True}  # `_confirm` has asked
    result = workspace.memory.forget(**wanted, dry_run=True)
    now = workspace.stores.clock.now()
    if dry_run or (result.is_empty and not result.interrupted):
        shown = forgotten_fields(result, done=False, dry_run=dry_run)
        run.done("forget", shown, forgotten_lines(result, asks=False, now=now), result.notices)
        _check_whole(result, is_left=result.would_leave if dry_run else result.is_left, dry_run=dry_run)
        return
    _confirm(run, result, now, yes=yes)
    try:
        done = run.workspace().memory.forget(**agreed, known=result.known)
    except ChangedUnderneathError:
        if not result.interrupted:
            raise
        # The killed run's changes, reverted or finished by now, were listed half done: so they are listed again.
        result = run.workspace().memory.forget(**wanted, dry_run=True)
        _confirm(run, result, now, yes=yes)
        done = run.workspace().memory.forget(**agreed, known=result.known)
    run.done("forget", forgotten_fields(done, done=True, dry_run=False), done_lines(done), done.notices)
    _check_whole(done, is_left=done.is_left)


def _kept_out(run: Run, lift: list[str], *, is_alone: bool) -> None:
    """List what is kept out, or lift entries."""
    if not is_alone:
        raise UsageError("--list and --lift stand alone.", hint="agentws forget --list")
    workspace = run.workspace()
    entries = workspace.memory.lift(*lift) if lift else workspace.memory.kept_out()
    fields = {
        "lifted": bool(lift),
        "entries": [output.fields(entry, "id reason at by words") for entry in entries],
        "notices": workspace.notices,
    }
    lines = [f"{'lifted: ' if lift else ''}{entry.id}  {entry.day}  {entry.reason}" for entry in entries]
    run.done("kept-out", fields, lines or ["Nothing is kept out."], workspace.notices)


def _confirm(run: Run, outcome: Forgotten, now: datetime, *, yes: bool) -> None:
    """NeedsYouError unless a person agrees; a killed run without matches left needs nobody to be finished."""
    if outcome.broad and not outcome.is_empty:
        # One word keeps out each line that has it, and only a person can lift that.
        run.workspace().stores.environment.check_person("agentws forget …", "keep out every line with one word")
    if yes or outcome.is_empty or _answer(run, outcome, now):
        return
    if not dialog.is_terminal(run):
        shown = forgotten_fields(outcome, done=False, dry_run=False)
        run.done("forget", shown, forgotten_lines(outcome, asks=True, now=now), outcome.notices)
    raise NeedsYouError("Not confirmed, nothing changed.", hint="To forget everything above, re-run with --yes.")


def _check_whole(outcome: Forgotten, *, is_left: bool, dry_run: bool = False) -> None:
    """NeedsYouError if something was not searched, or keeps it all the same."""
    if outcome.unread:
        raise NeedsYouError(
            f"{len(outcome.unread):,} places could not be searched (see above)."
            if len(outcome.unread) > 1
            else "1 place could not be searched (see above).",
            hint="Fix the listed places." if dry_run else "Fix the listed places, then re-run the command.",
        )
    if is_left or outcome.history is not None:
        if dry_run:
            raise NeedsYouError(
                "Some matches would remain (see above).", hint=f"Left to you afterwards: {_next(outcome)}"
            )
        raise NeedsYouError("Some matches remain (see above).", hint=_next(outcome, then=", then re-run the command"))


def _answer(run: Run, outcome: Forgotten, now: datetime) -> bool:
    """Show a preview and return the answer of the person at the terminal; False without a terminal."""
    if not dialog.is_terminal(run):
        return False
    output.notices(outcome.notices, quiet=run.quiet)
    output.lines(forgotten_lines(outcome, asks=True, now=now))
    return dialog.confirm("Permanently forget everything listed above?")


_FORGOTTEN = """
    done dry_run reason lines events copies changed[path before after] event=cursor? left[place why holds] history
    elsewhere backups[.fields] unread not_looked_for kept_out notices
"""
VERBS = (
    Verb(
        "forget",
        forget,
        (
            texts("--matching", "TEXT", "Text to forget, also in encoded form; `-` reads standard input; repeatable."),
            texts("--subject", "NAME", "Name to forget, as whole words; repeatable."),
            text("--reason", "TEXT", "Reason, recorded in the journal.", default=""),
            flag("--copies", "Forget it in backups too, where these can be changed."),
            flag("--no-trace", "Leave no entry that keeps the text out."),
            flag("--list", "List what is kept out, without its text.", to="lists"),
            texts("--lift", "ID", "End an entry of that list; for a person; repeatable."),
            flag("--dry-run", "List matches without changing anything."),
            YES,
        ),
        'agentws forget --subject "Anna Lind" --dry-run      lists all matches',
        'agentws forget --subject "Anna Lind" --subject Anni --reason "she asked for it"',
        'agentws forget --matching "+49 30 901820" --yes',
        "agentws forget --matching - --yes < secret.txt       keeps the text out of the shell history",
    ),
)


def _next(outcome: Forgotten, *, then: str = "") -> str:
    """Return the remedy for places that keep the text, and what is done `then` if agentws can go on."""
    if any(remainder.holds for remainder in outcome.left):
        return f"Rename or edit the listed files{then}."
    if any(event.line.waiting for event in outcome.events):
        return "The machine that wrote these events removes them: agentws sync here, then there."
    if outcome.history is not None:
        return f"Take the matches out of git history (see above){then}."
    return "Do what is said above of each copy."


_MOST_COMMITS = 5
_SHORT = 10
_MESSAGES = "git filter-repo --force --replace-message FILE (FILE: the text, one form a line)"
_PUSHED = "Then force-push, and replace all other clones."


def forgotten_fields(outcome: Forgotten, *, done: bool, dry_run: bool) -> dict[str, object]:
    """Return the fields of `agentws/forget@1`. After the removal they no longer contain the forgotten text."""
    text = {"text": None} if done else {}
    lines = [{"path": path, **output.fields(line, "line why text", **text)} for path, line in outcome.lines]
    events = [output.fields(event, "*line[cursor at kind waiting] text", **text) for event in outcome.events]
    past = outcome.history and output.fields(outcome.history, "commits refs paths rewrite", rewrite=outcome.rewrite)
    is_done = done and not outcome.is_empty
    return output.fields(outcome, _FORGOTTEN, done=is_done, dry_run=dry_run, lines=lines, events=events, history=past)


def forgotten_lines(outcome: Forgotten, *, asks: bool, now: datetime) -> Iterator[str]:
    """Yield the lines of a dry run of forget: the matches, and what will still contain them."""
    if outcome.is_empty:
        yield _nothing(outcome)
    for path, group in groupby(outcome.lines, key=lambda each: each[0]):
        yield from (f"{output.place(path, line.line)}  {one_line(line.text)}{_why(line.why)}" for _, line in group)
    for event in outcome.events:
        yield f"{event.line.cursor}  {clock.local(event.line.at, now)}  {event.line.kind}  {one_line(event.text)}"
    yield from (f"{output.place(path)}  old version, kept by agentws on this machine" for path in outcome.copies)
    yield from _left(outcome)
    if not outcome.is_empty:
        yield ""
        yield f"Would forget {outcome.planned}. This cannot be undone."
        yield from (
            f"Later lines with the word {one_line(word)} are refused: --no-trace leaves no entry."
            for word in outcome.broad
        )
        if not asks:
            yield "Nothing was changed."


def _nothing(outcome: Forgotten) -> str:
    if outcome.is_left:
        return "Matches were found only in places that agentws cannot change."
    searched = "the files that could be searched" if outcome.unread else "documents or journals"
    return f"Not found in {searched}. Nothing is kept out."


def _why(why: str) -> str:
    return f"  ({why})" if why != "holds it" else ""


def done_lines(outcome: Forgotten) -> Iterator[str]:
    """Yield the lines after forget: what was removed, without its text."""
    if outcome.is_empty:
        yield "No match is left."
        yield from outcome.not_looked_for
        return
    if outcome.is_here:
        yield f"Forgot {outcome.counted}."
    for path, group in groupby(outcome.lines, key=lambda each: each[0]):
        yield f"  {output.place(path)}: {_numbers([line.line for _, line in group])}"
    for event in outcome.events:
        yield f"  {event.line.cursor}" + (" (requested: its writer must purge it)" if event.line.waiting else "")
    yield from (f"  {output.place(path)}" for path in outcome.copies)
    yield from (f"Kept out from now on: entry {id}. To lift it: agentws forget --lift {id}" for id in outcome.kept_out)
    if outcome.broad and outcome.kept_out:
        yield "Every later line with the word is refused."
    yield from _left(outcome)


def _numbers(numbers: list[int]) -> str:
    return f"line{'s' * (len(numbers) > 1)} {_names.some(map(str, numbers), 10)}"


def _left(outcome: Forgotten) -> Iterator[str]:
    """Yield the lines about places that still contain forgotten text."""
    if outcome.left:
        yield ""
        yield "Not changed, check these yourself:"
        yield from (f"  {left.place}  {left.why}" for left in outcome.left)
    past = outcome.history
    if past is not None:
        names = ", ".join(commit[:_SHORT] for commit in past.commits[:_MOST_COMMITS])
        more = f" and {len(past.commits) - _MOST_COMMITS} more" if len(past.commits) > _MOST_COMMITS else ""
        yield ""
        files = f" (in {', '.join(past.paths[:_MOST_COMMITS])})" if past.paths else ""
        yield f"Past states in git contain matches: {names}{more}{files}"
        yield f"  reachable from {', '.join(past.refs) or 'the reflog only'}"
        if outcome.rewrite:
            yield "  To take these files out of every past state (agentws does not; the present files stay):"
            yield outcome.rewrite
        if past.said:
            yield f"  The messages of {_names.some([commit[:_SHORT] for commit in past.said])} contain it: {_MESSAGES}"
        if any(ref.startswith("refs/remotes/") for ref in past.refs):
            yield f"  {_PUSHED}"
    if outcome.left or past is not None or not outcome.is_empty or outcome.is_left:
        yield ""
        yield from outcome.elsewhere
    yield from outcome.not_looked_for
