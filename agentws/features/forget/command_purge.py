"""agentws journal purge."""

from __future__ import annotations

from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, YES, Verb, flag, text, words
from agentws.errors import NeedsYouError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from agentws.features.forget.purge import Purged


def purge(run: Run, *, cursors: list[str], reason: str, copies: bool, dry_run: bool, yes: bool) -> None:
    """Remove the content of events; their existence stays provable. This cannot be undone: at a terminal it asks."""
    from agentws.core.terminal import dialog, output  # seldom

    if copies:
        dialog.terminate_cleanly()
    workspace = run.workspace()
    if not (dry_run or yes) and dialog.is_terminal(run):
        shown = workspace.journal.purge(cursors, reason=reason, dry_run=True, copies=copies)
        output.lines(_purged_lines(shown, workspace.stores.clock.now()))
        if not dialog.confirm("Remove the content listed above for good?"):
            raise NeedsYouError("Not confirmed, nothing changed.", hint="To remove it without a question: --yes")
    done = workspace.journal.purge(cursors, reason=reason, dry_run=dry_run, copies=copies)
    run.result("journal-purge", done, _PURGED, _purged_lines(done, workspace.stores.clock.now()))
    if copies and not dry_run and any(backup.is_held for backup in done.backups):
        raise NeedsYouError("Backups may still contain it (see above).", hint="Do what is said there, then re-run.")


def _purged_lines(done: Purged, now: datetime) -> Iterator[str]:
    from agentws.core.disk import clock  # the other verbs of `journal` need none

    for line in done.lines:
        what = f"{line.cursor}  {clock.local(line.at, now)}  {line.kind}"
        size = f"{line.size:,} bytes" + (" with its blob" if line.blob else "")
        if line.already:
            yield f"{what}: already purged."
        elif line.waiting:
            yield f"{what}: requested, not done yet ({size})."
        else:
            yield f"{what}: {'would be purged' if done.dry_run else 'purged'}, {size}."
    if done.dry_run:
        yield "Nothing was changed."


_PURGED = """
    reason dry_run events=lines[cursor kind at bytes=size blob already waiting purged=why] backups[.fields] notices
"""
VERBS = (
    Verb(
        "journal purge",
        purge,
        (
            words("cursors", "CURSOR...", "Events: WRITER:SEQ, as in `journal list`."),
            text("--reason", "TEXT", "Reason, recorded in the journal.", is_required=True),
            flag("--copies", "Remove it in backups too, where these can be changed."),
            DRY_RUN,
            YES,
        ),
        'agentws journal purge 0069f1c2a03fa9c1:17 --reason "a password was printed" --dry-run',
        'agentws journal purge 0069f1c2a03fa9c1:17 0069f1c2a03fa9c1:18 --reason "Sam asked for it"',
    ),
)
