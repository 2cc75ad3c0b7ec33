"""Recorders of the eventsourcing library whose events are rows of a workspace.

    export PERSISTENCE_MODULE=agentws.adapters.eventsourcing AGENTWS_WORKSPACE=/path/of/the/workspace

An event is on the disk when `save` returns. Without AGENTWS_WORKSPACE it is the workspace of this folder. Needs
`pip install 'agentws[eventsourcing]'`.
"""

from __future__ import annotations

import base64
import threading
from bisect import bisect_right, insort
from collections import deque
from typing import TYPE_CHECKING, cast
from uuid import UUID

from agentws.adapters.row_index import Row, RowIndex
from agentws.workspace import Workspace

try:
    from eventsourcing import persistence
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"The recorders need {missing.name}: pip install 'agentws[eventsourcing]'", name=missing.name
    ) from missing

from eventsourcing.utils import resolve_topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventsourcing.persistence import Notification, StoredEvent, Tracking

    from agentws.features.data.row_log import RowLog

WORKSPACE = "AGENTWS_WORKSPACE"
"""The setting of an application that names the folder of the workspace."""
_MOST_CACHED_BYTES = 64 << 20
_POLL_S = 0.5
_PULLED = 500


class _Recorder(RowIndex, persistence.Recorder):
    """A log of rows with an index in memory, which follows what other processes add.

    Positions are those of the events in the log, without gaps; another process never adds an event before one that
    was read. States of events beyond 64 MB are read from the file again.
    """

    def __init__(self, log: RowLog) -> None:
        super().__init__(log)
        self.listeners: set[threading.Event] = set()

    def reset(self) -> None:
        """Forget all events: the file was replaced."""
        self._offsets: list[int] = []
        self._aggregates: dict[str, tuple[list[int], dict[int, int]]] = {}  # versions, and the position of each
        self._tracked: dict[str, int] = {}
        self._cached: dict[int, StoredEvent] = {}
        self._cached_bytes = 0

    def index(self, offset: int, row: Row) -> None:
        """Remember an event, or a position of another log."""
        if "tracking" in row:
            self._tracked[str(row["tracking"])] = cast(int, row["position"])
            return
        event, position = _event(row), len(self._offsets)
        versions, positions = self._aggregates.setdefault(_key(event.originator_id), ([], {}))
        insort(versions, event.originator_version)
        positions[event.originator_version] = position
        self._offsets.append(offset)
        self._cached[position] = event
        self._cached_bytes += len(event.state)
        while self._cached_bytes > _MOST_CACHED_BYTES:
            self._cached_bytes -= len(self._cached.pop(next(iter(self._cached))).state)

    def _at(self, position: int) -> StoredEvent:
        event = self._cached.get(position)
        return event or _event(self.log.at(self._offsets[position], generation=self.generation))

    def _insert(self, events: Sequence[StoredEvent], tracking: Tracking | None = None) -> list[int]:
        """Add events and a position of another log, all or nothing; returns the positions of the events."""
        rows = [_row(event) for event in events]
        with self.changing():
            self._check(events, tracking)
            first = len(self._offsets) + 1
            if tracking is not None:
                rows.append({"tracking": tracking.application_name, "position": tracking.notification_id})
            self.add(*rows)
        for listener in list(self.listeners):
            listener.set()
        return list(range(first, first + len(events)))

    def _check(self, events: Sequence[StoredEvent], tracking: Tracking | None) -> None:
        added = set()
        for event in events:
            key, version = _key(event.originator_id), event.originator_version
            _, positions = self._aggregates.get(key, ((), {}))
            if version in positions or (key, version) in added:
                raise persistence.IntegrityError(f"Version {version} of {event.originator_id} is recorded already.")
            added.add((key, version))
        if tracking is not None:
            newest = self._tracked.get(tracking.application_name)
            if newest is not None and tracking.notification_id <= newest:
                raise persistence.IntegrityError(
                    f"{tracking.application_name}: position {tracking.notification_id} is not after {newest}."
                )


class AggregateRecorder(_Recorder, persistence.AggregateRecorder):
    """Events by aggregate: one event for each version."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: object) -> Sequence[int] | None:
        """Add events, all or none, durably. IntegrityError if a version is recorded already."""
        self._insert(stored_events)
        return None

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Return events of an aggregate in the order of their versions."""

        def read() -> list[StoredEvent]:
            versions, positions = self._aggregates.get(_key(originator_id), ([], {}))
            first = 0 if gt is None else bisect_right(versions, gt)
            wanted = versions[first : None if lte is None else bisect_right(versions, lte)]
            return [self._at(positions[version]) for version in (wanted[::-1] if desc else wanted)[:limit]]

        return self.read(read)


