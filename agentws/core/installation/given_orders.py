"""The orders that this installation has given (purges and retirements), by the digests of their events.

Kept in the installation's state, outside of the workspace: an order that somebody else adds to the journal, with a
matching chain, is not among them, even if the next seal would cover it. All orders up to `through` are known to be its
own. Specified in docs/format/local.md.
"""

from __future__ import annotations

from agentws.core.disk import files as _files
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentws.core.installation.installation import Installation

NAME, _SEALED = "orders", "sealed"
_MOST_BYTES = 1 << 24


class Given:
    """The `digests` of the orders given here, and by writer the event number `through` which all orders are its own."""

    __slots__ = ("digests", "through")

    def __init__(self, through: dict[str, int], digests: set[str]) -> None:
        self.through = through
        self.digests = digests

    def is_ours(self, writer: str, seq: int, digest: str) -> bool:
        """Return whether the order in event `seq` of this installation's writer, or a former one, was given here."""
        return seq <= self.through.get(writer, 0) or digest in self.digests


def read(current: Installation) -> Given | None:
    """Return the orders given here; None if none were ever saved, DiskError if the disk fails."""
    own = _files.Outside(current.folder)
    try:
        decoded = plainjson.loads(own.read(NAME, limit_bytes=_MOST_BYTES))
        through = {str(writer): int(seq) for writer, seq in decoded["through"].items()}
        return Given(through, {str(item) for item in decoded["orders"]})
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Given({}, set())  # damaging the file gains nothing: unknown orders do not count


def note(folder: str, agent: str, digests: Iterable[str]) -> None:
    """Record orders that are about to be given, durably. The caller holds the append lock."""
    own = installation.at(folder, agent)
    if own is not None:
        given = known(own)
        given.digests.update(digests)
        _write(own, given)


def proved(own: Installation, seq: int, gone: Iterable[str]) -> None:
    """Record that all orders up to `seq` were given here, and drop their digests `gone`; durably, under the lock."""
    given = known(own)
    if given.through.get(own.writer, 0) < seq:
        given.through[own.writer] = seq
        given.digests.difference_update(gone)
        _write(own, given)


def known(own: Installation) -> Given:
    """Return the orders given here. If none were ever saved: all up to the newest seal that was made here; for an
    installation of an earlier version, all up to its newest remembered event.
    """
    given = read(own)
    if given is not None:
        return given
    mark = installation.mark(own) if not own.record.get(installation.ORDERS) else None
    return Given({own.writer: max(_sealed(own), mark.seq if mark is not None else 0)}, set())


def _sealed(own: Installation) -> int:
    """Return the number of the newest seal that this installation remembers; 0 for none."""
    try:
        decoded = plainjson.loads(_files.Outside(own.folder).read(_SEALED, limit_bytes=1 << 12))
        return int(decoded["seq"]) if decoded["writer"] == own.writer else 0
    except (AgentwsError, ValueError, KeyError, TypeError):
        return 0


def _write(current: Installation, given: Given) -> None:
    own = _files.Outside(current.folder)
    fields = {"agentws": 1, "through": given.through, "orders": sorted(given.digests)}
    own.replace(NAME, plainjson.dumps(fields).encode() + b"\n", expects=own.digest(NAME))
