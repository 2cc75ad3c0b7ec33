"""Remove the old backups that a destination's rule does not keep."""

from __future__ import annotations

from agentws.core.formats.travel import backup
from agentws.errors import DamagedError
from agentws.features.copies.backup.plan import keep, loss
from agentws.features.copies.backup.store import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.installation.backups import Known
    from agentws.core.ports import Backups
    from agentws.features.copies.backup.plan.loss import Span


def expire(place: Backups, destination: Known, newest: Mapping[str, Span], files: Files) -> list[str]:
    """Remove the backups that the rule does not keep, and return their names.

    A backup with events that no other one has stays, however old: the workspace may be a restored older state, or the
    journal's beginning may be retired.
    """
    gone = due(place, destination.keep, place.names(), newest, files)
    for name in gone:
        place.remove(name)
    return gone


def due(place: Backups, rule: str, names: Sequence[str], newest: Mapping[str, Span], files: Files) -> list[str]:
    """Return the names of the backups to remove by the rule; `newest` are the event spans of the newest backup.

    `files` is the workspace. A backup whose events cannot be read is not removed.
    """
    late = keep.removable(keep.parse(rule), [(name, backup.moment_of(name)) for name in names])
    held = {name: writer_spans for name in late if (writer_spans := spans(place, name, files)) is not None}
    gone = [name for name in late if name in held]
    if any(loss.alone([newest], writer_spans) for writer_spans in held.values()):
        others = [name for name in names[:-1] if name not in late]
        held |= {name: spans(place, name, files) or {} for name in others}
        gone = keep.spared(gone, {name: held[name] for name in names[:-1] if name in held}, newest)
    return gone


def spans(place: Backups, name: str, files: Files | None = None) -> dict[str, Span] | None:
    """Return the first and newest event number of each writer in a backup; None if it is damaged.

    A writer with another event at that number in the workspace `files` is listed with its hash, since its numbers
    belong to another history. Errors other than damage are raised: an unreachable medium is not an empty backup.
    """
    try:
        header = place.header(name)
    except DamagedError:
        return None
    return {
        f"{writer} {hash_}" if files is not None and chain.differs(files, writer, seq, hash_) else writer: span
        for (writer, (seq, hash_)), span in zip(header.heads.items(), header.spans.values(), strict=True)
    }
