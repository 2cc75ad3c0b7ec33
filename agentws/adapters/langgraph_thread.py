"""One thread of LangGraph: the rows of its checkpoints, values and writes, and an index of them in memory.

    {"value": …, "ns": …, "channel": …, "version": …}                 the value of a channel, once for each version
    {"checkpoint": …, "metadata": …, "ns": …, "id": …, "parent": …}   a checkpoint, which names the versions
    {"writes": [[channel, index, value], …], "ns": …, "id": …, "task": …, "path": …}   what a task wrote

Values are JSON as in langgraph_values.py. The keys behind the values are all that the index reads, so they begin with
`ns`.
"""

from __future__ import annotations

import bisect
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from agentws.adapters import langgraph_values as values
from agentws.adapters.langgraph_values import Typed
from agentws.adapters.row_index import RowIndex

if TYPE_CHECKING:
    from agentws.adapters.row_index import Row
    from agentws.features.data.row_log import RowLog

Version = str | int | float
_ROW_BYTES = 300
"""About the bytes of memory for a row without its values."""
_KEYS = b',"ns":'
"""The beginning of the keys that the index reads; within a value these quotes are escaped, or come earlier."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A checkpoint as stored, without the values of its channels."""

    ns: str
    id: str
    parent: str | None
    checkpoint: Typed
    metadata: Typed


@dataclass(frozen=True, slots=True)
class Write:
    """A write of a task to a channel."""

    path: str
    task: str
    index: int
    channel: str
    value: Typed


@dataclass(slots=True)
class _Namespace:
    """Offsets of the rows of one namespace."""

    ids: list[str] = field(default_factory=list)
    checkpoints: dict[str, int] = field(default_factory=dict)
    values: dict[tuple[str, Version], int] = field(default_factory=dict)
    writes: dict[str, list[int]] = field(default_factory=dict)


Parsed = Typed | Stored | Sequence[Write]


class Recent:
    """The rows that were written or read last, parsed, up to a number of bytes. Threads may share it."""

    def __init__(self, most_bytes: int = 32 << 20) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._entries: OrderedDict[object, tuple[Parsed, int]] = OrderedDict()
        self._mutex = threading.Lock()

    def get(self, key: object) -> Parsed | None:
        """Return the row stored under a key, or None."""
        with self._mutex:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def add(self, key: object, parsed: Parsed) -> None:
        """Store a row."""
        size = _ROW_BYTES + _size(parsed)
        with self._mutex:
            if key not in self._entries:
                self._entries[key] = parsed, size
                self._bytes += size
            while self._bytes > self._most_bytes:
                self._bytes -= self._entries.popitem(last=False)[1][1]


def _size(parsed: Parsed) -> int:
    if isinstance(parsed, Typed):
        return len(parsed.data)
    if isinstance(parsed, Stored):
        return len(parsed.checkpoint.data) + len(parsed.metadata.data)
    return sum(_ROW_BYTES + len(write.value.data) for write in parsed)


