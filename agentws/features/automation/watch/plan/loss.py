"""The loss between two contents of a document, and whether `watch` must warn of it. Pure."""

from __future__ import annotations

from collections import Counter

from agentws.core.formats.documents import document
from agentws.core.notes import reading, similarity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

REMOVED, SHRANK, LOST = "removed", "shrank", "lost"
"""The subjects of a warning: the file is gone, most of it is, some of its entries are."""
FEW, SHARE, MANY = 3, 0.2, 10
"""The fewest lost entries to warn of if they are this share of all, and the fewest to warn of in any case."""
SMALLEST_BYTES = 200
"""A smaller file causes no warning that it shrank."""


class Loss:
    """The loss of one file, from before to after.

    Fields:
        added, removed: lines.
        before_bytes, after_bytes: its size.
        entries: how many entries it had; lost: how many of these are nowhere now, not even in other words.
        warning: REMOVED, SHRANK or LOST; empty for no warning.
    """

    __slots__ = ("added", "after_bytes", "before_bytes", "entries", "lost", "removed", "warning")

    def __init__(self, before_bytes: int, after_bytes: int, *, added: int = 0, removed: int = 0) -> None:
        self.before_bytes = before_bytes
        self.after_bytes = after_bytes
        self.added = added
        self.removed = removed
        self.entries = 0
        self.lost = 0
        self.warning = ""


def of(path: str, before: bytes | None, after: bytes | None, *, elsewhere: Collection[str] = ()) -> Loss:
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


def of_size(before_bytes: int, after_bytes: int | None) -> Loss:
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
