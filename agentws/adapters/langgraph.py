"""LangGraph's checkpoints and memory in a workspace.

    from agentws.adapters.langgraph import Saver, Store

    graph = builder.compile(checkpointer=Saver(workspace), store=Store(workspace))

A checkpoint is on the disk when `put` returns; a killed process is resumed by another one with the same thread_id. Each
thread is a file of JSON rows, `data/langgraph/threads/<thread_id>.jsonl`. Needs `pip install 'agentws[langgraph]'`.
"""

from __future__ import annotations

import asyncio
import heapq
import random
import threading
from collections import OrderedDict
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, cast

from agentws.core.formats import manifest_tables
from agentws.errors import UsageError

try:
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        BaseCheckpointSaver,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        DeltaChannelHistory,
        PendingWrite,
        get_checkpoint_id,
        get_checkpoint_metadata,
    )
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"LangGraph's checkpoints need {missing.name}: pip install 'agentws[langgraph]'", name=missing.name
    ) from missing

from agentws.adapters import langgraph_prune as prune, langgraph_thread as rows
from agentws.adapters.langgraph_store import Store
from agentws.adapters.langgraph_thread import Recent, Stored, Thread, Write
from agentws.adapters.langgraph_values import Typed
from agentws.adapters.row_index import in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.serde.base import SerializerProtocol

    from agentws.workspace import Workspace

__all__ = ["Saver", "Store"]
Writes = list[PendingWrite]
_THREADS = "langgraph/threads/"
_MOST_INDEXED = 1000
_cleaned: dict[str, str] = {}
"""The day on which this process last removed old threads, by workspace."""


