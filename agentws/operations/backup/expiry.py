"""The backups that the rule of a destination removes."""

from __future__ import annotations

from agentws.errors import AgentwsError
from agentws.formats.travel import backup
from agentws.planning.backup import keep, loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.ports import Backups
    from agentws.storage.installation.backups import Known


def expire(place: Backups, one: Known) -> list[str]:
    """Remove what the rule does not keep; returns the names.

    What alone holds events that the newest backup lacks stays, however old: an older state may have been put back.
    """
    gone = due(place, one.keep, place.names(), one.heads)
    for name in gone:
        place.remove(name)
    return gone


def due(place: Backups, rule: str, names: Sequence[str], newest: Mapping[str, int]) -> list[str]:
    """The names of those that the rule does not keep; `newest` are the events of the newest one of `names`."""
    gone = keep.removable(keep.parse(rule), [(name, backup.moment_of(name)) for name in names])
    held = {name: heads(place, name) for name in gone}
    if any(loss.events(newest, one) for one in held.values()):
        gone = keep.spared(gone, {name: held.get(name) or heads(place, name) for name in names[:-1]}, newest)
    return gone


def heads(place: Backups, name: str) -> dict[str, int]:
    """The number of the newest event of each writer in a backup; none where it cannot be read."""
    try:
        return {writer: seq for writer, (seq, _) in place.header(name).heads.items()}
    except AgentwsError:
        return {}
