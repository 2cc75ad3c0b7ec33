"""What a sync did, as its callers hear it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Moved:
    """What came in or went out: numbers of `entries`, `tasks`, `events`, and the other `files` by path.

    `hosts` are the machines that wrote the events, `paths` all files.
    """

    entries: int = 0
    tasks: int = 0
    events: int = 0
    files: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Synced:
    """A remote after a sync: what came `inward` and went `outward`, and the ids of new `conflicts`.

    `waiting` is how many conflicts wait for a decision in all; `skipped` are files that do not travel, `skipped_count`
    of them. `failed` says why it was not reached, with a `hint`. `made` tells that the remote held nothing before.
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
        """Return whether nothing came and nothing went."""
        return not (self.inward.paths or self.outward.paths or self.made or self.renewed)


@dataclass(frozen=True, slots=True)
class Joined:
    """The agent on a machine that is new to it: its `name`, the folder (`root`), this `writer`, and what came."""

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
