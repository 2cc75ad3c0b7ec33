"""What the workspace holds and may leave this machine: everything but what belongs to the machine alone.

A file is read once: after that, one that the system tells the same of is taken as read.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager

from agentws.core.disk import files
from agentws.core.formats import digest, layout
from agentws.core.formats.git import gitconfig
from agentws.core.formats.travel import cargo, inventory
from agentws.errors import MissingFileError, UnsafeFileError
from agentws.features.copies.migrate.store import receiver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from agentws.core.formats.travel.inventory import Inventory, TreeEntry


_TICK_NS = 100_000_000
"""A change within this time after another one may leave a file's times as they are."""
_MARKS, _CHANGED_NS = 6, -1


class Tree:
    """The tree at `root` as it may travel (core/formats/travel/cargo.py), without what stands at `leave_out`
    (RelPaths).

    After a look, `texts` holds by path what is sent in the place of a file's content, `stripped` what stays and why.
    """

    __slots__ = ("_known", "_last", "_leave_out", "_read", "root", "stripped", "texts")

    def __init__(self, root: str, leave_out: Iterable[str] = ()) -> None:
        self.root = root
        self._leave_out = frozenset((layout.LOCAL, layout.MOVED, *leave_out))
        self._known: dict[str, list[Any]] = {}
        self._last: Inventory = {}
        self._read: dict[tuple[str, str], bytes] = {}
        self.texts: dict[str, bytes] = {}
        self.stripped: list[str] = []

    def scan(self) -> Inventory:
        """Return all that is in the tree now. DiskError where something cannot be read."""
        known: dict[str, list[Any]] = {}
        found: Inventory = {}
        settled_ns = time.time_ns() - _TICK_NS
        try:
            for told in receiver.walk(self.root, self._leave_out, self._known):
                path = told[0]
                found[path] = self._last[path] if self._known.get(path) is told else inventory.TreeEntry(*told[:_MARKS])
                if told[_MARKS][_CHANGED_NS] < settled_ns:
                    known[path] = told
        except OSError as error:
            raise files.failure(error, _beneath(self.root, error.filename)) from error
        self._known, self._last = known, found
        loaded = cargo.load(found, self._content, digest.of)
        self.texts, self.stripped = loaded.texts, loaded.stripped
        return loaded.entries

    def _content(self, entry: TreeEntry) -> bytes:
        """What a file holds, read once for each content; one that changes meanwhile is seen by the next look."""
        key = entry.path, entry.content
        if key not in self._read:
            try:
                self._read[key] = files.Files(self.root).part(entry.path, gitconfig.LIMIT_BYTES)[0]
            except (MissingFileError, UnsafeFileError):
                return b""
        return self._read[key]

    def mode(self) -> int:
        """The mode of the root itself, as it travels."""
        return os.stat(self.root).st_mode & cargo.RIGHTS


def beside(root: str, folders: Iterable[str | None]) -> list[str]:
    """The RelPaths of those folders that lie within the tree: what this machine keeps there stays with it."""
    real = os.path.realpath(root)
    within = (os.path.relpath(os.path.realpath(folder), real) for folder in folders if folder)
    return [path for path in within if path != "." and not path.startswith("..")]


def _beneath(root: str, path: str | bytes | None) -> str:
    return os.path.relpath(os.fsdecode(path), root) if path else root


_FOLDER = f"{layout.LOCAL}/outgoing"


@contextmanager
def write_stand_ins(root: str, entries: Sequence[TreeEntry], texts: Mapping[str, bytes]) -> Iterator[str]:
    """A folder that holds these files of the workspace, with the texts of theirs, their modes and times.

    What a killed process has left of it goes first: whoever moves the workspace is the only one at work.
    """
    folder = os.path.join(root, _FOLDER)
    try:
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder, 0o700)
        for entry in entries:
            _write(os.path.join(folder, entry.path), entry, texts[entry.path])
        yield folder
    except OSError as error:
        raise files.failure(error, _FOLDER) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(place: str, entry: TreeEntry, text: bytes) -> None:
    os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
    with open(place, "xb") as file:
        file.write(text)
        os.fchmod(file.fileno(), entry.mode)
    os.utime(place, ns=(entry.mtime_ns, entry.mtime_ns))
