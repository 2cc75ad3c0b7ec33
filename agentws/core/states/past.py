"""Reading recorded states: their list, the states in which a file changed, the files of a past state; files in none.

Read-only, by the plumbing of core/states/plumbing.py, without a writable folder. Output is bounded: the repository may
be untrusted.
"""

from __future__ import annotations

import os
from itertools import islice

from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.formats.git import objects
from agentws.core.states import exclude, plumbing
from agentws.errors import AgentwsError, MissingFileError, OutsideProgramError, TooLargeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from agentws.core.states.git_history import GitHistory

    State = tuple[str, datetime, str]


_MOST_STATES = 50_000
_PAGE, _PAGE_GROWTH = 64, 16
_MOST_TOUCHING = 2_000
_MOST_BYTES = 64 << 20


class Past:
    """The states recorded in the repository `git_dir`, newest first along the first parents."""

    def __init__(self, git_dir: str, scratch: str, kept: GitHistory) -> None:
        self._git_dir = git_dir
        self._scratch = scratch
        self._kept = kept
        self._tip = kept.tip()

    def states(self, most: int | None = None) -> list[State]:
        """Return id, time and message of the newest `most` states."""
        return list(islice(self.walk(), most))

    def walk(self) -> Iterator[State]:
        """Yield the states like `states`, read a page at a time: there may be tens of thousands."""
        start, skip, left, size = self._tip, 0, _MOST_STATES, _PAGE
        while start and left > 0:
            words = (f"--skip={skip}", f"--max-count={min(size, left)}", "--date=raw", "--format=%cd%n%B%x00")
            parts = self._ask("rev-list", "--first-parent", *words, start).split(b"\0\n")[:-1]
            yield from map(objects.state, parts)
            if len(parts) < size:
                return
            start, skip, left, size = objects.state(parts[-1])[0], 1, left - size, size * _PAGE_GROWTH

    def touching(self, paths: Sequence[str]) -> list[tuple[State, str]]:
        """Return each state in which one of these files changed, with the id of the state before, or empty."""
        return [_touching(text) for text in self._touching(paths)]

    def touching_last(self, paths: Sequence[str], most: int) -> tuple[list[tuple[State, str]], int]:
        """Return the newest `most` states like `touching`, and the oldest, and how many are between them."""
        parts = self._touching(paths)
        seen = [*parts[:most], *parts[most:][-1:]]
        return [_touching(text) for text in seen], len(parts) - len(seen)

    def _touching(self, paths: Sequence[str]) -> list[bytes]:
        words = ("--first-parent", f"--max-count={_MOST_TOUCHING}", "--date=raw", "--format=%P%n%cd%n%B%x00")
        # Neither a pattern nor an option, whatever the file is called.
        literal = [f":(top,literal){path}" for path in paths]
        return self._ask("rev-list", *words, self._tip, "--", *literal).split(b"\0\n")[:-1] if self._tip else []

    def tree(self, state: str) -> dict[str, str]:
        """Return (path → content id) of each regular file in a state; links and submodules are left out."""
        entries = objects.entries(self._ask("ls-tree", "-r", "-z", "--full-tree", state), oid_at=2)
        return {path: content for path, (mode, content) in entries.items() if mode.startswith("100")}

    def contents_of(self, places: Sequence[tuple[str, str]]) -> list[str]:
        """Return the content id at each (state, path); empty for none."""
        lines = [f"{state}:{path}" if state and "\n" not in path else "" for state, path in places]
        asked = [line for line in lines if line]
        oids = iter([oid for oid, _ in plumbing.sizes(self._ask, asked)])
        return [next(oids) if line else "" for line in lines]

    def read(self, contents: Sequence[str]) -> dict[str, bytes]:
        """Return (id → content) of these contents, without those that the repository lacks.

        TooLargeError if they are too large together.
        """
        known = {oid: size for oid, size in self._sizes(contents) if oid}
        if sum(known.values()) > _MOST_BYTES:
            raise TooLargeError(
                f"The earlier files have more than {_MOST_BYTES >> 20} MiB.", hint="Name one file, or a later time."
            )
        return dict(plumbing.contents(self._ask, known))

    def present(self, contents: Sequence[str]) -> set[str]:
        """Return those of these contents that the repository has: a damaged one, or a partial clone, lacks some."""
        return {oid for oid, _ in self._sizes(contents) if oid}

    def content_id(self, data: bytes) -> str:
        """Return the content id that `data` has in this repository."""
        return self._kept.blob_id(data)

    def _sizes(self, contents: Sequence[str]) -> list[tuple[str, int]]:
        return plumbing.sizes(self._ask, list(dict.fromkeys(filter(None, contents))))

    def _ask(self, word: str, *arguments: str, stdin: bytes = b"") -> bytes:
        try:
            return plumbing.ask(word, *arguments, cwd=self._scratch, git_dir=self._git_dir, stdin=stdin)
        except OSError as error:
            raise OutsideProgramError(f"git failed: {error}.") from error


def _touching(text: bytes) -> tuple[State, str]:
    head, parents, rest = text.split(b"\n", 2)
    return objects.state(head + b"\n" + rest), parents.decode().partition(" ")[0]