class Saver(BaseCheckpointSaver[str]):
    """Keeps the checkpoints of graphs in a workspace. Threads, processes and event loops may share one.

    Of a graph's own classes, only those in `allow` (a class, or its module and name) are constructed when a checkpoint
    is read; others are returned as their fields. Messages, and Python's dates, sets and the like, always are.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        allow: Collection[type | tuple[str, str]] = (),
        serde: SerializerProtocol | None = None,
    ) -> None:
        if serde is not None and allow:
            raise UsageError("Give either `allow` or `serde`: a serializer has its own list of classes.")
        super().__init__(serde=serde or JsonPlusSerializer(allowed_msgpack_modules=tuple(allow) or None))
        self._workspace = workspace
        self._recent = Recent()
        self._threads: OrderedDict[str, Thread] = OrderedDict()
        self._mutex = threading.Lock()
        self._remove_expired()

    # Reading

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, or the newest one of its thread and namespace."""
        thread_id, ns, key = _place(config)
        thread = self._thread(thread_id)
        loaded = thread.read(partial(self._loaded, thread, thread_id=thread_id, ns=ns, key=key))
        return loaded._replace(config=config) if loaded is not None and key else loaded

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: Mapping[str, object] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield the checkpoints of a thread, or of all, that have the metadata in `filter`, the newest first."""
        threads = [str(config["configurable"]["thread_id"])] if config else self._thread_ids()
        only_ns = config["configurable"].get("checkpoint_ns") if config else None
        only_key = get_checkpoint_id(config) if config else None
        end = get_checkpoint_id(before) if before else None
        namespaces = [
            zip(keys, repeat(thread_id), repeat(ns))
            for thread_id in threads
            for ns, keys in _ids(self._thread(thread_id)).items()
            if only_ns in (None, ns)
        ]
        for key, thread_id, ns in heapq.merge(*namespaces, reverse=True):
            if limit is not None and limit <= 0:
                return
            if only_key not in (None, key) or (end is not None and key >= end):
                continue
            thread = self._thread(thread_id)
            load = partial(self._loaded, thread, thread_id=thread_id, ns=ns, key=key, metadata=filter)
            if (loaded := thread.read(load, is_current=True)) is not None:
                limit = None if limit is None else limit - 1
                yield loaded

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return for each channel its writes since the nearest stored value among the ancestors, and that value."""
        thread_id, ns, key = _place(config)
        thread = self._thread(thread_id)
        return thread.read(partial(self._history, thread, ns=ns, key=key, channels=channels))

    def _loaded(
        self, thread: Thread, *, thread_id: str, ns: str, key: str | None, metadata: Mapping[str, object] | None = None
    ) -> CheckpointTuple | None:
        """Return a checkpoint, or None if it is missing or lacks the wanted metadata."""
        stored = thread.checkpoint(ns, key or thread.latest(ns))
        if stored is None:
            return None
        own = cast("CheckpointMetadata", self.serde.loads_typed(stored.metadata))
        if metadata and any(own.get(name) != value for name, value in metadata.items()):
            return None
        checkpoint = cast("Checkpoint", self.serde.loads_typed(stored.checkpoint))
        channel_values = dict(checkpoint.get("channel_values", {}))
        for channel, version in checkpoint["channel_versions"].items():
            if (value := thread.value(ns, channel, version, of=stored.id)) is not None:
                channel_values[channel] = self.serde.loads_typed(value)
        return CheckpointTuple(
            config=_config(thread_id, ns, stored.id),
            checkpoint=cast("Checkpoint", {**checkpoint, "channel_values": channel_values}),
            metadata=own,
            parent_config=_config(thread_id, ns, stored.parent) if stored.parent else None,
            pending_writes=[
                (write.task, write.channel, self.serde.loads_typed(write.value))
                for write in thread.writes(ns, stored.id)
            ],
        )

    def _history(
        self, thread: Thread, *, ns: str, key: str | None, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        newest_first: dict[str, Writes] = {channel: [] for channel in channels}
        seeds: dict[str, object] = {}
        target = thread.checkpoint(ns, key or thread.latest(ns))
        for stored, versions in prune.ancestors(thread, target, self.serde) if channels else ():
            wanted = newest_first.keys() - seeds.keys()
            for write in reversed(thread.writes(ns, stored.id)):
                if write.channel in wanted:
                    value = self.serde.loads_typed(write.value)
                    newest_first[write.channel].append((write.task, write.channel, value))
            for channel in wanted & versions.keys():
                if (seed := thread.value(ns, channel, versions[channel])) is not None:
                    seeds[channel] = self.serde.loads_typed(seed)
            if len(seeds) == len(newest_first):
                break
        return {
            channel: cast(
                "DeltaChannelHistory",
                {"writes": writes[::-1], **({"seed": seeds[channel]} if channel in seeds else {})},
            )
            for channel, writes in newest_first.items()
        }

    def _typed(self, value: object) -> Typed:
        return Typed(*self.serde.dumps_typed(value))

    # Writing

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, durably, with the values of the channels in `new_versions`; returns its config."""
        return self._put(config, checkpoint, metadata, new_versions)()

    def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Callable[[], RunnableConfig]:
        """Serialize a checkpoint, which the graph may change from then on; returns the function that stores it."""
        thread_id, ns, parent = _place(config)
        channel_values, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
        content = {name: part for name, part in checkpoint.items() if name != "channel_values"}
        if unversioned := {name: value for name, value in channel_values.items() if name not in versions}:
            content["channel_values"] = unversioned
        stored = Stored(
            *(ns, checkpoint["id"], parent, self._typed(content)),
            self._typed(get_checkpoint_metadata(config, metadata)),
        )
        changed = {
            (channel, version): self._typed(channel_values[channel])
            for channel, version in new_versions.items()
            if channel in channel_values
        }
        others = {(name, versions[name]) for name in channel_values if name in versions} - changed.keys()

        thread = self._thread(thread_id)

        def store() -> RunnableConfig:
            with thread.changing():
                for channel, version in others:
                    if not thread.has_value(ns, channel, version, of=parent):
                        changed[channel, version] = self._typed(channel_values[channel])
                row = rows.checkpoint_row(stored, thread.places(stored, versions.items() - changed.keys()))
                value_rows = [rows.value_row(ns, *version, value) for version, value in changed.items()]
                thread.store([row, *value_rows], [stored, *changed.values()])
            return _config(thread_id, ns, stored.id)

        return store

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, object]], task_id: str, task_path: str = ""
    ) -> None:
        """Store what a task wrote to a checkpoint, durably."""
        self._put_writes(config, writes, task_id, task_path)()

    def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, object]], task_id: str, task_path: str
    ) -> Callable[[], None]:
        thread_id, ns, key = _place(config)
        parsed = [
            Write(task_path, task_id, WRITES_IDX_MAP.get(channel, index), channel, self._typed(value))
            for index, (channel, value) in enumerate(writes)
        ]
        row = rows.writes_row(ns, str(key), task_id, task_path, parsed)
        return partial(self._thread(thread_id).append, [row], [parsed])

    def get_next_version(self, current: str | int | None, channel: None) -> str:
        """Return the version of a channel behind `current`, which no other branch of the thread has."""
        number = 0 if current is None else current if isinstance(current, int) else int(current.split(".")[0])
        return f"{number + 1:010}.{random.getrandbits(48):012x}"

    # Removing and copying

    def delete_thread(self, thread_id: str) -> None:
        """Remove all checkpoints of a thread."""
        self._thread(thread_id).log.delete()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Remove the checkpoints of these runs from all threads."""
        removed = set(run_ids)

        for thread_id in self._thread_ids() if removed else ():
            prune.remove_runs(self._thread(thread_id), runs=removed, serde=self.serde)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the newest checkpoint of each namespace, with the ancestors its delta channels need; or `delete` all."""
        if strategy not in ("keep_latest", "delete"):
            raise UsageError(f"Unknown strategy: {strategy!r}.", hint="Choose keep_latest or delete.")

        for thread_id in map(str, thread_ids):
            if strategy == "delete":
                self.delete_thread(thread_id)
            else:
                prune.keep_latest(self._thread(thread_id), serde=self.serde)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints of a thread to another one."""
        if source_thread_id != target_thread_id:
            source = self._thread(source_thread_id)
            copied = source.read(lambda: [*source.rows()])
            self._thread(target_thread_id).append(copied)

    # Threads

    def _thread(self, thread_id: str) -> Thread:
        """Return the thread with an id; the indexes of those used last are kept."""
        with self._mutex:
            thread = self._threads.pop(thread_id, None)
            if thread is None:
                thread = Thread(self._workspace.data.rows(_THREADS + thread_id), self._recent)
            self._threads[thread_id] = thread
            if len(self._threads) > _MOST_INDEXED:
                self._threads.popitem(last=False)
            return thread

    def _remove_expired(self) -> None:
        """Remove the threads that the workspace keeps no longer (`retention.threads` in agentws.toml)."""
        stores = self._workspace.stores
        age, today = stores.manifest.setting("retention.threads"), stores.here().day
        if age and _cleaned.get(stores.root) != today:
            _cleaned[stores.root] = today
            last = manifest_tables.last_retained_day(age, "retention.threads", today)
            for thread_id in self._thread_ids():
                prune.remove_expired(self._thread(thread_id), last=last, serde=self.serde)

    def _thread_ids(self) -> Sequence[str]:
        return [name[len(_THREADS) :] for name in self._workspace.data.row_logs(_THREADS)]

    # The same for event loops: files are read and written in other threads.

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As `get_tuple`."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: Mapping[str, object] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As `list`."""
        checkpoints = self.list(config, filter=filter, before=before, limit=limit)
        while (loaded := await asyncio.to_thread(next, checkpoints, None)) is not None:
            yield loaded

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """As `get_delta_channel_history`."""
        return await asyncio.to_thread(partial(self.get_delta_channel_history, config=config, channels=channels))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As `put`."""
        return await in_thread(self._put(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, object]], task_id: str, task_path: str = ""
    ) -> None:
        """As `put_writes`."""
        await in_thread(self._put_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`."""
        await in_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """As `delete_for_runs`."""
        await in_thread(self.delete_for_runs, run_ids)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As `prune`."""
        await in_thread(partial(self.prune, thread_ids, strategy=strategy))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """As `copy_thread`."""
        await in_thread(self.copy_thread, source_thread_id, target_thread_id)


def _place(config: RunnableConfig) -> tuple[str, str, str | None]:
    """Return the thread, the namespace and the id of the checkpoint (None if it has none) that `config` names."""
    configurable = config["configurable"]
    return str(configurable["thread_id"]), configurable.get("checkpoint_ns", ""), get_checkpoint_id(config)


def _config(thread_id: str, ns: str, key: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": key}}


def _ids(thread: Thread) -> Mapping[str, Sequence[str]]:
    """Return the ids of the checkpoints of each namespace, the newest first."""
    return thread.read(lambda: {ns: thread.ids(ns) for ns in thread.namespaces()})
