"""Ships a workspace to the fleet's database: each event once, whatever is interrupted or repeated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentws.core.formats.journal import event
from agentws.core.journal import read
from agentws.core.journal.sealing import seal
from agentws.core.text import names
from agentws.errors import DamagedError, RemoteAwayError, UsageError
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
    """What a ship did: new events and versions of documents, and how many of these events' texts stay at home. Of
    earlier events, the texts that came, and those that went: purged, forgotten or private by now.

    `forgotten` counts the texts on the list of forgotten ones; they are gone from the database if `is_forgotten`.
    `refused` are the writers whose events the database refused, with its reason.
    """

    team: str
    agent: str
    events: int
    documents: int
    at_home: int
    filled: int
    removed: int
    forgotten: int
    is_forgotten: bool
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
            done = _Shipment(stores, fleet, own, again=again).run()
            return replace(done, notices=[*done.notices, *arrivals.settle(stores, fleet, own.team, own.agents[agent])])
    except RemoteAwayError as error:
        events = names.many(waiting(stores), "event")
        raise RemoteAwayError(f"{error.message} (The workspace keeps all of its {events}.)", hint=_NEXT) from error


def fill(stores: Stores, fleet: database.Database, own: settings.Fleet) -> Shipped:
    """Ship all events of this workspace into tables that have none of them yet."""
    return _Shipment(stores, fleet, own).run()


def waiting(stores: Stores) -> int:
    """Return the number of events of all writers in this workspace."""
    return sum(read.last_seq(stores.files, writer) for writer in read.writers(stores.files))


class _Shipment:
    """One ship over an open connection. Lines that are there are sent again if the rules for their texts changed, or
    `again` is asked: their texts come or go.
    """

    def __init__(self, stores: Stores, fleet: database.Database, own: settings.Fleet, *, again: bool = False) -> None:
        self._stores, self._fleet, self._own, self._again = stores, fleet, own, again
        self._agent = stores.manifest.agent_id
        self._reader = Reader.of(stores, own.agents[self._agent])
        self._signers = seal.Signers.read(stores.files)
        self._events = self._at_home = self._filled = self._removed = 0
        self._refused: dict[str, str] = {}

    def run(self) -> Shipped:
        """Ship the journals of all writers that this machine knows."""
        unknown = self._stores.unknown_writers()
        notices = [f"The writer {writer} is unknown to this machine and was not shipped." for writer in sorted(unknown)]
        rows = self._fleet.rows(
            "SELECT writer, head_seq, rules FROM agentws.writers WHERE (team, agent) = (%s, %s)",
            (self._own.team, self._agent),
        )
        known = {str(writer): (int(str(seq)), str(rules)) for writer, seq, rules in rows}
        for writer in read.writers(self._stores.files):
            if writer not in unknown:
                self._writer(writer, *known.get(writer, (0, "")))
        text = self._own.agents[self._agent]
        shipped, at_home, is_forgotten = documents.ship(self._stores, self._fleet, self._own.team, text)
        kept = self._reader.kept
        return Shipped(
            self._own.team,
            self._agent,
            self._events,
            shipped,
            self._at_home,
            self._filled,
            self._removed,
            len(kept.entries) if kept is not None else 0,
            is_forgotten,
            self._refused,
            [*notices, *at_home],
        )

    def _writer(self, writer: str, head: int, rules: str) -> None:
        files, retired = self._stores.files, read.retired(self._stores.files, writer)
        judges = self._again or rules != self._reader.rules
        if judges and read.last_seq(files, writer) < head:
            return  # another machine has more of this writer, and judges it
        for batch in self._reader.batches(writer, 0 if judges else head):
            self._check_seals(writer, batch)
            refusal, filled, removed = self._accept(
                writer, batch, rules=self._reader.rules if judges else None, retired=retired
            )
            if refusal is not None:
                self._refused[writer] = str(refusal)
                return
            new = [line for line in batch if line.seq > head]
            self._events += len(new)
            self._at_home += sum(line.tail is None for line in new)
            self._filled += filled
            self._removed += removed
            self._purge(batch)
        if judges:
            values = (self._own.team, self._agent, writer, retired + 1, self._reader.rules)
            (dropped,) = self._fleet.row("SELECT agentws.end_judging(%s, %s, %s, %s, %s)", values)
            self._removed += int(str(dropped))

    def _accept(
        self, writer: str, batch: Sequence[Line], *, rules: str | None = None, retired: int = 0
    ) -> tuple[object, int, int]:
        """Send lines; return why they were refused, or None, and how many earlier texts came and went."""
        is_oldest = retired > 0 and batch[0].seq == retired + 1
        columns = [[getattr(line, name) for line in batch] for name in ("header", "tail", "absent", "terms")]
        refusal, filled, removed = self._fleet.row(
            "SELECT refusal, filled, taken FROM agentws.accept_lines"
            "(%s, %s, %s, %s, %s, %s::text[], %s::text[], %s::text[], %s, %s)",
            (self._own.team, self._agent, writer, batch[0].seq, *columns, rules, is_oldest),
        )
        return refusal, int(str(filled or 0)), int(str(removed or 0))

    def _check_seals(self, writer: str, batch: Sequence[Line]) -> None:
        """Raise DamagedError for a seal whose signature or key is wrong: the database cannot know."""
        for line in batch:
            if line.kind == event.SEAL and line.tail is not None:
                stored = f"{line.header},{line.tail}}}".encode()
                entry = event.decode(stored, writer=writer)
                sealed = (entry.body or {}).get("hash")
                wrong = seal.judge(self._agent, entry, str(sealed), self._signers)
                if wrong not in ("", seal.UNCHECKED):
                    raise DamagedError(f"Seal {writer}:{line.seq}: {wrong}.", hint="agentws journal verify")

    def _purge(self, batch: Sequence[Line]) -> None:
        """Take the text of the events that purges in the batch name out of the database."""
        for line in batch:
            if line.order is not None:
                writer, seq = line.order
                purged = self._reader.line(writer, seq)
                if purged is not None and purged.absent is Absent.PURGED:
                    self._removed += self._accept(writer, [purged])[2]
