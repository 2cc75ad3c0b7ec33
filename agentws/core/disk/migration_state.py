"""The state of a migration on this machine, running or finished: `.agentws/migration.json`.

It is bound to the folder's inode: a copy of the folder has no migration. Specified in docs/format/local.md.
"""

from __future__ import annotations

import os

from agentws.core.disk import local_dir
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentws.core.disk.files import Files

PATH = ".agentws/migration.json"
LOCK = "migration"
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


def new(to: str, at: str, via: str = "") -> Underway:
    """Return the state of a new migration; nothing is written yet."""
    return Underway(os.urandom(_ID_BYTES).hex(), to, at, via=via)


def read(files: Files) -> Underway | None:
    """Return the state of this folder's migration, None for none."""
    try:
        fields: dict[str, Any] = plainjson.loads(files.read(PATH, limit_bytes=1 << 16))
        if fields["inode"] != os.stat(files.root).st_ino:
            return None
        id_, to, at, step, via = (str(fields.get(name, "")) for name in ("id", "to", "at", "step", "via"))
        state = Underway(id_, to, at, step=step, attempt=int(fields["attempt"]), via=via)
        state.code, state.signer = str(fields.get("code", "")), str(fields.get("signer", ""))
        return state if id_ and to else None
    except (AgentwsError, OSError, ValueError, KeyError, TypeError):
        return None


def keep(files: Files, known: Underway) -> None:
    """Save the state of the migration, durably."""
    local_dir.prepare(files)
    fields: dict[str, object] = {name: getattr(known, name) for name in Underway.__slots__}
    record = {"agentws": 1, **fields, "inode": os.stat(files.root).st_ino}
    files.replace(PATH, plainjson.dumps(record).encode() + b"\n", expects=files.digest(PATH))


def forget(files: Files) -> None:
    """Remove the state of the migration."""
    if files.exists(PATH):
        files.remove(PATH, expects=files.digest(PATH))
