"""The state machine of a migration: the next step, from the state at both ends. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agentws.errors import (
    AgentwsError,
    DiskError,
    MissingFileError,
    NestedWorkspaceError,
    OutsideProgramError,
    UsageError,
)

OLDEST_PYTHON = (3, 7)

BEGIN, COPY, PLACE, READY, DONE, LOST = "begin", "copy", "place", "ready", "done", "lost"
"""What is to be done next: everything; the copy (again); only to put it in place; nothing here, since it waits in a
repository to be taken; nothing at all; or nobody can tell."""


class There:
    """The destination's state, as the receiver reports it."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        for name in There.__annotations__:
            setattr(self, name, fields.get(name))

    path: str
    host: str
    python: list[int]
    rsync: bool
    above: str
    inside: str
    stands: str
    agent: str
    moved: str | None
    retired: bool
    arrived: str
    waiting: bool
    ready: bool | None
    free_bytes: int | None
    free_files: int | None

    def heads(self) -> dict[str, tuple[int, str]] | None:
        """Return the end of each journal by the tombstone at the destination; None if it does not say."""
        try:
            decoded = json.loads(self.moved or "")["head"]
            return {str(name): (int(head["seq"]), str(head["hash"])) for name, head in decoded.items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            return None


def next_step(there: There, migration: str, *, known: bool, buried: bool) -> str:
    """Return the next step of this migration; `known`: it was begun before, `buried`: the tombstone is here."""
    if migration and there.arrived == migration:
        return DONE if buried else LOST
    if there.ready:
        return READY if buried else LOST
    if buried:
        return PLACE if there.waiting else LOST
    return COPY if known else BEGIN


def refusal(there: There, agent: str) -> AgentwsError | None:
    """Return why the agent may not move to the destination, None if it may. An older copy's events are not checked."""
    if tuple(there.python[:2]) < OLDEST_PYTHON:
        version = ".".join(map(str, there.python))
        return OutsideProgramError(
            f"Python {version} is on the other machine; 3.7 or later is needed.", hint="Install a newer python3 there."
        )
    if there.inside:
        return NestedWorkspaceError(
            f"{there.path} would be inside the workspace {there.inside}.",
            hint="Choose a folder outside that workspace.",
        )
    if there.above != "ready":
        return _above(there)
    if there.stands in ("folder", "other"):
        return UsageError(
            f"{there.path} exists and is not this agent's folder. Nothing was changed.",
            hint="Name a folder that does not exist yet.",
        )
    return _workspace(there, agent) if there.stands == "workspace" else None


def _above(there: There) -> AgentwsError:
    above = there.path.rpartition("/")[0] or "/"
    if there.above == "missing":
        return MissingFileError(f"Folder {above} does not exist.", hint=f"Create the folder: mkdir -p {above}")
    return DiskError(f"{above}: no permission to write there.", hint="Choose a folder that you own.")


def _workspace(there: There, agent: str) -> AgentwsError | None:
    if there.agent != agent:
        return UsageError(f"{there.path} contains another agent. Nothing was changed.", hint="Name another folder.")
    if there.moved is None or there.retired or there.heads() is None:
        return UsageError(
            f"{there.path} holds a copy of this agent, possibly newer.",
            hint="If you do not need that copy, move it away. Otherwise choose another folder.",
        )
    return None


def lacks_room(there: There, *, bytes: int, files: int) -> AgentwsError | None:
    """Return an error if the destination has too little space for the copy, else None."""
    if there.free_bytes is not None and there.free_bytes < bytes:
        return DiskError(
            f"{there.path} needs {_mib(bytes)} for the copy; {_mib(there.free_bytes)} are free.",
            hint="Free some space at the destination, then re-run.",
        )
    if there.free_files is not None and there.free_files < files:
        return DiskError(
            f"The copy needs {files:,} files at {there.path}, and the disk has room for {there.free_files:,} more.",
            hint="Choose another disk, or remove files there.",
        )
    return None


def _mib(count: int) -> str:
    return f"{count / (1 << 20):,.0f} MiB"
