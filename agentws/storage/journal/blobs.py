"""Bodies that are too large for a line, each in a file that is named after the digest of its content."""

from __future__ import annotations

from agentws.errors import ChangedUnderneathError, DamagedError, MissingFileError
from agentws.formats import digest
from agentws.formats.journal import segment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.storage.disk.files import Files

MOST_BYTES = 32 << 20
"""The largest body that an event may have."""


def ensure(files: Files, writer: str, content: bytes) -> str:
    """Keep the content durably, file and folder, before a line names it; returns its name."""
    name = digest.of(content)
    path = segment.blob_path(writer, name)
    folder = path.rpartition("/")[0]
    if files.exists(path) and files.digest(path) == name:
        files.sync_way(path)  # whoever made it may have been killed before its name was durable
        return name
    files.make_folder(folder)
    try:
        files.replace(path, content, expects=files.digest(path))
    except ChangedUnderneathError:
        files.sync_way(path)  # another process keeps the same content at this moment
    return name


def read(files: Files, writer: str, name: str) -> bytes:
    """The content of a blob; DamagedError where it is gone or not what its name says."""
    path = segment.blob_path(writer, name)
    try:
        content = files.read(path, limit_bytes=MOST_BYTES)
    except MissingFileError:
        raise DamagedError(f"{path}: the body of an event is gone.") from None
    if digest.of(content) != name:
        raise DamagedError(f"{path}: not the body that was written.")
    return content
