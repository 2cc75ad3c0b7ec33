"""Paths as the present folder means them."""

from __future__ import annotations

import os

from agentws.errors import MissingFileError


def meant(path: str) -> str:
    """The absolute path of a file that was named at the command line."""
    return os.path.abspath(os.path.expanduser(path))


def text_of(path: str, limit_bytes: int) -> str:
    """The text of a file that was named at the command line; MissingFileError where it cannot be read."""
    return bytes_of(path, limit_bytes).decode("utf-8", "replace")


def bytes_of(path: str, limit_bytes: int) -> bytes:
    """The beginning of a file that was named at the command line; MissingFileError where it cannot be read."""
    try:
        with open(meant(path), "rb") as file:
            return file.read(limit_bytes)
    except OSError as error:
        raise MissingFileError(f"{path} cannot be read: {error.strerror}.") from error


def resolved(place: str, root: str) -> str:
    """The place (a path, or FILE:LINE) as the present folder means it, where such a file is within the workspace; else
    as it is.
    """
    name, colon, line = place.rpartition(":")
    path = name if colon and line.isdigit() else place
    full = os.path.realpath(os.path.expanduser(path))
    inside = os.path.exists(full) and full.startswith(f"{os.path.realpath(root)}/")
    if not inside:
        return place
    within = os.path.relpath(full, os.path.realpath(root))
    return f"{within}:{line}" if path is name else within
