"""The memory tool of Anthropic's API on a workspace: `/memories` is its folder `memory/memories`.

`client.beta.messages.run_tools(tools=[MemoryTool(workspace)], …)`. Needs `pip install 'agentws[anthropic]'`.
"""

from __future__ import annotations

import posixpath
import threading
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from agentws.changes import ABSENT, ChangeSet, Move, Remove, Write
from agentws.core.disk.files import DOCUMENT_LIMIT_BYTES
from agentws.core.formats import digest
from agentws.core.formats.secrets import secrets
from agentws.errors import AgentwsError, MissingFileError, NotForAudienceError, UnsafeFileError

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anyio import to_thread
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"The Python package {error.name} is not installed: pip install 'agentws[anthropic]'", name=error.name
    ) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.changes import Change
    from agentws.core.stores.stores import Stores
    from agentws.workspace import Workspace

    Method = TypeVar("Method", bound=Callable[..., str])

FOLDER = "memory/memories"
"""The folder of the workspace that the model calls `/memories`."""
_ROOT = "/memories"
_MOST_LINES = 999_999
_NUMBER_CHARS = 6
_LEVELS = 2
_AROUND = 2
"""Lines shown before and after a replacement."""
_UNITS = "BKMG"


def _locked(method: Method) -> Method:
    """Do one command at a time; an error of agentws becomes a result by which the model can correct its call."""

    @wraps(method)
    def call(self: MemoryTool, *given: Any) -> str:
        try:
            with self._lock:
                return method(self, *given)
        except UnsafeFileError as error:
            raise ToolError(f"Path {_path_of(*given)} would escape /memories directory: {error.notice}") from error
        except AgentwsError as error:
            raise ToolError(error.notice) from error

    return call  # type: ignore[return-value]


