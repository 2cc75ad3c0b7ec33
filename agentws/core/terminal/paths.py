"""Paths given on the command line, relative to the current folder."""

from __future__ import annotations

import os

from agentws.errors import MissingFileError


def meant(path: str) -> str:
    """Return the absolute path of a file given on the command line."""
    return os.path.abspath(os.path.expanduser(path))


def text_of(path: str, limit_bytes: int) -> str:
    """Return the text of a file given by its path on the command line; MissingFileError if it is unreadable."""
    return bytes_of(path, limit_bytes).decode("utf-8", "replace")


def bytes_of(path: str, limit_bytes: int) -> bytes:
    """Return the beginning of a file given by its path on the command line; MissingFileError if it is unreadable."""
    try:
        with open(meant(path), "rb") as file:
            return file.read(limit_bytes)
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read: {error.strerror}.") from error


def resolved(place: str, root: str) -> str:
    """Return a path or FILE:LINE, given relative to the current folder, relative to the workspace's root.

    Unchanged if no such file is within the workspace.
    """
    name, colon, line = place.rpartition(":")
    path = name if colon and line.isdigit() else place
    full = os.path.realpath(os.path.expanduser(path))
    inside = os.path.exists(full) and full.startswith(f"{os.path.realpath(root)}/")
    if not inside:
        return place
    within = os.path.relpath(full, os.path.realpath(root))
    return f"{within}:{line}" if path is name else within
