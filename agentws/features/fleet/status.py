"""The agents of a team as the database knows them: when they shipped last, and what was refused."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.features.fleet.database import Database

_BEHIND_S = 3600


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """An agent of the fleet: its machines, newest event, ship and backup, its crashed sessions, and why events were
    refused. `forgotten` counts its forgotten texts; `is_forgotten` is whether they are gone from the database, None
    without any.

    Times are ISO 8601, UTC. `silent_s` are the seconds of the server's clock since its last ship, or None.
    """

    agent: str
    name: str
    machines: Sequence[str]
    events: int
    last_event: str | None
    shipped: str | None
    silent_s: float | None
    left: bool
    crashed: Sequence[str]
    backed_up: str | None
    forgotten: int
    is_forgotten: bool | None
    refused: Sequence[str]

    @property
    def state(self) -> str:
        """The first that is true of: refused, left, crashed, behind (silent for an hour or more), alive."""
        if self.refused or self.left:
            return "refused" if self.refused else "left"
        if self.crashed:
            return "crashed"
        return "behind" if self.silent_s is None or self.silent_s >= _BEHIND_S else "alive"


def status(fleet: Database, team: str) -> list[AgentStatus]:
    """Return the agents of the team that the connected role may see, by name."""
    return fleet.records(
        AgentStatus,
        """
        SELECT agent, name,
            ARRAY(SELECT DISTINCT host FROM agentws.machines WHERE (team, agent) = (a.team, a.agent) ORDER BY host),
            coalesce(sum(head_seq - base_seq), 0)::bigint, agentws.iso(max(head_at)), agentws.iso(shipped),
            extract(epoch FROM now() - shipped)::float8, left_at IS NOT NULL, crashed, agentws.iso(backed_up),
            forgotten, CASE WHEN forgotten > 0 THEN coalesce(bool_and(starts_with(rules, kept_out || ' ')), true) END,
            array_remove(array_agg(refused ORDER BY writer), NULL)
        FROM agentws.agents a LEFT JOIN agentws.writers USING (team, agent)
        WHERE team = %s GROUP BY a.team, a.agent, a.name, a.shipped, left_at, crashed, backed_up, forgotten
        ORDER BY name, agent
        """,
        (team,),
    )
