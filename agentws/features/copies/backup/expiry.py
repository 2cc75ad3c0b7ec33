"""The backups that the rule of a destination removes."""

from __future__ import annotations

from agentws.core.formats.travel import backup
from agentws.core.journal import fork
from agentws.errors import DamagedError
from agentws.features.copies.backup.plan import keep, loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.disk.files import Files
    from agentws.core.installation.backups import Known
    from agentws.core.ports import Backups
    from agentws.features.copies.backup.plan.loss import Span


def expire(place: Backups, one: Known, newest: Mapping[str, Span], files: Files) -> list[str]:
    """Remove what the rule does not keep; returns the names.

    What alone holds events that the `newest` backup lacks stays, however old: an older state may have been put back, or
    the journal's beginning retired.
    """
    gone = due(place, one.keep, place.names(), newest, files)
    for name in gone:
        place.remove(name)
    return gone


def due(place: Backups, rule: str, names: Sequence[str], newest: Mapping[str, Span], files: Files) -> list[str]:
    """The names of those that the rule does not keep; `newest` are the events of the newest one of `names`, which the
    workspace in `files` has.

    One whose events nobody can tell is none of them.
    """
    late = keep.removable(keep.parse(rule), [(name, backup.moment_of(name)) for name in names])
    held = {name: found for name in late if (found := spans(place, name, files)) is not None}
    gone = [name for name in late if name in held]
    if any(loss.alone([newest], one) for one in held.values()):
        others = [name for name in names[:-1] if name not in late]
        held |= {name: spans(place, name, files) or {} for name in others}
        gone = keep.spared(gone, {name: held[name] for name in names[:-1] if name in held}, newest)
    return gone


def spans(place: Backups, name: str, files: Files | None = None) -> dict[str, Span] | None:
    """The numbers of the first and the newest event of each writer in a backup; None where that is damaged.

    A writer that has another event at that number in the workspace in `files` is told with its hash: it is another
    history, which no number compares with. Whatever else than damage fails is raised: a medium that is away for a
    moment does not tell that there is nothing in it.
    """
    try:
        header = place.header(name)
    except DamagedError:
        return None
    return {
        f"{writer} {hash_}" if files is not None and fork.differs(files, writer, seq, hash_) else writer: span
        for (writer, (seq, hash_)), span in zip(header.heads.items(), header.spans.values(), strict=True)
    }
