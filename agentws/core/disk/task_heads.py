"""Unfinished tasks, found by the first bytes of each file: finished ones are not read completely."""

from __future__ import annotations

from agentws.core.formats.documents import plain_header, task
from agentws.core.formats.documents.task import OPEN, OVER
from agentws.errors import AgentwsError, DamagedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.disk.files import Files
    from agentws.core.disk.lenient import LenientReader


MOST_FILES = 400
"""The maximum number of task files to read."""
_HEAD_BYTES = (1 << 10, 1 << 15)
"""How much of each file is read; the larger amount if its front matter is longer."""
_PAGE_BYTES = 1 << 12
"""Most tasks are no longer: reading one takes one call."""


def live(files: Files, reader: LenientReader, paths: Sequence[str]) -> list[task.Task]:
    """Return the unfinished tasks at `paths`, with state and title, from the heads of their files; the body may be cut.

    Unreadable files are notices of `reader`; a damaged file counts as unfinished, and reading it completely reports
    why.
    """
    tasks = [_head(files, reader, path) for path in paths]
    return [plan for plan in tasks if plan is not None and not plan.is_over]


def whole(reader: LenientReader, path: str) -> task.Task | None:
    """Return the task at `path` from its whole file, not only its head; None if there is no readable one."""
    read = reader.document(path)
    return None if read is None else task.Task(slug(path), read)


def status(files: Files, path: str) -> str | None:
    """Return a task's status from the head of its file, None if that does not show it clearly or is unreadable."""
    try:
        return status_of(files.part(path, _HEAD_BYTES[0])[0])
    except AgentwsError:
        return None


def unless_over(files: Files, path: str) -> bytes | None:
    """Return the content of the task at `path`; None if the head of its file clearly says that it is finished."""
    head, _ = files.part(path, _PAGE_BYTES)
    if is_plainly_over(head):
        return None
    return head if len(head) < _PAGE_BYTES else files.read(path)


def slug(path: str) -> str:
    """Return the slug of the task file at `path`."""
    return path.rpartition("/")[2].removesuffix(".md")


def _head(files: Files, reader: LenientReader, path: str) -> task.Task | None:
    for limit_bytes in _HEAD_BYTES:
        try:
            data, _ = files.part(path, limit_bytes)
            if is_plainly_over(data):
                return None
            return task.decode(data, slug=slug(path), where=path)
        except DamagedError:
            continue
        except AgentwsError:
            return whole(reader, path)  # which says why it cannot be read
    return task.decode(b"", slug=slug(path), where=path)


_NEXT_FENCE = b"\n---"
_MOST_LINES = 64
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_MOST_KNOWN = 256
_known: dict[bytes, str | None] = {}
_STATUS, _AROUND = b"\nstatus:", b" \t\r\"'"
_OVER = frozenset(word.encode() for word in OVER)


def status_of(data: bytes) -> str | None:
    """Return a task's status from the head of its file, `data`; None if that needs a full parse."""
    fence = data.find(_NEXT_FENCE)
    end = data.find(b"\n", fence + 1) if fence > 0 else -1
    if end < 0:
        return None
    # The headers of many tasks differ in their times alone, and one digit is read like any other.
    shape = data[:end].translate(_DIGITS)
    if shape not in _known:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[shape] = _status(shape)
    text = _known[shape]
    return _status(data[:end]) if text is None or "0" in text else text


def _status(head: bytes) -> str | None:
    fields = plain_header.fields(head.decode("utf-8", "surrogateescape").split("\n", _MOST_LINES))
    stated = None if fields is None else fields.get("status", "")
    return (stated.strip() or OPEN) if isinstance(stated, str) else None


def is_plainly_over(data: bytes) -> bool:
    """Return whether the head of a task's file plainly says that it has ended; False means unknown."""
    at = data.find(_STATUS, 0, max(0, data.find(_NEXT_FENCE)))
    begin = at + len(_STATUS)
    # This line decides for most open tasks, so that the rest is not parsed.
    if at < 0 or data[begin : data.find(b"\n", begin)].strip(_AROUND).lower() not in _OVER:
        return False
    text = status_of(data)
    return text is not None and text.lower() in OVER
