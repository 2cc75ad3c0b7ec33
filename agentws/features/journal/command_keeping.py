"""The verbs that keep the journal, `agentws journal seal|retract|renew`: their options, calls and output."""

from __future__ import annotations

from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, Verb, text, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from agentws.features.journal.renew import Renewed
    from agentws.features.journal.retract import Retracted


def seal(run: Run) -> None:
    """Sign the journal of this installation up to now."""
    done = run.workspace().journal.seal()
    run.result("journal-seal", done, "writer? seq cursor key reason? notices", _sealed_lines(done))


def retract(run: Run, *, events: list[str], reason: str, dry_run: bool) -> None:
    """Record that events do not count. Nothing is deleted; `journal list` shows them marked."""
    workspace = run.workspace()
    done = workspace.journal.retract(events, reason=reason, dry_run=dry_run)
    lines = _retracted_lines(done, workspace.stores.clock.now())
    run.result("journal-retract", done, "reason dry_run events[cursor kind at already retracted=by?] notices", lines)


def renew(run: Run, *, reason: str) -> None:
    """Continue in a new journal beside a damaged one."""
    done = run.workspace().journal.renew(reason=reason)
    run.result("journal-renew", done, "writer before last_good=seq damage notices", _renewed_lines(done))


def _sealed_lines(done: Any) -> Iterator[str]:
    if done.seq is None:
        yield f"Nothing was sealed: {done.reason}."
    else:
        yield f"Sealed {done.writer}:{done.seq} and all before it ({done.cursor})"


def _retracted_lines(done: Retracted, now: datetime) -> Iterator[str]:
    from agentws.core.disk import clock  # `journal verify` needs none

    for event in done.events:
        what = f"{event.cursor}  {clock.local(event.at, now)}  {event.kind}"
        if event.already:
            yield f"{what}: already retracted by {event.by}."
        else:
            yield f"{what}: would be retracted." if done.dry_run else f"{what}: retracted by {event.by}."
    if done.dry_run:
        yield "Nothing was changed."


def _renewed_lines(done: Renewed) -> Iterator[str]:
    yield f"This installation continues as writer {done.writer}, in a separate journal."
    yield f"The journal of {done.before} is unchanged; its last valid event is {done.before}:{done.seq}."


VERBS = (
    Verb("journal seal", seal, (), "agentws journal seal"),
    Verb(
        "journal retract",
        retract,
        (
            words("events", "EVENT...", "Events: WRITER:SEQ, as in `journal list`, or ids."),
            text("--reason", "TEXT", "Reason, recorded in the journal.", is_required=True),
            DRY_RUN,
        ),
        'agentws journal retract 0069f1c2a03fa9c1:17 --reason "measured the wrong room" --dry-run',
        'agentws journal retract 17 --reason "measured the wrong room"',
    ),
    Verb(
        "journal renew",
        renew,
        (text("--reason", "TEXT", "Reason, recorded in the journal.", default=""),),
        "agentws journal renew",
        'agentws journal renew --reason "the disk was failing"',
    ),
)
