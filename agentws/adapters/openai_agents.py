"""Sessions of the OpenAI Agents SDK in a workspace: `Runner.run(agent, text, session=Session(workspace, "tim"))`.

A session is a log of rows, `data/openai-agents/<session_id>.jsonl`; an item of the conversation is a row.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from agentws.adapters.row_index import Row, RowIndex, in_thread

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings

    from agentws.workspace import Workspace


class Session:
    """A `Session` of the OpenAI Agents SDK. Items are on the disk when `add_items` returns, all of a call or none.

    Threads and processes may share a session. An item that `pop_item` took stays in the file; `clear_session` removes
    the file.
    """

    def __init__(
        self, workspace: Workspace, session_id: str, *, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings
        self._items = _Items(workspace.data.rows(f"openai-agents/{session_id}"))

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the latest `limit` items, the oldest first; all if neither it nor the settings have a limit."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        return cast("list[TResponseInputItem]", await asyncio.to_thread(self._items.latest, limit))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items, all or none, durably. UsageError if one is not JSON."""
        await in_thread(self._items.log.append, *({"item": item} for item in items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the latest item and return it, or None."""
        return cast("TResponseInputItem | None", await in_thread(self._items.pop))

    async def clear_session(self) -> None:
        """Remove all items, with their file."""
        await in_thread(self._items.log.delete)


class _Items(RowIndex):
    def reset(self) -> None:
        self.offsets: list[int] = []

    def index(self, offset: int, row: Row) -> None:
        if "pop" not in row:
            self.offsets.append(offset)
        elif self.offsets:
            self.offsets.pop()

    def latest(self, limit: int | None) -> list[object]:
        """Return the latest items, all if the limit is None or negative."""
        return self.read(lambda: self._latest(len(self.offsets) if limit is None or limit < 0 else limit))

    def _latest(self, count: int) -> list[object]:
        offsets = self.offsets[-count:] if count else []
        if not offsets:
            return []
        wanted = set(offsets)
        rows, _ = self.log.since(offsets[0], generation=self.generation)
        return [row["item"] for offset, row in rows if offset in wanted]

    def pop(self) -> object:
        """Remove the latest item and return it, or None."""
        with self.changing():
            if not self.offsets:
                return None
            item = self.log.at(self.offsets[-1], generation=self.generation)["item"]
            self.add({"pop": True})
            return item
