"""The inputs of boot, files read so far, for features that add sections to boot (hook `boot_sources`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from agentws.core.disk.lenient import LenientReader
from agentws.core.formats.documents.handoff import Handoff
from agentws.core.notes.request import Omission, Source
from agentws.core.stores.stores import Stores


class BootInputs(Protocol):
    """The files that boot has read as input, at a `moment`.

    Fields:
        reader: reads documents and folders within the bounds of boot; errors become notices.
        sources, notices: the sections and notices of boot; a feature adds its own.
        unread: omitted text, and how to read it.
        waiting: functions that say in a few words what waits for somebody, called when all else was read. Their words
            are shown behind the time.
        handoffs: those of this agent, set by the feature that reads them.
        logged, undated: the days with a log, newest first, and the names of other files in `memory/`.
        wanted_tasks: the tasks that the context in use names.
    """

    stores: Stores
    moment: datetime
    today: str
    reader: LenientReader
    sources: list[Source]
    notices: list[str]
    unread: list[Omission]
    waiting: list[Callable[[], str]]
    handoffs: list[Handoff]
    logged: list[str]
    undated: list[str]
    wanted_tasks: tuple[str, ...]

    def turn(self, moment: datetime | None) -> None:
        """Record that the text of boot may change at this time by itself."""

    def exists(self, path: str) -> bool:
        """Return whether an input of boot exists at the path; False, with a notice, if it cannot be checked."""
