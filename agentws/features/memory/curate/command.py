"""The verb agentws curate: its options, its output, and the interview of `--review`, like `git add -p`."""

from __future__ import annotations

import os
import sys

from agentws.core.formats.journal import summary
from agentws.core.terminal import dialog, invocation, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import Verb, flag, text
from agentws.core.text import origin, sanitize
from agentws.core.text.sanitize import one_line
from agentws.errors import NeedsYouError, UsageError
from agentws.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentws.features.memory.curate.answer import Curated, Proposed

_MOST_BYTES = 1 << 21


def curate(run: Run, *, apply: str | None, review: bool, dry_run: bool) -> None:
    """Print the curation brief for MEMORY.md, or apply an answer to it."""
    if review:
        if apply is not None:
            raise UsageError("--review and --apply cannot be used together.", hint="Use one of them.")
        interview(run, dry_run=dry_run)
        return
    if apply is None:
        if dry_run:
            raise UsageError(
                "--dry-run needs --apply or --review.",
                hint="`agentws curate` alone changes nothing.",
            )
        brief = run.workspace().memory.brief()
        run.result("curate-brief", brief, BRIEF, brief.brief.text.rstrip("\n").split("\n"), look=output.MARKDOWN)
        return
    workspace = run.workspace()
    tell(run, workspace.memory.curate(_answer(workspace, apply), dry_run=dry_run))


def _answer(workspace: Workspace, name: str) -> str:
    if name == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("Standard input is empty.", hint="agentws curate --apply - < answer")
        return invocation.argument(name)
    # Refused lines are printed, and an agent may be allowed to run this verb: it must not read any file that way.
    path = _within(workspace.root, name)
    if path is None:
        raise UsageError(
            f"{name}: the answer must be a file in the workspace, and not hidden.",
            hint="Or pipe the answer: agentws curate --apply - < answer",
        )
    return workspace.stores.files.part(path, _MOST_BYTES)[0].decode("utf-8", "surrogateescape")


def _within(root: str, name: str) -> str | None:
    """Return the answer's path in the workspace; None if it lies outside, or behind a name that begins with a dot.

    Only links in its folder are resolved: the code that opens the file follows none.
    """
    folder, file = os.path.split(os.path.expanduser(name))
    path = os.path.relpath(os.path.join(os.path.realpath(folder), file), os.path.realpath(root))
    return None if any(word.startswith(".") for word in path.split("/")) else path


VERBS = (
    Verb(
        "curate",
        curate,
        (
            text("--apply", "FILE", "Apply the operations in a file of the workspace; `-`: standard input."),
            flag("--review", "Decide one by one on a terminal: y, n, e, s, q, ?."),
            flag("--dry-run", "With --apply or --review: show the result only."),
        ),
        "agentws curate                        the brief: entries, doubts, candidates, how to answer",
        "agentws curate --apply - < answer     apply the answer; unsupported lines are refused",
        "agentws curate --apply answer --dry-run",
        "agentws curate --review               decide on the proposals one by one",
        "agentws undo                          undo a curation",
    ),
)


_HELP = """\
y  yes: add it to MEMORY.md
n  no: do not propose it again; if it came from outside, remove it
e  edit it first: it then counts as yours, and only you may change it
s  skip it: propose it again next time
q  quit and apply the decisions so far; Ctrl-C and Ctrl-D do the same
?  this help"""
_MOST_CHARS = 300


