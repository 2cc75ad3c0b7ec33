"""Teams, their members (PostgreSQL roles with rights on agents), and the agents that join and leave a fleet."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core.disk.system import user_settings
from agentws.core.formats import agent_name
from agentws.core.identity import writers
from agentws.errors import NeedsYouError, UsageError
from agentws.features.daily.config import user
from agentws.features.fleet import database, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.stores.stores import Stores

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
    if text not in settings.TEXTS:
        raise UsageError(f"--text must be shared or all, not {text!r}.")
    if not stores.adopted:
        raise NeedsYouError("This folder is not a workspace yet.", hint="agentws init")
    own = settings.read(stores.environment)
    if own.agents and (own.url, own.team) != (url, team):
        raise UsageError(
            f"Your agents ship to another fleet: {own.url}, team {own.team}.",
            hint="Let them leave first: agentws fleet leave, in each workspace",
        )
    with database.connected(url) as fleet:
        name = make_known(fleet, stores, team)
    agent = stores.manifest.agent_id
    _remember(
        stores,
        {user_settings.FLEET_URL: url, user_settings.FLEET_TEAM: team, f"{user_settings.FLEET_AGENTS}{agent}": text},
    )
    return Joined(url, team, agent, name, text)


def make_known(fleet: database.Database, stores: Stores, team: str) -> str:
    """Give the database the agent's name, and the writers, hosts and keys of its machines. Returns the name."""
    name = stores.manifest.name or agent_name.from_folder(stores.root)
    machines = writers.lines(stores.files)
    columns = [[getattr(machine, field) for machine in machines] for field in ("writer", "host", "key")]
    fleet.rows("SELECT agentws.join_agent(%s, %s, %s, %s, %s, %s)", (team, stores.manifest.agent_id, name, *columns))
    return name


def leave(stores: Stores) -> Joined:
    """End the shipping of the workspace's agent. What was shipped stays in the database, marked as left.

    UsageError if it never joined.
    """
    stores.environment.check_person("agentws fleet leave", "decide where an agent's text goes")
    own = settings.required(stores)
    agent = stores.manifest.agent_id
    _remember(stores, {f"{user_settings.FLEET_AGENTS}{agent}": ""})
    here = stores.installation()
    with database.connected(own.url) as fleet:
        fleet.rows("SELECT agentws.leave_agent(%s, %s)", (own.team, agent))
        fleet.rows("SELECT agentws.choose_text(%s, %s, %s, NULL)", (own.team, agent, here.writer if here else ""))
    return Joined(own.url, own.team, agent, stores.manifest.name or agent_name.from_folder(stores.root), "")


def _remember(stores: Stores, values: dict[str, str]) -> None:
    for key, value in values.items():
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


def add_team(fleet: database.Database, team: str) -> None:
    """Add a team; nothing happens if it exists. MayNotWriteError unless the role owns the schema."""
    fleet.rows("SELECT agentws.add_team(%s)", (team,))


def members(fleet: database.Database) -> list[Member]:
    """Return the members that the connected role may see."""
    return fleet.records(
        Member,
        "SELECT team, coalesce(role, ''), agent, coalesce(may, '{}') FROM agentws.teams LEFT JOIN agentws.members"
        " USING (team) ORDER BY team, role, agent",
    )


def set_member(fleet: database.Database, team: str, role: str, agent: str | None, rights: Sequence[str]) -> None:
    """Give a role these rights, none to remove it. MayNotWriteError unless the connected role is an admin."""
    fleet.rows("SELECT agentws.set_member(%s, %s, %s, %s)", (team, role, agent, list(rights)))
