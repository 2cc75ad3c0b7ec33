"""Ownership of a file's changes: which of them agentws did not make, by its own record of changes. Pure."""

from __future__ import annotations

from agentws.core.formats import digest
from agentws.core.formats.digest import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Content = bytes | None
    """The content of a watched file; None for no file."""


class Append:
    """A line that agentws itself appended to a watched file.

    Fields:
        offset: where it begins (bytes).
        text: all that was added.
        is_done: whether it is known to be in the file.
    """

    __slots__ = ("is_done", "offset", "text")

    def __init__(self, offset: int, text: bytes, *, is_done: bool) -> None:
        self.offset = offset
        self.text = text
        self.is_done = is_done


class Replacement:
    """A change of a whole watched file by agentws itself.

    Fields:
        before, after: digests of its contents, ABSENT for no file.
        old: its content before; None if that is not kept.
    """

    __slots__ = ("after", "before", "old")

    def __init__(self, before: str, after: str, old: bytes | None) -> None:
        self.before = before
        self.after = after
        self.old = old


Step = Append | Replacement


def foreign(
    old: Content, new: Content, steps: Sequence[Step], known: Mapping[str, bytes]
) -> list[tuple[Content, Content]]:
    """Return the foreign changes of a watched file from `old` to `new`: pairs of contents, before and after.

    `steps` are agentws's own changes of the file, the oldest first; those that led to `old` may be among them. `known`
    are contents that agentws left, by digest, as far as they are kept.
    """
    result: list[tuple[Content, Content]] = []
    start, start_digest, appends = old, _digest(old), list[Append]()
    for step in _since(old, steps):
        if isinstance(step, Append):
            appends.append(step)
            continue
        end = step.old if step.before else None
        is_known = end is not None or not step.before
        if not is_known:
            end = start if step.before == start_digest else None
        if (is_known or not appends) and not _leads(start_digest, end, step.before, appends):
            result.append((start, end if is_known else start))
        # If only the digest of what agentws left is known, the content before is the nearest to compare with.
        nearest = known.get(step.after, end if is_known else start)
        start, start_digest, appends = (nearest if step.after else None), step.after, []
    if not _leads(start_digest, new, _digest(new), appends):
        result.append((start, new))
    return result


def _since(old: Content, steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps after those that had led to `old`."""
    path = _digest(old)
    last = max(
        (at for at, step in enumerate(steps) if isinstance(step, Replacement) and step.after == path), default=-1
    )
    rest = steps[last + 1 :]
    size = len(old or b"")
    first = next(
        (at for at, step in enumerate(rest) if not (isinstance(step, Append) and step.offset < size)), len(rest)
    )
    return rest[first:]


def _leads(start: str, end: Content, end_digest: str, appends: Sequence[Append]) -> bool:
    """Return whether only these appended lines separate the content with digest `start` from the content `end`."""
    if end_digest == start:
        return True
    rest = end or b""
    for line in reversed(appends):
        if rest[line.offset :] == line.text:
            rest = rest[: line.offset]
            if (_digest(rest) if rest else ABSENT) == start or (not rest and start == digest.of(b"")):
                return True
        elif line.is_done:
            return False
    return False


def _digest(content: Content) -> str:
    return ABSENT if content is None else digest.of(content)
