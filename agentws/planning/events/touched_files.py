"""The files that actions name in what they are given: `path`, `file_path`, `files` and the like. Pure.

Inputs are anybody's: only so much of one is looked at as actions of tools usually have.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 200
_ONE = frozenset(
    ("path", "file", "file_path", "filepath", "filePath", "filename", "file_name", "fileName", "notebook_path",
     "target_file", "absolute_path", "relative_path")
)  # fmt: skip
_MANY = frozenset(("paths", "files", "file_paths", "filePaths", "filenames"))
_LONGEST = 512
_MOST_ITEMS = 100
_MOST_DEPTH = 4


class Files:
    """The newest paths that were named, each once."""

    __slots__ = ("_paths",)

    def __init__(self) -> None:
        self._paths: dict[str, None] = {}

    def take(self, given: object) -> None:
        """Note the paths in the input of an action."""
        if not isinstance(given, dict | list):
            return
        for path in named(given):
            self._paths.pop(path, None)
            self._paths[path] = None
            if len(self._paths) > MOST:
                del self._paths[next(iter(self._paths))]

    def newest(self) -> list[str]:
        """The paths, the newest first."""
        return list(reversed(self._paths))


def named(given: object, depth: int = _MOST_DEPTH) -> Iterator[str]:
    """The paths that a JSON value names under a key that says so."""
    if isinstance(given, dict):
        for place, (key, value) in enumerate(given.items()):
            if place == _MOST_ITEMS:
                return
            if key in _ONE and _is_path(value):
                yield value
            elif isinstance(value, list) and key in _MANY:
                yield from (one for one in value[:_MOST_ITEMS] if _is_path(one))
                yield from named(value, depth - 1) if depth else ()
            elif depth and isinstance(value, dict | list):
                yield from named(value, depth - 1)
    elif isinstance(given, list):
        for value in given[:_MOST_ITEMS]:
            yield from named(value, depth - 1) if depth and isinstance(value, dict | list) else ()


def _is_path(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST and "\n" not in value and "://" not in value
