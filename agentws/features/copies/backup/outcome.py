"""The outcome of backup create at one destination."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Created:
    """The result of backup create: the backup's `name` and `path`, what it contains, and what was copied now.

    `added`, `changed` and `removed` count files, against the `previous` backup (empty: none). `expired` are the backups
    removed by the rule `keep`. `missing` counts events of the previous backup that this workspace lacks: then none is
    removed. `failed` says why the backup failed (empty: it did not).
    """

    to: str
    name: str = ""
    path: str = ""
    at: str = ""
    files: int = 0
    bytes: int = 0
    events: int = 0
    copied_files: int = 0
    copied_bytes: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    previous: str = ""
    keep: str = ""
    expired: tuple[str, ...] = ()
    missing: int = 0
    damage: tuple[str, ...] = ()
    stripped: tuple[str, ...] = ()
    failed: str = ""
    hint: str = ""
    dry_run: bool = False
    notices: tuple[str, ...] = ()
