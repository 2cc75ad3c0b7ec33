"""The check of purged lines whose order is newer than this copy of the journal: a file beside it names the order.

The file counts only for events that cannot be here: the journal of the ordering writer ends before that event, and this
installation neither wrote nor remembers it. Once this installation has written, the ordering writer must be one that it
knows. Specified in docs/format/journal.md.
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
    """Return the later purge orders by event id; empty if there is no readable file."""
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
    """Return the note for a purged line that names the order `name`; empty if no later order explains it.

    `ends` are the newest event numbers of the writers present, `own` the newest event numbers that this installation
    remembers of its own writers. `known` are the writers that it trusts; None if it has written nothing.
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
