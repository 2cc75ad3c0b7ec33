"""The end of the transcript that a host keeps of a session: a file with a JSON object a line."""

from __future__ import annotations

import os
import stat

from agentws.core.formats.json import plainjson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentws.features.hosts.call import Fields

MOST_BYTES = 1 << 20


def newest(path: object, most: int = MOST_BYTES) -> list[Fields]:
    """Return the last lines of a transcript, none if it cannot be read; a line that is not whole is left out."""
    records: list[Fields] = []
    for line in _end(path, most).split(b"\n"):
        if not line.startswith(b"{"):
            continue  # judging what is no JSON loads the json package
        try:
            decoded = plainjson.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        if isinstance(decoded, dict):
            records.append(decoded)
    return records


def _end(path: object, most: int) -> bytes:
    if not isinstance(path, str) or not path.endswith(".jsonl"):
        return b""
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(opened)
        return os.pread(opened, most, max(0, status.st_size - most)) if stat.S_ISREG(status.st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(opened)
