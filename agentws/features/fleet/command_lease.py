"""The verb `agentws fleet lease`: its options, calls and lines."""

from __future__ import annotations

import os

from agentws.core.terminal import dialog
from agentws.core.terminal.options import Verb, flag, number, optional, words
from agentws.core.text.sanitize import one_line
from agentws.errors import AgentwsError, LockHeldError, UsageError
from agentws.features.fleet import database, lease as _lease, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.terminal.invocation import Run
    from agentws.features.fleet.database import Database

_ACTIONS = ("show", "take", "renew", "check", "release")
_LEASE = "agent? name holder? epoch seconds_left"


def lease(run: Run, *, action: str, name: str, command: list[str], epoch: int | None, seconds: int, team: bool) -> None:
    """Show, take, renew, check or release leases: names that one holder has at a time, so that nothing runs twice.

    `take` exits 11 if somebody holds the lease. With a command it holds the lease while that runs, and ends it before
    anybody else can take the lease. The epoch, in the command's AGENTWS_LEASE_EPOCH, grows with each holder: what the
    command writes to should refuse lower ones.
    """
    run.check_main_audience()
    stores = run.workspace().stores
    fleet = settings.required(stores)
    agent = "" if team else stores.manifest.agent_id
    place = fleet.team, agent, name
    _check_words(action, name, command, epoch)
    if command:
        dialog.terminate_cleanly()
        environment = dict(os.environ)  # noqa: TID251
        if status := _lease.run(fleet.url, *place, seconds, command, environment):
            failure = AgentwsError(f"The command ended with status {status}.")
            failure.exit_code = status
            raise failure
        return
    with database.connected(fleet.url) as opened:
        if action == "show":
            leases = [each for each in _lease.show(opened, fleet.team, agent) if name in ("", each.name)]
            lines = [_line(each) for each in leases]
            run.result("fleet-lease", leases, f"leases=.[{_LEASE}]", lines or ["No leases."], notices=())
        elif action == "take":
            taken = _lease.take(opened, *place, seconds)
            if not taken.is_taken:
                raise _lease.held(taken, fleet.team)
            run.result("fleet-lease-take", taken, _LEASE, [_line(taken)], notices=())
        else:
            _with_epoch(run, opened, action, (*place, epoch or 0), seconds)


def _check_words(action: str, name: str, command: list[str], epoch: int | None) -> None:
    if action not in _ACTIONS:
        raise UsageError(f"There is no `fleet lease {action}`.", hint=f"One of: {', '.join(_ACTIONS)}.")
    if action != "show" and not name:
        raise UsageError("Which lease?", hint=f"agentws fleet lease {action} run")
    if command and action != "take":
        raise UsageError("Only `take` runs a command.", hint="agentws fleet lease take NAME -- COMMAND")
    if (epoch is None) is (action not in ("show", "take")):
        raise UsageError("renew, check and release need --epoch, the others take none.", hint="`take` prints it.")


def _with_epoch(run: Run, opened: Database, action: str, place: tuple[str, str, str, int], seconds: int) -> None:
    _, _, name, epoch = place
    if action == "renew":
        is_held = _lease.renew(opened, *place, seconds)
    else:
        is_held = (_lease.release if action == "release" else _lease.check_fence)(opened, *place)
    if not is_held:
        raise LockHeldError(f"Epoch {epoch} does not hold the lease {name!r}.", hint="See: agentws fleet lease")
    line = f"{name} is {'free' if action == 'release' else f'held by epoch {epoch}'}."
    run.done(f"fleet-lease-{action}", {"name": name, "epoch": epoch, "held": action != "release"}, [one_line(line)], ())


def _line(lease: _lease.Lease) -> str:
    state = f"held by {lease.holder}, {lease.seconds_left:.0f} s left" if lease.holder else "free"
    return one_line(f"{lease.name}  {'agent' if lease.agent else 'team'}  epoch {lease.epoch}  {state}")


VERBS = (
    Verb(
        "fleet lease",
        lease,
        (
            optional("action", "[ACTION]", "show, take, renew, check or release. Default: show.", default="show"),
            optional("name", "[NAME]", "Name of the lease, such as `run`.", default=""),
            words("command", "[COMMAND]...", "Command to run under the lease, after `--`.", is_required=False),
            number("--epoch", "N", "The epoch that `take` printed."),
            number("--for", "SECONDS", "How long, by the server's clock.", to="seconds", default=60, least=1),
            flag("--team", "A lease of the whole team, not of this agent."),
        ),
        "agentws fleet lease take run -- claude -p 'Tidy the inbox'",
        "agentws fleet lease take deploy --team --for 300 -- ./deploy.sh",
        "agentws fleet lease take run --for 600 --json",
        "agentws fleet lease renew run --epoch 68719476741 --for 600",
    ),
)
