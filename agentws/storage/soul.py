"""Whether SOUL.md is what a person last agreed to, and since when it is not, as far as history knows."""

from __future__ import annotations

from agentws.errors import AgentwsError, MissingFileError
from agentws.formats import layout
from agentws.storage import installation, pinned_soul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.past import Past
    from agentws.storage.pinned_soul import Pin
    from agentws.storage.stores import Stores

_ENTRY = "soul"
_MOST_STATES = 200
_SHOWN = 24


class Changed:
    """A SOUL.md that is not the one that was pinned: the `pin`, the digest `now` (empty: it is gone), and `since`.

    `since` says in words when it became so, and by which state of history; empty where history does not know.
    """

    __slots__ = ("now", "pin", "since")

    def __init__(self, pin: Pin, now: str, since: str) -> None:
        self.pin = pin
        self.now = now
        self.since = since


def changed(stores: Stores) -> Changed | None:
    """How SOUL.md differs from what was pinned, None where it does not, or nothing is pinned."""
    here = installation.find(stores.files, stores.manifest.agent_id, stores.environment.state)
    pin = pinned_soul.read(here.folder) if here is not None else pinned_soul.brought(stores.files)
    if pin is None:
        return None
    now = pinned_soul.present(stores.files)
    return None if now == pin.digest else Changed(pin, now, _remembered(stores, pin, now))


def notices(stores: Stores) -> list[str]:
    """What boot says of it: one sentence, or nothing."""
    found = changed(stores)
    if found is None:
        return []
    what = "has changed" if found.now else "is gone"
    since = f", {found.since}" if found.since else ""
    agreed = found.pin.at[:16].replace("T", " ")
    return [
        f"{layout.SOUL} {what} since it was agreed to on {agreed} UTC{since}. "
        "If it is right: agentws identity show --accept"
    ]


def _remembered(stores: Stores, pin: Pin, now: str) -> str:
    known = stores.cache.get(_ENTRY)
    if known is not None and known[:2] == [pin.digest, now]:
        return str(known[2])
    try:
        from agentws.storage import versions  # history is asked only where the soul has changed

        past = versions.open_past(stores.files, stores.manifest)
        found = _since(stores, past) if past is not None else ""
    except AgentwsError:
        return ""
    if found:  # what no state holds yet may be in one tomorrow
        stores.cache.put(_ENTRY, [pin.digest, now, found], made_by=[__file__])
    return found


def _since(stores: Stores, past: Past) -> str:
    """In words, the oldest of the newest states in a row that have SOUL.md as it is now; empty where none has it."""
    wanted = _content_id(stores, past)
    states = past.states()[:_MOST_STATES]
    found = ""
    contents = past.contents_of([(name, layout.SOUL) for name, _, _ in states])
    for (name, at, message), content in zip(states, contents, strict=True):
        if content != wanted:
            break
        subject = message.strip().partition("\n")[0][:_SHOWN]
        found = f"by the state {name[:8]} of {at:%Y-%m-%d %H:%M} ({subject})"
    return found


def _content_id(stores: Stores, past: Past) -> str:
    try:
        return past.content_id(stores.files.read(layout.SOUL))
    except MissingFileError:
        return ""
