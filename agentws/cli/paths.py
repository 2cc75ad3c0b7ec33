"""Paths as the present folder means them."""

from __future__ import annotations

import os


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
