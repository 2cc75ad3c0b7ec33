"""The orders that this installation has given: events that take something away for good, by their digests.

They stand in its state, outside of the workspace: a line that somebody else adds to the journal, with a chain that
fits, is none of ours, though the next seal would cover it. Up to `through` all are known to be ours. Specified in
docs/format/local.md.
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
    """The `digests` of the orders that were given, and of each writer the number up to which all orders are ours:
    where the chain holds up to there.
    """

    __slots__ = ("digests", "through")

    def __init__(self, through: dict[str, int], digests: set[str]) -> None:
        self.through = through
        self.digests = digests

    def is_ours(self, writer: str, seq: int, digest: str) -> bool:
        """Return whether the order in event `seq` of a writer that we are or were was given here."""
        return seq <= self.through.get(writer, 0) or digest in self.digests


def read(here: Installation) -> Given | None:
    """Return the orders that were given; None where nobody has kept them yet, DiskError where that cannot be told."""
    own = _files.Files(here.folder)
    try:
        told = plainjson.loads(own.read(NAME, limit_bytes=_MOST_BYTES))
        through = {str(writer): int(seq) for writer, seq in told["through"].items()}
        return Given(through, {str(one) for one in told["orders"]})
    except MissingFileError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Given({}, set())  # whoever damaged it gains nothing: what is not known is not ours


def note(folder: str, agent: str, digests: Iterable[str]) -> None:
    """Keep that these are about to be given, durably. The caller holds the append lock."""
    here = installation.at(folder, agent)
    if here is not None:
        given = known(here)
        given.digests.update(digests)
        _write(here, given)


def proved(here: Installation, seq: int, gone: Iterable[str]) -> None:
    """Keep that all orders up to `seq` are ours, so that the digests `gone` are no longer needed; durably, under that
    lock.
    """
    given = known(here)
    if given.through.get(here.writer, 0) < seq:
        given.through[here.writer] = seq
        given.digests.difference_update(gone)
        _write(here, given)


def known(here: Installation) -> Given:
    """Return the orders that were given. Where nobody has kept them yet, all up to the newest seal are, which was made
    here; for an installation of an earlier version all up to what it remembers to have written.
    """
    given = read(here)
    if given is not None:
        return given
    mark = installation.mark(here) if not here.record.get(installation.ORDERS) else None
    return Given({here.writer: max(_sealed(here), mark.seq if mark is not None else 0)}, set())


def _sealed(here: Installation) -> int:
    """The number of the newest seal that this installation remembers; 0 for none."""
    try:
        told = plainjson.loads(_files.Files(here.folder).read(_SEALED, limit_bytes=1 << 12))
        return int(told["seq"]) if told["writer"] == here.writer else 0
    except (AgentwsError, ValueError, KeyError, TypeError):
        return 0


def _write(here: Installation, given: Given) -> None:
    own = _files.Files(here.folder)
    told = {"agentws": 1, "through": given.through, "orders": sorted(given.digests)}
    own.replace(NAME, plainjson.dumps(told).encode() + b"\n", expects=own.digest(NAME))
