"""The wait between two looks at a journal that is followed: until something is written, or for a short time."""

from __future__ import annotations

import time

from agentws.core.disk.watch import eyes as _eyes
from agentws.core.disk.watch import relevance
from agentws.core.formats import layout
from agentws.core.stores import sight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.watch.notified import Notified

POLL_S = 0.2
"""How often to look where the system does not tell."""
ANYWAY_S = 5.0
"""How often to look where it does: nobody need rely on it."""
_SYNCED_S = 0.02
"""So soon after a line its writer has made it durable; who looks sooner does that too, once for each line."""


class Pause:
    """Waits at each call; with `poll_s` always so long, and by no events."""

    def __init__(self, root: str, poll_s: float | None = None) -> None:
        self._root = root
        self._poll_s = poll_s
        self._eyes: Notified | None = None
        self._has_begun = False

    def __call__(self) -> None:
        """Wait; the first time for nothing, where events are heard from then on."""
        if not self._has_begun:
            self._has_begun = True
            self._eyes = self._listen()
            if self._eyes is not None:
                return  # what was written before anybody listened
        if self._eyes is None:
            time.sleep(self._poll_s or POLL_S)
        elif self._eyes.wait(ANYWAY_S) == _eyes.CHANGED:
            time.sleep(_SYNCED_S)

    def close(self) -> None:
        """Listen no more."""
        if self._eyes is not None:
            self._eyes.close()

    def _listen(self) -> Notified | None:
        if self._poll_s is not None:
            return None
        return sight.listen(
            self._root,
            folders=(layout.JOURNAL,),
            matters=lambda path, _: path.partition("/")[0] == layout.JOURNAL,
            flood=relevance.FLOOD,
            needs_polling=relevance.needs_polling,
        )
