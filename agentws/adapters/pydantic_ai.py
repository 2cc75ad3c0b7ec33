"""Conversations of pydantic-ai in a workspace: `Conversations(workspace)` is a `ConversationStore`.

All conversations of a store are in one log of rows, `data/pydantic-ai/<name>.jsonl`: forks share messages. A saved
message is on the disk when `save` returns. Needs `pip install 'agentws[pydantic-ai]'`.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, cast

from agentws.adapters.row_index import Row, RowIndex, in_thread

try:
    from pydantic import TypeAdapter
    from pydantic_ai import conversation_store as store
    from pydantic_ai.messages import ModelMessagesTypeAdapter
except ImportError as missing:
    raise ModuleNotFoundError(
        f"Conversations need {missing.name}: pip install 'agentws[pydantic-ai]'", name=missing.name
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pydantic_ai.conversation_store import ConversationEntry, ConversationRecord

    from agentws.workspace import Workspace

_RECORD = TypeAdapter(store.ConversationRecord)


class Conversations(store.ConversationStore):
    """A `ConversationStore` of pydantic-ai: load a conversation, run the agent with it, save the result.

    What `save` was given is there as a whole or not at all, and a second process that saved meanwhile is a
    `ConversationConflict`. `delete` removes the conversation's messages from the file, except those of forks.
    """

    def __init__(self, workspace: Workspace, name: str = "conversations") -> None:
        self._rows = _Rows(workspace.data.rows(f"pydantic-ai/{name}"))

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """Return the stored data of a conversation without its messages, or None."""
        row = await asyncio.to_thread(self._rows.record, conversation_id)
        return None if row is None else _RECORD.validate_python(row)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """Return all records, or those of a scope, the newest first."""
        records = [_RECORD.validate_python(row) for row in await asyncio.to_thread(self._rows.all_records)]
        records.sort(key=lambda record: record.updated_at, reverse=True)
        return [record for record in records if scope is None or record.scope == scope][:limit]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Store a record and its new entries, all or nothing, durably.

        ConversationConflict if the stored record is another one than that of `expected_revision`.
        """
        messages = ModelMessagesTypeAdapter.dump_python([entry.message for entry in new_entries], mode="json")
        entries: list[Row] = [
            {"entry": entry.id, "parent": entry.parent_id, "message": message}
            for entry, message in zip(new_entries, messages, strict=True)
        ]
        row: Row = {"record": _RECORD.dump_python(record, mode="json")}
        if not await in_thread(self._rows.write, entries, row, expected_revision):
            raise store.ConversationConflict(record.conversation_id)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Remove a conversation from the file, with the messages that no other conversation has.

        ConversationConflict if the stored record is another one than that of `expected_revision`.
        """
        if not await in_thread(self._rows.remove, conversation_id, expected_revision):
            raise store.ConversationConflict(conversation_id)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """Return an entry; KeyError if it is missing."""
        return _entries(await asyncio.to_thread(self._rows.history, entry_id, 1))[0]

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        """Return the entries up to `head_id`, or the last `limit` of them; KeyError if one is missing."""
        return _entries(await asyncio.to_thread(self._rows.history, head_id, limit))


def _entries(rows: list[Row]) -> list[ConversationEntry]:
    # Only from JSON text does pydantic read bytes as base64.
    messages = ModelMessagesTypeAdapter.validate_json(json.dumps([row["message"] for row in rows]))
    return [
        store.ConversationEntry(
            id=cast(str, row["entry"]), parent_id=cast("str | None", row["parent"]), message=message
        )
        for row, message in zip(rows, messages, strict=True)
    ]


class _Rows(RowIndex):
    def reset(self) -> None:
        self.entries: dict[str, tuple[int, str | None]] = {}
        self.records: dict[str, Row] = {}

    def index(self, offset: int, row: Row) -> None:
        if "entry" in row:
            self.entries[cast(str, row["entry"])] = (offset, cast("str | None", row["parent"]))
        elif "record" in row:
            record = cast(Row, row["record"])
            self.records[cast(str, record["conversation_id"])] = record

    def record(self, conversation_id: str) -> Row | None:
        return self.read(lambda: self.records.get(conversation_id))

    def all_records(self) -> list[Row]:
        return self.read(lambda: list(self.records.values()))

    def history(self, head_id: str | None, limit: int | None) -> list[Row]:
        return self.read(
            lambda: [self.log.at(offset, generation=self.generation) for offset in self.line(head_id, limit)]
        )

    def line(self, head_id: str | None, limit: int | None) -> list[int]:
        """Return the offsets of the last `limit` entries up to `head_id`."""
        offsets: list[int] = []
        while head_id is not None and (limit is None or len(offsets) < limit):
            offset, head_id = self.entries[head_id]
            offsets.append(offset)
        return offsets[::-1]

    def write(self, entries: list[Row], row: Row, expected_revision: str | None) -> bool:
        record = cast(Row, row["record"])
        head = record["head_id"]
        with self.changing():
            stored = self.records.get(cast(str, record["conversation_id"]), {})
            known = head is None or head in self.entries or any(entry["entry"] == head for entry in entries)
            if stored.get("revision") != expected_revision or not known:
                return False
            self.add(*entries, row)
            return True

    def remove(self, conversation_id: str, expected_revision: str) -> bool:
        with self.changing():
            if self.records.get(conversation_id, {}).get("revision") != expected_revision:
                return False
            others = [record for name, record in self.records.items() if name != conversation_id]
            needed = set(self._reached(others))
            rows: list[Row] = [row for _, row in self.log.read() if row.get("entry") in needed]
            self.log.replace([*rows, *({"record": record} for record in others)])
            self.catch_up()
            return True

    def _reached(self, records: Iterable[Row]) -> Iterator[str]:
        """Yield the entries of all histories and of the branches that they have left."""
        seen: set[str] = set()
        for record in records:
            for head in (record["head_id"], *cast("list[str]", record["branches"])):
                entry = cast("str | None", head)
                while entry is not None and entry not in seen:
                    seen.add(entry)
                    yield entry
                    entry = self.entries[entry][1]