class Thread(RowIndex):
    """The checkpoints of one thread. Methods that return something are called in `read` or `changing`."""

    def __init__(self, log: RowLog, recent: Recent) -> None:
        self._recent = recent
        super().__init__(log)

    def reset(self) -> None:
        """Forget all rows: the file was replaced."""
        self._namespaces: dict[str, _Namespace] = {}

    @staticmethod
    def parse(line: bytes) -> Row | None:
        """Return the keys behind the values; None for an invalid line."""
        start = line.rfind(_KEYS)
        return _object(_head, b"{" + line[start + 1 :] if start >= 0 else line)

    def index(self, offset: int, row: Row) -> None:
        """Remember where a row is."""
        namespace = self._namespaces.setdefault(str(row.get("ns", "")), _Namespace())
        if "channel" in row:
            namespace.values[str(row["channel"]), cast("Version", row["version"])] = offset
        elif "parent" in row:
            key = str(row["id"])
            if key not in namespace.checkpoints:
                bisect.insort(namespace.ids, key)
            namespace.checkpoints[key] = offset
        elif "task" in row:
            namespace.writes.setdefault(str(row["id"]), []).append(offset)

    def append(self, rows: Sequence[Row], parsed: Sequence[Parsed] = ()) -> None:
        """Add rows, durably, all or none. `parsed` are their values, if the caller knows them."""
        with self.changing():
            self.store(rows, parsed)

    def store(self, rows: Sequence[Row], parsed: Sequence[Parsed]) -> None:
        """As `append`, in `changing`."""
        offsets = self.add(*rows)
        self.catch_up()
        for offset, value in zip(offsets, parsed, strict=False):
            self._recent.add((self.log.name, self.generation, offset), value)

    def replace(self, rows: Iterable[Row]) -> None:
        """Replace all rows, durably and atomically. Without rows the file is removed."""
        kept = list(rows)
        if kept:
            self.log.replace(kept)
        else:
            self.log.delete()

    def namespaces(self) -> list[str]:
        """Return the namespaces with checkpoints."""
        return [name for name, namespace in self._namespaces.items() if namespace.checkpoints]

    def ids(self, ns: str) -> list[str]:
        """Return the ids of a namespace's checkpoints, the newest first."""
        return self._namespaces[ns].ids[::-1] if ns in self._namespaces else []

    def latest(self, ns: str) -> str:
        """Return the id of the newest checkpoint of a namespace; empty without one."""
        ids = self._namespaces[ns].ids if ns in self._namespaces else []
        return ids[-1] if ids else ""

    def checkpoint(self, ns: str, key: str) -> Stored | None:
        """Return the checkpoint with an id, or None."""
        offset = self._namespaces[ns].checkpoints.get(key) if ns in self._namespaces else None
        return None if offset is None else cast("Stored", self._at(offset))

    def has_value(self, ns: str, channel: str, version: Version) -> bool:
        """Return whether a channel has a value in this version."""
        return ns in self._namespaces and (channel, version) in self._namespaces[ns].values

    def value(self, ns: str, channel: str, version: Version) -> Typed | None:
        """Return the value of a channel in this version, None if it is empty."""
        offset = self._namespaces[ns].values.get((channel, version)) if ns in self._namespaces else None
        return None if offset is None else cast("Typed", self._at(offset))

    def writes(self, ns: str, key: str) -> list[Write]:
        """Return the writes to a checkpoint, in the order in which a run applies them."""
        offsets = self._namespaces[ns].writes.get(key, ()) if ns in self._namespaces else ()
        latest: dict[tuple[str, int], Write] = {}
        for offset in offsets:
            for write in cast("Sequence[Write]", self._at(offset)):
                # The first of a task's ordinary writes counts, and the last of its errors and interrupts.
                if write.index < 0 or (write.task, write.index) not in latest:
                    latest[write.task, write.index] = write
        return sorted(latest.values(), key=lambda write: (write.path, write.task, write.index))

    def rows(self) -> Iterable[Row]:
        """Yield all rows."""
        for _, row in self.log.read(generation=self.generation):
            yield row

    def _at(self, offset: int) -> Parsed:
        key = self.log.name, self.generation, offset
        parsed = self._recent.get(key)
        if parsed is None:
            parsed = parsed_row(self.log.at(offset, generation=self.generation, parse=_restored))
            self._recent.add(key, parsed)
        return parsed


def value_row(ns: str, channel: str, version: Version, value: Typed) -> Row:
    """Return the row of a channel's value."""
    return {"value": values.to_json(*value), "ns": ns, "channel": channel, "version": version}


def checkpoint_row(stored: Stored) -> Row:
    """Return the row of a checkpoint."""
    return {
        "checkpoint": values.to_json(*stored.checkpoint),
        "metadata": values.to_json(*stored.metadata),
        "ns": stored.ns,
        "id": stored.id,
        "parent": stored.parent,
    }


def writes_row(ns: str, key: str, task: str, path: str, writes: Sequence[Write]) -> Row:
    """Return the row of what a task wrote to a checkpoint."""
    plain = [[write.channel, write.index, values.to_json(*write.value)] for write in writes]
    return {"writes": plain, "ns": ns, "id": key, "task": task, "path": path}


def parsed_row(row: Row) -> Parsed:
    """Return a row as a Typed value, a Stored or Writes."""
    if "value" in row:
        return values.typed(row["value"])
    ns, key = str(row["ns"]), str(row["id"])
    if "checkpoint" in row:
        parent = row["parent"]
        checkpoint, metadata = values.typed(row["checkpoint"]), values.typed(row["metadata"])
        return Stored(ns, key, str(parent) if parent else None, checkpoint, metadata)
    task, path = str(row["task"]), str(row["path"])
    return [
        Write(path, task, int(index), str(channel), values.typed(value))
        for channel, index, value in cast("Sequence[tuple[str, int, object]]", row["writes"])
    ]


def _head(text: bytes) -> object:
    return _raw_decode(text.decode())[0]


def _restored(line: bytes) -> dict[str, object] | None:
    return _object(values.loads, line)


def _object(loads: Callable[[bytes], object], text: bytes) -> dict[str, object] | None:
    try:
        row = loads(text)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


_raw_decode = json.JSONDecoder().raw_decode
