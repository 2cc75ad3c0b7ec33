"""The verbs `agentws fleet ship|status|verify|search|tail|drill`: their options, calls and lines."""

from __future__ import annotations

import time

from agentws.core.disk import clock
from agentws.core.formats.json import values
from agentws.core.journal import read
from agentws.core.terminal import invocation, output
from agentws.core.terminal.moments import span
from agentws.core.terminal.options import Verb, flag, number, text, words
from agentws.core.text.names import many
from agentws.core.text.sanitize import one_line
from agentws.errors import DamagedError, NoWorkspaceError, RemoteAwayError
from agentws.features.fleet import database, membership, search as _search, ship as _ship, verify as _verify, watch
from agentws.features.fleet.vectors import LACKING, can_hold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.core.terminal.invocation import Run
    from agentws.features.fleet.watch import AgentStatus, Hit


_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 60.0


def ship(run: Run, *, again: bool, follow: bool, when_joined: bool) -> None:
    """Ship what the team's database lacks of this workspace: every event once, however often this is run.

    The files stay the truth: the database may be dropped, and is filled again by the next ship.
    """
    run.check_main_audience()
    stores = run.workspace().stores
    if when_joined and membership.joined(stores) is None:
        return
    _tell(run, _ship.ship(stores, again=again))
    pause = _PAUSE_S
    while follow:
        time.sleep(pause)
        try:
            done = _ship.ship(run.workspace().stores)
        except RemoteAwayError as error:
            pause = min(2 * pause, _LONGEST_PAUSE_S)
            output.notices([error.notice], quiet=run.quiet)
        else:
            pause = _PAUSE_S
            if done.events or done.documents or done.refused:
                _tell(run, done)


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
    if not (url or membership.read(run.environment()).url):
        lines = ["You are in no fleet. To join one: agentws fleet join URL --team TEAM"]
        run.result("fleet-status", [], names, lines, notices=())
        return
    fleet = membership.in_team(run.environment(), url=url, team=team)
    with database.connected(fleet.url) as opened:
        agents = watch.status(opened, fleet.team)
        notices = [] if can_hold(opened) else [LACKING]
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
    fleet = membership.in_team(run.environment(), url=url, team=team)
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


_HIT = "agent name cursor at kind src session? text?"


def search(
    run: Run,
    *,
    query: list[str],
    limit: int,
    agent: str,
    kind: str,
    since: str | None,
    versions: bool,
    url: str | None,
    team: str | None,
) -> None:
    """Search the documents and events of all agents of the team, as `agentws search` does in a workspace.

    By meaning, too, among agents whose own search has vectors by your model. Text at home is not found here.
    """
    from agentws.features.search.render import search as render

    run.check_main_audience()
    fleet = membership.in_team(run.environment(), url=url, team=team)
    asked = invocation.said(query)
    moment, now = _moment(run, since), _now(run).isoformat()
    with database.connected(fleet.url) as opened:
        done = _search.search(
            *(opened, fleet.team, asked),
            now=now,
            agent=agent,
            kind=kind,
            since=moment,
            limit=limit,
            is_old=versions,
            environment=run.environment(),
        )
        silent = _search.silent(opened, fleet.team) if not done.found.hits else 0
        done.found.notices += [] if done.found.hits or can_hold(opened) else [LACKING]
    if silent:
        done.found.notices.append(f"Texts of {many(silent, 'agent')} stay at home (private, or without --text all).")
    content = render.fields(done.found) if run.as_json else {}
    content["hits"] = [
        render.hit_fields(hit) | output.fields(done.owners[hit.unit.id], "agent name path cursor")
        for hit in done.found.hits
    ]
    run.done("fleet-search", content, render.lines(done.found), done.found.notices)


def tail(run: Run, *, agent: str, kind: str, since: str | None, once: bool, url: str | None, team: str | None) -> None:
    """Follow the events of the team as they are shipped, until Ctrl-C. With --json, an object a line."""
    run.check_main_audience()
    fleet = membership.in_team(run.environment(), url=url, team=team)
    place = watch.Tail(fleet.team, agent, kind, _moment(run, since))

    def show(hit: Hit) -> None:
        if run.as_json:
            output.lines([values.dumps(output.without_secrets(output.fields(hit, _HIT)))])
        else:
            head = one_line(f"{hit.at}  {hit.name or hit.agent}  {hit.kind}  {hit.cursor}")
            output.lines([f"{head}  {one_line(hit.text)}"])

    if not once:
        watch.follow(fleet.url, place, show, lambda line: output.notices([line], quiet=run.quiet))
        return
    with database.connected(fleet.url) as opened:
        for hit in place.news(opened):
            show(hit)


def drill(run: Run, *, url: str | None) -> None:
    """Ship this workspace again beside what the database has of it, and compare both. Exit 14 if anything differs.

    All of it is in one transaction, which is taken back at the end.
    """
    run.check_main_audience()
    done = _verify.drill(run.workspace().stores, url)
    lines = [
        f"{each.table}  {each.rows:,} rows  "
        + (f"{each.only_there:,} only there, {each.only_here:,} only here" if each.differs else "equal")
        for each in done.tables
    ]
    fields = "team agent equal=is_equal tables[table rows only_there only_here] notices"
    run.result("fleet-drill", done, fields, lines)
    if not done.is_equal:
        raise DamagedError(
            "The database differs from this workspace (see above).", hint="Ship first, then: agentws fleet verify"
        )


def _moment(run: Run, given: str | None) -> datetime | None:
    return clock.moment(given, now=_now(run)) if given is not None else None


def _now(run: Run) -> datetime:
    return run.environment().now or clock.SystemClock("UTC").now()


URL = text("--url", "URL", "Database. Default: the one of your settings (fleet.url).")
TEAM = text("--team", "TEAM", "Team. Default: the one of your settings (fleet.team).")
_AGENT = text("--agent", "AGENT", "Only this agent: name or id.", default="")
_KIND = text("--kind", "KIND", "Only this kind of events, or a family: approval.*", default="")
_SINCE = text("--since", "TIME", "Only from then on: 2026-11-20, yesterday, 3d, 2h.")
VERBS = (
    Verb(
        "fleet search",
        search,
        (
            words("query", "QUERY", "Words to find; `-` reads standard input.", is_text=True),
            number("-k --limit", "N", "Show at most N hits.", least=1, most=_search.MOST_HITS, default=10),
            _AGENT,
            _KIND,
            _SINCE,
            flag("--versions", "Earlier versions of documents, too."),
            TEAM,
            URL,
        ),
        "agentws fleet search roof estimate --since 3d",
        "agentws fleet search '\"green gate\"' --agent robin --json",
    ),
    Verb(
        "fleet tail",
        tail,
        (_AGENT, _KIND, _SINCE, flag("--once", "Print what is there since --since, and end."), TEAM, URL),
        "agentws fleet tail",
        "agentws fleet tail --agent robin --kind 'approval.*' --since 2h",
    ),
    Verb("fleet drill", drill, (URL,), "agentws fleet drill", "agentws fleet drill --url service=fleet"),
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
