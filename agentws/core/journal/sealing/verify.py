"""Verification of a journal: chains, digests, blobs, purges, seals, and what this machine remembers.

Specified in docs/format/journal.md. Nothing is changed, and no lock is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentws.core.disk import files as _files, local_dir
from agentws.core.formats.journal import chain, event, segment, summary
from agentws.core.formats.journal.event import Event
from agentws.core.installation import installation, keys, own_records
from agentws.core.installation.installation import Installation
from agentws.core.journal import entry, head, read
from agentws.core.journal.head import Head
from agentws.core.journal.sealing import order_check, seal as sealing
from agentws.core.journal.sealing.order_check import PurgedLine
from agentws.core.journal.sealing.verified import Checked, JournalFinding, Memory, VerifiedJournal, Walked
from agentws.core.journal.walk import Place, Verdict, Walk, body_of, header_of
from agentws.errors import AgentwsError

Progress = Callable[[int, int], None]


_HEAD = ".head"
REMADE = "the journal was edited or rebuilt, here or earlier"
OLDER = "removed, or an older copy was restored"
UNVOUCHED = "this writer is not vouched for; for details: agentws identity verify"


class _Verifier:
    def __init__(
        self,
        files: _files.Files,
        agent: str,
        own: Installation | None,
        memory: Memory | None,
        progress: Progress | None,
    ) -> None:
        self.memory = memory or Memory()
        self.files = files
        self.agent = agent
        self.own = own
        self.found = VerifiedJournal()
        self.signers: sealing.Signers | None = None
        self.retired = order_check.Retirements()
        self.purges = order_check.Purges()
        self._ends: dict[str, int] = {}
        self._waiting: set[str] = set()
        self._given = own_records.known_orders(own) if own is not None else None
        self._progress = progress
        self._read = self._total = 0
        self._places: set[tuple[str, int]] = set()

    def run(self) -> VerifiedJournal:
        heads = self._heads()
        names = sorted({*read.writers(self.files), *heads, *self.memory.events, *self.memory.before})
        segments = {name: read.segments(self.files, name) for name in names}
        if self._progress:
            paths = (segment.path(name, number) for name in names for number in segments[name])
            self._total = sum(_size(self.files, path) for path in paths)
        for name in names:
            self._writer(name, segments[name], heads.get(name))
        self._match_purges()
        self._match_retired()
        return self.found

    def _heads(self) -> dict[str, Head]:
        """Return the durable ends that this machine knows, read first: the journal is at least as long."""
        names = [name.removesuffix(_HEAD) for name in self.files.unsorted(local_dir.FOLDER) if name.endswith(_HEAD)]
        # A hint of this installation without its secret is ignored. Hints of other writers may be forged.
        heads = ((name, head.read(self.files, name, self._secret(name))) for name in names)
        return {name: known for name, known in heads if known is not None}

    def _secret(self, writer: str) -> bytes | None:
        own = self.own
        return own.secret if own is not None and writer in self._own() else None

    def _own(self) -> dict[str, int]:
        """Return this installation's present and former writers, each with the newest event that it remembers."""
        names = (self.own.writer, *installation.former(self.own)) if self.own is not None else ()
        return {name: max(self._remembered(name), default=0) for name in names}

    def _known(self) -> set[str] | None:
        """Return the writers that this installation trusts; None if it has not written here."""
        if self.own is None:
            return None
        return {*(name for name, seq in self._ends.items() if seq), *self.memory.keys} - self.memory.strangers

    def _writer(self, writer: str, numbers: list[int], known: Head | None) -> None:
        remembered = self._remembered(writer)
        hashes = {known.seq: known.hash} if known else {}
        before = self.memory.before.get(writer, {})
        every = {**before, **hashes, **remembered}
        walked = Walked(Walk(self.files, self.agent, writer, numbers, every), every, self._tell)
        if walked.base is not None:
            self.retired.bases[writer] = walked.base
        checked = Checked(walked, len(numbers))
        self._ends[writer] = walked.seq
        self.found.writers.append(checked)
        self._take(walked, numbers, known)
        self._compare(walked, {**hashes, **remembered}, self._find)
        # An installation that has written since has accepted the replaced folder.
        self._compare(walked, before, self._find if self.own is None else self._note)
        self._look(walked, checked)
        if writer in self.memory.strangers or writer in self._waiting:
            self._note(Place(segment.path(writer, 1), 1), UNVOUCHED)

    def _tell(self, count: int) -> None:
        self._read += count
        if self._progress:
            self._progress(self._read, max(self._total, self._read))

    def _remembered(self, writer: str) -> dict[int, str]:
        """Return number and hash of this installation's newest seal, and of its lost events since."""
        kept = self.memory.events.get(writer, {})
        if self.own is None:
            return kept
        known = head.own_seal(self.own) if self.own.writer == writer else None
        gone = {mark.seq: mark.hash for mark in installation.lost(self.own) if mark.writer == writer}
        return kept | gone | (dict([known]) if known else {})

    def _take(self, walked: Walked, numbers: list[int], known: Head | None) -> None:
        """Add the findings of the walk; what a crash left behind the durable end is not damage."""
        torn = False
        for lines in walked.findings:
            place = lines.place
            above = known is None or (place.number, place.offset) >= (known.segment, known.offset)
            crash = lines.verdict is Verdict.TORN or (lines.verdict is Verdict.NO_EVENT and known is not None)
            if bool(numbers) and place.number == numbers[-1] and above and (crash or torn):
                torn = True
                self._note(place, f"{lines.what}: a process is still writing, or a crash left this")
            else:
                self._find(place, lines.what)

    def _compare(self, walked: Walked, remembered: dict[int, str], say: Callable[[Place, str], None]) -> None:
        """Compare the events that this machine remembers with those present."""
        for seq, hash_ in remembered.items():
            if self.retired.is_gone(walked.writer, seq):
                continue  # whether that is as it should be, is judged at last
            if seq > walked.seq:
                say(walked.end, f"{_missing(walked.seq + 1, seq)} {OLDER}")
            elif walked.met.get(seq, hash_) != hash_:
                say(walked.places[seq], f"the event differs from the one that this machine remembers: {REMADE}")
            elif seq not in walked.met and not walked.findings:
                say(walked.end, f"the event {seq}, which this machine remembers, is missing: {REMADE}")

    # A closer look

    def _look(self, walked: Walked, checked: Checked) -> None:
        names: set[str] = set()
        seals: list[tuple[Place, bytes]] = []
        for place, stored in walked.special:
            kind = segment.kind_of(stored)
            if place.line == 1 or kind == event.OPENED:
                self._opening(walked.writer, place, kind, stored)
            if chain.was_purged(stored):
                checked.purged += 1
                self.purges.add_line(walked.writer, place, stored)
            elif kind == event.SEAL:
                seals.append((place, stored))
            elif kind == event.RETIRED:
                self._own_order(walked.writer, place, stored)
                self.retired.add(walked.writer, header_of(stored).get("seq"), body_of(stored))
            elif kind == event.PURGE:
                self._own_order(walked.writer, place, stored)
                self.purges.add_order(walked.writer, place, stored)
            elif summary.is_blob(body_of(stored)):
                self._blob(walked.writer, place, body_of(stored)["blob"], names)
        self._judge(walked, seals, checked)
        self._orphans(walked.writer, names)

    def _own_order(self, writer: str, place: Place, stored: bytes) -> None:
        """Report an order in this installation's journal that it has not given."""
        fields = header_of(stored)
        seq = fields.get("seq")
        if self.own is None or self._given is None or writer != self.own.writer or not isinstance(seq, int):
            return
        if not self._given.is_ours(writer, seq, str(fields.get("digest"))):
            self._find(place, order_check.NOT_OURS)

    def _opening(self, writer: str, place: Place, kind: str, stored: bytes) -> None:
        fields = body_of(stored)
        if place.line != 1:
            if fields.get("number") != place.number:  # else it was moved down, and the lines above it are reported
                self._find(place, "the first event of a segment is in the middle of another")
        elif kind != event.OPENED:
            self._find(place, "this is not the first event of a segment")
        elif (fields.get("agent"), fields.get("writer"), fields.get("number")) != (self.agent, writer, place.number):
            self._find(place, "this first event belongs to another segment, agent or writer")

    def _judge(self, walked: Walked, seals: list[tuple[Place, bytes]], checked: Checked) -> None:
        """Judge the seals, newest first.

        A seal in the unbroken chain below a good seal is proved by it: its own signature is not checked.
        """
        whole = not walked.findings
        for place, stored in reversed(seals):
            try:
                seal = event.decode(stored, writer=walked.writer, where=place.path)
            except AgentwsError:
                continue  # then its line is damaged, and said to be
            body = seal.body or {}
            covers = body.get("seq", 0)
            if self.retired.is_gone(walked.writer, covers):
                continue  # what it covers was retired; a later one covers that
            hash_ = self._hash(walked, covers) if type(covers) is int else None
            if whole and seal.seq <= checked.sealed and body.get("hash") == hash_:
                continue
            self._seal(place, seal, hash_, checked)

    def _hash(self, walked: Walked, seq: int) -> str | None:
        if seq in walked.met:
            return walked.met[seq]
        try:
            return read.find(self.files, walked.writer, seq).hash
        except AgentwsError:
            return None

    def _seal(self, place: Place, seal: Event, hash_: str | None, checked: Checked) -> None:
        self.signers = self.signers or sealing.Signers.read(self.files)
        wrong = sealing.judge(self.agent, seal, hash_, self._allowed(seal.writer, self.signers))
        if wrong == sealing.UNCHECKED:
            self._note(place, wrong)
        elif wrong and self._waits(seal.writer, self.signers):
            self._waiting.add(seal.writer)  # it may be good, and proves nothing yet
        elif wrong:
            self._find(place, f"the seal is invalid: {wrong}")
        elif seal.body:
            checked.sealed = max(checked.sealed, seal.body["seq"])

    def _waits(self, writer: str, signers: sealing.Signers) -> bool:
        """Return whether the folder lists keys but none of this writer, which this machine does not know either.

        If nothing is remembered, a missing key proves nothing: whoever removed it could have added another one.
        """
        is_stranger = writer in self.memory.strangers if self.own is not None else writer not in self.memory.keys
        return is_stranger and bool(signers.all()) and not signers.all().get(writer)

    def _allowed(self, writer: str, signers: sealing.Signers) -> sealing.Signers:
        """Return the keys that the folder allows this writer, limited to those that this machine knows."""
        known = self.memory.keys.get(writer)
        if not known:
            return signers
        return sealing.Signers({writer: signers.all().get(writer, set()) & known})

    def _blob(self, writer: str, place: Place, name: str, names: set[str]) -> None:
        if name in names:
            return
        names.add(name)
        try:
            entry.read_blob(self.files, writer, name)
        except AgentwsError as error:
            self._find(place, error.message)

    def _orphans(self, writer: str, names: set[str]) -> None:
        folder = segment.blob_path(writer, "x").rpartition("/")[0]
        for name in sorted(set(self.files.unsorted(folder)) - names):
            if summary.is_blob({"blob": name, "size": 0}):
                self._note(Place(f"{folder}/{name}", 1), "no event refers to this file: a crash or a purge left it")

    def _match_purges(self) -> None:
        """Compare the purged lines with the events that order purges."""
        met = {name: max(events, default=0) for name, events in self.memory.events.items()}
        proved = {writer.writer: max(writer.sealed, met.get(writer.writer, 0)) for writer in self.found.writers}
        trust = order_check.Trust(proved, self.memory.keys, self.memory.strangers, self.own, self._given)
        unexplained = list(self.purges.unexplained(trust))
        if unexplained:
            self._match_later(unexplained)
        for order in self.purges.waiting(self._ends):
            if not self.retired.is_gone(*order.line):
                words = f"the event that this one purges, {order.line[0]}:{order.line[1]}, still has its content"
                self._note(order.place, words)

    def _match_later(self, unexplained: Sequence[PurgedLine]) -> None:
        """Compare unexplained purged lines with the file of later purge orders."""
        later, own, known = order_check.later(self.files), self._own(), self._known()
        for line in unexplained:
            note = order_check.explains(
                later, line.order, line.line, line.digest, ends=self._ends, own=own, known=known
            )
            if note:
                self._note(line.place, note)
            elif line.is_odd:
                self._note(line.place, line.wrong)
            else:
                self._find(line.place, line.wrong)

    def _match_retired(self) -> None:
        """Compare journals without their beginning with the recorded retirements."""
        sealed = {writer.writer: writer.sealed for writer in self.found.writers}
        for path, what in self.retired.missing(sealed, self.memory.strangers):
            if keys.is_possible():
                self._find(Place(path, 1), what)
            else:
                self._note(Place(path, 1), order_check.UNCHECKED)

    def _find(self, place: Place, what: str) -> None:
        if (place.path, place.line) not in self._places:
            self._places.add((place.path, place.line))
            self.found.findings.append(JournalFinding(place.path, place.line, what))

    def _note(self, place: Place, what: str) -> None:
        self.found.notes.append(JournalFinding(place.path, place.line, what))


def verify(
    files: _files.Files,
    agent: str,
    own: Installation | None = None,
    *,
    memory: Memory | None = None,
    progress: Progress | None = None,
) -> VerifiedJournal:
    """Return the errors in the journal of an agent; `own` is this installation, if it has written, and `memory` the
    facts remembered outside of the folder.

    `progress` is called with the bytes read and their total.
    """
    verified_journal = _Verifier(files, agent, own, memory, progress).run()
    verified_journal.findings.sort(key=lambda finding: (finding.path, finding.line))
    return verified_journal


def _missing(first: int, last: int) -> str:
    if first == last:
        return f"event {last}, which this machine had on disk, is missing: it was"
    return f"events {first:,} to {last:,}, which this machine had on disk, are missing: they were"


def _size(files: _files.Files, path: str) -> int:
    try:
        return read.status(files, path).st_size
    except AgentwsError:
        return 0  # what cannot be read is found when it is its turn
