"""The pause between two reads of `journal follow`: until the journal changes, or for a short time."""

from __future__ import annotations

import time

from agentws.core.disk import watcher
from agentws.core.formats import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.watcher import Notified

POLL_S = 0.2
"""How often to read without change notifications."""
ANYWAY_S = 5.0
"""How often to read with change notifications, which may be missed."""
_SYNCED_S = 0.02
"""A writer syncs a line within this time; an earlier reader would have to sync it, too."""


class Pause:
    """Waits at each call for a change of the journal; with `poll_s` always that long, without notifications."""

    def __init__(self, root: str, poll_s: float | None = None) -> None:
        self._root = root
        self._poll_s = poll_s
        self._source: Notified | None = None
        self._has_begun = False

    def __call__(self) -> None:
        """Wait for a change or a timeout; the first call returns at once if notifications could be set up."""
        if not self._has_begun:
            self._has_begun = True
            self._source = self._listen()
            if self._source is not None:
                return  # read what was written before the notifications began
        if self._source is None:
            time.sleep(self._poll_s or POLL_S)
        elif self._source.wait(ANYWAY_S) == watcher.CHANGED:
            time.sleep(_SYNCED_S)

    def close(self) -> None:
        """Stop the change notifications that end a pause."""
        if self._source is not None:
            self._source.close()

    def _listen(self) -> Notified | None:
        if self._poll_s is not None:
            return None
        return watcher.listen(
            self._root,
            folders=(layout.JOURNAL,),
            matters=lambda path, _: path.partition("/")[0] == layout.JOURNAL,
            flood=watcher.FLOOD,
            needs_polling=watcher.needs_polling,
        )
