"""Follows a team's events as they are shipped: a notification without content wakes, row-level security decides."""

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
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from agentws.features.fleet.database import Database
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

    def news(self, fleet: Database) -> Iterator[Hit]:
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


def listen(fleet: Database, team: str) -> None:
    """Let the connection be notified of what is shipped for a team. OutsideProgramError if the role may not read it."""
    (channel,) = fleet.row("SELECT channel FROM agentws.teams WHERE team = %s", (team,)) or ("",)
    if not _CHANNEL.fullmatch(str(channel)):
        raise OutsideProgramError(f"There is no team {team!r} that you may read.", hint="agentws fleet team")
    fleet.rows(f'LISTEN "{channel}"')
