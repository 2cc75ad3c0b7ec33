"""The verbs `agentws fleet search|tail|drill`: their options, calls and lines."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.core.formats.json import values
from agentws.core.terminal import invocation, output
from agentws.core.terminal.options import Verb, flag, number, text, words
from agentws.core.text.names import many
from agentws.core.text.sanitize import one_line
from agentws.errors import DamagedError
from agentws.features.fleet import database, drill as _drill, search as _search, settings, tail as _tail, vectors
from agentws.features.fleet.command_ship import TEAM, URL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.core.terminal.invocation import Run
    from agentws.features.fleet.tail import Hit

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
    fleet = settings.in_team(run.environment(), url=url, team=team)
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
        done.found.notices += [] if done.found.hits or vectors.can_hold(opened) else [vectors.LACKING]
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
    fleet = settings.in_team(run.environment(), url=url, team=team)
    place = _tail.Tail(fleet.team, agent, kind, _moment(run, since))

    def show(hit: Hit) -> None:
        if run.as_json:
            output.lines([values.dumps(output.without_secrets(output.fields(hit, _HIT)))])
        else:
            output.lines([f"{_line(hit)}  {one_line(hit.text)}"])

    if not once:
        _tail.follow(fleet.url, place, show, lambda line: output.notices([line], quiet=run.quiet))
        return
    with database.connected(fleet.url) as opened:
        for hit in place.news(opened):
            show(hit)


def drill(run: Run, *, url: str | None) -> None:
    """Ship this workspace again beside what the database has of it, and compare both. Exit 14 if anything differs.

    All of it is in one transaction, which is taken back at the end.
    """
    run.check_main_audience()
    done = _drill.drill(run.workspace().stores, url)
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


def _line(hit: Hit) -> str:
    return one_line(f"{hit.at}  {hit.name or hit.agent}  {hit.kind}  {hit.cursor}")


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
)
