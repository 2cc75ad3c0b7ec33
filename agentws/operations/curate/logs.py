"""The newest logs, also archived ones, as an author is asked about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentws.errors import AgentwsError, DiskError
from agentws.formats import layout
from agentws.formats.documents import document, sources
from agentws.storage.disk import dir_cache
from agentws.storage.workspace import provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.storage.disk.files import Files
    from agentws.storage.workspace.stores import Stores

MOST_DAYS = 120
"""So many logs are looked through, the newest."""
MOST_CHARS = 1 << 21
"""So much of them is looked through: of a log that is longer, its beginning, where its headings are known."""


@dataclass(slots=True)
class Log:
    """A log as it was read.

    Fields:
        path: where its day was before it was archived; by this its lines are known. place: where it is.
        day: ISO. body: its text, which begins at `first_line`.
    """

    path: str
    place: str
    day: str
    body: str
    first_line: int


def newest(stores: Stores) -> list[Log]:
    """Read the newest logs, the newest first; what cannot be read, or is too long, is a notice."""
    files = dir_cache.over(stores.files)
    try:
        return list(_read(stores, files))
    finally:
        dir_cache.let_go(files)


def _read(stores: Stores, files: Files) -> Iterator[Log]:
    logs = sorted(_logs(files), reverse=True)[:MOST_DAYS]
    known = sources.Sidecar()
    for month in {sources.month_path(day) for day, path in logs if path.startswith(layout.ARCHIVE)}:
        sources.decode(provenance.text_of(files, month), known)
    before = {row.to: row.path for row in known.every() if len(known.places(row.path)) == 1}
    live = {path for _, path in logs}
    room = MOST_CHARS
    for day, path in logs:
        named = before.get(path, path)
        try:
            read, damage = document.lenient(files.read(path), where=path)
        except DiskError:
            raise
        except AgentwsError as error:
            stores.notices.append(error.message)
            continue
        if damage is not None:
            stores.notices.append(damage.message)
        one = Log(path if named in live else named, path, day, beginning(read.body, room), read.body_line)
        if one.body != read.body:
            last = one.first_line + one.body.count("\n") - 1
            stores.notices.append(f"{path}: too long to search. Skipped: everything after line {last}.")
        room -= len(one.body)
        yield one


def beginning(text: str, most: int) -> str:
    """Return the whole lines that a text begins with, at most so many characters."""
    return text if len(text) <= most else text[: text.rfind("\n", 0, most) + 1]


def _logs(files: Files) -> Iterator[tuple[str, str]]:
    """(day, path) of each log, archived ones too."""
    folders = [layout.DAYS]
    if any(name == "archive" and kind == "folder" for name, kind in files.names(layout.DAYS)):
        years = [name for name, kind in files.names(layout.ARCHIVE) if kind == "folder" and name.isdecimal()]
        folders += [f"{layout.ARCHIVE}/{year}" for year in years]
    for folder in folders:
        for name in files.listing(folder):
            if day := layout.day_of(name):
                yield day, f"{folder}/{name}"
