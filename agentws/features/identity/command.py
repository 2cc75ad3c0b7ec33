"""The verbs `agentws identity show|verify|vouch|takeover|retire|revive|rotate`: their options and calls."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.terminal import asking, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, YES, Verb, flag, optional, text
from agentws.errors import DamagedError, NeedsYouError
from agentws.features.identity import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_KEYS = f"Restore a changed list of keys: agentws restore {layout.SIGNERS} --at TIME"


def show(run: Run, *, accept: bool) -> None:
    """Show the agent, this installation of it, and the other writers."""
    shown = run.workspace().identity(accept=accept)
    run.done("identity-show", render.shown_fields(shown), render.shown_lines(shown), shown.notices)


def verify(run: Run) -> None:
    """Verify vouches, signing keys and every seal. Exits 14 for damage, 3 for other problems."""
    done = run.workspace().verify_identity()
    run.done("identity-verify", render.verified_fields(done), render.verified_lines(done), done.notices)
    if done.damaged:
        raise DamagedError(
            "Protected data was changed (see above).", hint=f"Restore the files above from a backup. {_KEYS}"
        )
    if done.findings:
        count = len(done.findings)
        raise NeedsYouError(
            f"{count} finding{'s' * (count > 1)} (see above).",
            hint=f"Vouch for your own writer: agentws identity vouch WRITER. {_KEYS}",
        )


def vouch(run: Run, *, writer: str | None, key: str | None, host: str, dry_run: bool) -> None:
    """Vouch for another writer, so that it may write in any identity.mode."""
    workspace = run.workspace()
    done = workspace.vouch_writer(writer, key=key, host=host, dry_run=dry_run) if writer else workspace.request_vouch()
    run.done("identity-vouch", render.vouched_fields(done), render.vouched_lines(done), done.notices)


def takeover(run: Run, *, recovery_key: str | None, dry_run: bool, yes: bool) -> None:
    """Let this installation write instead of the earlier one. Needs no proof; which one there was is recorded."""
    planned = run.workspace().take_over(recovery_key=recovery_key, dry_run=True)
    if planned.needed and not dry_run:
        _agree(run, render.asked_lines(planned), "Take over writing here?", yes=yes)
        planned = run.workspace().take_over(recovery_key=recovery_key)
    elif planned.needed and not run.as_json:
        output.lines(render.asked_lines(planned))
    run.done("identity-takeover", render.takeover_fields(planned), render.takeover_lines(planned), planned.notices)


def retire(run: Run, *, reason: str, dry_run: bool, yes: bool) -> None:
    """Make this agent read-only until it is revived."""
    if not dry_run:
        _agree(run, ["The workspace becomes read-only: no log, event or task."], "Retire this agent?", yes=yes)
    done = run.workspace().retire(reason=reason, dry_run=dry_run)
    run.done("identity-retire", render.rested_fields(done), render.retired_lines(done), done.notices)


def revive(run: Run, *, dry_run: bool, yes: bool) -> None:
    """Resume writing here after the agent was retired or moved. Not during a migration."""
    planned = run.workspace().revive(dry_run=True)
    if planned.before.said and not dry_run:
        words = [planned.before.said, "If another copy writes too, both must be merged later."]
        _agree(run, words, "Resume writing here?", yes=yes)
    done = run.workspace().revive(dry_run=dry_run)
    run.done("identity-revive", render.rested_fields(done), render.revived_lines(done), done.notices)


def rotate(run: Run, *, dry_run: bool) -> None:
    """Give this installation a new key, signed by the old one. Old seals stay valid."""
    done = run.workspace().rotate_key(dry_run=dry_run)
    run.done("identity-rotate", render.rotated_fields(done), render.rotated_lines(done), done.notices)


def _agree(run: Run, lines: Iterable[str], question: str, *, yes: bool) -> None:
    """Raise NeedsYouError unless `--yes` was given or the person at the terminal agrees."""
    if yes:
        return
    if not run.as_json:
        output.lines(lines)
        if asking.is_terminal(run) and asking.confirm(question):
            return
    raise NeedsYouError("Not confirmed, nothing changed.", hint="Re-run with --yes.")


VERBS = (
    Verb(
        "identity show",
        show,
        (flag("--accept", "Accept the current SOUL.md and other identity files."),),
        "agentws identity show",
        "agentws identity show --accept      accept SOUL.md and similar files",
    ),
    Verb("identity verify", verify, (), "agentws identity verify", "agentws identity verify --json"),
    Verb(
        "identity vouch",
        vouch,
        (
            optional(
                "writer",
                "[WRITER]",
                "Writer to vouch for. Default: print the command that vouches for this installation.",
            ),
            text("--key", "KEY", "Public key of that writer, if identity/writers.jsonl has none."),
            text("--host", "NAME", "Name of that writer's machine.", default=""),
            DRY_RUN,
        ),
        "agentws identity vouch                               on the new machine: prints the command for the old one",
        "agentws identity vouch 006b0070611a6f64 --key 'ssh-ed25519 AAAA…' --host vps",
    ),
    Verb(
        "identity takeover",
        takeover,
        (
            text("--recovery-key", "FILE", "Private key listed as `recovery` in identity/allowed_signers."),
            DRY_RUN,
            YES,
        ),
        "agentws identity takeover --dry-run",
        "agentws identity takeover --yes",
        "agentws identity takeover --recovery-key /media/stick/robin --yes",
    ),
    Verb(
        "identity retire",
        retire,
        (text("--reason", "TEXT", "Reason, recorded in the journal.", default=""), DRY_RUN, YES),
        'agentws identity retire --reason "Robin is done" --yes',
    ),
    Verb("identity revive", revive, (DRY_RUN, YES), "agentws identity revive --yes"),
    Verb("identity rotate", rotate, (DRY_RUN,), "agentws identity rotate --dry-run", "agentws identity rotate"),
)
