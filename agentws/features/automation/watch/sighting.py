"""What a watcher tells, one thing at a time."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

WATCHING, EDITED, WARNING, RECORDED = "watching", "edited", "warning", "recorded"
NOTICE, FAILED, STOPPED = "notice", "failed", "stopped"


class Sighting:
    """One thing that a watcher tells.

    Fields:
        kind: WATCHING, EDITED, WARNING, RECORDED, NOTICE, FAILED or STOPPED.
        at: when.
        facts: what there is to know, by name (docs/guides/watch.md).
    """

    __slots__ = ("at", "facts", "kind")

    def __init__(self, kind: str, at: datetime, **facts: Any) -> None:
        self.kind = kind
        self.at = at
        self.facts = facts
