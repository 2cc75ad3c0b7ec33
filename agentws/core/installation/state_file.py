"""JSON files in the state of this installation: read leniently, replaced durably."""

from __future__ import annotations

from agentws.core.disk import files as _files
from agentws.core.formats import digest
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation, state_dir
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol, TypeVar

    from agentws.core.installation.state_dir import State

    class Row(Protocol):
        """A row of a list."""

        def plain(self) -> dict[str, object]:
            """The row as a value of JSON."""

    T = TypeVar("T")
    R = TypeVar("R", bound=Row)

FILES = ("backups", "forgotten", "remotes")
"""The files that are changed here alone."""
LOCK = "state"
_LIST_BYTES = 1 << 20
_LOCK_TIMEOUT_S = 10.0


def read(
    files: _files.Files, agent: str, state: State, name: str, decode: Callable[[Any], T], *, limit_bytes: int
) -> T | None:
    """Return the decoded state file; None if it is missing or unreadable.

    DiskError if the disk itself fails: unreadable data may still exist.
    """
    try:
        data = _files.Outside(installation.place(files, agent, state)).read(name, limit_bytes=limit_bytes)
        return decode(plainjson.loads(data))
    except AgentwsError as error:
        if installation.is_failing(error):
            raise
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def update(
    files: _files.Files, agent: str, state: State, name: str, decode: Callable[[Any], T],
    change: Callable[[T | None], Mapping[str, object]], *, limit_bytes: int, indent: int | None = None,
) -> None:  # fmt: skip
    """Replace the state file by what `change` makes of its present value; the state folder is made if needed.

    Under a lock: no other process changes it meanwhile, and what killed ones left beside the FILES is removed.
    """
    from agentws.core.disk import local_dir, lock  # readers do without

    current = installation.find(files, agent, state)
    folder = current.folder if current is not None else state_dir.ensure(files, agent, state)
    with _files.Failing(folder):
        state_dir.make(folder)
    local_dir.prepare(files)
    own = _files.Outside(folder)
    with lock.Lock(files, LOCK, timeout_s=_LOCK_TIMEOUT_S):
        for other in FILES:
            own.clear_beside(other)
        fields = change(read(files, agent, state, name, decode, limit_bytes=limit_bytes))
        try:
            before = digest.of(own.read(name, limit_bytes=limit_bytes))
        except MissingFileError:
            before = digest.ABSENT
        own.replace(name, plainjson.dumps(fields, indent=indent).encode() + b"\n", expects=before)


def rows(
    files: _files.Files, agent: str, state: State, name: str, key: str, decode: Callable[[Mapping[str, Any]], R]
) -> list[R]:
    """Return the list under `key` in a state file; like `read`, but empty if unreadable."""
    return read(files, agent, state, name, _list_of(key, decode), limit_bytes=_LIST_BYTES) or []


def update_rows(
    files: _files.Files, agent: str, state: State, name: str, key: str, decode: Callable[[Mapping[str, Any]], R],
    change: Callable[[list[R]], Sequence[R]],
) -> None:  # fmt: skip
    """Replace the list under `key` in a state file by what `change` makes of it; like `update`."""

    def changed(present: list[R] | None) -> dict[str, object]:
        return {"agentws": 1, key: [item.plain() for item in change(present or [])]}

    update(files, agent, state, name, _list_of(key, decode), changed, limit_bytes=_LIST_BYTES, indent=2)


def _list_of(key: str, decode: Callable[[Mapping[str, Any]], R]) -> Callable[[Any], list[R]]:
    return lambda value: [decode(item) for item in value[key]]
