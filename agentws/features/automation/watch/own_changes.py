"""What agentws itself did to the documents lately, as its record on this machine tells."""

from __future__ import annotations

from datetime import datetime

from agentws.core.disk import local_dir
from agentws.core.disk.change import undo_record
from agentws.errors import AgentwsError
from agentws.features.automation.watch.plan.ownership import Append, Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.features.automation.watch.plan.ownership import Step


class OwnChanges:
    """The changes behind a certain one, the newest being number `newest`.

    Fields:
        steps: what was done to each file, by path, oldest first.
        forgotten: whether it is not known of all files what was done to them, since that was to be forgotten.
    """

    __slots__ = ("_oldest_kept", "forgotten", "newest", "steps")

    def __init__(self, files: Files, *, after: int | None, since: datetime | None) -> None:
        self.steps: dict[str, list[Step]] = {}
        self.forgotten = False
        self.newest = 0
        self._oldest_kept = min((int(name) for name, _ in files.names(local_dir.UNDO) if name.isdigit()), default=0)
        for at, record in enumerate(local_dir.changes(files)):
            number = record["number"]
            assert isinstance(number, int)
            if not at and number > 1:  # older ones are not kept
                self.forgotten = number > after + 1 if after is not None else _is_since(record, since)
            self.newest = max(self.newest, number)
            is_behind = number > after if after is not None else _is_since(record, since)
            if is_behind:
                self._add(files, record, number)

    def _add(self, files: Files, record: dict[str, Any], number: int) -> None:
        if record.get("change") == "log":
            path, offset, text = record.get("path"), record.get("offset"), record.get("text")
            if isinstance(path, str) and isinstance(offset, int) and isinstance(text, str):
                data = text.encode("utf-8", "surrogateescape")
                self._note(path, Append(offset, data, is_done=bool(record.get("done"))))
            return
        name = f"{local_dir.UNDO}/{number:06d}"
        try:
            told = undo_record.read(files, name)
        except (AgentwsError, ValueError):
            # Where later ones are kept, it was interrupted and put back: it changed nothing.
            self.forgotten = self.forgotten or number < self._oldest_kept
            return
        for index, step in enumerate(told.get("changes", ())):
            self._step(files, name, index, step)

    def _step(self, files: Files, name: str, index: int, step: dict[str, Any]) -> None:
        path, to, before, after = (str(step.get(key) or "") for key in ("path", "to", "before", "after"))
        if not path:
            self.forgotten = True
            return
        old = None
        if before and not to:
            try:
                old = undo_record.old(files, name, index)
            except (AgentwsError, ValueError):
                pass
        self._note(path, Replacement(before, "" if to else after, old))
        if to:
            self._note(to, Replacement("", after or before, None))

    def _note(self, path: str, step: Step) -> None:
        self.steps.setdefault(path, []).append(step)


def _is_since(record: dict[str, object], since: datetime | None) -> bool:
    """Return whether a change was made at that moment or later; what does not say when is old."""
    if since is None:
        return False
    try:
        return datetime.fromisoformat(str(record.get("at"))) >= since
    except (ValueError, TypeError):
        return False