class PastFiles(Files):
    """Files beneath a root whose documents are those of a past state, with the contents that `read` returns.

    Documents for which `is_now` is true, and all other files, are read from the disk. Read-only.
    """

    __slots__ = ("_is_now", "_paths", "_read")

    def __init__(
        self, root: str, paths: Collection[str], *, read: Callable[[str], bytes], is_now: Callable[[str], bool]
    ) -> None:
        super().__init__(root)
        self._paths = frozenset(paths)
        self._read = read
        self._is_now = is_now

    def real(self, path: str) -> str:
        """As Files.real."""
        name = layout.spelt(path, self._paths) if path in layout.AGENT_FILES else path
        return name if name in self._paths else super().real(path)

    def part(self, path: str, limit_bytes: int, *, from_end: bool = False) -> tuple[bytes, int]:
        """As Files.part."""
        path = self.real(path)
        if self._is_of_now(path):
            return super().part(path, limit_bytes, from_end=from_end)
        data = self._content(path)
        start = max(0, len(data) - limit_bytes) if from_end else 0
        return data[start : start + limit_bytes], len(data)

    def piece(self, path: str, offset_bytes: int, limit_bytes: int) -> bytes:
        """As Files.piece."""
        path = self.real(path)
        if self._is_of_now(path):
            return super().piece(path, offset_bytes, limit_bytes)
        return self._content(path)[offset_bytes : offset_bytes + limit_bytes]

    def exists(self, path: str) -> bool:
        """As Files.exists."""
        path = self.real(path)
        if path in self._paths or any(name.startswith(f"{path}/") for name in self._paths):
            return True
        return self._is_of_now(path) and super().exists(path)

    def size(self, path: str) -> int:
        """As Files.size."""
        path = self.real(path)
        return super().size(path) if self._is_of_now(path) else len(self._content(path))

    def unsorted(self, folder: str) -> list[str]:
        """As Files.unsorted."""
        return [name for name, _ in self.names(folder)]

    def names(self, folder: str = "") -> list[tuple[str, str]]:
        """As Files.names."""
        above = f"{folder}/" if folder else ""
        now = {name: kind for name, kind in super().names(folder) if self._is_of_now(above + name)}
        return sorted({**now, **dict(self._past(above))}.items())

    def _past(self, above: str) -> Iterator[tuple[str, str]]:
        """Yield (name, kind) of a folder's entries in the past state."""
        for path in self._paths:
            if path.startswith(above):
                name, slash, _ = path[len(above) :].partition("/")
                yield name, "folder" if slash else "file"

    def _is_of_now(self, path: str) -> bool:
        return not layout.is_document(path) or self._is_now(path)

    def _content(self, path: str) -> bytes:
        if path not in self._paths:
            raise MissingFileError(f"{path}: not found.")
        return self._read(path)


_MOST = 100
"""The maximum number of files to check."""
_MOST_ENTRIES = 2_000
_DEEPEST = 4
_FILE, _FOLDER = "file", "folder"
_NOT_INTO = (layout.JOURNAL, "checkpoints", "node_modules", "__pycache__")


def edited(files: Files, kept: GitHistory, state: str, newer: Sequence[str], *, but: Collection[str] = ()) -> list[str]:
    """Return the RelPaths of documents that differ from this state, sorted: from the `newer` files, newest first, at
    most a hundred; those in `but` are left out.

    OutsideProgramError if git fails.
    """
    # In a clone every file is newer than its state: what was edited since is then the newest of them.
    paths = [path for path in newer if path not in but and layout.is_document(path)][:_MOST]
    names = []
    for path in paths:
        try:
            if kept.blob_id(files.read(path)) != kept.id_of(path, at=state):
                names.append(path)
        except AgentwsError:
            continue  # what is wrong with it is another check's
    return sorted(names)


def others(root: str, *, known: Mapping[str, Sequence[tuple[str, str]]] | None = None) -> list[str]:
    """Return the RelPaths of files that are not documents, and that the git around neither tracks nor ignores.

    At most a hundred, sorted, down to four folders. Nothing is read or followed. `known` has the names and kinds of
    folders that were listed already, without documents.
    """
    names = sorted(islice(_others(root, known or {}), _MOST))
    around = exclude.find(root)
    return around.untracked(names) if around is not None and names else []


def _others(root: str, known: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[str]:
    folders, left = [""], _MOST_ENTRIES
    while folders and left > 0:
        folder = folders.pop(0)
        there = known[folder] if folder in known else _listed(f"{root}/{folder}", left)
        left -= len(there)
        documents = set(layout.documents(folder, [name for name, _ in there]))
        for name, kind in sorted(each for each in there if each[0] not in documents or each[1] != _FILE):
            path = f"{folder}/{name}" if folder else name
            if (
                name.startswith(".")
                or path in (layout.ARTIFACTS, layout.CONFLICTS)
                or path in _NOT_INTO
                or name in _NOT_INTO
            ):
                continue
            if kind == _FOLDER:
                if folder != layout.DATA and path.count("/") < _DEEPEST and not os.path.lexists(f"{root}/{path}/.git"):
                    folders.append(path)
            elif kind == _FILE:
                yield path


def _listed(folder: str, most: int) -> list[tuple[str, str]]:
    try:
        with os.scandir(folder) as there:
            return [(entry.name, _kind(entry)) for entry in islice(there, most)]
    except OSError:
        return []


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_file(follow_symlinks=False):
        return _FILE
    return _FOLDER if entry.is_dir(follow_symlinks=False) else ""
