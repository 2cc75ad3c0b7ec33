"""Backups, and the copy that a move left behind, as `forget` searches and changes them."""

from __future__ import annotations

import os

from agentws.core.formats import layout
from agentws.core.installation import backups
from agentws.core.stores.traces import Traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.stores.stores import Stores
    from agentws.core.stores.traces import HeldCopies, Sought
    from agentws.features.copies.backup.store.matches import TextSearch

_REASON = "forgotten"


class BackupTraces(Traces):
    """The traces of forgotten text in known backups, and in the copy that a move left behind."""

    def __init__(self, stores: Stores, sought: Sought) -> None:
        super().__init__(stores, sought)
        self._search: TextSearch | None = None
        self._stays: dict[str, HeldCopies] = {}

    def find_copies(self, *, reaches: bool) -> Sequence[HeldCopies]:
        """Return the backups with matches; those that cannot be changed are searched only with `reaches`."""
        if not backups.read(*self.stores.machine):
            return ()
        from agentws.features.copies.backup.store import erase
        from agentws.features.copies.backup.store.matches import TextSearch

        self._search = TextSearch(self.sought, self.stores.environment)
        result = erase.look(self.stores, self._search, reaches=reaches)
        self._stays = {copies.to: copies for copies in result if copies.stays}
        return result

    def clear_copies(self, reason: str, *, run: str) -> tuple[Sequence[HeldCopies], list[str]]:
        """Remove the matches from backups; unreachable destinations are recorded as pending."""
        if self._search is None:
            return (), []
        from agentws.features.copies.backup.store import due, erase

        eraser = erase.Eraser(self.stores, reason or _REASON, run=run)
        held_copies = erase.clear(eraser, self._search)
        held_copies = [self._stays.get(copies.to, copies) for copies in held_copies]
        reached = {copies.to: not (copies.absent or (copies.stays and copies.names)) for copies in held_copies}
        return held_copies, [*eraser.notices, *due.remember(self.stores, reached, self._words(), run=run)]

    def left_elsewhere(self) -> list[str]:
        """Return a sentence about the copy that the agent left behind when it moved here."""
        if not self.stores.files.exists(layout.ARRIVAL):
            return []
        from agentws.core.identity import arrival
        from agentws.core.installation import host_info

        sender = arrival.sender(self.stores.files, self.stores.manifest.agent_id)
        if sender is None or (sender.root and sender.host == host_info.name() and not os.path.isdir(sender.root)):
            return []
        where = f"{sender.root} on {sender.host}" if sender.root else sender.host
        return [f"The copy that `migrate` left in {where} is neither searched nor changed: delete it."]

    def clear_cache(self, notices: list[str]) -> None:
        """Remove the cached data of backups, and the temporary folders of killed restores and drills."""
        from agentws.features.copies.transfer import temporary  # a dry run does without

        self.stores.cache.forget_backups()
        temporary.sweep()

    def _words(self) -> list[str]:
        """Return the words that identify this call of `forget`."""
        words = [("m", text) for text in self.sought.matching] + [("s", text) for text in self.sought.subjects]
        return sorted(f"{kind} {text.casefold()}" for kind, text in words)


forget = BackupTraces
