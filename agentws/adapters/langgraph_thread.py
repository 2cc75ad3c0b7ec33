"""One thread of LangGraph: the rows of its checkpoints, values and writes, and an index of them in memory.

    {"value": …, "ns": …, "channel": …, "version": …}                 the value of a channel, once for each version
    {"checkpoint": …, "metadata": …, "ns": …, "id": …, "parent": …}   a checkpoint, which names the versions
    {…, "offset": …, "values": [[channel, version, offset], …]}       the newest checkpoint: where it is, and its values
    {"writes": [[channel, index, value], …], "ns": …, "id": …, "task": …, "path": …}   what a task wrote

Values are JSON as in langgraph_values.py. The keys behind the values are all that the index reads, so they begin with
`ns`.

After a start, the index begins at the last checkpoint that says where it is and where its values are, so that a long
thread need not be read. The rows before it are read when one is missing.
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
from agentws.errors import ChangedUnderneathError, MissingFileError

if TYPE_CHECKING:
    from agentws.adapters.row_index import Row
    from agentws.features.data.row_log import RowLog

Version = str | int | float
_ROW_BYTES = 300
"""About the bytes of memory for a row without its values."""
_OFFSET = b',"offset":'
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
    whole: set[str] = field(default_factory=set)
    """The checkpoints whose values and writes are indexed, even if the rows before them are not."""


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
        self._start = 0
        self._from_end = True
        super().__init__(log)

    def reset(self) -> None:
        """Forget all rows: the file was replaced."""
        self._namespaces: dict[str, _Namespace] = {}

    def first(self, generation: int) -> int:
        """Return the offset of the last checkpoint of the graph itself that says where it is, or 0."""
        last = self.log.backwards(_OFFSET, generation=generation, parse=self.parse) if self._from_end else ()
        self._start = next((offset for offset, row in last if row["ns"] == "" and "offset" in row), 0)
        return self._start

    def _index_all(self) -> None:
        """Index the rows before `_start`."""
        if not self._start:
            return
        generation, self._from_end, self.generation = self.generation, False, -1
        self.catch_up()
        if self.generation != generation:
            raise ChangedUnderneathError(f"{self.log.path}: was replaced since it was read.", hint="Read it again.")

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
            if (
                self._start
                and row.get("offset") == offset
                and all(
                    self._has(str(row["ns"]), *value) for value in cast("list[tuple[str, Version, int]]", row["values"])
                )
            ):
                namespace.whole.add(key)
        elif "task" in row:
            namespace.writes.setdefault(str(row["id"]), []).append(offset)

    def _has(self, ns: str, channel: str, version: Version, offset: int) -> bool:
        """Return whether the value of a channel is indexed, or at this offset."""
        values = self._namespaces[ns].values
        if (channel, version) not in values:
            try:
                row = self.log.at(offset, parse=self.parse)
            except MissingFileError:
                return False
            if (row.get("ns"), row.get("channel"), row.get("version")) != (ns, channel, version):
                return False
            values[channel, version] = offset
        return True

    def append(self, rows: Sequence[Row], parsed: Sequence[Parsed] = ()) -> None:
        """Add rows, durably, all or none. `parsed` are their values, if the caller knows them."""
        with self.changing():
            self.store(rows, parsed)

    def places(self, stored: Stored, versions: Iterable[tuple[str, Version]]) -> Row:
        """Return the keys by which the next row is found after a start: of a checkpoint with values in older rows.

        An older checkpoint than the newest gets none. The caller is in `changing`.
        """
        ns = stored.ns
        if stored.id <= self.latest(ns) or stored.id in self._of(ns).writes:
            return {}
        offsets = [[*version, self._offset(ns, *version, of=stored.parent)] for version in versions]
        return {"offset": self.log.size, "values": [value for value in offsets if value[2] is not None]}

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
        self._index_all()
        return [name for name, namespace in self._namespaces.items() if namespace.checkpoints]

    def ids(self, ns: str) -> list[str]:
        """Return the ids of a namespace's checkpoints, the newest first."""
        self._index_all()
        return self._of(ns).ids[::-1]

    def latest(self, ns: str) -> str:
        """Return the id of the newest checkpoint of a namespace; empty without one."""
        if not self._of(ns).whole:
            self._index_all()
        ids = self._of(ns).ids
        return ids[-1] if ids else ""

    def checkpoint(self, ns: str, key: str) -> Stored | None:
        """Return the checkpoint with an id, or None."""
        if key not in self._of(ns).checkpoints:
            self._index_all()
        offset = self._of(ns).checkpoints.get(key)
        return None if offset is None else cast("Stored", self._at(offset))

    def has_value(self, ns: str, channel: str, version: Version, *, of: str | None = None) -> bool:
        """Return whether a channel has a value in this version, which is one of the checkpoint `of`."""
        return self._offset(ns, channel, version, of=of) is not None

    def value(self, ns: str, channel: str, version: Version, *, of: str | None = None) -> Typed | None:
        """Return the value of a channel in this version, one of the checkpoint `of`; None if it is empty."""
        offset = self._offset(ns, channel, version, of=of)
        return None if offset is None else cast("Typed", self._at(offset))

    def writes(self, ns: str, key: str) -> list[Write]:
        """Return the writes to a checkpoint, in the order in which a run applies them."""
        if key not in self._of(ns).whole:
            self._index_all()
        latest: dict[tuple[str, int], Write] = {}
        for offset in self._of(ns).writes.get(key, ()):
            for write in cast("Sequence[Write]", self._at(offset)):
                # The first of a task's ordinary writes counts, and the last of its errors and interrupts.
                if write.index < 0 or (write.task, write.index) not in latest:
                    latest[write.task, write.index] = write
        return sorted(latest.values(), key=lambda write: (write.path, write.task, write.index))

    def rows(self) -> Iterable[Row]:
        """Yield all rows."""
        for _, row in self.log.read(generation=self.generation):
            yield row

    def _of(self, ns: str) -> _Namespace:
        return self._namespaces.get(ns) or _Namespace()

    def _offset(self, ns: str, channel: str, version: Version, *, of: str | None) -> int | None:
        if (channel, version) not in self._of(ns).values and of not in self._of(ns).whole:
            self._index_all()
        return self._of(ns).values.get((channel, version))

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


def checkpoint_row(stored: Stored, places: Row) -> Row:
    """Return the row of a checkpoint, with the keys of `Thread.places`."""
    return {
        "checkpoint": values.to_json(*stored.checkpoint),
        "metadata": values.to_json(*stored.metadata),
        "ns": stored.ns,
        "id": stored.id,
        "parent": stored.parent,
        **places,
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
