"""Trust in purge and retirement orders: they count only if given by this installation, or proved by a seal.

Also which writers append no more, so that others may purge their newest segment. A takeover is such an order, too.

Anybody who can write to the folder can add a line with a matching chain. The orders of this installation are in its
state; those of another writer need a seal with a key that this machine knows. Specified in docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core.disk.files import Files
from agentws.core.formats.journal import event, segment
from agentws.core.formats.journal.event import Event
from agentws.core.identity import writers
from agentws.core.installation import installation, keys, own_records
from agentws.core.installation.installation import Installation
from agentws.core.installation.own_records import GivenOrders
from agentws.core.journal import read
from agentws.core.journal.sealing import proof
from agentws.core.journal.sealing.proof import Proof
from agentws.core.journal.sealing.seal import Signers
from agentws.core.journal.sealing.verified import Memory
from agentws.core.journal.select import Reader, Wanted
from agentws.core.stores import writer_trust
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError

_LEFT = "migration.began"
_CAME_BACK = ("migration.aborted", "writer.revived", event.TOOK_OVER)


class OrderTrust:
    """Judges whether the orders in a journal can be trusted; keys and proofs are read when needed."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._here: Installation | None = None
        self._given: GivenOrders | None = None
        self._memory: Memory | None = None
        self._signers: dict[str, Signers] = {}
        self._proofs: dict[str, tuple[int, Proof]] = {}

    def is_good(self, entry: Event) -> bool:
        """Return whether a purge order in an event is trusted and may be carried out.

        A writer without known keys is trusted, and so is any writer if signatures cannot be checked here.
        """
        noted = self._is_noted(entry)
        if noted is not None:
            return noted
        return not keys.is_possible() or not self._keys(entry.writer) or self.covers(entry)

    def is_sealed(self, entry: Event) -> bool:
        """Return whether a retirement that an event orders may be carried out: sealed with a known key, and, for an own
        order, given here.
        """
        return self._is_noted(entry) is not False and self.covers(entry)

    def is_over(self, writer: str) -> bool:
        """Return whether a writer appends no more: its installation writes as another one, it moved away, or a writer
        that is known here has proved that it took over after its newest event.
        """
        own = writer_trust.present(self._stores)
        if own is None or writer == own.writer:
            return False
        return writer in installation.former(own) or self._moved_away(writer) or self._was_taken_over(writer)

    def covers(self, entry: Event) -> bool:
        """Return whether an event with an order is proved by a seal with a key that this machine knows."""
        writer = entry.writer
        after, proved = self._proofs.get(writer, (entry.seq, None))
        if proved is None or after >= entry.seq:
            after = entry.seq - 1
            self._keys(writer)
            proved = proof.prove(
                self._stores.files,
                self._stores.manifest.agent_id,
                writer,
                after=after,
                notices=[],
                signers=self._signers[writer],
            )
            self._proofs[writer] = after, proved
        return proved.covers_order(entry)

    def _moved_away(self, writer: str) -> bool:
        """Return whether a move is the last thing that a writer records of where it is."""
        files, last = self._stores.files, ""
        for number in read.newest(files, writer, 2):
            kinds = (segment.kind_of(line) for _, line in read.lines(files, writer, number))
            last = next((kind for kind in reversed([*kinds]) if kind in (_LEFT, *_CAME_BACK)), last)
        return last == _LEFT

    def _was_taken_over(self, writer: str) -> bool:
        """Return whether a known writer met the newest event of this one before it took over.

        Anybody can add a line to `writers.jsonl`: the line only tells whose journal may hold the takeover.
        """
        files = self._stores.files
        named = {line.writer for line in writers.lines(files) if line.took_over is not None}
        last, reader = read.last_seq(files, writer), Reader(files, Wanted(kinds=(event.TOOK_OVER,)))
        return any(
            _met(files, entry, writer) >= last and self._is_proved(entry)
            for name in sorted(named - {writer} - writer_trust.of(self._stores).unknown)
            for entry in reader.behind(name, 0)
        )

    def _is_proved(self, entry: Event) -> bool:
        """Return whether an order was given here, or is proved by a seal."""
        noted = self._is_noted(entry)
        return self.covers(entry) if noted is None else noted

    def _is_noted(self, entry: Event) -> bool | None:
        """Return whether the state of this installation has an order in its name; None if a seal must prove it or
        another writer gave it.
        """
        if self._here is None:
            self._here = writer_trust.present(self._stores)
            self._given = own_records.known_orders(self._here) if self._here is not None else None
        own = self._here
        if own is None or self._given is None or entry.writer not in (own.writer, *installation.former(own)):
            return None
        if entry.digest in self._given.digests:
            return True
        is_ours = self._given.is_ours(entry.writer, entry.seq, entry.digest)
        return None if is_ours or entry.writer != own.writer else False

    def _keys(self, writer: str) -> set[str]:
        """Return the writer's keys that both this machine knows and the folder allows."""
        if self._memory is None:
            self._memory = writer_trust.remembered(self._stores)
        known = self._memory.keys.get(writer, set())
        if writer not in self._signers:
            allowed = Signers.read(self._stores.files).all()
            self._signers[writer] = Signers({writer: allowed.get(writer, set()) & known})
        return known


def _met(files: Files, entry: Event, writer: str) -> int:
    """Return the number of the newest event of `writer` that a takeover names; 0 for none."""
    try:
        after = (read.body(files, entry) or {}).get("after")
        seq = after[writer]["seq"] if isinstance(after, dict) else 0
    except (AgentwsError, KeyError, TypeError, ValueError):
        return 0
    return seq if type(seq) is int else 0
