"""The mark of a failed sync of a journal: what was written since may be lost, and every process must know.

The sync is not repeated: a second one would report success falsely.
"""

from __future__ import annotations

import os

from agentws.core.disk import files as _files, local_dir
from agentws.core.formats import layout
from agentws.core.formats.json import plainjson
from agentws.core.journal import head
from agentws.core.journal.head import Head
from agentws.errors import AgentwsError, DiskError


def path(writer: str) -> str:
    """Return the path of the mark for a writer's journal (RelPath)."""
    return f"{local_dir.FOLDER}/{writer}{local_dir.POISON}"


def stands(files: _files.Files, writer: str) -> bool:
    """Return whether a sync has failed and the journal was not recovered yet."""
    mark = path(writer)
    return not files.is_missing(mark) and files.exists(mark)


def mark(files: _files.Files, durable: Head, error: OSError) -> bool:
    """Record the failed sync for every process, durably. False if the disk does not even take the mark."""
    fields = {"writer": durable.writer, "segment": durable.segment, "offset": durable.offset, "error": str(error)}
    try:
        fd = files.open_in_place(path(durable.writer), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(fd, plainjson.dumps(fields).encode() + b"\n")
            _files.sync(fd)
        finally:
            os.close(fd)
        files.sync_folder(local_dir.FOLDER)
    except (OSError, AgentwsError):
        # On a full disk another name for what is there may still go: the hint becomes the mark.
        return stands(files, durable.writer) or head.becomes(files, durable.writer, path(durable.writer))
    return True


def clear(files: _files.Files, writer: str) -> None:
    """Remove the mark, durably, after the journal was checked on disk."""
    files.remove(path(writer), expects=files.digest(path(writer)))


def sync(files: _files.Files, fd: int, end: Head) -> None:
    """Make a segment durable; a failure is marked, since lines of other processes may be lost too."""
    try:
        _files.sync_data(fd)
    except OSError as error:
        mark(files, end, error)
        raise


def unsure(writer: str) -> DiskError:
    """Return the error for a line that was written while another process's sync failed."""
    return DiskError(
        f"{layout.JOURNAL}/{writer}: a disk error lost an event of another process.",
        hint="Your event may be lost too: re-run the command. The journal continues in a new segment.",
    )
