"""The verbs `agentws identity show|verify|vouch|takeover|retire|revive|rotate`: their options and calls."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.formats import layout
from agentws.core.terminal import dialog, output
from agentws.core.terminal.invocation import Run
from agentws.core.terminal.options import DRY_RUN, YES, Verb, flag, optional, text
from agentws.core.text.names import many
from agentws.core.text.sanitize import one_line
from agentws.errors import DamagedError, NeedsYouError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from typing import Any

    from agentws.features.identity.retire import Rested
    from agentws.features.identity.rotate import Rotated
    from agentws.features.identity.show import KnownWriter, ShownIdentity
    from agentws.features.identity.takeover import Takeover
    from agentws.features.identity.verify import VerifiedIdentity
    from agentws.features.identity.vouch import Vouched

_KEYS = f"Restore a changed list of keys: agentws restore {layout.SIGNERS} --at TIME"


def show(run: Run, *, accept: bool) -> None:
    """Show the agent, this installation of it, and the other writers."""
    workspace = run.workspace()
    shown = workspace.identity.show(accept=accept)
    run.result("identity-show", shown, _SHOWN, shown_lines(shown, workspace.stores.clock.now()))


def verify(run: Run) -> None:
    """Verify vouches, signing keys and every seal. Exits 14 for damage, 3 for other problems."""
    done = run.workspace().identity.verify()
    run.result(
        "identity-verify",
        done,
        "well=!findings damaged writers vouches sealed findings[where what damage] notices",
        verified_lines(done),
    )
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
    done = (
        workspace.identity.vouch(writer, key=key, host=host, dry_run=dry_run)
        if writer
        else workspace.identity.request_vouch()
    )
    run.result("identity-vouch", done, "writer key fingerprint by? dry_run notices", vouched_lines(done))


def takeover(run: Run, *, recovery_key: str | None, dry_run: bool, yes: bool) -> None:
    """Let this installation write instead of the earlier one."""
    planned = run.workspace().identity.take_over(recovery_key=recovery_key, dry_run=True)
    if planned.needed and not dry_run:
        _agree(run, asked_lines(planned), "Take over writing here?", yes=yes)
        planned = run.workspace().identity.take_over(recovery_key=recovery_key)
    elif planned.needed and not run.as_json:
        output.lines(asked_lines(planned))
    run.result(
        "identity-takeover",
        planned,
        "writer before=before.kind proof last? needed taken notices",
        takeover_lines(planned),
        taken=planned.needed and not planned.dry_run,
    )


def retire(run: Run, *, reason: str, dry_run: bool, yes: bool) -> None:
    """Make this agent read-only until it is revived."""
    if not dry_run:
        _agree(run, ["The workspace becomes read-only: no log, event or task."], "Retire this agent?", yes=yes)
    done = run.workspace().identity.retire(reason=reason, dry_run=dry_run)
    run.result("identity-retire", done, _RESTED, retired_lines(done))


def revive(run: Run, *, dry_run: bool, yes: bool) -> None:
    """Resume writing here after the agent was retired or moved. Not during a migration."""
    planned = run.workspace().identity.revive(dry_run=True)
    if planned.before.said and not dry_run:
        words = [planned.before.said, "If another copy writes too, both must be merged later."]
        _agree(run, words, "Resume writing here?", yes=yes)
    done = run.workspace().identity.revive(dry_run=dry_run)
    run.result("identity-revive", done, _RESTED, revived_lines(done))


def rotate(run: Run, *, dry_run: bool) -> None:
    """Give this installation a new key, signed by the old one. Old seals stay valid."""
    done = run.workspace().identity.rotate(dry_run=dry_run)
    run.result("identity-rotate", done, "writer old new? fingerprint dry_run notices", rotated_lines(done))


def _agree(run: Run, lines: Iterable[str], question: str, *, yes: bool) -> None:
    """Raise NeedsYouError unless `--yes` was given or the person at the terminal agrees."""
    if yes:
        return
    if not run.as_json:
        output.lines(lines)
        if dialog.is_terminal(run) and dialog.confirm(question):
            return
    raise NeedsYouError("Not confirmed, nothing changed.", hint="Re-run with --yes.")


_SHOWN = """
    agent_id name mode standing=footing.kind may_write=footing.may_write says=footing.said? remedy=footing.remedy?
    writer key? fingerprint? state=folder soul=.[digest=soul? agreed=soul_agreed? changed=soul_changed? accepted]
    pinned[name agreed by? changed?] arrived[from=host at signer? code]
    writers[writer here host? since last? seq? fingerprint? trusted_by] notices
