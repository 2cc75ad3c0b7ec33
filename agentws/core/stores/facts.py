"""The facts by which the write access of this installation is judged, read from the workspace and from its state."""

from __future__ import annotations

from agentws.core.disk import files as _files, tombstone
from agentws.core.formats import layout
from agentws.core.installation import installation
from agentws.core.stores.stores import REQUIRE, Stores
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.identity import writers
    from agentws.core.installation.installation import Installation


_NEVER = "9999"


def gather(stores: Stores) -> dict[str, Any]:
    """Return all facts for core/identity/write_access.py. Usually little more than one small file is read.

    If the manifest is unreadable, the other writers are unknown and left out.
    """
    own = stores.installation()
    record = own.record if own is not None else {}
    joins = str(record.get(installation.JOINS, ""))
    is_new = own is None or joins == installation.NEW
    if own is not None and joins:
        from agentws.core.identity import join  # a start imports no more than it needs: so in all of this module

        is_new = join.is_one(own)
        joins = installation.NEW if is_new else joins
    fields: dict[str, Any] = {
        "writer": own.writer if own is not None else None,
        "joins": joins,
        "admitted": str(record.get(installation.ADMITTED, "")),
        "required": stores.manifest.setting("identity.mode") == REQUIRE,
        "moved": (gone := moved(stores.files)) and (gone[0], _local(stores, gone[1])),
        "retired": (ended := retired(stores.files)) and (_local(stores, ended[0]), ended[1]),
        "leaving": leaving(stores.files),
        "lost": lost(stores, own) if own is not None else [],
        "missing_changes": [
            (verb, _local(stores, at)) for verb, at in (missing_changes(stores, own) if own is not None else ())
        ],
    }
    fields["remade"] = remade(stores, own) if own is not None and fields["lost"] else []
    if stores.damage is None and not fields["admitted"] and is_new:
        fields["met"] = others(stores, own)
        if fields["met"]:
            from agentws.core.installation import host_info, remotes

            fields["host"] = host_info.name()
            fields["synced"] = bool(remotes.read(*stores.machine))
        fields["logged"] = _logged(stores, own, fields["met"])
        fields["met_at"] = _local(stores, fields["met"][-1].at) if fields["met"] else ""
        signed_in = (own is not None and is_signed_in(stores, own)) or has_token(stores)
        fields["admitted"] = installation.VOUCHED if signed_in else ""
        if own is None and fields["required"] and _is_first(stores.files):
            fields["admitted"] = installation.FIRST
    return fields


def _logged(stores: Stores, own: Installation | None, met: list[writers.Other]) -> str:
    """Return the time of the newest log line by others, in the workspace's time, with its zone; empty if an event of
    the others is newer.
    """
    if not met:
        return ""

    began = _minute(stores, str(own.record.get("since", ""))) if own is not None else ""
    newest = _newest_log(stores.files, began or _NEVER)
    tells_time = len(newest) > len("YYYY-MM-DD")
    shown = f"{newest} {stores.manifest.timezone}" if tells_time else newest
    return shown if newest > _minute(stores, met[-1].at) else ""


def _is_first(files: Files) -> bool:
    from agentws.core.identity import join

    return join.is_first(files)


def _minute(stores: Stores, at: str) -> str:
    """Return a time of the journal in the workspace's zone, to the minute; empty if it is invalid."""
    from datetime import datetime

    try:
        shown = datetime.fromisoformat(at).astimezone(stores.clock.now().tzinfo)
    except ValueError:
        return ""
    return f"{shown:%Y-%m-%d %H:%M}"


def _local(stores: Stores, at: str) -> str:
    """Return a time of the journal in the workspace's zone, to the minute; unchanged if it is invalid."""
    return _minute(stores, at) or at


def moved(files: Files) -> tuple[str, str] | None:
    """Return the fact that the agent moved, (where to, when), from the tombstone here; None for none."""
    stone = tombstone.read(files)
    return None if stone is None else (stone.to, stone.at)


def leaving(files: Files) -> str:
    """Return the fact that a move away from here is unfinished: its step; empty for none."""
    known = tombstone.leaving(files) if files.exists(layout.MOVED) else None
    return known.step if known is not None else ""


