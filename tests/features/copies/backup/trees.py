"""What a tree holds, to be compared with another one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def held(root: str | Path) -> dict[str, tuple[Any, ...]]:
    """What a tree holds, with modes and times of files; but what belongs to one machine."""
    found = {}
    for path in Path(root).rglob("*"):
        name = str(path.relative_to(root))
        if name.split("/")[0] == ".agentws":
            continue
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[name] = (status.st_mode, int(status.st_mtime) if path.is_file() else 0, content)
    return found
