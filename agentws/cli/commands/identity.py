"""agentws identity show|verify|vouch|takeover|retire|revive|rotate."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated

import typer

from agentws.cli import output, typer_glue
from agentws.cli.invocation import Run
from agentws.cli.render import identity as render
from agentws.errors import DamagedError, NeedsYouError

SHOW_EXAMPLES = typer_glue.examples(
    "agentws identity show", "agentws identity show --accept      SOUL.md and its like are right"
)
VERIFY_EXAMPLES = typer_glue.examples("agentws identity verify", "agentws identity verify --json")
VOUCH_EXAMPLES = typer_glue.examples(
    "agentws identity vouch                               on the new machine: prints what to call on the old one",
    "agentws identity vouch 006b0070611a6f64 --key 'ssh-ed25519 AAAA…' --host vps",
)
TAKEOVER_EXAMPLES = typer_glue.examples(
    "agentws identity takeover --dry-run",
    "agentws identity takeover --yes",
    "agentws identity takeover --recovery-key /media/stick/robin --yes",
)
RETIRE_EXAMPLES = typer_glue.examples('agentws identity retire --reason "Robin is done" --yes')
REVIVE_EXAMPLES = typer_glue.examples("agentws identity revive --yes")
ROTATE_EXAMPLES = typer_glue.examples("agentws identity rotate --dry-run", "agentws identity rotate")

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]
Yes = Annotated[bool, typer.Option("--yes", help="Agree without being asked.")]


def show(
    context: typer.Context,
    accept: Annotated[
        bool, typer.Option("--accept", help="SOUL.md and its like are right as they are: boot asks no more.")
    ] = False,
) -> None:
    """Who this agent is, which installation of it this is, and who else writes."""
    asked = typer_glue.of(context)
    shown = asked.workspace().identity(accept=accept)
    asked.done("identity-show", render.shown_fields(shown), render.shown_lines(shown), shown.notices)


def verify(context: typer.Context) -> None:
    """Check who vouched for whom, which keys may sign, and every seal. Exits 14 for damage, 3 for what needs you."""
    asked = typer_glue.of(context)
    done = asked.workspace().verify_identity()
    asked.done("identity-verify", render.verified_fields(done), render.verified_lines(done), done.notices)
    if done.damaged:
        raise DamagedError("Something was changed that must not be: see above.")
    if done.findings:
        raise NeedsYouError("Something needs you: see above.")


def vouch(
    context: typer.Context,
    writer: Annotated[
        str | None, typer.Argument(metavar="[WRITER]", help="The writer to sign in. None: what to call for this one.")
    ] = None,
    key: Annotated[
        str | None, typer.Option(metavar="KEY", help="Its public key, where identity/writers.jsonl tells none.")
    ] = None,
    host: Annotated[str, typer.Option(metavar="NAME", help="What its machine is called.")] = "",
    dry_run: DryRun = False,
) -> None:
    """Sign another writer in, so that it may write here whatever the manifest requires."""
    asked = typer_glue.of(context)
    workspace = asked.workspace()
    done = workspace.vouch_writer(writer, key=key, host=host, dry_run=dry_run) if writer else workspace.request_vouch()
    asked.done("identity-vouch", render.vouched_fields(done), render.vouched_lines(done), done.notices)


def takeover(
    context: typer.Context,
    recovery_key: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A private key that identity/allowed_signers knows as `recovery`."),
    ] = None,
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Go on with the writing here, whoever wrote before. It always works; the proof is recorded, even `none`."""
    asked = typer_glue.of(context)
    planned = asked.workspace().take_over(recovery_key=recovery_key, dry_run=True)
    if planned.needed and not dry_run:
        _agree(asked, render.asked_lines(planned), "Go on here?", yes=yes)
        planned = asked.workspace().take_over(recovery_key=recovery_key)
    elif planned.needed and not asked.as_json:
        output.lines(render.asked_lines(planned))
    asked.done("identity-takeover", render.takeover_fields(planned), render.takeover_lines(planned), planned.notices)


def retire(
    context: typer.Context,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; it is recorded.")] = "",
    dry_run: DryRun = False,
    yes: Yes = False,
) -> None:
    """Let this agent write nothing any more, until it is revived. Reading goes on."""
    asked = typer_glue.of(context)
    if not dry_run:
        _agree(asked, ["Nothing will be written any more: no log, no event, no task."], "Retire this agent?", yes=yes)
    done = asked.workspace().retire(reason=reason, dry_run=dry_run)
    asked.done("identity-retire", render.rested_fields(done), render.retired_lines(done), done.notices)


def revive(context: typer.Context, dry_run: DryRun = False, yes: Yes = False) -> None:
    """Let this agent write here again, after it was retired or has moved away. Not while a move is still under way."""
    asked = typer_glue.of(context)
    planned = asked.workspace().revive(dry_run=True)
    if planned.before.said and not dry_run:
        words = [planned.before.said, "If it writes elsewhere too, the two have to be united later."]
        _agree(asked, words, "Let it write here again?", yes=yes)
    done = asked.workspace().revive(dry_run=dry_run)
    asked.done("identity-revive", render.rested_fields(done), render.revived_lines(done), done.notices)


def rotate(context: typer.Context, dry_run: DryRun = False) -> None:
    """Give this installation a new key; the old one signs it in. What was sealed stays good."""
    asked = typer_glue.of(context)
    done = asked.workspace().rotate_key(dry_run=dry_run)
    asked.done("identity-rotate", render.rotated_fields(done), render.rotated_lines(done), done.notices)


def _agree(asked: Run, lines: Iterable[str], question: str, *, yes: bool) -> None:
    """NeedsYouError where neither `--yes` was given nor the person at the terminal agrees."""
    if yes:
        return
    streams = (sys.stdin, sys.stdout, sys.stderr)
    if not asked.as_json:
        output.lines(lines)
        if all(stream is not None and stream.isatty() for stream in streams) and typer.confirm(question, err=True):
            return
    raise NeedsYouError("Nothing was changed: nobody has agreed.", hint="If it is right, say the same with --yes.")
