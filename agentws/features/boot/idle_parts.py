"""Marks for hooks of a boot in parts that would print nothing: a mark stops its shell from starting agentws.

Marks are made once, for the parts after those of the first boot and a spare one (none for a boot that fills less than
half of one text), and removed as boots grow; `install` removes all. So sessions that need different numbers of parts
lack one at most once. If no mark can be made, every hook runs.
"""

from __future__ import annotations

import os
from contextlib import suppress

from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files

_MOST = 32
"""No mark for a later part: no boot has so many."""


def is_last(files: Files, host: str, part: int) -> bool:
    """Return whether the hook for the part of boot after this one is idle."""
    return files.exists(layout.idle_part(host, part + 1))


def settle(files: Files, host: str, part: int, parts: int, *, is_last: bool, spare: int) -> None:
    """Update the marks so that `spare` more hooks run than a boot has parts, as seen from the hook for `part`."""
    idle = parts + spare + 1
    if is_last and parts >= part:
        _remove(files, [layout.idle_part(host, number) for number in range(part + 1, idle)])
    elif part == 1 and not files.exists(layout.IDLE_PARTS):
        _make(files, [layout.idle_part(host, number) for number in range(idle, _MOST + 1)])


def forget(files: Files) -> None:
    """Remove all marks of idle parts, so that every hook of a boot runs at the next start."""
    if not files.exists(layout.IDLE_PARTS):
        return
    with suppress(AgentwsError):
        _remove(files, [f"{layout.IDLE_PARTS}/{name}" for name, _ in files.names(layout.IDLE_PARTS)])
        files.remove_folder(layout.IDLE_PARTS)


def _make(files: Files, paths: list[str]) -> None:
    local_dir.prepare(files)
    files.make_folder(layout.IDLE_PARTS)
    with suppress(OSError):
        for path in paths:  # none is synced: one that is lost costs a start
            os.close(files.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def _remove(files: Files, paths: list[str]) -> None:
    for path in filter(files.exists, paths):
        files.remove(path, expects=files.digest(path))
