"""The granularity of a journal: which events the manifest wants recorded at all.

`milestones`: sessions, decisions, plans, errors, the fate of tasks, and what is important. A number N: these, and of
the steps (an action with its result; any other event by itself) the first and every N-th one after it. The count is
kept in `.agentws/`, unsynced: where it is lost, it begins again.
"""

from __future__ import annotations

import os

from agentws.errors import AgentwsError, UsageError
from agentws.formats.journal import event
from agentws.formats.json import plainjson
from agentws.storage.disk import local_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol, TypeVar

    from agentws.storage.disk.files import Files

    class Happening(Protocol):
        """What is to be recorded."""

        kind: str
        body: dict[str, Any]

    Kind = TypeVar("Kind", bound=Happening)

STEPS = f"{local_dir.FOLDER}/journal-steps"
_MOST_CALLS = 64


def kept(files: Files, happenings: Sequence[Kind], granularity: str) -> list[Kind]:
    """Those of the happenings that are recorded. UsageError where the granularity is none.

    Whatever ends an action that was recorded is recorded too: else it would be in flight for ever.
    """
    every = _every(granularity)
    steps, calls = _read(files)
    found = []
    for one in happenings:
        call = one.body.get("call")
        milestone = event.is_milestone(one.kind, one.body.get("importance"))
        if one.kind in (event.RESULT, event.ERROR) and call is not None:
            wanted = call in calls
        else:
            wanted = bool(every) and steps % every == 0
            steps += not milestone
        if wanted or milestone:
            found.append(one)
            if one.kind == event.ACTION and isinstance(call, str):
                calls.append(call)
    _write(files, steps, calls)
    return found


def remember(files: Files, cursors: Sequence[str]) -> None:
    """Note actions that were recorded and have no other name than their cursor."""
    if cursors:
        steps, calls = _read(files)
        _write(files, steps, [*calls, *cursors])


def _every(granularity: str) -> int:
    """Of how many steps one is recorded; 0 for milestones alone."""
    if granularity == "milestones":
        return 0
    every = int(granularity) if granularity.isascii() and granularity.isdigit() else 0
    if not every:
        raise UsageError(
            f"journal.granularity = {granularity!r} in agentws.toml is none.",
            hint='Write "every", "milestones", or a number such as "5".',
        )
    return every


def _read(files: Files) -> tuple[int, list[str]]:
    try:
        steps, calls = plainjson.loads(files.read(STEPS, limit_bytes=1 << 16))
    except (AgentwsError, ValueError, TypeError):
        return 0, []
    return (steps, calls) if isinstance(steps, int) and isinstance(calls, list) else (0, [])


def _write(files: Files, steps: int, calls: list[str]) -> None:
    local_dir.prepare(files)
    data = plainjson.dumps([steps, calls[-_MOST_CALLS:]]).encode()
    try:
        fd = files.open(STEPS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
    except (OSError, AgentwsError):
        return  # the count begins again: an event too many is recorded, none is lost
