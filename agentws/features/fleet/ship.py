"""Ships a workspace to the fleet's database: each event once, whatever is interrupted or repeated."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from agentws.core.formats import digest
from agentws.core.formats.journal import event
from agentws.core.formats.secrets import secrets
from agentws.core.installation import backups
from agentws.core.journal import read
from agentws.core.journal.sealing import seal
from agentws.core.stores import kept_out
from agentws.core.text import names
from agentws.errors import DamagedError, RemoteAwayError
from agentws.features.doctor import sessions
from agentws.features.fleet import arrivals, database, membership, vectors
from agentws.features.fleet.reading import Absent, Reader, kept_out_digest, terms_of, wrong_seal
from agentws.features.search.plan import similarity
from agentws.features.search.plan.unit import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.database import Database
    from agentws.features.fleet.membership import Fleet
    from agentws.features.fleet.reading import Line

_MOST_BYTES = 1 << 20
"""Of a document; a larger one stays at home, and a batch has at most so many bytes and one document."""
_NEXT = "Nothing is lost: the next ship goes on."


@dataclass(slots=True)
class Shipped:
    """What a ship did: new events and versions of documents, and how many of these events' texts stay at home. Of
    earlier events, the texts that came, and those that went: purged, forgotten or private by now.

    `forgotten` counts the texts on the list of forgotten ones; they are gone from the database if `is_forgotten`.
    `refused` are the writers whose events the database refused, with its reason.
    """

    team: str
    agent: str
    events: int = 0
    documents: int = 0
    at_home: int = 0
    filled: int = 0
    removed: int = 0
    forgotten: int = 0
    is_forgotten: bool = True
    refused: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    vectors: int = 0


def ship(stores: Stores, *, again: bool = False) -> Shipped:
    """Ship what the database lacks of this workspace. With `again`, compare every line with it.

    UsageError if the agent never joined; RemoteAwayError with what waits; DamagedError for a damaged journal, up to
    which all was shipped, or if that of this installation is missing.
    """
    own, here = membership.required(stores), stores.installation()
    if here is not None and here.writer not in read.writers(stores.files):
        raise DamagedError(
            f"journal/{here.writer}, which was written here, is missing. Nothing was shipped.",
            hint="Restore the folder from a backup, then: agentws journal verify",
        )
    try:
        with database.connected(own.url) as fleet:
            membership.make_known(fleet, stores, own.team)
            shipment = Shipment(stores, fleet, own, again=again)
            done = shipment.run()
            done.notices += arrivals.settle(stores, fleet, own.team, shipment.text)
            return done
    except RemoteAwayError as error:
        events = names.many(sum(read.last_seq(stores.files, each) for each in read.writers(stores.files)), "event")
        raise RemoteAwayError(f"{error.message} (The workspace keeps all of its {events}.)", hint=_NEXT) from error


def agreed(
    stores: Stores, fleet: Database, own: Fleet, *, is_drill: bool = False
) -> tuple[str, vectors.Sender | None, list[str]]:
    """Return the text that is shipped of this agent, what sends its vectors, and notices: less than this machine's own
    if another machine of the agent has a narrower text or vectors by another embedder. Else two machines would fill
    and empty the database in turn.
    """
    agent, here = stores.manifest.agent_id, stores.installation()
    text, sender = own.agents[agent], vectors.sender(stores, fleet, own.team, is_drill=is_drill)
    values = own.team, agent, here.writer if here is not None else "", text, sender.model if sender else ""
    narrower, model = fleet.row("SELECT * FROM agentws.choose(%s, %s, %s, %s, %s)", values)
    lost = "Of a machine that is lost: agentws fleet leave --machine WRITER."
    notices = []
    if text == membership.ALL and isinstance(narrower, list) and narrower:
        text, others = membership.SHARED, ", ".join(narrower)
        notices += [f"Only shared text is shipped, as from {others}: join with --text all there too. {lost}"]
    if sender and sender.model != model:
        sender = None
        notices += [f"No vectors are shipped: another machine of this agent ships those of {model}. {lost}"]
    return text, sender, notices


class Shipment:
    """One ship over an open connection. Lines that are there are sent again if the rules for their texts or the model
    of their vectors changed, or `again` is asked: their texts and vectors come or go. A drill makes no vector.
    """

    def __init__(
        self, stores: Stores, fleet: Database, own: Fleet, *, again: bool = False, is_drill: bool = False
    ) -> None:
        self._stores, self._fleet, self._own, self._again = stores, fleet, own, again
        self._agent = stores.manifest.agent_id
        self.text, self._sender, notices = agreed(stores, fleet, own, is_drill=is_drill)
        self._reader = Reader.of(stores, self.text)
        self._text_rules = f"{self._reader.rules} "
        self._rules = f"{self._text_rules}{self._sender.model if self._sender else ''}"
        self._signers = seal.Signers.read(stores.files)
        self._done, self._heads = Shipped(own.team, self._agent, notices=notices), dict[str, int]()
        self._is_purged = False
        self._lacks_vectors: dict[str, bool] = {}

    def run(self) -> Shipped:
        """Ship the journals of all writers that this machine knows."""
        done, unknown = self._done, self._stores.unknown_writers()
        rows = self._fleet.rows(
            "SELECT writer, head_seq, rules FROM agentws.writers WHERE (team, agent) = (%s, %s)",
            (self._own.team, self._agent),
        )
        self._heads = {str(writer): int(str(seq)) for writer, seq, _ in rows}
        rules = {str(row[0]): str(row[2]) for row in rows}
        for writer in read.writers(self._stores.files):
            if writer in unknown:
                done.notices.append(f"The writer {writer} is unknown to this machine and was not shipped.")
            else:
                self._writer(writer, rules.get(writer, ""))
        self._documents()
        if self._is_purged:  # what follows a purged prompt is private now
            for writer in set(read.writers(self._stores.files)) - set(unknown):
                self._writer(writer, "")
        failure = ""
        if self._sender:
            done.vectors, failure = self._sender.sent, self._sender.failure
        done.notices += [f"Not all vectors were shipped: {failure}"] if failure else []
        for writer, lacks_vectors in self._lacks_vectors.items():
            if lacks_vectors != bool(failure):
                self._end_judging(writer, self._text_rules if failure else self._rules)
        return done

    def _writer(self, writer: str, rules: str) -> None:
        files, retired, head = self._stores.files, read.retired(self._stores.files, writer), self._heads.get(writer, 0)
        is_known = rules == self._rules or (self._sender is None and rules.startswith(self._rules))
        judging = self._rules if self._again or not is_known else None
        newest = read.last_seq(files, writer)
        if judging and newest < head:
            return  # another machine has more of this writer, and judges it
        lacks_vectors = self._sender is not None and (judging is not None or newest > head)
        if lacks_vectors and not judging:
            self._end_judging(writer, self._text_rules)  # a killed ship is made up for
        for batch in self._reader.batches(writer, 0 if judging else head):
            for line in batch:
                stored = f"{line.header},{line.tail}}}".encode() if line.kind == event.SEAL else b""
                if stored and (wrong := wrong_seal(self._agent, stored, self._signers, writer=writer)):
                    raise DamagedError(f"Seal {writer}:{line.seq}: {wrong}.", hint="agentws journal verify")
            if head > 0 and any(line.order and line.seq > head for line in batch):
                self._is_purged = True
                for each in self._heads:
                    self._end_judging(each, "")  # a ship that is killed now is made up for
            if refusal := self._accept(writer, batch, judging, is_oldest=0 < retired == batch[0].seq - 1):
                self._done.refused[writer] = refusal
                return
            new = [line for line in batch if line.seq > head]
            self._done.events += len(new)
            self._done.at_home += sum(line.tail is None for line in new)
            self._heads[writer] = max(head, batch[-1].seq)
            if self._sender:
                self._sender.send(writer, [(line.seq, unit) for line in batch for unit in line.units])
            self._purge(batch)
        if judging:
            self._end_judging(writer, self._text_rules)
        self._lacks_vectors[writer] = lacks_vectors

    def _end_judging(self, writer: str, rules: str) -> None:
        values = (self._own.team, self._agent, writer, read.retired(self._stores.files, writer) + 1, rules)
        self._done.removed += int(str(self._fleet.row("SELECT agentws.end_judging(%s, %s, %s, %s, %s)", values)[0]))

    def _accept(self, writer: str, batch: Sequence[Line], rules: str | None = None, *, is_oldest: bool = False) -> str:
        """Send lines, and count the earlier texts that came and went; return why they were refused, or nothing."""
        columns = [[getattr(line, name) for line in batch] for name in ("header", "tail", "absent", "terms")]
        refusal, filled, removed = self._fleet.row(
            "SELECT refusal, filled, taken FROM agentws.accept_lines"
            "(%s, %s, %s, %s, %s, %s::text[], %s::text[], %s::text[], %s, %s)",
            (self._own.team, self._agent, writer, batch[0].seq, *columns, rules, is_oldest),
        )
        self._done.filled += int(str(filled or 0))
        self._done.removed += int(str(removed or 0))
        return str(refusal or "")

    def _purge(self, batch: Sequence[Line]) -> None:
        """Take the text of the events that purges in the batch name out of the database."""
        for writer, seq in [line.order for line in batch if line.order is not None]:
            purged = self._reader.line(writer, seq) if seq <= self._heads.get(writer, 0) else None
            if purged is not None and purged.absent is Absent.PURGED:
                self._accept(writer, [purged])

    def _documents(self) -> None:
        """Ship new versions of the documents, with their vectors, and what `fleet status` shows."""
        stores, fleet, done = self._stores, self._fleet, self._done
        place = self._own.team, self._agent
        rows = fleet.rows(
            "SELECT path, digest FROM agentws.documents WHERE (team, agent) = (%s, %s) AND gone IS NULL", place
        )
        known, lacking = {str(row[0]): row[1] for row in rows}, self._sender.documents() if self._sender else set()
        kept, wholes, batch, size = list[str](), list[str](), list[tuple[str, ...]](), 0
        entries, hidden = dict[str, list[Unit]](), [self.text, kept_out_digest(stores)]
        for path, room, content, is_whole in self._reader.documents(hidden):
            if len(content) > _MOST_BYTES or secrets.find(content) or kept_out.holds(stores, content):
                done.notices.append(f"{path} stays at home: it is too large, or has a secret or forgotten text.")
                continue
            kept.append(path)
            wholes += [path] if is_whole else []
            named = digest.of(content.encode())
            is_known = known.get(path) == named
            if is_known and path not in lacking:
                continue
            if size + len(content) > _MOST_BYTES:
                self._put(batch, entries)
                batch, entries, size = [], {}, 0
            units = entries[path] = list(self._reader.units.units(path, room, content.encode()))
            keys = [similarity.key(each.text) for each in units if similarity.has_vector(each.form, each.text)]
            batch += [] if is_known else [(path, named, content, room, terms_of(units), f"{{{','.join(keys)}}}")]
            size += len(content)
        self._put(batch, entries)
        done.forgotten = len(self._reader.kept.entries) if self._reader.kept is not None else 0
        known_backups = backups.read(stores.files, stores.manifest.agent_id, stores.environment.state)
        backed_up = max((datetime.fromisoformat(backup.at) for backup in known_backups if backup.at), default=None)
        state = kept_out_digest(stores), done.forgotten, sorted(sessions.find(stores, ()).gone), backed_up
        values = (*place, kept, wholes, digest.of("\n".join(hidden).encode()), *state)
        keep = "SELECT agentws.keep_documents(%s, %s, %s::text[], %s::text[], %s, %s, %s, %s::text[], %s)"
        done.is_forgotten = fleet.row(keep, values) == (True,)

    def _put(self, batch: list[tuple[str, ...]], entries: dict[str, list[Unit]]) -> None:
        if batch:
            columns = [list(column) for column in zip(*batch, strict=True)]
            put = "SELECT agentws.put_documents(%s, %s, %s, %s, %s, %s, %s, %s)"
            self._done.documents += int(str(self._fleet.row(put, (self._own.team, self._agent, *columns))[0]))
        for path, units in entries.items():
            if self._sender:
                self._sender.send(path, [(0, unit) for unit in units])
