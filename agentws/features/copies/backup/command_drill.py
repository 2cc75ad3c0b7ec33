"""agentws backup drill, and its old name `drill`."""

from __future__ import annotations

from agentws.core.formats.travel import destination
from agentws.core.terminal import dialog, invocation
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.moments import span
from agentws.core.terminal.options import Verb, optional, text
from agentws.core.text.names import many, some
from agentws.core.text.sanitize import one_line
from agentws.errors import DamagedError, OutsideProgramError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.copies.backup.drill import Drilled


def drill(run: Run, *, to: str | None, at: str | None, on: str | None) -> None:
    """Restore the newest backup to a temporary folder, boot it, and show what would be lost."""
    dialog.terminate_cleanly()
    workspace = run.workspace()
    place = destination.parse(to, invocation.path_meant).text if to is not None else None
    with dialog.progress_bar(run, "restoring") as report:
        done = workspace.copies.drill(place, at=at, on=on, progress=report)
    run.result("drill", done, _DRILLED, drilled_lines(done), findings=(*done.findings, *done.far))
    if done.far:
        raise OutsideProgramError(
            f"The backup is sound, but {done.on} cannot run it (see above).", hint="Fix that machine, then re-run."
        )
    if not done.well:
        raise DamagedError(
            "This backup cannot be restored as it is (see above).",
            hint="Make one that shares no file with it: agentws backup create --full",
        )


DRILL, OLD = (
    Verb(
        name,
        drill,
        (
            optional("to", "[DEST]", "Folder or git repository of the backups. Default: the first known one."),
            text("--at", "BACKUP", "Backup to use, by name or number. Default: the newest."),
            text("--on", "USER@HOST", "Try it on this machine too, by ssh. Nothing stays there."),
        ),
        "agentws backup drill",
        "agentws backup drill /media/stick/backups --at 12",
        "agentws backup drill --on robin@backup.example.org   restored, verified and booted there too",
        "agentws schedule install drill --every sun --yes     once a week",
    )
    for name in ("backup drill", "drill")
)
VERBS = (OLD,)
_DRILLED = """
    well to name at files bytes chains documents booted events lost_s took_s on
    missing differ[added changed removed] lost_documents=differ.documents lost_files=differ.others
    findings[path what] original
"""


def drilled_lines(done: Drilled) -> Iterator[str]:
    """The verdict, what would be lost, how long it took."""
    verdict = "Restored and booted" if done.is_sound else "FAILED"
    where = (f", here and on {done.on}" if done.well else f", here but not on {done.on}") if done.on else ""
    yield one_line(f"{verdict}: {done.name} of {done.to}{where}, in {done.took_s:.1f} s")
    for path, what in (*done.findings, *done.far):
        yield inner(f"{path}: {what}" if path else f"  {what}")
    for words in done.original:
        yield inner(f"damaged before it was copied: {words}")
    if done.well:
        yield (
            f"  {many(done.files, 'file')}, {many(done.chains, 'journal')} and "
            f"{many(done.documents, 'document')} verified"
        )
    if done.missing:
        yield f"  holds {many(done.missing, 'event')} missing here"
    lost = [many(count, word) for count, word in _lost(done) if count]
    yield f"  would be lost: {', '.join(lost)}; {span(done.lost_s)} of work" if lost else "  nothing would be lost"
    for word, names in done.differ.told.items():
        if names:
            yield inner(f"{word} since: {some(names)}")


def _lost(done: Drilled) -> tuple[tuple[int, str], ...]:
    others = "other file" if done.differ.documents else "file"
    return (done.events, "event"), (done.differ.documents, "document"), (done.differ.others, others)


def inner(text: str) -> str:
    """A line below another one."""
    return f"  {one_line(text)}"
