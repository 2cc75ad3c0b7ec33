"""The pace of `watch`: when it refreshes the index and looks at documents, after changes and without. Pure."""

from __future__ import annotations

REFRESH_S = 1.0
"""Seconds from the first change to the refresh of the search index."""
SETTLE_S = 30.0
"""Seconds without a change after which the documents are looked at."""
PATIENCE_S = 600.0
"""The most seconds to wait for such a pause."""
ANYWAY_S = 900.0
"""Seconds between looks if no change was reported."""
_FIRST_RETRY_S, _LAST_RETRY_S = 60.0, 900.0


class Pace:
    """The next times of refresh and look of `watch`, by a clock that only moves forward.

    Fields:
        settle_s: seconds without a change before a look.
        refresh_at, look_at: the moments of the next refresh of the index and the next look at the documents (s).
    """

    __slots__ = ("_began", "_retry_s", "look_at", "refresh_at", "settle_s")

    def __init__(self, now: float, *, settle_s: float = SETTLE_S) -> None:
        self.settle_s = settle_s
        self._began: float | None = None
        self._retry_s = _FIRST_RETRY_S
        self.refresh_at: float | None = None
        self.look_at = now

    @property
    def is_pending(self) -> bool:
        """Return whether something changed since the last look."""
        return self._began is not None

    def changed(self, now: float) -> None:
        """Note that something has changed just now, which sets the times of refresh and look."""
        if self._began is None:
            self._began = now
        if self.refresh_at is None:
            self.refresh_at = now + REFRESH_S
        self.look_at = min(now + self.settle_s, self._began + max(PATIENCE_S, self.settle_s))

    def wait_s(self, now: float) -> float:
        """Return the seconds until the next refresh or look."""
        next_at = self.look_at if self.refresh_at is None else min(self.refresh_at, self.look_at)
        return max(0.0, next_at - now)

    def is_refresh_due(self, now: float) -> bool:
        """Return whether `watch` must refresh the index now."""
        return self.refresh_at is not None and now >= self.refresh_at

    def is_look_due(self, now: float) -> bool:
        """Return whether the documents must be looked at now."""
        return now >= self.look_at

    def refreshed(self) -> None:
        """Note that `watch` has refreshed the index."""
        self.refresh_at = None

    def looked(self, now: float, *, failed: bool = False) -> None:
        """Note that the documents were looked at; after a look that `failed` the next one is later each time."""
        self._began = now if failed else None
        self.look_at = now + (self._retry_s if failed else ANYWAY_S)
        self._retry_s = min(self._retry_s * 2, _LAST_RETRY_S) if failed else _FIRST_RETRY_S
