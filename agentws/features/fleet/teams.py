"""The teams of a fleet and their members: PostgreSQL roles with rights on all agents of a team, or on one."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.features.fleet.database import Database

RIGHTS = ("ship", "read", "answer", "admin")


@dataclass(frozen=True, slots=True)
class Member:
    """A role that is in a team, and what it may do; `agent` None: with all agents. A team without members has one
    entry with an empty role.
    """

    team: str
    role: str
    agent: str | None
    may: Sequence[str]


def add(database: Database, team: str) -> None:
    """Add a team; nothing happens if it exists. MayNotWriteError unless the role owns the schema."""
    database.rows("SELECT agentws.add_team(%s)", (team,))


def members(database: Database) -> list[Member]:
    """Return the members that the connected role may see."""
    rows = database.rows(
        "SELECT team, coalesce(role, ''), agent, coalesce(may, '{}') FROM agentws.teams LEFT JOIN agentws.members"
        " USING (team) ORDER BY team, role, agent"
    )
    return [Member(*row) for row in rows]  # type: ignore[arg-type]


def set_member(database: Database, team: str, role: str, agent: str | None, rights: Sequence[str]) -> None:
    """Give a role these rights, none to remove it. MayNotWriteError unless the connected role is an admin."""
    database.rows("SELECT agentws.set_member(%s, %s, %s, %s)", (team, role, agent, list(rights)))
