"""Files of other programs, in a project's folder or the user's home: read, replaced, removed.

As in the workspace, a file is replaced atomically and durably, keeps its mode, and only if it is unchanged since it was
read. A symbolic link is never replaced: its target is, where that is allowed.
"""

from __future__ import annotations

import os

from agentws.core import Record
from agentws.core.disk.files import Files
from agentws.core.formats import digest
from agentws.core.formats.digest import ABSENT
from agentws.core.text import utf8
from agentws.errors import AgentwsError, MissingFileError, UnsafeFileError

LIMIT_BYTES = 1 << 20
"""Larger than any handwritten settings file."""


class Spot(Record):
    """The real place of an external file: `path` beneath the folder `root`, both without links."""

    root: str
    path: str

    @property
    def full(self) -> str:
        """The absolute path of the external file."""
        return os.path.join(self.root, self.path)


def locate(folder: str, path: str, *, anywhere: bool) -> Spot:
    """Return the real place of another program's file at `path` below `folder`; links within `folder` are followed.

    With `anywhere` also links to outside, as when a user keeps settings in a dotfiles folder; else UnsafeFileError.
    """
    root = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(folder, path))
    if real.startswith(root.rstrip("/") + "/"):
        return Spot(root, Files(root).real(real[len(root.rstrip("/")) + 1 :]))  # an `agents.md` is AGENTS.md
    if not anywhere or not os.path.isdir(os.path.dirname(real)):
        raise UnsafeFileError(
            f"{os.path.join(folder, path)}: a link to {real}, so it was not changed.",
            hint="Use a regular file: agentws follows only links within a project or your home folder.",
        )
    return Spot(*os.path.split(real))


def may_be(path: str) -> bool:
    """Return whether an external file or folder with this absolute path exists; True also if the disk fails."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def read(spot: Spot) -> str | None:
    """Return the text of another program's file, None if it is missing; non-UTF-8 bytes become lone surrogates.

    DamagedError for UTF-16 and UTF-32.
    """
    files, path = _beneath(spot), _below(spot)
    try:
        data = files.read(path, limit_bytes=LIMIT_BYTES)
    except MissingFileError:
        return None
    except AgentwsError as error:
        raise _named(error, files.root, path) from error
    utf8.check_file(spot.full, data)
    return data.decode("utf-8", "surrogateescape")


def write(spot: Spot, text: str, *, before: str | None) -> str | None:
    """Replace another program's file by `text` if it still contains `before` (None: if it does not exist).

    ChangedUnderneathError if not. An edit that slips in is kept in a file beside; its path is returned.
    """
    files, path = _beneath(spot), _below(spot)
    try:
        if "/" in path:
            files.make_folder(path.rpartition("/")[0])
        kept = files.replace(path, _bytes(text), expects=_digest(before))
    except AgentwsError as error:
        raise _named(error, files.root, path) from error
    return None if kept is None else os.path.join(files.root, kept)


def remove(spot: Spot, *, before: str) -> str | None:
    """Remove another program's file if it still contains `before`; errors and result as for `write`."""
    files, path = _beneath(spot), _below(spot)
    try:
        kept = files.remove(path, expects=_digest(before))
    except AgentwsError as error:
        raise _named(error, files.root, path) from error
    return None if kept is None else os.path.join(files.root, kept)


def missing_folders(spot: Spot) -> list[str]:
    """Return the missing parent folders of an external file, innermost first."""
    result = []
    folder = os.path.dirname(spot.full)
    while not os.path.lexists(folder):
        result.append(folder)
        folder = os.path.dirname(folder)
    return result


def remove_folder(folder: str) -> bool:
    """Remove an external folder if it is empty; False if it remains."""
    above, name = os.path.split(folder)
    return os.path.isdir(above) and Files(above).remove_folder(name)


def is_folder(path: str) -> bool:
    """Return whether this path is an external folder, outside of the workspace."""
    return os.path.isdir(path)


def stands(folder: str, path: str) -> bool:
    """Return whether `path` exists below an external `folder`."""
    return os.path.lexists(os.path.join(folder, path))


def resolved(path: str) -> str:
    """Return the absolute path of an external file without links, `~` and `..`."""
    return os.path.realpath(os.path.expanduser(path))


def _named(error: AgentwsError, root: str, path: str) -> AgentwsError:
    """Return the error with the absolute path in its message."""
    place, colon, rest = error.message.partition(": ")
    if not colon or not f"{path}/".startswith(f"{place}/"):
        return error
    return type(error)(f"{os.path.join(root, place)}: {rest}", hint=error.hint)


def _beneath(spot: Spot) -> Files:
    """Return the Files of the lowest existing folder: nothing above it is opened."""
    return Files(_standing(spot))


def _below(spot: Spot) -> str:
    return os.path.relpath(spot.full, _standing(spot))


def _standing(spot: Spot) -> str:
    root = spot.root
    while not os.path.isdir(root) and root != os.path.dirname(root):
        root = os.path.dirname(root)
    return root


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _digest(text: str | None) -> str:
    return ABSENT if text is None else digest.of(_bytes(text))
