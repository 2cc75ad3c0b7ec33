"""journal purge: the body of an event is forgotten; that there was one, when, and of what kind, stays provable."""

from __future__ import annotations

from agentws.errors import UsageError
from agentws.formats import chain, event, layout, segment
from agentws.formats import purge as _purge
from agentws.storage import installation, local, recording, repository
from agentws.storage.journal import purging, reading
from agentws.storage.recording import Happening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.formats.event import Event
    from agentws.storage.stores import Stores

_MOST_REASON = 1_000


class Line:
    """An event that is to be forgotten: `size` (bytes) of its body, its `blob`, and what has become of it.

    `already`: it was forgotten before. `waiting`: its writer has yet to do it. `why` is the id of the `purged` event.
    """

    __slots__ = ("already", "at", "blob", "cursor", "digest", "kind", "seq", "size", "waiting", "why", "writer")

    def __init__(self, found: Event, size: int, blob: str | None) -> None:
        self.cursor = found.cursor
        self.writer = found.writer
        self.seq = found.seq
        self.digest = found.digest
        self.kind = found.kind
        self.at = found.at
        self.size = size
        self.blob = blob
        self.already = found.purged is not None
        self.why = found.purged
        self.waiting = False


class Purged:
    """What was forgotten, or would be: one Line an event, in the order in which they were named."""

    __slots__ = ("dry_run", "lines", "notices", "reason")

    def __init__(self, lines: list[Line], reason: str, *, dry_run: bool, notices: list[str]) -> None:
        self.lines = lines
        self.reason = reason
        self.dry_run = dry_run
        self.notices = notices


def purge(stores: Stores, cursors: Sequence[str], *, reason: str, dry_run: bool = False) -> Purged:
    """Forget the bodies of the events at these cursors (`WRITER:SEQ`), and say in the journal why.

    UsageError for a cursor that is none or an event that holds the journal together, MissingFileError for one that is
    not there: then nothing was written. What a kill has left half done is finished by doing it again.
    """
    if not reason.strip() or len(reason) > _MOST_REASON:
        raise UsageError(f"Say why, in 1 to {_MOST_REASON:,} characters.", hint='--reason "a password was printed"')
    if not cursors:
        raise UsageError("Name the events to forget.", hint="Find them: agentws journal list")
    lines = [_line(stores, *place) for place in dict.fromkeys(reading.cursor(stores.files, each) for each in cursors)]
    done = Purged(lines, reason, dry_run=dry_run, notices=list(stores.notices))
    if not dry_run:
        stores.check_writable()
        _order(stores, done)
        _carry_out(stores, done)
    done.notices += _elsewhere(stores)
    return done


def _line(stores: Stores, writer: str, seq: int) -> Line:
    found = reading.find(stores.files, writer, seq)
    _purge.check_kind(found.kind, where=found.cursor)
    _, stored = next(reading.lines(stores.files, writer, found.segment, start=found.offset))
    name = _purge.blob(stored)
    size = len(stored) - len(chain.header(stored))
    if name is not None and stores.files.exists(segment.blob_path(writer, name)):
        size += stores.files.size(segment.blob_path(writer, name))
    return Line(found, size, name)


def _order(stores: Stores, done: Purged) -> None:
    """Record an order for each line that has none yet: durable before anything is taken away."""
    known = {(order.writer, order.seq, order.digest): order.id for order in purging.orders(stores.files)}
    new = []
    for line in done.lines:
        line.why = line.why or known.get((line.writer, line.seq, line.digest))
        new += [] if line.why else [line]
    wanted = [
        Happening(event.PURGE, _purge.body(writer=line.writer, seq=line.seq, digest=line.digest, reason=done.reason))
        for line in new
    ]
    recorded, notices = recording.record(stores, wanted) if wanted else ([], [])
    done.notices += notices
    for line, one in zip(new, recorded, strict=True):
        line.why = one.id


def _carry_out(stores: Stores, done: Purged) -> None:
    stores.journal()  # who only does again what was done before must be somebody, too
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    assert here is not None
    carried = purging.carry_out(stores.files, here, again=True)
    done.notices += carried.notices
    for line in done.lines:
        line.waiting = line.cursor in carried.waiting
        if line.waiting:
            done.notices.append(
                f"{line.cursor} stands where its writer may still append: that writer forgets it at its next seal."
            )


def _elsewhere(stores: Stores) -> list[str]:
    """Where the words may live on."""
    notices = []
    if stores.files.names(local.QUARANTINE):
        notices.append(f"{local.QUARANTINE} holds what crashes have left: look whether the words stand there too.")
    if repository.find(stores.root) is not None and not stores.files.exists(f"{layout.JOURNAL}/.gitignore"):
        notices.append("The journal may be versioned here: past states in git still hold the words.")
    return notices
