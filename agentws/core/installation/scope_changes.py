"""Wider settings from elsewhere, which would send out more files: they do not count until a person agrees.

The settings are `sync.include` and `history.include`. A key missing from the file was not checked yet: a copy that
meets a remote first records its present values.
"""

from __future__ import annotations

from agentws.core.disk.files import Files
from agentws.core.formats import manifest
from agentws.core.formats.json import plainjson
from agentws.core.formats.manifest import Manifest
from agentws.errors import AgentwsError, MissingFileError

FOLDER = ".agentws/sync"
FILE = f"{FOLDER}/wider.json"
KEYS = ("sync.include", "history.include")


def agreed(files: Files, settings: Manifest, key: str) -> list[str]:
    """Return the values of a setting without wider ones that nobody has agreed to."""
    words = list(settings.setting(key))
    waiting = _read(files).get(key, ()) if words else ()
    return [each for each in words if each not in waiting]


def waiting(files: Files, settings: Manifest) -> dict[str, list[str]]:
    """Return the wider values that came from elsewhere and wait for a person, by setting."""
    words_by_key = {
        key: [each for each in settings.setting(key) if each in words] for key, words in _read(files).items()
    }
    return {key: words for key, words in words_by_key.items() if words}


def is_met(files: Files) -> bool:
    """Return whether this copy has recorded the values that it agrees to, so that wider ones show."""
    return _read(files).keys() >= {*KEYS}


def meet(files: Files, settings: Manifest, *, agrees: bool) -> None:
    """Record what this copy agrees to at its first sync: all present values, or none (`agrees`); others are wider."""
    noted = _read(files)
    new = {key: [] if agrees else list(settings.setting(key)) for key in KEYS if key not in noted}
    if new:
        _write(files, {**noted, **new})


def drop_gone(files: Files, settings: Manifest) -> None:
    """Drop wider values that the manifest no longer has: if they come back, a person wrote them by hand."""
    noted = _read(files)
    left = {key: [each for each in settings.setting(key) if each in words] for key, words in noted.items()}
    if left != noted:
        _write(files, left)


def note(files: Files, before: bytes, after: bytes) -> None:
    """Record the wider values that a merged manifest adds to the one `before`, durably, before it is written."""
    old, new = _decoded(before), _decoded(after)
    if new is None:
        return  # no verb works with it either
    noted = _read(files)
    more = dict(noted)
    for key in KEYS:
        known = old.setting(key) if old is not None else ()
        if added := [each for each in new.setting(key) if each not in known]:
            more[key] = [*dict.fromkeys([*noted[key], *added])] if key in noted else list(new.setting(key))
    if more != noted:
        _write(files, more)


def agree(files: Files, *keys: str) -> None:
    """Record that a person has agreed to these wider settings here."""
    noted = _read(files)
    agreed = {**noted, **{key: [] for key in keys}}
    if agreed != noted:
        _write(files, agreed)


def _decoded(data: bytes) -> Manifest | None:
    try:
        return manifest.decode(data, where="")
    except AgentwsError:
        return None


def _read(files: Files) -> dict[str, list[str]]:
    try:
        by_key = plainjson.fields_of(files.read(FILE))
    except MissingFileError:
        return {}
    return {key: [str(each) for each in by_key[key]] for key in KEYS if isinstance(by_key.get(key), list)}


def _write(files: Files, noted: dict[str, list[str]]) -> None:
    files.make_folder(FOLDER)
    data = plainjson.dumps({"agentws": 1, **noted}).encode() + b"\n"
    files.replace(FILE, data, expects=files.digest(FILE))
