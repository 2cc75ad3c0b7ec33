"""Changes of identity files such as SOUL.md since a person last accepted them, and since when."""

from __future__ import annotations

from agentws.core import Record
from agentws.core.formats import digest, layout
from agentws.core.identity import pins
from agentws.core.installation import installation
from agentws.errors import AgentwsError, MissingFileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from agentws.core.identity.pins import Pin
    from agentws.core.states.past import Past
    from agentws.core.stores.stores import Stores

_ENTRY = "soul"
_MOST_STATES = 200
_SHOWN = 24
_MOST_NAMED, _MOST_CHARS = 3, 24
_MOST_SEEN, _MARK_DIGITS = 16, 16
_MOST_SAID = 200
"""Boot cuts a notice at this length, and the remedy is at its end."""
ACCEPT = "agentws identity show --accept"
TODAY = "(shown today only)"


class ChangedFile(Record):
    """An identity file or table that differs from its pin: its `name`, the `pin`, its digest `now` (empty: gone).

    `since` says in words when it changed, as far as history or this machine knows; else it is empty. `seen` is the day
    on which this machine first saw the change. `is_unreadable` says that the file exists but cannot be read, `is_kept`
    that it is gone and history may have it.
    """

    name: str
    pin: Pin
    now: str
    seen: str
    since: str = ""
    is_unreadable: bool = False
    is_kept: bool = False

    @property
    def strict(self) -> bool:
        """Return whether an identity file's change is reported until accepted, not only on the day it is seen."""
        return self.name in pins.STRICT


def changed(stores: Stores) -> list[ChangedFile]:
    """Return the identity files that differ from their pins, in the order of the pins; none without pins."""
    own = stores.installation()
    folder = own.folder if own is not None else installation.place(*stores.machine)
    kept = pins.read(folder)
    known = kept or (pins.brought(stores.files) if own is None else {})
    if not known:
        return []
    now = pins.present(stores.files, stores.manifest)
    moved = [(name, pin) for name, pin in known.items() if now.get(name, pin.digest) != pin.digest]
    if not moved:
        return []
    today = stores.clock.now().date().isoformat()
    seen = _seen(folder if kept else "", {name: now[name] for name, _ in moved}, today)
    return [_with_since(stores, ChangedFile(name, pin, now[name], seen[name]), today) for name, pin in moved]


def notices(stores: Stores) -> list[str]:
    """Return the sentences of boot about changed identity files."""
    changed_files = changed(stores)
    if not changed_files:
        return []
    now = stores.clock.now()
    today = now.date().isoformat()
    result = [sentence([changed_file], now) for changed_file in changed_files if changed_file.is_unreadable][:1]
    rest = [changed_file for changed_file in changed_files if not changed_file.is_unreadable]
    strict = [changed_file for changed_file in rest if changed_file.strict]
    quiet = [changed_file for changed_file in rest if not changed_file.strict and changed_file.seen == today]
    result += [sentence(strict, now)] if strict else []
    if quiet:
        result.append(f"{sentence(quiet, now)} {TODAY}")
    return result


def also(stores: Stores) -> str:
    """Return the names of changed identity files that boot reports for one day alone; empty for none."""
    return ", ".join(changed_file.name for changed_file in changed(stores) if not changed_file.strict)


