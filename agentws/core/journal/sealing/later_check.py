"""Purged lines whose orders this copy of the journal does not reach: those that a file beside the journal tells of.

It counts only for events that cannot be here: where the journal of the one who ordered it ends before that event, which
is none that this installation would have written and does not remember. Where it has written, the one who ordered it is
a writer that it knows. Specified in docs/format/journal.md.
"""

from __future__ import annotations

from agentws.core.formats.journal import later_purges
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from agentws.core.disk.files import Files
    from agentws.core.formats.journal.later_purges import LaterPurge

NOTE = "purged after this copy was made, as {} says: it does not hold the event {}"


def read(files: Files) -> dict[str, list[LaterPurge]]:
    """The later orders by the ids of their events; none where there are none, or none can be read."""
    try:
        data = files.read(later_purges.PATH, limit_bytes=later_purges.LIMIT_BYTES)
    except AgentwsError:
        return {}
    found: dict[str, list[LaterPurge]] = {}
    for one in later_purges.decode(data):
        found.setdefault(one.order.id, []).append(one)
    return found


def explains(
    told: Mapping[str, list[LaterPurge]],
    name: str,
    line: tuple[str, int],
    digest: str,
    *,
    ends: Mapping[str, int],
    own: Mapping[str, int],
    known: Collection[str] | None,
) -> str:
    """Return what is to be noted of a purged line that names the order `name`; empty where nothing here tells of it.

    `ends` are the numbers of the newest events of the writers that are here, `own` those of the newest events that this
    installation remembers of the writers that it is and was. `known` are the writers that it trusts; None where it has
    written nothing, and nobody is known.
    """
    for one in told.get(name, ()):
        is_meant = (one.order.writer, one.order.seq) == line and one.order.digest == digest
        if known is not None and one.by not in known:
            continue
        # A line of this installation itself is purged where the order is met, so that it has seen it.
        most = own.get(one.by, 0 if line[0] in own else one.at)
        if is_meant and ends.get(one.by, 0) < one.at <= most:
            return NOTE.format(later_purges.PATH, f"{one.by}:{one.at}")
    return ""
