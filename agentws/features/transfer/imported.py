"""The result of an import: what was added, what is left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from agentws.core import Result
from agentws.core.text.names import many
from agentws.features.transfer.plan.items import Rest

_MOST_LISTED = 1000


@dataclass(slots=True, repr=False)
class Imported(Result):
    """The result of an import from `source`.

    Of the items that were `read`, `sessions` counts the turns, `lines` the log lines and `memories` the texts that were
    added, `known` those of earlier imports; `reasons` counts the rest by reason, and `rest` lists the first 1,000;
    `unread` counts those of the rest that the source could not read.
    `secrets` were masked and `forgotten` lines left out. `paths` are the files that changed. `is_complete`: all of the
    source was read. `call` names the change for `undo`, made in so many `parts`.
    """

    source: str
    dry_run: bool
    read: int = 0
    unread: int = 0
    sessions: int = 0
    lines: int = 0
    memories: int = 0
    known: int = 0
    secrets: int = 0
    forgotten: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    rest: list[Rest] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    is_complete: bool = True
    notices: list[str] = field(default_factory=list)
    call: str = ""
    parts: int = 0

    def leave(self, where: str, reason: str) -> None:
        """Count an item that is not imported."""
        self.reasons[reason.partition(":")[0]] += 1
        if len(self.rest) < _MOST_LISTED:
            self.rest.append(Rest(where, reason))


class Stopped(KeyboardInterrupt):
    """Raised when an import is interrupted. `items` were completely added; the next run continues after them."""

    def __init__(self, items: int) -> None:
        super().__init__()
        self.items = items

    @property
    def notice(self) -> str:
        """The message for the user: how many items were kept, and the commands to go on and to undo."""
        undo = " To take it back: agentws undo" if self.items else ""
        return f"Interrupted. Added: {many(self.items, 'item')}. To go on, run the same command again.{undo}"
