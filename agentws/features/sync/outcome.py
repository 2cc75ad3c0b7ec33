"""The results of sync and sync join, as callers get them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Moved:
    """The changes that a sync moved in one direction: counts of `entries`, `tasks`, `events`, and other `files`.

    `hosts` are the machines that wrote the events, `paths` all changed files.
    """

    entries: int = 0
    tasks: int = 0
    events: int = 0
    files: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Synced:
    """The result of a sync with one remote: what came `inward`, what went `outward`, the ids of new `conflicts`.

    `waiting` is how many conflicts wait for a decision in all; `skipped` are files that do not travel, `skipped_count`
    of them. `failed` says why the sync failed, with a `hint`. `made`: the remote was empty before.
    `parted` counts events of this machine under whose numbers the remote has others: they stay here, and a new journal
    has begun (0 afterwards).
    """

    remote: str
    commit: str = ""
    inward: Moved = Moved()
    outward: Moved = Moved()
    conflicts: tuple[str, ...] = ()
    waiting: int = 0
    skipped: tuple[str, ...] = ()
    skipped_count: int = 0
    made: bool = False
    parted: int = 0
    renewed: bool = False
    failed: str = ""
    hint: str = ""
    dry_run: bool = False
    notices: list[str] = field(default_factory=list)

    @property
    def is_still(self) -> bool:
        """Return whether the sync moved nothing in either direction."""
        return not (self.inward.paths or self.outward.paths or self.made or self.renewed)


@dataclass(frozen=True, slots=True)
class Joined:
    """The result of sync join: the agent's `name`, the new folder (`root`), its `writer`, and what was fetched."""

    root: str
    name: str
    agent: str
    remote: str
    writer: str
    files: int
    events: int
    mode: str
    pushed: bool
    notices: list[str] = field(default_factory=list)
