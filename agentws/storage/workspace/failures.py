"""How often in a row a nightly job failed here, and why: one line a failure, in a file of this machine."""

from __future__ import annotations

from agentws.storage.disk import local_dir
from agentws.storage.workspace import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files

COMPACTION = local_dir.COMPACTION_FAILURES
LOUD = 2
"""So many failures in a row are said loudly."""
_MOST, _LONGEST_CHARS = 30, 500


def of(files: Files, path: str) -> list[str]:
    """When and why it failed since it last went well, oldest first."""
    return [line for line in marks.of(files, path).split("\n") if line]


def add(files: Files, path: str, why: str) -> None:
    """Note one failure more. Where not even this can be written, the disk is loud by itself."""
    lines = [*of(files, path), " ".join(why.split())[:_LONGEST_CHARS]][-_MOST:]
    marks.leave(files, path, "".join(f"{line}\n" for line in lines))


def clear(files: Files, path: str) -> None:
    """Note that it went well."""
    if of(files, path):
        marks.leave(files, path, "")