def retired(files: Files) -> tuple[str, str] | None:
    """Return the fact that the agent was retired: (when, on which machine); None if it was not."""
    retirement = tombstone.retirement(files)
    return None if retirement is None else (retirement.at, retirement.host)


def lost(stores: Stores, own: Installation) -> list[tuple[str, int]]:
    """Return facts about lost events: (writer, number) of this installation's that this copy lacks, newest last."""
    from agentws.core.identity import admission, join

    # Not through files that record a trace: a caller with a trace reads the journal itself.
    files = _files.Files(stores.root)
    places = [(mark.writer, mark.seq) for mark in installation.lost(own) if not join.holds(files, mark)]
    mark = admission.missing_event(files, own)
    return places + ([(mark.writer, mark.seq)] if mark else [])


def remade(stores: Stores, own: Installation) -> list[tuple[str, int]]:
    """Return facts about replaced events: (writer, number) of this installation's that another event has replaced."""
    from agentws.core.identity import join

    return [(mark.writer, mark.seq) for mark in join.replaced(_files.Files(stores.root), own)]


def missing_changes(stores: Stores, own: Installation) -> list[tuple[str, str]]:
    """Return facts about lost changes: (verb, time) of this installation's that this copy still lacks, newest last."""
    from agentws.core.installation import stale_copy

    files = _files.Files(stores.root)  # as above
    recorded_changes = [change for change in map(stale_copy.of, stale_copy.missing(files, own)) if change is not None]
    newest = stale_copy.missing_change(files, own.folder)
    return [(change.verb, change.at) for change in [*recorded_changes, *([newest] if newest else [])]]


def others(stores: Stores, current: Installation | None) -> list[writers.Other]:
    """Return, as facts, the other writers than this installation and its former ones; the last one wrote last."""
    if not (stores.files.exists(layout.JOURNAL) or stores.files.exists(layout.WRITERS)):
        return []
    from agentws.core.identity import writers

    own = {current.writer, *installation.former(current)} if current is not None else set()
    return writers.all_of(stores.files, but=own)


def is_signed_in(stores: Stores, own: Installation) -> bool:
    """Return, as a fact, whether a line of `writers.jsonl` has a vouch for this writer. No signature is checked."""
    from agentws.core.identity import writers

    return any(line.writer == own.writer and line.vouched_by for line in writers.lines(stores.files))


def has_token(stores: Stores) -> bool:
    """Return, as a fact, whether the agent was moved here with a one-time token that is still valid."""
    if not stores.files.exists(layout.ARRIVAL):
        return False
    from agentws.core.identity import arrival

    given = arrival.token(stores.files)
    return given is not None and arrival.is_good(stores.files, stores.manifest.agent_id, given, stores.now_text()[:10])


_TAIL_BYTES = 1 << 16
_MOST_DAYS = 7


def _newest_log(files: Files, before: str) -> str:
    """Return the time of the newest daily log entry before this minute (`YYYY-MM-DD HH:MM`), or its day if it has no
    time; empty for none. Never fails.
    """
    try:
        names = [name for name, kind in files.names(layout.DAYS) if kind == "file"]
    except AgentwsError:
        return ""
    days = sorted({day for name in names if (day := layout.day_of(name)) and day <= before[:10]}, reverse=True)
    for day in days[:_MOST_DAYS]:
        result = _of_day(files, day, before)
        if result:
            return result
    return ""


def _of_day(files: Files, day: str, before: str) -> str:
    try:
        text = files.part(layout.day_path(day), _TAIL_BYTES, from_end=True)[0].decode("utf-8", "replace")
    except AgentwsError:
        return ""
    moments = [f"{day} {line[2:7]}" for line in text.split("\n") if _tells_time(line)]
    earlier = [moment for moment in moments if moment < before]
    if earlier:
        return earlier[-1]
    return day if text.strip() and not moments and day < before[:10] else ""


def _tells_time(line: str) -> bool:
    return line.startswith("- ") and line[2:4].isdigit() and line[4:5] == ":" and line[5:7].isdigit()
