"""Watches a team: its agents as the database knows them, and events as they arrive.

A notification without content wakes who follows; row-level security decides what is read.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from agentws.core.formats.journal import summary
from agentws.core.formats.json import plainjson
from agentws.errors import OutsideProgramError, RemoteAwayError
from agentws.features.fleet import database, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime


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


def status(fleet: database.Database, team: str) -> list[AgentStatus]:
    """Return the agents of the team that the connected role may see, by name."""
    return fleet.records(
        AgentStatus,
        """
        SELECT agent, name,
            ARRAY(SELECT DISTINCT host FROM agentws.machines WHERE (team, agent) = (a.team, a.agent) ORDER BY host),
            coalesce(sum(head_seq - base_seq), 0)::bigint, agentws.iso(max(head_at)), agentws.iso(shipped),
            extract(epoch FROM now() - shipped)::float8,
            (SELECT bool_and(text IS NULL) FROM agentws.machines WHERE (team, agent) = (a.team, a.agent)) IS TRUE,
            crashed, agentws.iso(backed_up), forgotten,
            CASE WHEN forgotten > 0 THEN coalesce(bool_and(starts_with(rules, kept_out || ' ')), true) END,
            array_remove(array_agg(refused ORDER BY writer), NULL)
        FROM agentws.agents a LEFT JOIN agentws.writers USING (team, agent)
        WHERE team = %s GROUP BY a.team, a.agent, a.name, a.shipped, crashed, backed_up, forgotten
        ORDER BY name, agent
        """,
        (team,),
    )


_CHANNEL = re.compile(r"agentws_[0-9a-f]{32}")
_LOOK_S = 30.0
"""A notification may be lost with a connection: this often the heads are read without one."""
_MOST_PAUSE_S = 60.0
_PIECE = 500
_MOST_CHARS = 240
_HEADS = """
    SELECT w.agent, writer, base_seq, head_seq FROM agentws.writers w LEFT JOIN agentws.agents a USING (team, agent)
    WHERE w.team = %s AND %s IN ('', w.agent, a.name)
"""
_EVENTS = """
    SELECT e.agent, coalesce(a.name, ''), writer, seq, agentws.iso(at), kind, src, session, tail
    FROM agentws.events e LEFT JOIN agentws.agents a USING (team, agent)
    WHERE e.team = %s AND e.agent = %s AND writer = %s AND seq > %s AND seq <= %s
        AND (%s::timestamptz IS NULL OR at >= %s) ORDER BY seq LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """An event of an agent: its cursor (`WRITER:SEQ`), when (ISO 8601, UTC), and its text in short."""

    agent: str
    name: str
    cursor: str
    at: str
    kind: str
    src: str
    session: str
    text: str


class Tail:
    """The place up to which a team's events were read, for each writer: nothing is shown twice or left out."""

    def __init__(self, team: str, agent: str = "", kind: str = "", since: datetime | None = None) -> None:
        self.team, self.agent, self.kind, self.since = team, agent, kind, since
        self._read: dict[tuple[str, str], int] | None = None

    def news(self, fleet: database.Database) -> Iterator[Hit]:
        """Yield the events that arrived since the last call; at the first, those since the given moment."""
        heads = {
            (str(agent), str(writer)): (int(str(base)), int(str(head)))
            for agent, writer, base, head in fleet.rows(_HEADS, (self.team, self.agent))
        }
        if self._read is None:
            self._read = {key: head if self.since is None else base for key, (base, head) in heads.items()}
        for key, (base, head) in heads.items():
            place = max(self._read.get(key, base), base)
            while place < head:
                values = (self.team, *key, place, head, self.since, self.since, _PIECE)
                rows = fleet.rows(_EVENTS, values)
                for row in rows:
                    if search.fits(str(row[5]), self.kind):
                        yield _hit(row)
                place = int(str(rows[-1][3])) if rows else head
                self._read[key] = place


def _hit(row: tuple[object, ...]) -> Hit:
    agent, name, writer, seq, at, kind, src, session, tail = row
    try:
        text = summary.of(plainjson.loads(f"{{{tail}}}")["body"], longest=_MOST_CHARS) if tail is not None else ""
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        text = str(tail)[:_MOST_CHARS]
    return Hit(str(agent), str(name), f"{writer}:{seq}", str(at), str(kind), str(src), str(session or ""), text)


def follow(url: str, tail: Tail, show: Callable[[Hit], None], say: Callable[[str], None]) -> None:
    """Show events as they arrive, for ever; `say` gets a line when the database goes away, and it is tried again."""
    pause = 1.0
    while True:
        try:
            with database.connected(url) as fleet:
                listen(fleet, tail.team)
                pause = 1.0
                while True:
                    for event in tail.news(fleet):
                        show(event)
                    fleet.wait(_LOOK_S)
        except RemoteAwayError as error:
            say(error.notice)
            time.sleep(pause)
            pause = min(2 * pause, _MOST_PAUSE_S)


def listen(fleet: database.Database, team: str) -> None:
    """Let the connection be notified of what is shipped for a team. OutsideProgramError if the role may not read it."""
    (channel,) = fleet.row("SELECT channel FROM agentws.teams WHERE team = %s", (team,)) or ("",)
    if not _CHANNEL.fullmatch(str(channel)):
        raise OutsideProgramError(f"There is no team {team!r} that you may read.", hint="agentws fleet team")
    fleet.rows(f'LISTEN "{channel}"')
