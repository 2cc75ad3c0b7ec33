"""The install record: what `install` wrote into a host's settings, and what was there before, for `uninstall`.

Each record is a file in `.agentws/installed/` that only its owner can read: settings may hold keys. Specified in
docs/format/local.md.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files, local_dir
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
    """The record of an installation of `host`, at a `level`, in the absolute `folder`.

    `before` maps each place to the text that it had (None: no file), `after` to the digest of what was written;
    `folders` are the absolute folders that were made, the innermost first. `rules` are the permission rules that were
    added to a person's list, None if that was not recorded.
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
        """Return whether `text`, the content of the file at `place`, is still what install wrote."""
        return place in self.after and self.after[place] == digest_of(text)


def digest_of(text: str | None) -> str:
    """Return the digest of a settings text as it is written to a file, ABSENT for no file."""
    return ABSENT if text is None else digest.of(text.encode("utf-8", "surrogateescape"))


def find(files: Files, host: str, folder: str) -> Record | None:
    """Return the install record of `host` in `folder`, None if there is none that can be read."""
    return _read(files, _path(host, folder))


def all_of(files: Files) -> list[Record]:
    """Return every install record that can be read."""
    names = [name for name, kind in files.names(FOLDER) if kind == "file" and name.endswith(".json")]
    return [record for name in names if (record := _read(files, f"{FOLDER}/{name}"))]


def keep(files: Files, record: Record) -> None:
    """Write the install record, durably."""
    local_dir.prepare(files)
    files.make_folder(FOLDER)
    path = _path(record.host, record.folder)
    fields = {"agentws": 1, **{name: getattr(record, name) for name in sorted(Record.__slots__)}}
    if not files.exists(path):
        # Made empty first with this mode: a file that is replaced keeps its mode.
        try:
            os.close(files.open(path, os.O_WRONLY | os.O_CREAT, _MODE))
        except OSError as error:
            raise _files.failure(error, path) from error
    files.replace(path, plainjson.dumps(fields, indent=1).encode() + b"\n", expects=files.digest(path))


def forget(files: Files, record: Record) -> None:
    """Remove the install record."""
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
        return None  # without a record, agentws's parts are recognised by their content
    return record
