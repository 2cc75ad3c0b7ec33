"""The record of `install`: what it wrote where, and what was there before; `uninstall` restores it byte for byte.

A record each, in `.agentws/installed/`, for the owner alone: settings may hold keys. Specified in docs/format/local.md.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files
from agentws.core.disk import local_dir
from agentws.core.formats import digest
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.json import plainjson
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.core.disk.files import Files

FOLDER = ".agentws/installed"
_MODE = 0o600


class Record:
    """An installation: of the `host`, at a `level`, in the absolute `folder`.

    `before` says of each place what stood there (None: nothing), `after` the digest of what was put there; `folders`
    are those that were made, absolute, the innermost first. `rules` are those that were put among a person's, None
    where that was not kept.
    """

    __slots__ = ("after", "before", "folder", "folders", "host", "level", "rules")

    def __init__(self, host: str, level: str, folder: str) -> None:
        self.host = host
        self.level = level
        self.folder = folder
        self.before: dict[str, str | None] = {}
        self.after: dict[str, str] = {}
        self.folders: list[str] = []
        self.rules: list[str] | None = None

    def holds(self, place: str, text: str | None) -> bool:
        """Return whether the file at `place` is still as it was left."""
        return place in self.after and self.after[place] == digest_of(text)


def digest_of(text: str | None) -> str:
    """The digest of a text as it is written to a file."""
    return ABSENT if text is None else digest.of(text.encode("utf-8", "surrogateescape"))


def find(files: Files, host: str, folder: str) -> Record | None:
    """The record of what was installed in `folder`, None where there is none that can be read."""
    return _read(files, _path(host, folder))


def all_of(files: Files) -> list[Record]:
    """Every record that can be read."""
    names = [name for name, kind in files.names(FOLDER) if kind == "file" and name.endswith(".json")]
    return [record for name in names if (record := _read(files, f"{FOLDER}/{name}"))]


def keep(files: Files, record: Record) -> None:
    """Write the record, durably."""
    local_dir.prepare(files)
    files.make_folder(FOLDER)
    path = _path(record.host, record.folder)
    fields = {"agentws": 1, **{name: getattr(record, name) for name in sorted(Record.__slots__)}}
    if not files.exists(path):
        # Made empty first, since what is replaced keeps its mode.
        try:
            os.close(files.open(path, os.O_WRONLY | os.O_CREAT, _MODE))
        except OSError as error:
            raise _files.failure(error, path) from error
    files.replace(path, plainjson.dumps(fields, indent=1).encode() + b"\n", expects=files.digest(path))


def forget(files: Files, record: Record) -> None:
    """Remove the record."""
    path = _path(record.host, record.folder)
    files.remove(path, expects=files.digest(path))
    files.remove_folder(FOLDER)


def _path(host: str, folder: str) -> str:
    return f"{FOLDER}/{host}-{digest.quick(os.fsencode(folder))}.json"


def _read(files: Files, path: str) -> Record | None:
    try:
        fields = plainjson.loads(files.read(path))
        record = Record(str(fields["host"]), str(fields["level"]), str(fields["folder"]))
        record.before = {str(place): text if text is None else str(text) for place, text in fields["before"].items()}
        record.after = {str(place): str(known) for place, known in fields["after"].items()}
        record.folders = [str(folder) for folder in fields["folders"]]
        rules = fields.get("rules")
        record.rules = [str(rule) for rule in rules] if isinstance(rules, list) else None
    except (AgentwsError, ValueError, KeyError, TypeError, AttributeError):
        return None  # without it, what is ours is told by its looks
    return record
