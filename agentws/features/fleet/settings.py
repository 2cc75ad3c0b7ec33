"""The user's own settings of the fleet: the database, the team, and which agents ship from this machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentws.core.disk.system import user_settings
from agentws.errors import UsageError
from agentws.features.fleet import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.environment import Environment
    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.database import Database

SHARED, ALL = "shared", "all"
"""What text of an agent is shipped: what a shared audience may see, or everything but what is private."""
TEXTS = (SHARED, ALL)


@dataclass(frozen=True, slots=True)
class Fleet:
    """The fleet of this user: URL of the database, the team, and what each joined agent (by id) ships."""

    url: str
    team: str
    agents: dict[str, str]


def read(environment: Environment) -> Fleet:
    """Return the user's fleet; its fields are empty where it was never joined. DamagedError for a damaged file."""
    user = user_settings.read(environment.config)
    return Fleet(
        user.fleet["url"], user.fleet["team"], {agent: text for agent, text in user.fleet_agents.items() if text}
    )


def chosen(environment: Environment, *, url: str | None = None, team: str | None = None) -> Fleet:
    """Return the user's fleet, with another URL or team where given; another URL has no team of the user's.

    UsageError without a URL.
    """
    own = read(environment)
    fleet = Fleet(url or own.url, team or (own.team if url in (None, own.url) else ""), own.agents)
    if not fleet.url:
        raise UsageError(
            "No fleet was joined.", hint="agentws fleet join postgresql://ROLE@HOST/DATABASE --team TEAM, or give --url"
        )
    database.check_url(fleet.url)
    return fleet


def in_team(environment: Environment, *, url: str | None = None, team: str | None = None) -> Fleet:
    """Return the chosen fleet; without a team, with the only one that the role sees. UsageError for none or several."""
    fleet = chosen(environment, url=url, team=team)
    if fleet.team:
        return fleet
    with database.connected(fleet.url) as opened:
        teams = [str(name) for (name,) in opened.rows("SELECT team FROM agentws.teams ORDER BY team")]
    if len(teams) != 1:
        raise UsageError(f"Which team? You see: {', '.join(teams) or 'none'}.", hint="--team TEAM")
    return replace(fleet, team=teams[0])


def joined(stores: Stores) -> Fleet | None:
    """Return the user's fleet if this workspace's agent joined it, else None."""
    fleet = read(stores.environment)
    return fleet if fleet.url and stores.manifest.agent_id in fleet.agents else None


def required(stores: Stores) -> Fleet:
    """Return the user's fleet; UsageError unless this workspace's agent joined it."""
    own = joined(stores)
    if own is None:
        raise UsageError("This agent is in no fleet.", hint="agentws fleet join URL --team TEAM")
    return own


def narrowed(fleet: Database, stores: Stores, own: Fleet) -> tuple[Fleet, list[str]]:
    """Return the fleet with the text that is shipped of this agent, shared if another of its machines ships that alone,
    and a notice of it: else two machines would fill and empty the database in turn.
    """
    agent, here = stores.manifest.agent_id, stores.installation()
    values = own.team, agent, here.writer if here is not None else "", own.agents[agent]
    (hosts,) = fleet.row("SELECT agentws.choose_text(%s, %s, %s, %s)", values)
    if own.agents[agent] == SHARED or not isinstance(hosts, list) or not hosts:
        return own, []
    notice = f"Only shared text is shipped, as from {', '.join(map(str, hosts))}: join with --text all there too."
    return replace(own, agents={**own.agents, agent: SHARED}), [notice]
