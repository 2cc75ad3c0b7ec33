"""The layers of an agent's memory at a glance: what it is doing, what it did lately, what it keeps for ever."""

from __future__ import annotations

from agentws.core.formats import layout
from agentws.core.installation import installation
from agentws.core.journal import head, rotation
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agentws.core.stores.stores import Stores

WORKING, SESSION, LONG_TERM = "working", "session", "long-term"
_LARGEST_READ_BYTES = 1 << 20
_BULLETS = ("- ", "* ", "+ ")


def layers(stores: Stores, *, days: Sequence[str], handoffs: int, gone: Collection[str]) -> list[tuple[str, str]]:
    """(layer, what is in it) of each layer, the shortest-lived first; sessions that are `gone` do not work."""
    newest = f"newest log {days[-1]}" if days else "no log yet"
    notes = f"{handoffs} handoff{'s' * (handoffs != 1)} open" if handoffs else "no handoff open"
    return [(WORKING, _working(stores, gone)), (SESSION, f"{newest}, {notes}"), (LONG_TERM, _long_term(stores))]


def _working(stores: Stores, gone: Collection[str]) -> str:
    try:
        here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
        end = head.read(stores.files, here.writer, here.secret) if here is not None else None
        if end is None:
            return "no session on this machine yet"
        outline = rotation.outline(stores.files, end)
    except (AgentwsError, ValueError):
        return "the journal is unreadable"
    running = (
        ", ".join([name for name in reversed(outline.sessions) if name not in gone][:3]) or "no session is running"
    )
    flying = len(outline.open)
    return running + (f"; {flying} action{'s' * (flying != 1)} in flight" if flying else "")


def _long_term(stores: Stores) -> str:
    try:
        text = stores.files.part(layout.MEMORY, _LARGEST_READ_BYTES)[0].decode("utf-8", "replace")
    except AgentwsError:
        return f"no {layout.MEMORY}"
    count = sum(line.startswith(_BULLETS) for line in text.split("\n"))
    return f"{layout.MEMORY}, {count} entr{'y' if count == 1 else 'ies'}"