def interview(invocation: Run, *, dry_run: bool) -> None:
    """Ask a person about each candidate and apply the decisions as one change; NeedsYouError without a terminal."""
    if any(stream is None or not stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise NeedsYouError(
            "--review needs a terminal.", hint="Without a terminal: agentws curate, then agentws curate --apply FILE"
        )
    workspace = invocation.workspace()
    review = workspace.memory.review(dry_run=dry_run)
    output.notices(review.notices, quiet=invocation.quiet)
    try:
        for number, item in enumerate(review.proposed, 1):
            _show(item, number, len(review.proposed))
            if not _ask(item, lambda proposed: workspace.memory.decide([proposed], dry_run=True)):
                break
    except KeyboardInterrupt:  # Ctrl-C and the end of input are a `q`: no decision is lost
        output.line("\nStopped. Decisions made so far were saved.")
    if not any(item.decision for item in review.proposed):
        output.line("No decision was made; nothing was changed." if review.proposed else "There are no proposals.")
        return
    tell(invocation, workspace.memory.decide(review.proposed, dry_run=dry_run))


def _show(proposed: Proposed, number: int, count: int) -> None:
    output.line(f"\n({number}/{count}) [{proposed.kind}] {_line(proposed.text)}")
    for ref, src, source in proposed.sources:
        heard = f" (from outside: {src})" if origin.is_outside(src or origin.UNKNOWN) else ""
        output.line(f"    {ref}{heard} {_line(source.rpartition(chr(10))[2].lstrip('-*+ '))}")
    output.line(f"    {proposed.why}")
    for line in proposed.near:
        output.line(f"    compare {line.name} {_line(line.text)}")


def _line(text: str) -> str:
    return summary.cut(sanitize.inert(text), _MOST_CHARS)


def _ask(proposed: Proposed, check: Callable[[Proposed], Curated]) -> bool:
    """Ask for the decision about one candidate; return False if the person quits."""
    while True:
        message = dialog.prompt("Add to MEMORY.md [y,n,e,s,q,?]", "s").lower()
        if message in ("y", "n"):
            proposed.decision = message
        elif message == "e":
            if not _edit(proposed, check):
                continue
        elif message == "q":
            return False
        elif message != "s":
            output.line(_HELP)
            continue
        return True


def _edit(proposed: Proposed, check: Callable[[Proposed], Curated]) -> bool:
    """Ask for another wording and check it at once; return False if there is none that is accepted."""
    text = dialog.prompt("Text", "")
    if not text:
        output.line("No text was given. Decide again.")
        return False
    proposed.decision, proposed.edited = "y", text if text != proposed.text else ""
    done = check(proposed)
    for _, why in done.refused:
        output.line(f"Not accepted: {sanitize.inert(why)}.")
        proposed.decision = proposed.edited = ""
        return False
    return True


_MOST_WAS_CHARS = 100
BRIEF = """
    brief=brief.name text=brief.text section_tokens=brief.size
    entries=brief.rows[number text=entry.text heading=entry.kind day? a_person_s=is_theirs changed_file=tie?]
    candidates=brief.candidates[text kind sources=refs day? src] left_out=brief.left_out notices
"""
_OPERATION = "line operation=verb? said=raw"


def tell(invocation: Run, done: Curated) -> None:
    """Print what a curation did; NeedsYouError if an operation was refused."""
    invocation.done("curate", fields(done), lines(done), done.notices)
    if done.refused:
        count = len(done.refused)
        raise NeedsYouError(
            f"{count} operation{'s' * (count > 1)} refused, {len(done.applied)} applied.",
            hint="Correct the refused operations, and apply only these: agentws curate --apply FILE",
        )


def fields(done: Curated) -> dict[str, object]:
    """Return the fields of `agentws/curate@1`."""
    applied = [
        output.fields(operation, f"{_OPERATION} left", left=done.left.get(operation.line, []))
        for operation in done.applied
    ]
    names = f"applied refused[*operation[{_OPERATION}] why] declined section_tokens=tokens[before now] dry_run notices"
    return output.fields(done, names, applied=applied)


def lines(done: Curated) -> Iterator[str]:
    """Yield the operations that a curation applied, and those it refused, with why."""
    would = "would apply" if done.dry_run else "applied"
    for operation in done.applied:
        yield f"{would}: {operation.raw}"
        for was in done.left.get(operation.line, ()):
            yield f"  was: {summary.cut(one_line(was), _MOST_WAS_CHARS)}"
    for operation, why in done.refused:
        yield f"refused: {operation.raw}"
        yield f"  line {operation.line}: {why}"
    if done.applied:
        yield f"The section in MEMORY.md has {done.tokens[1]} tokens ({done.tokens[0]} before)."
    if done.declined:
        what = f"{done.declined} candidate{'s' * (done.declined > 1)}"
        yield f"{what} will not be proposed again." if not done.dry_run else f"{what} would not be proposed again."
    if done.changes.changes and not done.dry_run:
        yield "Undo: agentws undo"
