"""The verb `agentws fleet archive`: its options, its call and its output."""

from __future__ import annotations

from agentws.core.journal.sealing import order_check
from agentws.core.terminal.options import DRY_RUN, Verb, flag, text, word
from agentws.core.text.names import many
from agentws.core.text.sanitize import one_line
from agentws.errors import DamagedError, UsageError
from agentws.features.fleet import archive as _archive
from agentws.features.fleet.object_store import ObjectStore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.terminal.invocation import Run
    from agentws.features.fleet.archive import Archived, Problem, Verified

_WRONG = "Check the workspace: agentws journal verify. Move a wrong object away there, and archive again."
_YOUNG = "The purge event may be in the newest segment, which is not archived: then the archive is good."


def archive(run: Run, *, url: str, verify: bool, restore: str | None, agent: str | None, dry_run: bool) -> None:
    """Write the closed segments of the journal to object storage, with private text, like a backup.

    Objects are only created; one that differs is an error, but for content that was purged here, which is taken out.
    """
    run.check_main_audience()
    if (verify and restore) or (dry_run and (verify or restore)) or (agent and not restore):
        raise UsageError("Give one of --verify, --restore and --dry-run; --agent needs --restore.")
    place = ObjectStore(url)
    if verify or restore:
        held = _archive.restore(place, restore, agent) if restore else _archive.verify(run.workspace().stores, place)
        names = "url agent folder? objects events waiting problems[path what]"
        run.result("fleet-archive-verify", held, names, _verified_lines(held), notices=())
        is_young = restore and all(problem.what == order_check.NOBODY for problem in held.problems)
        _check(held.problems, place, _YOUNG if is_young else _WRONG)
        return
    done = _archive.archive(run.workspace().stores, place, dry_run=dry_run)
    names = "url agent new equal purged bytes problems[path what] dry_run"
    run.result("fleet-archive", done, names, _archived_lines(done), notices=())
    _check(done.problems, place)


def _check(problems: Sequence[Problem], place: ObjectStore, hint: str = _WRONG) -> None:
    if problems:
        raise DamagedError(f"{many(len(problems), 'problem')} with the archive {place.url}.", hint=hint)


def _archived_lines(done: Archived) -> Iterator[str]:
    yield from _problem_lines(done.problems)
    if not (done.new or done.equal or done.problems):
        yield "No segment of the journal is closed yet: the newest of each machine is not archived."
        return
    verb = "Would write" if done.dry_run else "Wrote"
    yield f"{verb} {many(done.new, 'object')} ({done.bytes:,} bytes); {done.equal} were there already."
    if done.purged:
        yield f"Purged content {'would be' if done.dry_run else 'was'} taken out of {many(done.purged, 'segment')}."


def _verified_lines(done: Verified) -> Iterator[str]:
    yield from _problem_lines(done.problems)
    yield f"{many(done.objects, 'object')} of the agent {done.agent}, {many(done.events, 'event')}."
    if done.waiting:
        yield f"{many(done.waiting, 'closed segment')} are not archived yet."
    if done.folder:
        yield f"Written to {done.folder}."


def _problem_lines(problems: Sequence[Problem]) -> Iterator[str]:
    return (one_line(f"{problem.path}: {problem.what}") for problem in problems)


VERBS = (
    Verb(
        "fleet archive",
        archive,
        (
            word("url", "URL", "s3://BUCKET/PREFIX, gs://…, az://…, or a folder."),
            flag("--verify", "Read the whole archive and verify it."),
            text("--restore", "FOLDER", "Write the archived journal to this new folder."),
            text("--agent", "ID", "Agent to restore, if the archive has several."),
            DRY_RUN,
        ),
        "agentws fleet archive s3://acme-agents/journals",
        "agentws fleet archive /mnt/nas/journals --verify",
        "agentws fleet archive s3://acme-agents/journals --restore old-journal",
    ),
)
