"""Pins of the files and manifest tables that say who the agent is, as a person last agreed to them.

The digests are in the state of this installation, outside of the workspace: changing the files does not change them.
SOUL.md has a pin file of its own, as in earlier versions. Specified in docs/format/local.md.
"""

from __future__ import annotations

from agentws.changes import ChangeSet, Move
from agentws.core import Record
from agentws.core.disk import files as _files
from agentws.core.formats import digest, layout
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from agentws.core.disk.files import Files
    from agentws.core.formats.manifest import Manifest

TABLES = ("boot", "identity")
"""The manifest tables that say what the agent reads at boot, and who may write."""
STRICT = (layout.SOUL, layout.IDENTITY, *(f"{layout.MANIFEST} [{name}]" for name in TABLES))
"""Files and tables that seldom change and say who the agent is: a change is reported until a person agrees."""
_FILES = (layout.SOUL, layout.IDENTITY, layout.USER, layout.AGENTS)
_FOLDERS = "log.folders"
_LIMIT_BYTES = 1 << 20
_MOST_PINNED = 100
"""A manifest that names more files has a changed `[boot]` table, which is reported."""


class Pin(Record):
    """A pin: the `digest` of a file or table (ABSENT for no file) as agreed to at the time `at`; `by` names the agentws
    verb that has changed it since, empty for none.
    """

    digest: str
    at: str
    by: str = ""

    def plain(self) -> dict[str, str]:
        """Return the pin as a JSON dictionary."""
        return {"digest": self.digest, "at": self.at} | ({"by": self.by} if self.by else {})


Pins = dict[str, Pin]
"""Pins by the RelPath of the file, or by the manifest's path and the name of a table."""


def read(folder: str) -> Pins:
    """Return the pins in this state; empty if there is none or they are unreadable."""
    pins: Pins = {}
    soul = _pin(_decoded(folder, installation.PIN))
    if soul is not None:
        pins[layout.SOUL] = soul
    return pins | decode(_decoded(folder, installation.PINS).get("files"))


def decode(stated: Any) -> Pins:
    """Return the pins in a JSON dictionary; unreadable ones are left out."""
    if not isinstance(stated, dict):
        return {}
    pins = {name: _pin(value) for name, value in stated.items()}
    return {name: pin for name, pin in pins.items() if pin is not None}


def present(files: Files, manifest: Manifest) -> dict[str, str]:
    """Return the present digest of each identity file and table to be pinned, ABSENT if it cannot be read."""
    names = [*_FILES, *(name for name in manifest.setting("boot.pinned")[:_MOST_PINNED] if name not in _FILES)]
    digests = {name: _digest(files, name) for name in names}
    return digests | tables(manifest)


def tables(manifest: Manifest) -> dict[str, str]:
    """Return the digest of each manifest table to be pinned, over its settings as JSON.

    `log.folders`, which says what else boot reads, counts with the table `boot` if it names any.
    """
    settings = sorted(manifest.settings.items())
    by_name = {name: {key: value for key, value in settings if key.startswith(f"{name}.")} for name in TABLES}
    if folders := manifest.setting(_FOLDERS):
        by_name["boot"][_FOLDERS] = folders
    return {
        f"{layout.MANIFEST} [{name}]": digest.of(plainjson.dumps(value).encode()) for name, value in by_name.items()
    }


def keep(folder: str, pins: Mapping[str, Pin]) -> None:
    """Save these pins, durably, in place of all others."""
    own = _files.Files(folder)
    rest = {name: pin.plain() for name, pin in pins.items() if name != layout.SOUL}
    if layout.SOUL in pins:
        fields = {"agentws": 1, **pins[layout.SOUL].plain()}
        own.replace(installation.PIN, _encoded(fields), expects=own.digest(installation.PIN))
    own.replace(installation.PINS, _encoded({"agentws": 1, "files": rest}), expects=own.digest(installation.PINS))


def agree(files: Files, manifest: Manifest, folder: str, *, at: str) -> None:
    """Pin all files and tables as they are now, durably."""
    keep(folder, {name: Pin(text, at) for name, text in present(files, manifest).items()})


def start(files: Files, manifest: Manifest, folder: str, *, at: str) -> None:
    """Pin all files and tables as they are now, or as a migration brought their pins, durably."""
    keep(folder, {name: Pin(text, at) for name, text in present(files, manifest).items()} | brought(files))


def ensure(files: Files, folder: str, *, at: str) -> None:
    """Pin files and tables without a pin: with the pins that a migration brought, else as they are now."""
    own = _files.Files(folder)
    if own.exists(installation.PINS) and own.exists(installation.PIN):
        return
    from agentws.core.disk import lock  # each boot looks at the pins, few make them
    from agentws.core.formats import manifest as _manifest

    try:
        manifest = _manifest.decode(files.read(layout.MANIFEST), where=layout.MANIFEST)
    except AgentwsError:
        return  # nobody knows what it says: the next write looks again
    with lock.Lock(files, lock.APPEND):  # several processes may write first at once
        known = brought(files) | read(folder)
        keep(folder, {name: Pin(text, at) for name, text in present(files, manifest).items()} | known)


def follow(files: Files, folder: str, changes: ChangeSet, before: Manifest, *, at: str) -> None:
    """Update the pins after a change that agentws itself has made, durably: it was asked for.

    A file that had already been changed otherwise, without agreement, keeps its pin.
    """
    known = read(folder)
    moved = {
        name: was for name, was in _changed(changes, before).items() if name in known and known[name].digest == was
    }
    if not moved:
        return
    from agentws.core.disk import lock
    from agentws.core.formats import manifest as _manifest

    now = present(files, _manifest.decode(files.read(layout.MANIFEST), where=layout.MANIFEST))
    with lock.Lock(files, lock.APPEND):
        new = {name: Pin(now[name], at, changes.verb) for name, was in moved.items() if now.get(name, was) != was}
        keep(folder, read(folder) | new)


def brought(files: Files) -> Pins:
    """Return the pins that came with a migration, empty for none: a move agrees to nothing."""
    if not files.exists(layout.ARRIVAL):  # few have moved, and each boot asks
        return {}
    from agentws.core.identity import arrival

    soul, rest = arrival.pinned(files)
    return ({layout.SOUL: pin} if (pin := _pin(soul)) else {}) | decode(rest)


def _changed(changes: ChangeSet, before: Manifest) -> dict[str, str]:
    """Return the changed paths and tables, each with its digest before the change."""
    result = {layout.usual(change.path): change.expects for change in changes.changes}
    result |= {change.to: ABSENT for change in changes.changes if isinstance(change, Move)}
    if layout.MANIFEST in result:
        result |= tables(before)
    return result


def _digest(files: Files, name: str) -> str:
    try:
        return digest.of(files.part(name, _files.DOCUMENT_LIMIT_BYTES)[0])
    except AgentwsError:
        return ABSENT


def _pin(value: Any) -> Pin | None:
    words = [value.get(name) for name in ("digest", "at")] if isinstance(value, dict) else []
    if not words or not all(isinstance(word, str) for word in words):
        return None
    return Pin(str(words[0]), str(words[1]), str(value.get("by", "")))


def _decoded(folder: str, name: str) -> dict[str, Any]:
    try:
        return plainjson.fields_of(_files.Files(folder).read(name, limit_bytes=_LIMIT_BYTES))
    except AgentwsError:
        return {}


def _encoded(fields: Mapping[str, object]) -> bytes:
    return plainjson.dumps(fields).encode() + b"\n"
