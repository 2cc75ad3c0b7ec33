"""Checks what the database holds: chains, seals, and that it is what this workspace says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agentws.core.formats import layout
from agentws.core.formats.journal import chain, event
from agentws.core.journal import read
from agentws.core.journal.sealing import seal
from agentws.errors import DamagedError
from agentws.features.fleet import reading, settings, vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.core.stores.stores import Stores
    from agentws.features.fleet.database import Database, Row

_SEALED = re.compile(r'"seq":([0-9]{1,18}),')


@dataclass(frozen=True, slots=True)
class Verified:
    """The check of one writer's events in the database: how many, how many of its seals are good, and what is wrong."""

    agent: str
    name: str
    writer: str
    events: int
    seals: int
    wrong: Sequence[str]


def verify(fleet: Database, team: str, stores: Stores | None = None) -> list[Verified]:
    """Check every writer that the connected role may read; those of `stores` are compared with that workspace too."""
    writers = fleet.rows(
        "SELECT agent, name, writer, base_seq, head_seq, head_hash, refused, keys FROM agentws.writers"
        " JOIN agentws.agents USING (team, agent) LEFT JOIN agentws.machines USING (team, agent, writer)"
        " WHERE team = %s ORDER BY name, agent, writer",
        (team,),
    )
    return [_writer(fleet, team, row, stores) for row in writers]


def _writer(fleet: Database, team: str, row: Row, stores: Stores | None) -> Verified:
    agent, name, writer, base, head, head_hash, refused, known = row
    place = (team, agent, writer)
    wrong = [f"{seq}: {what}" for seq, what in fleet.rows("SELECT * FROM agentws.wrong_lines(%s, %s, %s)", place)]
    count, newest = fleet.row(
        "SELECT count(*), max(seq) FROM agentws.events WHERE (team, agent, writer) = (%s, %s, %s) AND seq > %s",
        (*place, base),
    )
    if (newest or base, count) != (head, int(str(head)) - int(str(base))):
        wrong.append(f"{count} events up to {newest}, but the head is {head}")
    if refused is not None:
        wrong.append(f"refused: {refused}")
    wrong += [f"a vector of {where}:{seq}, which has no text" for where, seq in vectors.alone(fleet, place)]
    seals = 0
    for failure in _seals(fleet, place, known):
        seals += not failure
        wrong += [failure] if failure else []
    if stores is not None and stores.manifest.agent_id == agent:
        wrong += _differences(stores, str(writer), int(str(head)), str(head_hash))
        wrong += _kept(fleet, place, stores)
    return Verified(str(agent), str(name), str(writer), int(str(count)), seals, wrong)


def wrong_seal(agent: str, line: bytes, signers: seal.Signers, *, writer: str, hash_: object = None) -> str:
    """Return the fault of a seal's line, or an empty text. `hash_` is that of the sealed event, if known."""
    try:
        entry = event.decode(line, writer=writer)
    except DamagedError as error:
        return error.message
    wrong = seal.judge(agent, entry, str(hash_ or (entry.body or {}).get("hash")), signers)
    return "" if wrong == seal.UNCHECKED else wrong


def _seals(fleet: Database, place: tuple[object, ...], known: object) -> Iterator[str]:
    """Yield for each seal what is wrong with it, empty for nothing; seals without a known key yield nothing."""
    agent, writer = str(place[1]), str(place[2])
    signers = seal.Signers({writer: set(known) if isinstance(known, list) else set()})
    where = "agentws.events WHERE (team, agent, writer) = (%s, %s, %s)"
    rows = fleet.rows(
        f"SELECT seq, header, tail FROM {where} AND kind = %s AND tail IS NOT NULL ORDER BY seq",  # noqa: S608
        (*place, event.SEAL),
    )
    numbers = [int(match[1]) if (match := _SEALED.search(str(tail))) else 0 for _, _, tail in rows]
    sealed = fleet.rows(f"SELECT seq, hash FROM {where} AND seq = ANY (%s)", (*place, numbers))  # noqa: S608
    hashes = {row[0]: row[1] for row in sealed}
    for (seq, header, tail), number in zip(rows, numbers, strict=True) if known else ():
        line = f"{header},{tail}}}".encode()
        wrong = wrong_seal(agent, line, signers, writer=writer, hash_=hashes.get(number))
        yield f"{seq}: {wrong.replace(layout.SIGNERS, 'the database')}" if wrong else ""


def _differences(stores: Stores, writer: str, head: int, head_hash: str) -> Iterator[str]:
    """Yield what the workspace says otherwise. Its own chain is checked by `journal verify`."""
    newest = read.last_seq(stores.files, writer) if writer in read.writers(stores.files) else 0
    if newest < head:
        yield f"the database has {head - newest:,} events more than this workspace"
    else:
        place = read.stored(stores.files, writer, head) if head else None
        if place is not None and chain.hash_of(place[2]) != head_hash:
            yield f"{head}: this workspace has another event with this number"


def _kept(fleet: Database, place: tuple[object, ...], stores: Stores) -> Iterator[str]:
    """Yield the texts in the database that this workspace would not ship."""
    own = settings.joined(stores)
    if own is None or str(place[2]) not in read.writers(stores.files):
        return
    reader = reading.Reader.of(stores, own.agents[str(place[1])])
    for batch in reader.batches(str(place[2]), 0):
        absent = {line.seq: line.absent for line in batch if line.absent is not None}
        rows = fleet.rows(
            "SELECT seq FROM agentws.events WHERE (team, agent, writer) = (%s, %s, %s) AND seq = ANY (%s)"
            " AND tail IS NOT NULL ORDER BY seq",
            (*place, list(absent)),
        )
        yield from (f"{seq}: its text is here, but is {absent[int(str(seq))]} in the workspace" for (seq,) in rows)