"""
_RESTED = "before=before.kind changed dry_run notices"
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
                "Writer to vouch for. Default: print the command for this installation.",
            ),
            text("--key", "KEY", "Public key of that writer, if identity/ has none."),
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


_PROOFS = {
    "vouched": "vouched for by an earlier writer",
    "recovery": "signed by the recovery key",
    "state": "this machine's state shows that it wrote here before",
    "none": "none, only your confirmation",
}
_TRUST = {
    "first": "first writer",
    "takeover": "took over writing",
    "recovery": "admitted by the recovery key",
    "nobody": "",
}


def shown_lines(shown: ShownIdentity, now: datetime) -> Iterator[str]:
    """Yield the lines of `identity show`: the agent, its standing, this installation, identity files, other writers."""
    yield f"{shown.name}  agent {shown.agent_id}"
    if shown.footing.said:
        yield f"! {shown.footing.said}"
        yield f"  {shown.footing.remedy}"
    yield f"this installation  {shown.writer or 'has not written yet'}"
    yield f"its key            {shown.fingerprint or _no_key(shown)}"
    yield f"its state          {shown.folder or 'none yet'}"
    yield f"who may write      {'all, with a warning' if shown.mode == 'warn' else 'only vouched installations'}"
    yield f"SOUL.md            {_soul(shown, now)}"
    yield from _pinned(shown.pinned[1:])
    if shown.arrived is not None:
        yield f"came here          {_arrived(shown.arrived)}"
    if shown.writers:
        yield "writers"
    for writer in shown.writers:
        yield f"  {writer.writer}  {_writer(writer, now)}"


def _arrived(sender: Any) -> str:
    by = f"signed by {sender.signer}" if sender.signer else "not signed"
    return one_line(f"from {sender.host}, {by}, code {sender.code}")


def _no_key(shown: ShownIdentity) -> str:
    if not shown.writer:
        return "none yet: created by the first write"
    return "none: creation failed, the next seal retries"


def _soul(shown: ShownIdentity, now: datetime) -> str:
    if not shown.soul_agreed:
        return "not recorded yet: the first write records the current file"
    if shown.soul_changed:
        return str(shown.soul_changed)
    return f"as accepted on {clock.local(shown.soul_agreed, now)}" + (" (just now)" if shown.accepted else "")


def _pinned(pinned: Any) -> Iterator[str]:
    """Yield the accepted files other than SOUL.md on one line, and each changed file on its own."""
    well = [item.name for item in pinned if not item.changed]
    if well:
        yield f"accepted           {one_line(', '.join(well))}"
    for item in pinned:
        if item.changed:
            yield f"not accepted       {one_line(item.changed)}"


def _writer(known_writer: KnownWriter, now: datetime) -> str:
    trust = _TRUST.get(known_writer.trusted_by)
    words = [
        "this one" if known_writer.here else "",
        f"on {known_writer.host}" if known_writer.host else "",
        f"since {clock.local(known_writer.since, now)}",
        f"last {clock.local(known_writer.last, now)} (event {known_writer.seq})"
        if known_writer.last
        else "no event in this copy",
        f"vouched for by {known_writer.trusted_by}" if trust is None else trust,
    ]
    return ", ".join(word for word in words if word)


def verified_lines(done: VerifiedIdentity) -> Iterator[str]:
    """Yield the lines of `identity verify`: the verdict, then the findings."""
    looked = f"{many(done.writers, 'writer')}, {many(done.vouches, 'vouch', 'vouches')}, {done.sealed:,} events sealed"
    yield f"{'No problem' if not done.findings else many(len(done.findings), 'finding')}: {looked}."
    for finding in done.findings:
        yield f"  {'damage' if finding.damage else 'note'}  {finding.where}: {finding.what}"


def vouched_lines(done: Vouched) -> Iterator[str]:
    """Yield the lines of `identity vouch`: what was done, or the command for the other machine."""
    if not done.by:
        yield "On an installation that may write, run:"
        yield f"agentws identity vouch {done.writer} --key '{done.key}'"
        yield f"Then compare the key's fingerprint on both machines: {done.fingerprint}"
    elif done.dry_run:
        yield f"{done.by} would vouch for {done.writer}, key {done.fingerprint}. Nothing was changed."
    else:
        yield f"{done.by} vouches for {done.writer}, key {done.fingerprint}."
        yield "Bring the folder identity/ to the vouched installation: agentws sync, git or by hand."


def asked_lines(done: Takeover) -> Iterator[str]:
    """Yield what a person has to confirm before a takeover."""
    if done.before.said:
        yield done.before.said
    yield f"This installation would become the writer. Proof to be recorded: {_PROOFS[done.proof]}."
    yield "If another installation still writes, you must merge both copies later."


def takeover_lines(done: Takeover) -> Iterator[str]:
    """Yield the lines of `identity takeover`: what was done."""
    if not done.needed:
        who = "this installation already writes here" if done.writer else "this agent has no known writer"
        yield f"Nothing to take over: {who}."
    elif done.dry_run:
        yield "Nothing was changed."
    else:
        yield f"This installation, {done.writer}, is now the writer. Recorded proof: {_PROOFS[done.proof]}."


def retired_lines(done: Rested) -> Iterator[str]:
    """Yield the lines of `identity retire`: what was done."""
    if done.changed:
        yield "This agent is retired: read-only. To resume: agentws identity revive"
    else:
        yield "This agent would become read-only until `agentws identity revive`. Nothing was changed."


def revived_lines(done: Rested) -> Iterator[str]:
    """Yield the lines of `identity revive`: what was done."""
    if done.changed:
        yield "This agent may write here again."
    elif done.dry_run and done.before.said:
        yield f"{done.before.said} After revival, this agent could write here again. Nothing was changed."
    else:
        yield "This agent is neither retired nor moved. Nothing was changed."


def rotated_lines(done: Rotated) -> Iterator[str]:
    """Yield the lines of `identity rotate`: what was done."""
    if done.new:
        yield f"{done.writer} now signs with a new key, {done.fingerprint}. The old key signed it."
    else:
        yield f"{done.writer} would get a new key to replace {done.fingerprint}. Nothing was changed."
