"""The verb agentws compact, with --verify and --undo."""

from __future__ import annotations

from agentws.core.terminal import asking, environment, output
from agentws.core.terminal.options import Verb, flag, number, text
from agentws.errors import NeedsYouError, UsageError
from agentws.features.memory.compact import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.terminal.invocation import Run
    from agentws.features.memory.compact.run import Compacted


def compact(
    run: Run,
    *,
    before: str | None,
    budget: int | None,
    tokenizer: str | None,
    summarizer: str | None,
    dry_run: bool,
    yes: bool,
    verify: bool,
    undo: bool,
    explain: bool,
) -> None:
    """Archive old logs and add their marked lines to MEMORY.md. No line is lost.

    Lines that their author marked as a decision, lesson, preference, fact or rule enter MEMORY.md, each with its day.
    Open items and the newest list of next steps stay in memory/digest.md.
    With `checkpoint.keep` set, older checkpoints are removed for good.
    """
    if verify and undo:
        raise UsageError("--verify and --undo cannot be used together.", hint="Run one, then the other.")
    if verify:
        _verify(run)
    elif undo:
        _undo(run, dry_run=dry_run)
    else:
        words = {"before": before, "budget": budget, "tokenizer": tokenizer, "summarizer": summarizer}
        settings = environment.user_settings()
        _compact(run, explain=explain, yes=yes, dry_run=dry_run, settings=settings, **words)


def _compact(run: Run, *, explain: bool, yes: bool, dry_run: bool, **words: Any) -> None:
    workspace = run.workspace()
    done = workspace.compact(agreed=yes, dry_run=dry_run, **words)
    if done.must_agree and not dry_run and _agrees(run, done):
        done = workspace.compact(agreed=True, **words)
    run.done("compact", render.fields(done, explain=explain), render.lines(done, explain=explain), done.notices)
    if done.must_agree and not dry_run:
        raise NeedsYouError(
            "Not confirmed, nothing changed: this is the first run in this workspace.",
            hint="Check the result with --dry-run, then run: agentws compact --yes",
        )


def _verify(run: Run) -> None:
    found = run.workspace().verify_compaction()
    run.done("compact-verify", render.verified_fields(found), render.verified_lines(found), found.notices)
    if found.faults:
        raise NeedsYouError(
            f"{len(found.faults)} compacted lines or files are changed, missing or unreadable (see above)."
            if len(found.faults) > 1
            else "1 compacted line or file is changed, missing or unreadable (see above).",
            hint="Look for earlier versions: agentws history FILE",
        )


def _undo(run: Run, *, dry_run: bool) -> None:
    done = run.workspace().undo_compaction(dry_run=dry_run)
    run.done("compact-undo", render.undone_fields(done), render.undone_lines(done), done.notices)


def _agrees(run: Run, done: Compacted) -> bool:
    if not asking.is_terminal(run):
        return False
    output.lines(render.diff_lines(done))
    return asking.confirm(f"Apply this change to {render.documents(done)}?")


VERBS = (
    Verb(
        "compact",
        compact,
        (
            text("--before", "TIME", "Compact logs older than this: 14d, 2026-11-01. Default: the manifest's."),
            number("--budget", "TOKENS", "No effect; accepted for earlier scripts."),
            text("--tokenizer", "NAME", "No effect; accepted for earlier scripts.", completes="tokenizer"),
            text(
                "--summarizer",
                "COMMAND",
                "Program that then answers the brief of `curate` (llm -m …, ollama run …); builtin for none. "
                "Default: your config.toml.",
            ),
            flag("--dry-run", "Show the changes without applying them."),
            flag("--yes", "Confirm the first run without a question."),
            flag("--verify", "Verify every compacted line; exit 3 if one was changed."),
            flag("--undo", "Undo the last run; keep later changes."),
            flag("--explain", "Explain which marked lines were added, which were not, and why."),
        ),
        "agentws compact --dry-run",
        "agentws compact --before 30d --explain",
        "agentws compact --verify",
        "agentws compact --undo",
    ),
)
