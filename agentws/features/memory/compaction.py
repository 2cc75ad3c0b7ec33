"""compact as a verb: runs the compaction, applies retention to journal and checkpoints, asks the user's summarizer."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.disk.system import user_settings
from agentws.core.formats import layout
from agentws.core.formats.documents import checkpoint
from agentws.core.stores import marks
from agentws.core.stores.stores import Stores
from agentws.errors import UsageError
from agentws.features.approvals import expiry
from agentws.features.journal import compaction
from agentws.features.memory.compact import inputs, run

_IGNORED = ("compaction.budget", "compaction.mode")
"""Settings of earlier versions that have no effect."""
_BUILTIN, _SUMMARIZER = "builtin", "compaction.summarizer"


def compact(
    stores: Stores,
    *,
    before: str | None = None,
    budget: int | None = None,
    tokenizer: str | None = None,
    summarizer: str | None = None,
    settings: str | None = None,
    agreed: bool = False,
    dry_run: bool = False,
) -> run.Compacted:
    """Compact every log that is older than `before` (`14d`, a date): archive it, and add its marked lines to MEMORY.md.

    `summarizer` is the command line of a program that then answers the brief of `curate`, `builtin` for none; None
    takes the one that the user's own `settings` file (a path) names. Its answer is checked; if it fails, nothing
    changes. More than inputs.MOST_BYTES of logs are compacted in several runs, each whole by itself, the oldest logs
    first. The first run in a workspace whose logs are not archived changes nothing until `agreed`. `budget` and
    `tokenizer` have no effect. ChangedUnderneathError if MEMORY.md or a log was edited meanwhile, LockHeldError if
    another run is at work: nothing is changed then.
    """
    stores.check_writable()
    stores.manifest.check("compaction", "retention")
    ignored = [name for name, value in (("--budget", budget), ("--tokenizer", tokenizer)) if value is not None]
    ignored += [key for key in _IGNORED if stores.manifest.setting(key)]
    first_kept = _first_kept(stores, before)
    try:
        with inputs.alone(stores, "compact", dry_run=dry_run):
            if not dry_run:  # for the rules of retention
                stores.notices += expiry.expire(stores)
            done = run.carry_out(stores, first_kept, agreed=agreed, dry_run=dry_run)
            if dry_run or not done.must_agree:
                _keep(stores, done)
    except Exception as error:  # a bug too: a run that fails every night must be reported, whatever the error
        if not dry_run:
            marks.add_failure(stores.files, marks.COMPACTION, f"{stores.clock.now():%Y-%m-%d %H:%M}: {error}")
        raise
    is_done = not (dry_run or done.must_agree)
    if is_done:
        marks.clear_failures(stores.files, marks.COMPACTION)
    _ask_summarizer(stores, summarizer, settings, is_asked=is_done)
    stores.notices += [f"{name} has no effect: only marked lines enter {layout.MEMORY}." for name in ignored]
    done.notices = list(dict.fromkeys(stores.notices))
    return done


def _keep(stores: Stores, done: run.Compacted) -> None:
    """Apply retention: remove and compress old journal segments, and remove checkpoints that are kept no longer."""
    done.journal = compaction.compact(stores, dry_run=done.dry_run)
    if stores.files.exists(layout.CHECKPOINTS):
        from agentws.features.checkpoints import prune  # seldom

        pruned = prune.prune(stores, dry_run=done.dry_run)
        stores.notices += pruned.notices
        done.checkpoints = [checkpoint.path(head.task, head.id) for _, head in pruned.gone]


def _ask_summarizer(stores: Stores, command: str | None, settings: str | None, *, is_asked: bool) -> None:
    """Let the user's summarizer program, if there is one, answer a curation brief like any author.

    `command` is the one that the caller names; None takes that of the user's own `settings` file. The workspace's
    settings never name one. DamagedError if that file cannot be read.
    """
    own = user_settings.read(settings)
    line = own.summarizer if command is None else command.strip()
    if is_asked and line not in ("", _BUILTIN):
        from agentws.features.memory.curate import answer  # seldom

        stores.notices += answer.ask(stores, line, timeout_s=own.timeout_s)
    stores.notices += own.notices
    if _SUMMARIZER in stores.manifest.unknown_settings:
        stores.notices.append(
            f"{layout.MANIFEST} names a summarizer, which is ignored. "
            f"Set your own: agentws config --user {_SUMMARIZER} COMMAND, or pass --summarizer."
        )


def _first_kept(stores: Stores, before: str | None) -> str:
    """Return the first day (ISO) that is too young to be compacted."""
    text = before or stores.manifest.setting("compaction.before")
    try:
        return clock.moment(text, now=stores.clock.now()).date().isoformat()
    except UsageError as error:
        if before:
            raise
        raise UsageError(f"{layout.MANIFEST}: compaction.before: {error.message}", hint=error.hint) from error
