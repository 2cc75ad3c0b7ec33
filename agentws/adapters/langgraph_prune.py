"""Removes checkpoints of a thread of LangGraph, with their writes and the values that no other checkpoint names."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from langgraph.checkpoint.serde.base import SerializerProtocol

    from agentws.adapters.langgraph_thread import Stored, Thread, Version
    from agentws.adapters.row_index import Row

_DELTA = "counters_since_delta_snapshot"
"""The metadata that name a thread's delta channels, whose value is a snapshot and the writes since."""
Place = tuple[str, str]


def remove_runs(thread: Thread, *, runs: Collection[str], serde: SerializerProtocol) -> None:
    """Remove the checkpoints of these runs."""
    with thread.changing():
        places = _places(thread)
        kept = {place for place in places if _metadata(thread.checkpoint(*place), serde).get("run_id") not in runs}
        if len(kept) < len(places):
            _retain(thread, kept, serde)


def keep_latest(thread: Thread, *, serde: SerializerProtocol) -> None:
    """Keep the newest checkpoint of each namespace, and the ancestors that its delta channels need."""
    with thread.changing():
        kept = {(ns, key) for ns in thread.namespaces() for key in _needed(thread, ns, thread.latest(ns), serde)}
        _retain(thread, kept, serde)


def remove_expired(thread: Thread, *, last: str, serde: SerializerProtocol) -> None:
    """Remove all checkpoints if none is newer than the day `last` (ISO)."""
    with thread.changing():
        newest = [thread.checkpoint(ns, thread.latest(ns)) for ns in thread.namespaces()]
        if newest and all(str(_content(stored, serde).get("ts", ""))[:10] <= last for stored in newest):
            thread.replace(())


def ancestors(
    thread: Thread, stored: Stored | None, serde: SerializerProtocol
) -> Iterator[tuple[Stored, Mapping[str, Version]]]:
    """Yield the checkpoints before one, the nearest first, with the versions of their channels."""
    passed: set[str] = set()
    while stored is not None and stored.parent and stored.parent not in passed:
        passed.add(stored.parent)
        stored = thread.checkpoint(stored.ns, stored.parent)
        if stored is not None:
            yield stored, _versions(stored, serde)


def _needed(thread: Thread, ns: str, key: str, serde: SerializerProtocol) -> Iterator[str]:
    """Yield the checkpoints that are needed to rebuild one: itself, and ancestors for its delta channels."""
    yield key
    stored = thread.checkpoint(ns, key)
    deltas = cast("Mapping[str, object]", _metadata(stored, serde).get(_DELTA) or {})
    versions = _versions(stored, serde)
    missing = {name for name in deltas if name in versions and not thread.has_value(ns, name, versions[name])}
    for ancestor, versions in ancestors(thread, stored, serde) if missing else ():
        yield ancestor.id
        missing -= {name for name in missing & versions.keys() if thread.has_value(ns, name, versions[name])}
        if not missing:
            return


def _retain(thread: Thread, kept: set[Place], serde: SerializerProtocol) -> None:
    """Remove all other checkpoints, their writes, and the values that no kept checkpoint names."""
    removed = _places(thread) - kept
    used = {
        (ns, channel, version)
        for ns, key in kept
        for channel, version in _versions(thread.checkpoint(ns, key), serde).items()
    }

    def is_kept(row: Row) -> bool:
        if "value" in row:
            return (row["ns"], row["channel"], row["version"]) in used
        return (row["ns"], row["id"]) not in removed  # a checkpoint may follow its writes

    thread.replace(filter(is_kept, thread.rows()))


def _places(thread: Thread) -> set[Place]:
    return {(ns, key) for ns in thread.namespaces() for key in thread.ids(ns)}


def _content(stored: Stored | None, serde: SerializerProtocol) -> Mapping[str, object]:
    return {} if stored is None else cast("Mapping[str, object]", serde.loads_typed(stored.checkpoint))


def _versions(stored: Stored | None, serde: SerializerProtocol) -> Mapping[str, Version]:
    return cast("Mapping[str, Version]", _content(stored, serde).get("channel_versions", {}))


def _metadata(stored: Stored | None, serde: SerializerProtocol) -> Mapping[str, object]:
    return {} if stored is None else cast("Mapping[str, object]", serde.loads_typed(stored.metadata))
