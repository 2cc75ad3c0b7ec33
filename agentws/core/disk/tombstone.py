"""Tombstones: the files that make a workspace read-only because its agent has moved away or was retired.

Written, removed and checked before every write here. Specified in docs/format/identity.md. Beside them the state of a
migration, `.agentws/migration.json`, bound to the folder's inode: a copy of the folder has no migration.
"""

from __future__ import annotations

import os

from agentws.core.disk import local_dir
from agentws.core.formats import layout
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError, MayNotWriteError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.files import Files
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

    known, stone = migration(files), read(files)
    if known is None or stone is None or stone.rest.get(MIGRATION) != known.id:
        return None
    return known if known.step != DONE else None


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

    known = leaving(files)
    if known is not None:
        if known.step == READY:
            return MayNotWriteError(
                f"Nothing was written: this agent was sent to {known.to} and waits there.",
                hint="Write where somebody took the agent to. If nobody took it: agentws migrate --abort",
            )
        return MayNotWriteError(
            f"Nothing was written: this agent is moving to {known.to}.",
            hint="Re-run the same `agentws migrate` to resume, or cancel: agentws migrate --abort",
        )
    stone = read(files)
    where = f"to {stone.to} at {_minute(files, stone.at)}" if stone and stone.to else f"({layout.MOVED} says so)"
    return MayNotWriteError(
        f"Nothing was written: this agent has moved {where}.",
        hint="Write there. Only if that place is lost for good, resume here: agentws identity revive",
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


MIGRATION_LOCK = "migration"
"""Held by the one process of this machine that moves the workspace."""

BEGAN, COPIED, ABORTING, DONE = "began", "copied", "aborting", "done"
"""The steps of a migration. The tombstone itself shows that the agent has changed hands."""
READY = "ready"
"""The agent waits in a repository to be taken: only that repository shows whether it was."""
_ID_BYTES = 4


class Underway:
    """A migration: its `id`, the requested `to`, the newest `step` made, and the time it began.

    `attempt` counts the attempts, `via` is the requested way (may be empty). `code` identifies the sent parcel,
    `signer` the key that signed it; both are empty before that.
    """

    __slots__ = ("at", "attempt", "code", "id", "signer", "step", "to", "via")

    def __init__(self, id: str, to: str, at: str, *, step: str = BEGAN, attempt: int = 0, via: str = "") -> None:
        self.id = id
        self.to = to
        self.at = at
        self.step = step
        self.via = via
        self.attempt = attempt
        self.code = self.signer = ""


def new_migration(to: str, at: str, via: str = "") -> Underway:
    """Return the state of a new migration; nothing is written yet."""
    return Underway(os.urandom(_ID_BYTES).hex(), to, at, via=via)


def migration(files: Files) -> Underway | None:
    """Return the state of this folder's migration, None for none."""
    try:
        fields: dict[str, Any] = plainjson.loads(files.read(layout.MIGRATION, limit_bytes=1 << 16))
        if fields["inode"] != os.stat(files.root).st_ino:
            return None
        id_, to, at, step, via = (str(fields.get(name, "")) for name in ("id", "to", "at", "step", "via"))
        state = Underway(id_, to, at, step=step, attempt=int(fields["attempt"]), via=via)
        state.code, state.signer = str(fields.get("code", "")), str(fields.get("signer", ""))
        return state if id_ and to else None
    except (AgentwsError, OSError, ValueError, KeyError, TypeError):
        return None


def keep_migration(files: Files, known: Underway) -> None:
    """Save the state of the migration, durably."""
    local_dir.prepare(files)
    fields: dict[str, object] = {name: getattr(known, name) for name in Underway.__slots__}
    record = {"agentws": 1, **fields, "inode": os.stat(files.root).st_ino}
    files.replace(layout.MIGRATION, plainjson.dumps(record).encode() + b"\n", expects=files.digest(layout.MIGRATION))


def forget_migration(files: Files) -> None:
    """Remove the state of the migration."""
    if files.exists(layout.MIGRATION):
        files.remove(layout.MIGRATION, expects=files.digest(layout.MIGRATION))
