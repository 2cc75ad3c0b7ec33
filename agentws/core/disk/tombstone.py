"""Tombstones: the files that make a workspace read-only because its agent has moved away or was retired.

Written, removed and checked before every write here. Specified in docs/format/identity.md.
"""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.formats.digest import ABSENT
from agentws.errors import AgentwsError, MayNotWriteError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files
    from agentws.core.disk.migration_state import Underway
    from agentws.core.formats.identity.tombstone import Retirement, Tombstone

_LIMIT_BYTES = 1 << 24
"""A tombstone names the newest event of each writer that ever was."""
MIGRATION = "migration"
"""The key of a tombstone with the id of the migration that wrote it."""
_UNREADABLE = "unreadable"


def check(files: Files) -> None:
    """Raise MayNotWriteError if a tombstone is here: the agent has moved away, was retired, or is still arriving.

    Two system calls if not. The folder's name shows whether the agent is arriving, so one rename lets it write.
    """
    if layout.INCOMING in files.root.rpartition("/")[2]:
        raise _incoming()
    if files.exists(layout.MOVED):
        raise _moved(files)
    if files.exists(layout.RETIRED):
        raise _retired(files)


def read(files: Files) -> Tombstone | None:
    """Return the tombstone of this workspace, None for none. An unreadable one has an empty `to`."""
    from agentws.core.formats.identity import tombstone

    if not files.exists(layout.MOVED):  # as in `check`: anything else at its path is not a tombstone
        return None
    try:
        return tombstone.decode(files.read(layout.MOVED, limit_bytes=_LIMIT_BYTES))
    except MissingFileError:
        return None
    except (AgentwsError, ValueError):
        return tombstone.Tombstone(to="", at="", head={}, by="")


def leaving(files: Files) -> Underway | None:
    """Return the unfinished move that wrote the tombstone here and can be aborted; None otherwise."""
    from agentws.core.disk import migration_state

    known, stone = migration_state.read(files), read(files)
    if known is None or stone is None or stone.rest.get(MIGRATION) != known.id:
        return None
    return known if known.step != migration_state.DONE else None


def write(files: Files, stone: Tombstone) -> None:
    """Write the tombstone, durably, replacing an existing one. The caller holds the append lock.

    From then on nothing is appended: writers that wait for the lock check again.
    """
    from agentws.core.formats.identity import tombstone

    _put(files, layout.MOVED, tombstone.encode(stone))


def take_back(files: Files) -> bool:
    """Remove the tombstone, durably; False if there was none."""
    return _remove(files, layout.MOVED)


def retirement(files: Files) -> Retirement | None:
    """Return the agent's retirement from its tombstone, None if it was not retired."""
    from agentws.core.formats.identity import tombstone

    if not files.exists(layout.RETIRED):
        return None
    try:
        return tombstone.retired(files.read(layout.RETIRED, limit_bytes=_LIMIT_BYTES))
    except MissingFileError:
        return None
    except (AgentwsError, ValueError):
        return tombstone.Retirement(at="", by="", host="", reason=_UNREADABLE)


def retire(files: Files, retired: Retirement) -> None:
    """Write the tombstone of a retired agent, durably. The caller holds the append lock."""
    from agentws.core.formats.identity import tombstone

    _put(files, layout.RETIRED, tombstone.retired_line(retired))


def revive(files: Files) -> bool:
    """Remove the tombstone of a retired agent, durably; False if there was none."""
    return _remove(files, layout.RETIRED)


def _put(files: Files, path: str, data: bytes) -> None:
    files.make_folder(path.rpartition("/")[0])
    files.replace(path, data, expects=files.digest(path))


def _remove(files: Files, path: str) -> bool:
    known = files.digest(path)
    if known == ABSENT:
        return False
    files.remove(path, expects=known)
    return True


def _incoming() -> MayNotWriteError:
    return MayNotWriteError(
        "Nothing was written: this copy is still being received.",
        hint="To finish the migration, re-run `agentws migrate` at the source.",
    )


def _moved(files: Files) -> MayNotWriteError:
    from agentws.core.disk import migration_state

    known = leaving(files)
    if known is not None:
        return _leaving(known.to, waits=known.step == migration_state.READY)
    stone = read(files)
    where = f"to {stone.to} at {_minute(files, stone.at)}" if stone and stone.to else f"({layout.MOVED} says so)"
    return MayNotWriteError(
        f"Nothing was written: this agent has moved {where}.",
        hint="Write there. Only if that place is lost for good, resume here: agentws identity revive",
    )


def _leaving(to: str, *, waits: bool) -> MayNotWriteError:
    if waits:
        return MayNotWriteError(
            f"Nothing was written: this agent was sent to {to} and waits there.",
            hint="Write where somebody took the agent to. If nobody took it: agentws migrate --abort",
        )
    return MayNotWriteError(
        f"Nothing was written: this agent is moving to {to}.",
        hint="Re-run the same `agentws migrate` to resume, or cancel: agentws migrate --abort",
    )


def _retired(files: Files) -> MayNotWriteError:
    known = retirement(files)
    when = f" at {_minute(files, known.at)}" if known and known.at else ""
    return MayNotWriteError(
        f"Nothing was written: this agent was retired{when}.",
        hint="Reading still works. To resume writing: agentws identity revive",
    )


def _minute(files: Files, at: str) -> str:
    """Return a time to the minute in the workspace's zone; as it was written if the zone cannot be read."""
    from datetime import datetime

    from agentws.core.disk import clock
    from agentws.core.formats import manifest

    try:
        zone = clock.zone(manifest.decode(files.read(layout.MANIFEST), where=layout.MANIFEST).timezone)
        return f"{datetime.fromisoformat(at).astimezone(zone):%Y-%m-%d %H:%M}"
    except (AgentwsError, ValueError):
        return at[:16].replace("T", " ") + (" UTC" if at.endswith("Z") else "")
