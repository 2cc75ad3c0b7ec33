"""Finds the calls without a recorded result: denied or failed ones, which no hook of their own reports."""

from __future__ import annotations

from agentws.core.formats.journal import event, segment, segment_index
from agentws.core.formats.json import plainjson
from agentws.core.journal import read
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.stores.stores import Stores

_MOST_BYTES = 1 << 19
"""The bytes at the end of the journal that are searched: a batch ends soon, or is closed with its turn."""


def open_calls(stores: Stores, names: set[str]) -> set[str]:
    """Return which of these calls are recorded as begun here, and have no recorded result."""
    return _open(_newest(stores), names)


def is_any_open(stores: Stores, session: str) -> bool:
    """Return whether a call that began in the newest turn of this session has no recorded result."""
    word, own = f'"session":{plainjson.dumps(session)},'.encode(), b'"src":"agent"'
    ended: set[str | None] = set()
    for line in reversed(_newest(stores)):
        kind = segment.kind_of(line) if word in line else ""
        if kind in event.CALLS and line.startswith(b"{") and line.endswith(b"}"):
            name, _ = segment_index.glance(line)
            if kind == event.ACTION and name not in ended:
                return True
            ended.add(name)
        elif kind in (event.NOTE, event.STARTED) and own not in line:
            return False  # what is still open from an earlier turn, the end of the session looks at again
    return False


def _newest(stores: Stores) -> list[bytes]:
    """Return the newest lines of this writer's journal, the oldest first."""
    writer = stores.appender().writer
    result: list[bytes] = []
    for number in reversed(read.newest(stores.files, writer, 2)):
        try:
            data, _ = stores.files.part(segment.path(writer, number), _MOST_BYTES, from_end=True)
        except AgentwsError:
            break  # `journal verify` names what is damaged
        result = [*data.split(b"\n"), *result]
        if len(data) == _MOST_BYTES:
            break
    return result


def _open(lines: Sequence[bytes], wanted: set[str]) -> set[str]:
    """Return which of these calls began in these lines, and did not end there: an id may begin again."""
    words = [name.encode() for name in wanted]
    result: set[str] = set()
    for line in lines:
        kind = segment.kind_of(line)
        is_whole = line.startswith(b"{") and line.endswith(b"}")
        if is_whole and kind in event.CALLS and any(word in line for word in words):
            name, _ = segment_index.glance(line)
            if name in wanted:
                (result.add if kind == event.ACTION else result.discard)(name)
    return result
