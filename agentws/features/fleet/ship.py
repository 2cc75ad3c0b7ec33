"""Ships a workspace to the fleet's database: each event once, whatever is interrupted or repeated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentws.core.formats.journal import chain
from agentws.core.journal import read
from agentws.core.text import names
from agentws.errors import RemoteAwayError, UsageError
from agentws.features.fleet import arrivals, database, documents, join, settings
from agentws.features.fleet.reading import Absent, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.reading import Line

_NEXT = "Nothing is lost: the next ship goes on."


@dataclass(frozen=True, slots=True)
class Shipped:
    """What a ship did: the new events and versions of documents, the events whose text stays at home, purges that
    travelled.

    `refused` are the writers whose events the database refused, with its reason.
    """

    team: str
    agent: str
    events: int
    documents: int
    at_home: int
    purged: int
    refused: dict[str, str]
    notices: Sequence[str]


def ship(stores: Stores, *, again: bool = False) -> Shipped:
    """Ship what the database lacks of this workspace. With `again`, compare every line with it.

    UsageError if the agent never joined; RemoteAwayError with what waits; DamagedError for a damaged journal, up to
    which all was shipped.
    """
    own = settings.joined(stores)
    if own is None:
        raise UsageError("This agent is in no fleet.", hint="agentws fleet join URL --team TEAM")
    agent = stores.manifest.agent_id
    try:
        with database.connected(own.url) as fleet:
            join.make_known(fleet, stores, own.team)
            rows = fleet.rows(
                "SELECT writer, head_seq FROM agentws.writers WHERE (team, agent) = (%s, %s)", (own.team, agent)
            )
            heads = {str(writer): int(str(seq)) for writer, seq in rows}
            done = _Shipment(stores, fleet, own, {} if again else heads).run()
            return replace(done, notices=[*done.notices, *arrivals.settle(stores, fleet, own.team, own.agents[agent])])
    except RemoteAwayError as error:
        events = names.many(waiting(stores), "event")
        raise RemoteAwayError(f"{error.message} (The workspace keeps all of its {events}.)", hint=_NEXT) from error


def fill(stores: Stores, fleet: database.Database, own: settings.Fleet) -> Shipped:
    """Ship all events of this workspace into tables that have none of them yet."""
    return _Shipment(stores, fleet, own, {}).run()


def waiting(stores: Stores) -> int:
    """Return the number of events of all writers in this workspace."""
    return sum(read.last_seq(stores.files, writer) for writer in read.writers(stores.files))


class _Shipment:
    """One ship over an open connection; `heads` are the numbers of the newest events that the database has."""

    def __init__(self, stores: Stores, fleet: database.Database, own: settings.Fleet, heads: dict[str, int]) -> None:
        self._stores, self._fleet, self._own, self._heads = stores, fleet, own, heads
        self._agent = stores.manifest.agent_id
        self._reader = Reader.of(stores, own.agents[self._agent])
        self._events = self._documents = self._at_home = self._purged = 0
        self._refused: dict[str, str] = {}

    def run(self) -> Shipped:
        """Ship the journals of all writers that this machine knows."""
        unknown = self._stores.unknown_writers()
        notices = [f"The writer {writer} is unknown to this machine and was not shipped." for writer in sorted(unknown)]
        for writer in read.writers(self._stores.files):
            if writer not in unknown:
                self._writer(writer)
        text = self._own.agents[self._agent]
        self._documents, at_home = documents.ship(self._stores, self._fleet, self._own.team, text)
        notices += at_home
        return Shipped(
            self._own.team,
            self._agent,
            self._events,
            self._documents,
            self._at_home,
            self._purged,
            self._refused,
            notices,
        )

    def _writer(self, writer: str) -> None:
        after = self._heads.get(writer, 0)
        retired = read.retired(self._stores.files, writer)
        for batch in self._reader.batches(writer, after):
            values = (self._own.team, self._agent, writer, batch[0].seq)
            is_oldest = retired > 0 and batch[0].seq == retired + 1
            columns = [[getattr(line, name) for line in batch] for name in ("header", "tail", "absent", "terms")]
            _, refusal = self._fleet.row(
                "SELECT * FROM agentws.accept_lines(%s, %s, %s, %s, %s, %s::text[], %s::text[], %s::text[], %s)",
                (*values, *columns, is_oldest),
            )
            if refusal is not None:
                self._refused[writer] = str(refusal)
                return
            self._events += len(batch)
            self._at_home += sum(line.tail is None for line in batch)
            self._purge(batch)

    def _purge(self, batch: Sequence[Line]) -> None:
        """Take the text of purged events out of the database: those that orders in the batch name, and those within."""
        numbers: dict[str, list[int]] = {}
        for line in batch:
            if line.order is not None and is_purged(self._stores, *line.order):
                numbers.setdefault(line.order[0], []).append(line.order[1])
        for writer, seqs in numbers.items():
            self._purged += drop(self._fleet, self._own.team, self._agent, writer, seqs)


def drop(fleet: database.Database, team: str, agent: str, writer: str, seqs: list[int]) -> int:
    """Take the text of purged events out of the database; returns how many had one there."""
    (count,) = fleet.row(
        "SELECT agentws.drop_tails(%s, %s, %s, %s, %s)", (team, agent, writer, seqs, Absent.PURGED.value)
    )
    return int(str(count))


def is_purged(stores: Stores, writer: str, seq: int) -> bool:
    """Return whether the text of an event was purged in this workspace."""
    place = read.stored(stores.files, writer, seq)
    return place is not None and chain.was_purged(place[2])
