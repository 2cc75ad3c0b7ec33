"""What a merge has added to the settings that say which files go out: nothing of it counts until a person agrees."""

from __future__ import annotations

from agentws.errors import AgentwsError, MissingFileError
from agentws.formats import manifest
from agentws.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.formats.manifest import Manifest
    from agentws.storage.disk.files import Files

FOLDER = ".agentws/sync"
FILE = f"{FOLDER}/wider.json"
KEYS = ("sync.include", "history.include")


def agreed(files: Files, told: Manifest, key: str) -> list[str]:
    """What a setting says, without what nobody here has agreed to."""
    said = list(told.setting(key))
    waiting = _read(files).get(key, ()) if said else ()
    return [each for each in said if each not in waiting]


def waiting(files: Files, told: Manifest) -> dict[str, list[str]]:
    """What came from elsewhere and waits for a person, by the setting."""
    found = {key: [each for each in told.setting(key) if each in words] for key, words in _read(files).items()}
    return {key: words for key, words in found.items() if words}


def drop_gone(files: Files, told: Manifest) -> None:
    """Let what the manifest says no more go: whoever writes it there again by hand has agreed to it."""
    left = waiting(files, told)
    if left != _read(files):
        _write(files, left)


def note(files: Files, before: bytes, after: bytes) -> None:
    """Keep what a merged manifest would add to the one that stood here `before`, durably, before it is written."""
    old, new = _decoded(before), _decoded(after)
    if new is None:
        return  # no verb works with it either
    noted = _read(files)
    more = {key: [*noted.get(key, ()), *_added(old, new, key)] for key in KEYS}
    more = {key: [*dict.fromkeys(words)] for key, words in more.items() if words}
    if more != noted:
        _write(files, more)


def agree(files: Files, key: str) -> None:
    """Let a setting count as it is: a person has set it here."""
    noted = _read(files)
    if noted.pop(key, None):
        _write(files, noted)


def _decoded(data: bytes) -> Manifest | None:
    try:
        return manifest.decode(data, where="")
    except AgentwsError:
        return None


def _added(before: Manifest | None, after: Manifest, key: str) -> list[str]:
    known = before.setting(key) if before is not None else ()
    return [each for each in after.setting(key) if each not in known]


def _read(files: Files) -> dict[str, list[str]]:
    try:
        told = plainjson.loads(files.read(FILE))
    except (MissingFileError, ValueError):
        return {}
    found = told if isinstance(told, dict) else {}
    return {key: [str(each) for each in found[key]] for key in KEYS if isinstance(found.get(key), list)}


def _write(files: Files, noted: dict[str, list[str]]) -> None:
    files.make_folder(FOLDER)
    data = plainjson.dumps({"agentws": 1, **noted}).encode() + b"\n"
    files.replace(FILE, data, expects=files.digest(FILE))
