"""The newest events of installations whose workspace folder at this path was replaced as a whole.

Their state is outside of the workspace, by the inode of the old folder. So a restored folder is known to lack
something, even if no installation has written to it.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files
from agentws.core.formats.json import plainjson
from agentws.core.installation import installation, state_dir
from agentws.errors import AgentwsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.core.installation.installation import Mark
    from agentws.core.installation.state_dir import State

_MOST = 1_000
_RECORD_BYTES = 1 << 16


def marks(files: _files.Files, agent: str, state: State) -> list[Mark]:
    """Return the newest event of each installation that wrote in a folder at this path that was replaced."""
    own = [*state_dir.known(files, agent, state)]
    bases = dict.fromkeys(os.path.dirname(folder) for folder in own)
    every = (folder for base in bases if not f"{base}/".startswith(f"{files.root}/") for folder in _folders(base))
    candidates = (_mark(folder, agent, files.root) for folder in every if folder not in own)
    return [mark for mark in candidates if mark is not None]


def _folders(base: str) -> Iterator[str]:
    try:
        with os.scandir(base) as entries:
            yield from sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))[:_MOST]
    except OSError:
        return


def _mark(folder: str, agent: str, root: str) -> Mark | None:
    """Return the newest event of the installation with this state, if it wrote as this agent at this path."""
    try:
        decoded = plainjson.loads(_files.Files(folder).read(installation.WRITER, limit_bytes=_RECORD_BYTES))
        if decoded["agent"] != agent or decoded["root"] != root:
            return None
        own = installation.at(folder, agent)
        return installation.mark(own) if own is not None else None
    except (AgentwsError, ValueError, KeyError, TypeError, RecursionError):
        return None  # another workspace's business
