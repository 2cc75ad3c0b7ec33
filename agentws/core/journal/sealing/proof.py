"""Journal events that a seal proves: the signature is good, and the chain holds from the event to the seal."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from agentws.core.disk.files import Files
from agentws.core.formats.journal import chain, event
from agentws.core.formats.journal.event import Event
from agentws.core.journal import read, walk
from agentws.core.journal.sealing import seal as _seal
from agentws.core.journal.select import Reader, Wanted

_ORDERS = tuple(f'"kind":"{kind}"'.encode() for kind in event.ORDERS)


class Proof:
    """The event numbers of a writer that seals prove, and the hashes of proved orders."""

    def __init__(self, proved: list[tuple[int, int]], orders: Collection[str] = ()) -> None:
        self._proved = proved
        self._orders = orders

    def covers(self, seq: int) -> bool:
        """Return whether the event with this number is proved."""
        return any(first <= seq <= last for first, last in self._proved)

    def covers_order(self, entry: Event) -> bool:
        """Return whether this very order is proved: another event may have the same number."""
        return entry.hash in self._orders


def prove(
    files: Files,
    agent: str,
    writer: str,
    *,
    after: int = 0,
    notices: list[str],
    signers: _seal.Signers | None = None,
) -> Proof:
    """Return the proof of a writer's events above `after`; invalid seals are added to `notices`.

    If `signers` are given, only their keys count, whatever the folder allows.
    """
    seals = _seals(files, writer, after)
    if not seals:
        return Proof([])
    signers = signers or _seal.Signers.read(files)
    proved = []
    orders: set[str] = set()
    for first, hashes, counts in _stretches(files, agent, writer, after, set(seals)):
        # The newest good seal proves all that the chain ties to it; older ones have nothing to add.
        for seq in sorted(hashes, reverse=True):
            wrong = [_seal.judge(agent, seal, hashes[seq], signers) for seal in seals[seq]]
            if "" in wrong:
                proved.append((first, seq))
                orders.update(hash_ for hash_, at in counts.items() if at <= seq)
                break
            notices += [f"Seal {seal.cursor} is invalid: {why}." for seal, why in zip(seals[seq], wrong, strict=True)]
    return Proof(proved, orders)


def _seals(files: Files, writer: str, after: int) -> dict[int, list[Event]]:
    """Return the seals by the number that they cover."""
    seals: dict[int, list[Event]] = {}
    for seal in Reader(files, Wanted(kinds=(event.SEAL,))).behind(writer, after):
        covers = (seal.body or {}).get("seq")
        if type(covers) is int and covers > after:
            seals.setdefault(covers, []).append(seal)
    return seals


def _stretches(
    files: Files, agent: str, writer: str, after: int, wanted: set[int]
) -> Iterator[tuple[int, dict[int, str], dict[str, int]]]:
    """Yield (first number, hashes of the wanted numbers, numbers of orders by hash) of each unbroken stretch of the
    chain.
    """
    newest = max(wanted)
    first, last = 0, (0, "")
    hashes: dict[int, str] = {}
    orders: dict[str, int] = {}
    begins = read.holding(files, writer, after + 1)
    numbers = [number for number in read.segments(files, writer) if number >= begins]
    for lines in walk.Walk(files, agent, writer, numbers):
        if lines.error is not None:
            raise lines.error
        if not lines.count:
            continue
        part = lines.stretch or chain.unbroken(lines.data, last)
        if not part.hashes or part.before != last:
            if hashes:
                yield first, hashes, orders
            first, last, hashes, orders = 0, (0, ""), {}, {}
            part = lines.stretch or chain.unbroken(lines.data)
        skipped = 0 if first else max(0, after - part.before[0])
        if skipped >= len(part.hashes):
            continue  # no line with which a stretch may begin
        first, last = first or part.before[0] + skipped + 1, part.last
        hashes.update((seq, hash_) for seq in wanted if seq >= first and (hash_ := lines.hash_of(seq)))
        if any(word in lines.data for word in _ORDERS):
            stored = lines.data[:-1].split(b"\n")
            numbered = enumerate(zip(part.hashes, stored, strict=True), part.before[0] + 1)
            ordering = ((seq, hash_) for seq, (hash_, line) in numbered if any(word in line for word in _ORDERS))
            orders.update((hash_, seq) for seq, hash_ in ordering if seq >= first)
        if last[0] >= newest:
            break
    if hashes:
        yield first, hashes, orders
