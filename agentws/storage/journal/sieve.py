"""The granularity of a journal: which events the manifest wants recorded at all.

`milestones`: sessions, decisions, plans, errors, the fate of tasks, and what is important. A number N: these, and of
the steps (an action with its result; any other event by itself) the first and every N-th one after it. The count is
kept in `.agentws/`, unsynced: where it is lost, it begins again.
"""

from __future__ import annotations

import os

from agentws.errors import AgentwsError, UsageError
from agentws.formats import event, plainjson
from agentws.storage import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol, TypeVar

    from agentws.storage.files import Files

    class Happening(Protocol):
        """What is to be recorded."""

        kind: str
        body: dict[str, Any]

    Kind = TypeVar("Kind", bound=Happening)

STEPS = f"{local.FOLDER}/journal-steps"
_MOST_CALLS = 64


def kept(files: Files, happenings: Sequence[Kind], granularity: str) -> list[Kind]:
    """Those of the happenings that are recorded. UsageError where the granularity is none."""
    if granularity == "every":
        return list(happenings)
    if granularity == "milestones":
        return [one for one in happenings if event.is_milestone(one.kind, one.body.get("importance"))]
    every = int(granularity) if granularity.isascii() and granularity.isdigit() else 0
    if not every:
        raise UsageError(
            f"journal.granularity = {granularity!r} in agentws.toml is none.",
            hint='Write "every", "milestones", or a number such as "5".',
        )
    return _counted(files, happenings, every)


def _counted(files: Files, happenings: Sequence[Kind], every: int) -> list[Kind]:
    steps, calls = _read(files)
    found = []
    for one in happenings:
        call = one.body.get("call")
        ends = one.kind in (event.RESULT, event.ERROR) and call is not None
        if ends:
            wanted = call in calls
            calls = [name for name in calls if name != call]
        else:
            wanted = steps % every == 0
            steps += not event.is_milestone(one.kind, one.body.get("importance"))
        wanted = wanted or event.is_milestone(one.kind, one.body.get("importance"))
        if wanted:
            found.append(one)
        if wanted and one.kind == event.ACTION and isinstance(call, str):
            calls = [*calls, call][-_MOST_CALLS:]
    _write(files, steps, calls)
    return found


def _read(files: Files) -> tuple[int, list[str]]:
    try:
        steps, calls = plainjson.loads(files.read(STEPS, limit_bytes=1 << 16))
    except (AgentwsError, ValueError, TypeError):
        return 0, []
    return (steps, calls) if isinstance(steps, int) and isinstance(calls, list) else (0, [])


def _write(files: Files, steps: int, calls: list[str]) -> None:
    local.prepare(files)
    data = plainjson.dumps([steps, calls]).encode()
    try:
        fd = files.open(STEPS, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(fd, data)
        finally:
            os.close(fd)
    except (OSError, AgentwsError):
        return  # the count begins again: an event too many is recorded, none is lost
