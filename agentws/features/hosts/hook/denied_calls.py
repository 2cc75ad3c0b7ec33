"""Finds the calls of a batch without a recorded result: denied calls, which only a batch reports, or failed hooks."""

from __future__ import annotations

from agentws.core.formats.journal import event, segment, segment_index
from agentws.core.journal import read
from agentws.errors import AgentwsError
from agentws.features.hosts.hook import call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.call import Done

_MOST_BYTES = 1 << 19
"""The bytes at the end of the journal that are searched: a batch ends soon, or is closed with its turn."""


def unreported(stores: Stores, calls: Sequence[Done]) -> list[Done]:
    """Return the calls of a batch that are recorded as begun here, and have no recorded result."""
    wanted = {call.named(name) for _, name, *_ in calls}
    begun, ended = _seen(_newest(stores), wanted) if wanted else (set(), set())
    return [one for one in calls if call.named(one[1]) in begun - ended]


def _newest(stores: Stores) -> list[bytes]:
    """Return the newest lines of this writer's journal, the oldest first."""
    writer = stores.appender().writer
    found: list[bytes] = []
    for number in reversed(read.newest(stores.files, writer, 2)):
        try:
            data, _ = stores.files.part(segment.path(writer, number), _MOST_BYTES, from_end=True)
        except AgentwsError:
            break  # `journal verify` names what is damaged
        found = [*data.split(b"\n"), *found]
        if len(data) == _MOST_BYTES:
            break
    return found


def _seen(lines: Sequence[bytes], wanted: set[str]) -> tuple[set[str], set[str]]:
    """Return which of these calls began in these lines, and which ended there."""
    words = [name.encode() for name in wanted]
    begun: set[str] = set()
    ended: set[str] = set()
    for line in lines:
        kind = segment.kind_of(line)
        is_whole = line.startswith(b"{") and line.endswith(b"}")
        if is_whole and kind in event.CALLS and any(word in line for word in words):
            name, _ = segment_index.glance(line)
            if name in wanted:
                (begun if kind == event.ACTION else ended).add(name)
    return begun, ended
