"""Durations, moments and journal positions as text for people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from agentws.core.terminal import output
from agentws.core.text.sanitize import one_line
from agentws.workspace import Workspace

_DAY_S = 86_400
_SHORT = 6


def span(seconds: float | None) -> str:
    """Return the duration between two moments in words: `12 s`, `5 min`, `3 h 20 min`, `4 days`."""
    if seconds is None:
        return "?"
    if seconds < 60:
        return f"{int(seconds)} s"
    minutes = int(seconds // 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{hours // 24} days"


def age(at: datetime, now: datetime | None) -> str:
    """Return the age of a moment within the last day, `3 h 20 min ago`; else empty."""
    age_s = (now - at).total_seconds() if now is not None else -1
    return f"{span(age_s)} ago" if 0 <= age_s < _DAY_S else ""


class Teller:
    """Formats journal positions and moments briefly: shortened writer ids, times in `zone`.

    With `now`, moments of the last day are shown as their age.
    """

    def __init__(self, writers: Sequence[str], zone: tzinfo | None, now: datetime | None = None) -> None:
        self._zone, self._now = zone, now
        self._distinct = len({writer[-_SHORT:] for writer in writers}) == len(writers)

    @classmethod
    def at_terminal(cls, workspace: Workspace, writers: Sequence[str] = ()) -> Teller:
        """Return a Teller for lists, which shows ages at a terminal."""
        now = workspace.stores.clock.now()
        return cls(writers, now.tzinfo, now if output.is_terminal() else None)

    def cursor(self, cursor: str) -> str:
        """Return a journal position, beside its moment, as `a1b2c3:17`, which --after accepts."""
        writer, _, seq = cursor.rpartition(":")
        return f"{writer[-_SHORT:] if self._distinct else writer}:{seq}"

    def moment(self, at: str) -> str:
        """Return a moment as `2026-11-20 07:15:00`; any other text unchanged."""
        try:
            moment = datetime.fromisoformat(at).astimezone(self._zone)
            return age(moment, self._now) or moment.strftime("%Y-%m-%d %H:%M:%S")
        except (ValueError, TypeError, OverflowError):
            return one_line(str(at))