class MemoryTool(BetaAbstractMemoryTool):
    """Keeps the files of the model's memory in the `folder` of a workspace, with its locks, history and `undo`.

    Each command is durable once it returns, and done whole or not at all. Paths cannot leave the folder, links are not
    followed, and texts with secrets or forgotten text are refused.
    """

    def __init__(self, workspace: Workspace, *, folder: str = FOLDER, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._workspace = workspace
        self._folder = folder
        self._lock = threading.Lock()

    @_locked
    def view(self, command: Any) -> str:
        """Return the lines of a file with their numbers, or the files in a folder and the one below."""
        place = self._place(command.path)
        if self._kind(place) == "folder" or place == self._folder:
            total, rows = self._listed(place, command.path.rstrip("/"), _LEVELS)
            head = f"up to {_LEVELS} levels deep in {command.path}, excluding hidden items"
            return "\n".join([f"Here're the files and directories {head}:", f"{_sized(total)}\t{command.path}", *rows])
        lines = self._text(place, command.path)[0].split("\n")
        if len(lines) > _MOST_LINES:
            raise ToolError(f"File {command.path} exceeds maximum line limit of {_MOST_LINES:,} lines.")
        first, last = command.view_range or (1, -1)
        first = max(1, first)
        shown = _numbered(lines[first - 1 : None if last == -1 else last], first)
        return f"Here's the content of {command.path} with line numbers:\n{shown}"

    @_locked
    def create(self, command: Any) -> str:
        """Write a new file."""
        place = self._place(command.path)
        if self._kind(place):
            raise ToolError(f"File {command.path} already exists")
        self._write("create", place, command.file_text, expects=ABSENT)
        return f"File created successfully at: {command.path}"

    @_locked
    def str_replace(self, command: Any) -> str:
        """Replace a text that is in the file once."""
        place, old = self._place(command.path), command.old_str
        text, expects = self._text(place, command.path)
        at = text.find(old)
        if not old or at < 0:
            raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}.")
        if text.find(old, at + 1) >= 0:
            lines = [text.count("\n", 0, start) + 1 for start in _starts(text, old)]
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(map(str, lines))}. Please ensure it is unique"
            )
        text = text[:at] + (command.new_str or "") + text[at + len(old) :]
        self._write("str_replace", place, text, expects=expects)
        line = text.count("\n", 0, at)
        first = max(0, line - _AROUND)
        shown = _numbered(text.split("\n")[first : line + _AROUND + 1], first + 1)
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    @_locked
    def insert(self, command: Any) -> str:
        """Add lines behind a line; 0: at the beginning."""
        place, after = self._place(command.path), command.insert_line
        text, expects = self._text(place, command.path)
        lines = text.removesuffix("\n").split("\n") if text else []
        if not 0 <= after <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {after}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(after, command.insert_text.rstrip("\n"))
        self._write("insert", place, "\n".join(lines) + "\n", expects=expects)
        return f"The file {command.path} has been edited."

    @_locked
    def delete(self, command: Any) -> str:
        """Remove a file, or a folder with all in it; `agentws undo` brings it back."""
        place = self._place(command.path)
        if place == self._folder:
            raise ToolError("Cannot delete the /memories directory itself")
        files, folders = self._below(place, command.path)
        self._apply("delete", [Remove(path, expects=self._stores.files.digest(path)) for path in files])
        self._remove(folders)
        return f"Successfully deleted {command.path}"

    @_locked
    def rename(self, command: Any) -> str:
        """Move a file or folder to a free path."""
        old, new = self._place(command.old_path), self._place(command.new_path)
        if old == self._folder:
            raise ToolError("Cannot rename the /memories directory itself")
        files, folders = self._below(old, command.old_path)
        if self._kind(new) or new == self._folder:
            raise ToolError(f"The destination {command.new_path} already exists")
        if f"{new}/".startswith(f"{old}/"):
            raise ToolError(f"Cannot move {command.old_path} into itself")
        expects = self._stores.files.digest
        self._apply("rename", [Move(path, new + path[len(old) :], expects=expects(path)) for path in files])
        self._remove(folders)
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    @_locked
    def clear_all_memory(self) -> str:
        """Remove all files of the model's memory; `agentws undo` brings them back."""
        files, folders = self._below(self._folder, _ROOT) if self._kind(self._folder) else ([], [])
        self._apply("clear", [Remove(path, expects=self._stores.files.digest(path)) for path in files])
        self._remove(folders)
        return "All memory cleared"

    @property
    def _stores(self) -> Stores:
        stores = self._workspace.stores
        if stores.audience() != "main":
            raise NotForAudienceError
        return stores

    def _place(self, path: str) -> str:
        """Return the path in the workspace; ToolError for one outside of `/memories`."""
        if path != _ROOT and not path.startswith(f"{_ROOT}/"):
            raise ToolError(f"Path must start with /memories, got: {path}")
        plain = posixpath.normpath(f"/{path.lstrip('/')}")
        if plain != _ROOT and not plain.startswith(f"{_ROOT}/"):
            raise ToolError(f"Path {path} would escape /memories directory")
        if any(part.casefold().startswith(".git") for part in plain.split("/")):
            raise ToolError(f"Path {path} has a name that git reads")  # a model must not configure a program
        return self._folder + plain[len(_ROOT) :]

    def _kind(self, place: str) -> str:
        """Return `file`, `folder`, `other` or, for nothing, an empty text."""
        folder, _, name = place.rpartition("/")
        self._stores.files.exists(place)  # UnsafeFileError for a link on the way
        return dict(self._stores.files.names(folder)).get(name, "")

    def _text(self, place: str, path: str) -> tuple[str, str]:
        """Return the text of a file and its digest."""
        try:
            data = self._stores.files.read(place)
            return data.decode(), digest.of(data)
        except MissingFileError as error:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.") from error
        except UnicodeDecodeError as error:
            raise ToolError(f"The file {path} is not UTF-8, byte {error.start}.") from error

    def _write(self, verb: str, place: str, text: str, *, expects: str) -> None:
        secrets.refuse(text)
        self._stores.refuse_forgotten(text)
        data = text.encode("utf-8", "backslashreplace")
        if len(data) > DOCUMENT_LIMIT_BYTES:
            raise ToolError(f"The file would have {len(data):,} bytes, {DOCUMENT_LIMIT_BYTES:,} at most.")
        self._apply(verb, [Write(place, data, expects=expects)])

    def _apply(self, verb: str, changes: Sequence[Change]) -> None:
        stores = self._stores
        stores.begin()
        stores.check_writable()
        stores.settle()
        if changes:
            stores.apply(ChangeSet(f"memory tool: {verb}", tuple(changes)))

    def _below(self, place: str, path: str) -> tuple[list[str], list[str]]:
        """Return all files and folders at and below a place; ToolError if there is nothing, or something else."""
        kind = self._kind(place)
        if kind == "file":
            return [place], []
        if kind != "folder":
            raise ToolError(f"The path {path} {'is not a file or folder' if kind else 'does not exist'}")
        files: list[str] = []
        folders = [place]
        for folder in folders:  # grows
            for name, kind in self._stores.files.names(folder):
                if kind == "other":
                    raise ToolError(f"{folder}/{name} in the workspace is neither a file nor a folder.")
                (files if kind == "file" else folders).append(f"{folder}/{name}")
        return files, folders

    def _remove(self, folders: Sequence[str]) -> None:
        for folder in reversed(folders):
            self._stores.files.remove_folder(folder)

    def _listed(self, place: str, path: str, levels: int) -> tuple[int, list[str]]:
        """Return the size of all files below a folder, and a row for each entry of so many levels."""
        total = 0
        rows: list[str] = []
        for name, kind in self._stores.files.names(place):
            if name.startswith(".") or kind == "other":
                continue
            if kind == "file":
                size = self._stores.files.size(f"{place}/{name}")
                shown = [f"{_sized(size)}\t{path}/{name}"]
            else:
                size, below = self._listed(f"{place}/{name}", f"{path}/{name}", levels - 1)
                shown = [f"{_sized(size)}\t{path}/{name}/", *below]
            total += size
            rows += shown if levels else []
        return total, rows


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """`MemoryTool` for an asynchronous client."""

    def __init__(self, workspace: Workspace, *, folder: str = FOLDER, cache_control: Any = None) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = MemoryTool(workspace, folder=folder)

    async def execute(self, command: Any) -> Any:
        """Do the command in a thread."""
        return await to_thread.run_sync(partial(self._tool.execute, command))

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        """Remove all files of the model's memory; `agentws undo` brings them back."""
        return await to_thread.run_sync(self._tool.clear_all_memory)


def _path_of(command: Any = None) -> str:
    return getattr(command, "path", None) or f"{getattr(command, 'old_path', _ROOT)}"


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>{_NUMBER_CHARS}}\t{line}" for number, line in enumerate(lines, first))


def _starts(text: str, part: str) -> list[int]:
    """Return where `part` begins in a text, overlapping or not."""
    result, at = [], text.find(part)
    while at >= 0:
        result.append(at)
        at = text.find(part, at + 1)
    return result


def _sized(size: int) -> str:
    """Return a size in bytes as people read it: 0B, 1.5K."""
    step = min(max(size.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    number = f"{size / 1024**step:.1f}".removesuffix(".0")
    return f"{number}{_UNITS[step]}"
