"""Ownership of a file's changes: which of them agentws did not make, and what the document has lost. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from agentws.core.formats import digest
from agentws.core.formats.digest import ABSENT
from agentws.core.formats.documents import document
from agentws.core.notes import reading, similarity

Content = bytes | None
"""The content of a watched file; None for no file."""


@dataclass(slots=True)
class Append:
    """A line that agentws itself appended to a watched file: all that was added at an `offset` (bytes).

    `is_done`: it is known to be in the file.
    """

    offset: int
    text: bytes
    is_done: bool


@dataclass(slots=True)
class Replacement:
    """A change of a whole watched file by agentws itself, by digests of its contents, ABSENT for no file.

    `old` is its content before; None if that is not kept.
    """

    before: str
    after: str
    old: bytes | None


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


REMOVED, SHRANK, LOST = "removed", "shrank", "lost"
"""The subjects of a warning: the file is gone, most of it is, some of its entries are."""
FEW, SHARE, MANY = 3, 0.2, 10
"""The fewest lost entries to warn of if they are this share of all, and the fewest to warn of in any case."""
SMALLEST_BYTES = 200
"""A smaller file causes no warning that it shrank."""


@dataclass(slots=True)
class Loss:
    """The loss of one file: its size before and after, and the lines `added` and `removed`.

    Of its `entries` so many are `lost`: nowhere now, not even in other words. `warning` is REMOVED, SHRANK or LOST;
    empty for no warning.
    """

    before_bytes: int
    after_bytes: int
    added: int = 0
    removed: int = 0
    entries: int = 0
    lost: int = 0
    warning: str = ""


def loss(path: str, before: bytes | None, after: bytes | None, *, elsewhere: Collection[str] = ()) -> Loss:
    """Return the loss of the file at `path`; `elsewhere` are the entries (`entries`) that other files have now."""
    old, new = Counter((before or b"").splitlines()), Counter((after or b"").splitlines())
    loss = Loss(len(before or b""), len(after or b""), added=(new - old).total(), removed=(old - new).total())
    if before and loss.removed:
        had, has = entries(path, before), entries(path, after or b"")
        gone = [entry for entry in (Counter(had) - Counter(has)).elements() if entry not in elsewhere]
        loss.entries = len(had)
        is_reworded = not path.endswith(".jsonl")  # people reword entries, nobody records
        new_entries = (Counter(has) - Counter(had)).elements() if is_reworded else ()
        loss.lost = len(similarity.unrepeated(gone, new_entries))
    loss.warning = warning(loss, is_gone=after is None)
    return loss


def loss_of_size(before_bytes: int, after_bytes: int | None) -> Loss:
    """Return the loss of a file of which only the size is known; None for a file that is gone."""
    loss = Loss(before_bytes, after_bytes or 0)
    loss.warning = warning(loss, is_gone=after_bytes is None)
    return loss


def warning(loss: Loss, *, is_gone: bool) -> str:
    """Return the kind of warning that a loss needs, empty for none."""
    has_lost = bool(loss.lost) or not loss.entries
    if is_gone:
        return REMOVED if loss.before_bytes and has_lost else ""
    if loss.before_bytes >= SMALLEST_BYTES and loss.after_bytes * 2 < loss.before_bytes and has_lost:
        return SHRANK
    is_part = loss.lost >= FEW and loss.lost >= SHARE * loss.entries
    return LOST if is_part or loss.lost >= MANY else ""


def entries(path: str, data: bytes) -> list[str]:
    """Return the entries of a file, with uniform white space, by which `watch` compares it."""
    text = data.decode("utf-8", "replace")
    if not path.endswith(".md"):
        return [line for line in text.split("\n") if line.strip()]
    text = document.lenient(data, where=path)[0].body
    texts = (" ".join(entry.said.split()) for entry in reading.read(text, path=path))
    return [words for words in texts if words]
