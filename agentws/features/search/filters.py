"""Filters: which rooms, kinds, tags, task and days a search is limited to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from agentws.features.search.plan.unit import RECORD, Unit


class Filter:
    """The limits of a search on units.

    A unit passes if it has one of the `rooms`, `kinds` and `tags` (`work` includes `work/lease`), the `task` and a day
    from `since` to `until` (ISO), and if `fits` returns True for it. An empty field limits nothing.
    """

    __slots__ = ("fits", "kinds", "rooms", "since", "tags", "task", "until")

    def __init__(
        self,
        *,
        rooms: Collection[str] = (),
        kinds: Collection[str] = (),
        tags: Collection[str] = (),
        task: str = "",
        since: str = "",
        until: str = "",
        fits: Callable[[Unit], bool] | None = None,
    ) -> None:
        self.rooms = tuple(rooms)
        self.kinds = tuple(kinds)
        self.tags = tuple(tag.lstrip("#").casefold() for tag in tags)
        self.task = task
        self.since = since
        self.until = until
        self.fits = fits

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)

    def told(self) -> str:
        """Return the limits of the filter in words, for a notice."""
        limits = (
            *(("in", ", ".join(self.rooms)), ("kind", ", ".join(self.kinds)), ("tag", ", ".join(self.tags))),
            *(("task", self.task), ("since", self.since), ("until", self.until)),
        )
        return "; ".join(f"{name} {limit}" for name, limit in limits if limit)

    def accepts(self, unit: Unit) -> bool:
        """Return whether a unit passes the filter."""
        return (
            unit.form != RECORD
            and (not self.rooms or unit.room in self.rooms)
            and (not self.since or unit.day >= self.since)
            and (not self.until or unit.day <= self.until)
            and (not self.task or unit.task == self.task)
            and self.has_marks(unit.kind, unit.tags)
            and (self.fits is None or self.fits(unit))
        )

    def has_marks(self, kind: str, tags: Iterable[str]) -> bool:
        """Return whether a unit of this kind with these tags passes the filter's limits on kinds and tags."""
        if self.kinds and kind not in self.kinds:
            return False
        if not self.tags:
            return True
        folded = [tag.casefold() for tag in tags]
        return any(tag == wanted or tag.startswith(f"{wanted}/") for tag in folded for wanted in self.tags)