def sentence(changed_files: list[ChangedFile], now: datetime) -> str:
    """Return one sentence about changed identity files, with the remedy; short enough for boot to show it whole."""
    if changed_files[0].is_unreadable:
        return f"{_short(changed_files[0].name)} cannot be read. Check the owner and mode of the file."
    from agentws.core.disk import clock  # only boots with a changed file need it

    agreed = clock.local(min(changed_file.pin.at for changed_file in changed_files), now)
    most = len(pins.STRICT) if changed_files[0].strict else _MOST_NAMED
    names = [_short(changed_file.name) for changed_file in changed_files[:most]]
    kept = next((changed_file.name for changed_file in changed_files if changed_file.is_kept), "")
    remedy = f"{_restore(kept) if kept else ''}To accept: {ACCEPT}"
    if len(changed_files) == 1:
        what = f"{names[0]} {'has changed' if changed_files[0].now else 'is gone'} since it was accepted on {agreed}"
        whole = f"{what}, {changed_files[0].since}. {remedy}" if changed_files[0].since else ""
        return whole if 0 < len(whole) <= _MOST_SAID else f"{what}. {remedy}"
    last = f"{len(changed_files) - most + 1} more" if len(changed_files) > most else names[-1]
    return f"{', '.join(names[:-1])} and {last} have changed since they were accepted on {agreed}. {remedy}"


def _restore(name: str) -> str:
    from agentws.core.text import sh  # few files are ever gone

    return f"To restore: agentws restore {sh.quote(name)}. "


def _short(name: str) -> str:
    return name if len(name) <= _MOST_CHARS else f"{name[:_MOST_CHARS]}…"


def _with_since(stores: Stores, changed_file: ChangedFile, today: str) -> ChangedFile:
    """Add the words about since when: from history for strict files, else the day on which the change was seen."""
    if not changed_file.now and stores.files.exists(changed_file.name):
        changed_file.is_unreadable = True
        return changed_file
    changed_file.is_kept = not changed_file.now and stores.keeps_history()
    if changed_file.strict and "[" not in changed_file.name:
        changed_file.since = _remembered(stores, changed_file)
    if not changed_file.since and changed_file.seen < today:
        changed_file.since = f"first noticed on {changed_file.seen}"
    return changed_file


def _seen(folder: str, now: dict[str, str], today: str) -> dict[str, str]:
    """Return the day on which each change was first seen; saved if one of them is new."""
    if not folder:
        return dict.fromkeys(now, today)
    try:
        known = installation.left(folder, installation.SEEN)
        days = {name: day for name, mark, day in known if _mark(now.get(name, "")) == mark}
    except (AgentwsError, ValueError, TypeError):
        days = {}
    new = {name: days.get(name, today) for name in now}
    if new != days and len(new) <= _MOST_SEEN:
        rows = [[name, _mark(now[name]), day] for name, day in new.items()]
        installation.leave(folder, installation.SEEN, rows)
    return new


def _mark(text: str) -> str:
    return digest.quick(text.encode())[:_MARK_DIGITS]


def _remembered(stores: Stores, changed: ChangedFile) -> str:
    entry = _ENTRY if changed.name == layout.SOUL else f"{_ENTRY}-{digest.quick(changed.name.encode())[:8]}"
    known = stores.cache.get(entry)
    if known is not None and known[:2] == [changed.pin.digest, changed.now]:
        return str(known[2])
    try:
        from agentws.core.states import versions  # history is asked only where the file has changed

        past = versions.open_past(stores.files, stores.manifest)
        result = _since(stores, past, changed.name) if past is not None else ""
    except AgentwsError:
        return ""
    if result:  # what no state holds yet may be in one tomorrow
        stores.cache.put(entry, [changed.pin.digest, changed.now, result], made_by=[__file__])
    return result


def _since(stores: Stores, past: Past, name: str) -> str:
    """Return in words the oldest of the newest consecutive states with the present file; empty for none."""
    wanted = _content_id(stores, past, name)
    states = past.states(_MOST_STATES)
    result = ""
    contents = past.contents_of([(state, name) for state, _, _ in states])
    for (state, at, message), content in zip(states, contents, strict=True):
        if content != wanted:
            break
        subject = message.strip().partition("\n")[0][:_SHOWN]
        result = f"by the state {state[:8]} of {at:%Y-%m-%d %H:%M} ({subject})"
    return result


def _content_id(stores: Stores, past: Past, name: str) -> str:
    try:
        return past.content_id(stores.files.read(name))
    except MissingFileError:
        return ""