class ApplicationRecorder(AggregateRecorder, persistence.ApplicationRecorder):
    """Events by aggregate, and all of them in the order in which they were recorded: positions from 1 on."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: object) -> Sequence[int] | None:
        """Add events, all or none, durably; returns their positions. IntegrityError as for aggregates."""
        return self._insert(stored_events)

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Return events from position `start` on, with their positions."""
        first = 0 if start is None else max(0, start - inclusive_of_start)

        def read() -> list[Notification]:
            result: list[Notification] = []
            count = len(self._offsets)
            for position in range(first, count if stop is None else min(stop, count)):
                if len(result) == limit:
                    break
                event = self._at(position)
                if not topics or event.topic in topics:
                    result.append(persistence.Notification(**vars(event), id=position + 1))
            return result

        return self.read(read)

    def max_notification_id(self) -> int | None:
        """Return the position of the newest event, or None."""
        return self.read(lambda: len(self._offsets) or None)

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> Subscription:
        """Return an iterator of events after position `gt`, which waits for new ones of this and other processes."""
        return Subscription(self, gt, topics)


class Subscription(persistence.Subscription[ApplicationRecorder]):
    """Events as they are recorded: by this process at once, by others within half a second."""

    def __init__(self, recorder: ApplicationRecorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._last_notification_id: int | None = gt
        self._ready: deque[Notification] = deque()
        self._changed = threading.Event()
        recorder.listeners.add(self._changed)

    def stop(self) -> None:
        """End the iteration."""
        super().stop()
        self._recorder.listeners.discard(self._changed)
        self._changed.set()

    def __next__(self) -> Notification:
        while not self._has_been_stopped:
            if self._ready:
                return self._ready.popleft()
            self._changed.clear()
            newest, after = self._recorder.max_notification_id(), self._last_notification_id or 0
            self._ready.extend(
                self._recorder.select_notifications(after, _PULLED, topics=self._topics, inclusive_of_start=False)
            )
            self._last_notification_id = self._ready[-1].id if self._ready else newest
            if not self._ready:
                self._changed.wait(_POLL_S)
        raise StopIteration


class TrackingRecorder(_Recorder, persistence.TrackingRecorder):
    """How far other applications' events have been processed."""

    def insert_tracking(self, tracking: Tracking) -> None:
        """Note a position, durably. IntegrityError if it is not after the newest one."""
        self._insert((), tracking)

    def max_tracking_id(self, application_name: str) -> int | None:
        """Return the newest position of an application's events, or None."""
        return self.read(lambda: self._tracked.get(application_name))


class ProcessRecorder(TrackingRecorder, ApplicationRecorder, persistence.ProcessRecorder):
    """Events, and the position of the event that they come from, in one write."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: object) -> Sequence[int] | None:
        """Add events and `tracking`, all or nothing, durably; returns the events' positions."""
        return self._insert(stored_events, cast("Tracking | None", kwargs.get("tracking")))


class Factory(persistence.InfrastructureFactory[TrackingRecorder]):
    """Makes the recorders of an application, in the workspace that AGENTWS_WORKSPACE names, or this folder's."""

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        """Return a recorder of events by aggregate; `purpose` is `events` or `snapshots`."""
        return AggregateRecorder(self._log(purpose))

    def application_recorder(self) -> ApplicationRecorder:
        """Return a recorder of an application's events."""
        made = self._topic(self.APPLICATION_RECORDER_TOPIC, ApplicationRecorder)(self._log("events"))
        return cast(ApplicationRecorder, made)

    def tracking_recorder(self, tracking_recorder_class: type[TrackingRecorder] | None = None) -> TrackingRecorder:
        """Return a recorder of positions."""
        made = tracking_recorder_class or self._topic(self.TRACKING_RECORDER_TOPIC, TrackingRecorder)
        return cast(TrackingRecorder, made(self._log("tracking")))

    def process_recorder(self) -> ProcessRecorder:
        """Return a recorder of events with positions."""
        made = self._topic(self.PROCESS_RECORDER_TOPIC, ProcessRecorder)(self._log("events"))
        return cast(ProcessRecorder, made)

    def _topic(self, setting: str, usual: type[_Recorder]) -> type[_Recorder]:
        topic = self.env.get(setting)
        return cast("type[_Recorder]", resolve_topic(topic)) if topic else usual

    def _log(self, purpose: str) -> RowLog:
        folder = self.env.get(WORKSPACE)
        workspace = Workspace.open(folder) if folder else Workspace.find()
        return workspace.data.rows("/".join(filter(None, ("eventsourcing", self.env.name, purpose))))


def _key(originator_id: UUID | str) -> str:
    return originator_id.hex if isinstance(originator_id, UUID) else originator_id


def _row(event: StoredEvent) -> Row:
    """Return an event as a row: its state as text if it is UTF-8, else (if it is encrypted, say) as base64."""
    row: Row = {"uuid" if isinstance(event.originator_id, UUID) else "id": _key(event.originator_id)}
    row |= {"version": event.originator_version, "topic": event.topic}
    try:
        row["state"] = event.state.decode()
    except UnicodeDecodeError:
        row["base64"] = base64.b64encode(event.state).decode()
    return row


def _event(row: Row) -> StoredEvent:
    text = cast("str | None", row.get("state"))
    return persistence.StoredEvent(
        originator_id=UUID(cast(str, row["uuid"])) if "uuid" in row else cast(str, row["id"]),
        originator_version=cast(int, row["version"]),
        topic=cast(str, row["topic"]),
        state=base64.b64decode(cast(str, row["base64"])) if text is None else text.encode(),
    )
