"""The fleet of a user: the settings of it, the agents that join and leave, teams and their members."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentws.core.disk.system import user_settings
from agentws.core.formats import agent_name
from agentws.core.identity import writers
from agentws.errors import MayNotWriteError, MissingFileError, NeedsYouError, OutsideProgramError, UsageError
from agentws.features.daily.config import user
from agentws.features.fleet import database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.environment import Environment
    from agentws.core.stores.stores import Stores


SHARED, ALL = "shared", "all"
"""The text that an agent ships: text for a shared audience, or all text that is not private."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """The fleet of this user: URL of the database, the team, and what each joined agent (by id) ships."""

    url: str
    team: str
    agents: dict[str, str]


def read(environment: Environment) -> Fleet:
    """Return the user's fleet; its fields are empty where it was never joined. DamagedError for a damaged file."""
    own = user_settings.read(environment.config)
    return Fleet(own.fleet["url"], own.fleet["team"], {agent: text for agent, text in own.fleet_agents.items() if text})


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


RIGHTS = ("ship", "read", "answer", "admin")


@dataclass(frozen=True, slots=True)
class Joined:
    """An agent that joined a fleet, or left it: the database, its team, its name there, and what text it ships."""

    url: str
    team: str
    agent: str
    name: str
    text: str


def join(stores: Stores, url: str, team: str, text: str) -> Joined:
    """Make the workspace's agent known in the database, and remember it in the user's settings.

    UsageError for a URL with a password, or where this user is in another fleet; RemoteAwayError, MayNotWriteError.
    """
    stores.environment.check_person(f"agentws fleet join {url} --team {team}", "decide where an agent's text goes")
    database.check_url(url)
    if text not in (SHARED, ALL):
        raise UsageError(f"--text must be shared or all, not {text!r}.")
    if not stores.adopted:
        raise NeedsYouError("This folder is not a workspace yet.", hint="agentws init")
    own = read(stores.environment)
    if own.agents and (own.url, own.team) != (url, team):
        raise UsageError(
            f"Your agents ship to another fleet: {own.url}, team {own.team}.",
            hint="Let them leave first: agentws fleet leave, in each workspace",
        )
    with database.connected(url) as fleet:
        name, agent, here = make_known(fleet, stores, team), stores.manifest.agent_id, stores.installation()
        fleet.rows("SELECT agentws.choose(%s, %s, %s, %s, '')", (team, agent, here.writer if here else "", text))
    _remember(stores, user_settings.FLEET_URL, url)
    _remember(stores, user_settings.FLEET_TEAM, team)
    _remember(stores, f"{user_settings.FLEET_AGENTS}{agent}", text)
    return Joined(url, team, agent, name, text)


def make_known(fleet: database.Database, stores: Stores, team: str) -> str:
    """Give the database the agent's name, and the writers, hosts and keys of its machines. Returns the name."""
    name = stores.manifest.name or agent_name.from_folder(stores.root)
    machines = writers.lines(stores.files)
    columns = [[getattr(machine, field) for machine in machines] for field in ("writer", "host", "key")]
    fleet.rows("SELECT agentws.join_agent(%s, %s, %s, %s, %s, %s)", (team, stores.manifest.agent_id, name, *columns))
    return name


def leave(stores: Stores, machine: str = "") -> Joined:
    """End the shipping of the workspace's agent. What was shipped stays, marked as left once no machine ships it.

    With another `machine` (its writer), which is lost, only the text and vectors that this one chose no longer count.
    UsageError if the agent never joined, MissingFileError if it has no such machine. Without the database nothing is
    forgotten: RemoteAwayError, MayNotWriteError, OutsideProgramError.
    """
    stores.environment.check_person("agentws fleet leave", "decide where an agent's text goes")
    own = required(stores)
    agent, here = stores.manifest.agent_id, stores.installation()
    place, setting = (own.team, agent, machine or (here.writer if here else "")), f"{user_settings.FLEET_AGENTS}{agent}"
    try:
        with database.connected(own.url) as fleet:
            known = fleet.rows("SELECT 1 FROM agentws.machines WHERE (team, agent, writer) = (%s, %s, %s)", place)
            if machine and not known:
                raise MissingFileError(f"This agent has no machine {machine}.", hint="See: agentws fleet verify")
            fleet.rows("SELECT agentws.choose(%s, %s, %s, NULL, '')", place)
    except (MayNotWriteError, OutsideProgramError) as error:
        lost = f" To stop shipping without the database: agentws config --user {setting} ''"
        remedy = f"{error.hint.rstrip('.')}. " if error.hint else ""
        error.hint = f"{remedy}Nothing was changed.{'' if machine else lost}"
        raise
    if not machine:
        _remember(stores, setting, "")
    return Joined(own.url, own.team, agent, stores.manifest.name or agent_name.from_folder(stores.root), "")


def _remember(stores: Stores, key: str, value: str) -> None:
    user.set_setting(stores.environment.config, key, value, by_agent=stores.environment.is_agent)


@dataclass(frozen=True, slots=True)
class Member:
    """A role that is in a team, and what it may do; `agent` None: with all agents. A team without members has one
    entry with an empty role.
    """

    team: str
    role: str
    agent: str | None
    may: Sequence[str]


def members(fleet: database.Database) -> list[Member]:
    """Return the members that the connected role may see."""
    return fleet.records(
        Member,
        "SELECT team, coalesce(role, ''), agent, coalesce(may, '{}') FROM agentws.teams LEFT JOIN agentws.members"
        " USING (team) ORDER BY team, role, agent",
    )
