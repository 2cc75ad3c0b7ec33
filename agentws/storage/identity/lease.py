"""The lease as this copy knows it: which writer held it when the remote was last asked. Kept in `.agentws/sync/lease`.

Read by each write and each boot where `sync.lease` is set; nobody is asked. Specified in docs/format/sync.md.
"""

from __future__ import annotations

from agentws.errors import AgentwsError, MayNotWriteError, MissingFileError
from agentws.storage.installation import installation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files
    from agentws.storage.installation.state_dir import State

OFF, REQUIRE = "off", "require"
SETTING = "sync.lease"
_FOLDER = ".agentws/sync"
_PATH = f"{_FOLDER}/lease"
_MOST_BYTES = 128
_TAKE = "agentws sync lease take"


def check(files: Files, agent: str, state: State, mode: str) -> str:
    """Return a notice that another machine may write where this one does not hold the lease; MayNotWriteError where
    that is required.
    """
    says = said(files, agent, state)
    if says and mode == REQUIRE:
        raise MayNotWriteError(f"Nothing was written: {says}", hint=f"To write here: {_TAKE}")
    return f"{says} To write here: {_TAKE}" if says else ""


def said(files: Files, agent: str, state: State) -> str:
    """Return who holds the lease, in words, empty where this machine does or the workspace was never synced."""
    if not files.exists(_FOLDER):
        return ""
    holder = held(files)
    here = installation.find(files, agent, state)
    if here is not None and holder == here.writer:
        return ""
    from agentws.storage.identity import writers

    host = next((line.host for line in writers.lines(files) if line.writer == holder), "")
    return f"The lease is held by {host or holder}." if holder else "This machine does not hold the lease."


def held(files: Files) -> str:
    """The writer that held the lease when that was last asked, empty for nobody."""
    try:
        return files.read(_PATH, limit_bytes=_MOST_BYTES).decode("ascii", "replace").strip()
    except MissingFileError:
        return ""


def keep(files: Files, holder: str) -> None:
    """Keep who holds the lease now."""
    try:
        if held(files) != holder:
            files.replace(_PATH, f"{holder}\n".encode(), expects=files.digest(_PATH))
    except AgentwsError:
        return  # the next sync asks again
