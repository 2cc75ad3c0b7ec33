"""The verbs `agentws fleet ship|status|verify`."""

from __future__ import annotations

import time

from agentws.core.journal import read
from agentws.core.terminal import output
from agentws.core.terminal.moments import span
from agentws.core.terminal.options import Verb, flag, text
from agentws.core.text.names import many
from agentws.core.text.sanitize import one_line
from agentws.errors import DamagedError, NoWorkspaceError, RemoteAwayError
from agentws.features.fleet import database, settings, ship as _ship, status as _status, vectors, verify as _verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.stores.stores import Stores
    from agentws.core.terminal.invocation import Run
    from agentws.features.fleet.status import AgentStatus

_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 60.0


def ship(run: Run, *, again: bool, follow: bool, when_joined: bool) -> None:
    """Ship what the team's database lacks of this workspace: every event once, however often this is run.

    The files stay the truth: the database may be dropped, and is filled again by the next ship.
    """
    run.check_main_audience()
    stores = run.workspace().stores
    if when_joined and settings.joined(stores) is None:
        return
    _tell(run, _shipped(stores, again=again))
    pause = _PAUSE_S
    while follow:
        time.sleep(pause)
        try:
            done = _shipped(run.workspace().stores)
        except RemoteAwayError as error:
            pause = min(2 * pause, _LONGEST_PAUSE_S)
            output.notices([error.notice], quiet=run.quiet)
        else:
            pause = _PAUSE_S
            if done.events or done.documents or done.refused:
                _tell(run, done)


def _shipped(stores: Stores, *, again: bool = False) -> _ship.Shipped:
    """Ship a workspace; DamagedError if the journal of this installation is missing."""
    own = stores.installation()
    if own is not None and own.writer not in read.writers(stores.files):
        raise DamagedError(
            f"journal/{own.writer}, which was written here, is missing. Nothing was shipped.",
            hint="Restore the folder from a backup, then: agentws journal verify",
        )
    return _ship.ship(stores, again=again)


def _tell(run: Run, done: _ship.Shipped) -> None:
    lines = [f"{many(done.events, 'event')} and {many(done.documents, 'document')} shipped to {done.team}"]
    lines += [f"  {many(done.vectors, 'vector')} of their entries shipped"] if done.vectors else []
    lines += [f"  the text of {done.at_home:,} stays at home"] if done.at_home else []
    lines += [f"  {many(done.filled, 'text')} of earlier events shipped"] if done.filled else []
    lines += [f"  {many(done.removed, 'text')} removed there"] if done.removed else []
    lines += [f"  {_forgotten(done)}"] if done.forgotten else []
    run.result(
        "fleet-ship",
        done,
        "team agent events documents at_home filled removed forgotten is_forgotten refused notices vectors",
        () if run.quiet else lines,
        is_forgotten=done.is_forgotten if done.forgotten else None,
    )
    if done.refused:
        raise DamagedError(next(iter(done.refused.values())), hint="agentws fleet verify")


def status(run: Run, *, team: str | None, url: str | None) -> None:
    """Show the agents of the team: when each shipped last, what it wrote last, what the database refused."""
    run.check_main_audience()
    names = "agent name machines events last_event shipped silent_s left crashed backed_up"
    names = f"agents=.[{names} forgotten is_forgotten refused]"
    if not (url or settings.read(run.environment()).url):
        lines = ["You are in no fleet. To join one: agentws fleet join URL --team TEAM"]
        run.result("fleet-status", [], names, lines, notices=())
        return
    fleet = settings.in_team(run.environment(), url=url, team=team)
    with database.connected(fleet.url) as opened:
        agents = _status.status(opened, fleet.team)
        notices = [] if vectors.can_hold(opened) else [vectors.LACKING]
    lines = [line for each in agents for line in _lines(each)]
    run.result(
        "fleet-status", agents, names, lines or [f"No agents of {fleet.team} that you may see."], notices=notices
    )


def _forgotten(done: _ship.Shipped | AgentStatus) -> str:
    state = "gone from" if done.is_forgotten else "not gone yet from"
    return f"{many(done.forgotten, 'forgotten text')}: {state} the database"


def _lines(each: AgentStatus) -> list[str]:
    shipped = f"shipped {span(each.silent_s)} ago" if each.silent_s is not None else "never shipped"
    state = "left" if each.left else shipped
    line = f"{each.name}  {state}  {many(each.events, 'event')}  {', '.join(each.machines)}"
    if each.crashed:
        line += f"  {many(len(each.crashed), 'crashed session')}"
    line += "" if each.backed_up else "  no backup"
    line += f"  {_forgotten(each)}" if each.forgotten else ""
    return [one_line(line), *(one_line(f"  refused: {reason}") for reason in each.refused)]


def verify(run: Run, *, team: str | None, url: str | None) -> None:
    """Check the chains and seals in the database again, and, in a workspace, that they are its own."""
    run.check_main_audience()
    fleet = settings.in_team(run.environment(), url=url, team=team)
    try:
        stores = run.workspace().stores
    except NoWorkspaceError:
        stores = None
    with database.connected(fleet.url) as opened:
        checked = _verify.verify(opened, fleet.team, stores)
    own, known = ("", []) if stores is None else (stores.manifest.agent_id, read.writers(stores.files))
    lines, copies = [], []
    for each in checked:
        verdict = "WRONG" if each.wrong else "sound"
        seals = many(each.seals, "good seal")
        lines.append(one_line(f"{each.name}  {each.writer}  {many(each.events, 'event')}, {seals}: {verdict}"))
        lines += [one_line(f"  {what}") for what in each.wrong]
        if each.wrong and each.agent == own and known and each.writer not in known:
            lines.append("  Another copy of this agent writes it, which this workspace does not know.")
            copies.append(each.writer)
    names = "writers=.[agent name writer events seals wrong]"
    run.result("fleet-verify", checked, names, lines or ["No events."], notices=())
    wrong = sum(bool(each.wrong) for each in checked)
    if wrong:
        raise DamagedError(
            f"{many(wrong, 'writer')} {'is' if wrong == 1 else 'are'} not as shipped (see above).",
            hint=f"Bring the folder journal/{copies[0]} of that copy here, then: agentws identity vouch {copies[0]}"
            if copies
            else "The files are the truth: agentws journal verify, in the workspace of that agent",
        )


URL = text("--url", "URL", "Database. Default: the one of your settings (fleet.url).")
TEAM = text("--team", "TEAM", "Team. Default: the one of your settings (fleet.team).")
VERBS = (
    Verb(
        "fleet ship",
        ship,
        (
            flag("--again", "Compare every event with the database, not only the new ones."),
            flag("--follow", "Go on shipping until Ctrl-C."),
            flag("--when-joined", "Do nothing if this agent is in no fleet."),
        ),
        "agentws fleet ship",
        "agentws fleet ship --follow",
    ),
    Verb("fleet status", status, (TEAM, URL), "agentws fleet status", "agentws fleet status --team garden --json"),
    Verb("fleet verify", verify, (TEAM, URL), "agentws fleet verify"),
)
