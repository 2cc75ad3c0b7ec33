"""The workspace as seen by `status` and `doctor`, which examine it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from agentws.core.disk import local_dir, permissions
from agentws.core.disk.inspect.scan import Look
from agentws.core.formats import copies, layout
from agentws.core.states import past, versions
from agentws.core.stores.stores import Stores
from agentws.errors import AgentwsError

State = tuple[str, datetime, str]

_WRITTEN_INTO = (
    layout.DAYS, layout.TASKS, layout.HANDOFFS, layout.CONTEXTS, local_dir.FOLDER, local_dir.CHANGES, local_dir.UNDO,
    layout.JOURNAL,
)  # fmt: skip
"""Paths that verbs must be able to write to."""


class Seen:
    """A workspace as seen by an examination: `look` is the scan of its files; the rest is read when needed.

    With `is_glance` (`status`) git is asked for the newest state alone.
    """

    def __init__(
        self,
        stores: Stores,
        look: Look,
        *,
        script: str | None = None,
        variables: Mapping[str, str] | None = None,
        is_glance: bool = False,
    ) -> None:
        self.stores = stores
        self.look = look
        self.is_glance = is_glance
        self.history = versions.open_newest(stores.files, stores.manifest, cache=stores.cache)
        self._others: list[str] | None = None
        self._newest: tuple[State | None, AgentwsError | None] | None = None
        self.script = script
        self.variables = variables or {}
        self.moment: datetime = stores.clock.now()
        self.notices = ["Too many files: only the first few thousand were checked."] if look.cut else []

    def newest_state(self) -> State | None:
        """Return the newest state of the examined workspace's history, None for none; AgentwsError if git fails."""
        if self._newest is None:
            try:
                self._newest = (self.history.newest() if self.history else None, None)
            except AgentwsError as error:
                self._newest = (None, error)
        newest, failed = self._newest
        if failed is not None:
            raise failed
        return newest

    def others(self) -> list[str]:
        """Return the files seen that are neither documents nor copies of files, and in no repository, searched once."""
        if self._others is None:
            # Ten years of logs are not listed again.
            known = {} if self.look.cut else {layout.DAYS: self.look.odd(layout.DAYS)}
            every = past.others(self.stores.root, known=known)
            seen = {*self.look.entries, *self.look.logs}
            self._others = [path for path in every if not (layout.may_be_copy(path) and copies.is_copy(path, seen))]
        return self._others

    def unwritable(self) -> list[str]:
        """Return the files and folders seen that verbs must write, like the day's log, but that are not writable."""
        try:
            current = self.stores.installation()
        except AgentwsError:
            current = None  # what is wrong with it is a separate finding
        own = [f"{layout.JOURNAL}/{current.writer}"] if current is not None else []
        today = layout.day_path(self.moment.date().isoformat())
        return permissions.unwritable(self.stores.root, (*_WRITTEN_INTO, *own, today))
