"""The interview of `curate --review`: asks a person about each candidate, like `git add -p`."""

from __future__ import annotations

import sys

from agentws.core.formats.journal import summary
from agentws.core.terminal import dialog, output
from agentws.core.text import origin, sanitize
from agentws.errors import NeedsYouError
from agentws.features.memory.curate import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentws.core.terminal.invocation import Run
    from agentws.features.memory.curate.answer import Curated, Proposed

_HELP = """\
y  yes: add it to MEMORY.md
n  no: do not propose it again; if it came from outside, remove it
e  edit it first: it then counts as yours, and only you may change it
s  skip it: propose it again next time
q  quit and apply the decisions so far; Ctrl-C and Ctrl-D do the same
?  this help"""
_MOST_CHARS = 300


def run(invocation: Run, *, dry_run: bool) -> None:
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
    render.tell(invocation, workspace.memory.decide(review.proposed, dry_run=dry_run))


def _show(proposed: Proposed, number: int, count: int) -> None:
    output.line(f"\n({number}/{count}) [{proposed.kind}] {_line(proposed.text)}")
    for ref, src, text in proposed.sources:
        heard = f" (from outside: {src})" if origin.is_outside(src or origin.UNKNOWN) else ""
        output.line(f"    {ref}{heard} {_line(text.rpartition(chr(10))[2].lstrip('-*+ '))}")
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
