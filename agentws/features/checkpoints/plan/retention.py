"""The checkpoints of a task that are kept, by number, age and label. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from agentws.features.checkpoints.plan import choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from agentws.core.formats.documents.checkpoint import Header


def surplus(
    found: Iterable[Header], *, keep: int, days: int, now: datetime, used: Collection[str] = ()
) -> list[Header]:
    """Return the checkpoints of one task that are not kept, the oldest first.

    Kept are the newest `keep` (0: all), those younger than `days`, those with a label, and those in `used`.
    """
    ordered = sorted(found, key=choice.order)
    if keep <= 0:
        return []
    return [
        head for head in ordered[:-keep] if not head.label and head.id not in used and not _is_young(head.at, days, now)
    ]


def _is_young(at: str, days: int, now: datetime) -> bool:
    """Return whether this moment is less than so many days ago; one that cannot be read is."""
    try:
        return days > 0 and now - datetime.fromisoformat(at) < timedelta(days=days)
    except (ValueError, TypeError, OverflowError):
        return True
