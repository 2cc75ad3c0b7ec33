"""Retention of checkpoints by number, age and label; findings about them; the choice of one by a name. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from agentws.core.findings import ADVICE, WARNING, Check, Finding
from agentws.core.formats.documents import checkpoint
from agentws.core.formats.documents.checkpoint import Header
from agentws.core.text.sizes import readable
from agentws.errors import AmbiguousError, MissingFileError, UsageError


def surplus(
    headers: Iterable[Header], *, keep: int, days: int, now: datetime, used: Collection[str] = ()
) -> list[Header]:
    """Return the checkpoints of one task that retention does not keep, the oldest first.

    Kept are the newest `keep` (0: all), those younger than `days`, those with a label, and those in `used`.
    """
    ordered = sorted(headers, key=order)
    if keep <= 0:
        return []
    return [
        head for head in ordered[:-keep] if not head.label and head.id not in used and not _is_young(head.at, days, now)
    ]


def _is_young(at: str, days: int, now: datetime) -> bool:
    """Return whether a moment is less than `days` days ago; an unreadable one counts as young."""
    try:
        return days > 0 and now - datetime.fromisoformat(at) < timedelta(days=days)
    except (ValueError, TypeError, OverflowError):
        return True


_MOST_NAMED = 8


def order(head: Header) -> tuple[int, str, str]:
    """Return the sort key of a checkpoint: the oldest comes first."""
    return head.seq, head.at, head.id


def one(headers: Sequence[Header], word: str | None, *, task: str) -> Header:
    """Return the checkpoint that `word` (number, label, id or its beginning) means, the newest for None.

    MissingFileError if it is missing, AmbiguousError if it means several.
    """
    if not headers:
        raise MissingFileError(
            f"Task {task} has no checkpoint.", hint=f"To save one: agentws checkpoint save {task} < state.json"
        )
    if word is None:
        return max(headers, key=order)
    same = [head for head in headers if head.id == word]
    if word.isascii() and word.isdigit():
        same = same or [head for head in headers if head.seq == int(word)]
    labelled = sorted((head for head in headers if head.label == word), key=order)
    same = same or labelled[-1:] or [head for head in headers if head.id.startswith(word)]
    if not same:
        raise MissingFileError(
            f"Task {task} has no checkpoint {word!r}.", hint=f"To list its checkpoints: agentws checkpoint list {task}"
        )
    if len(same) > 1:
        names = ", ".join(head.id for head in same[:_MOST_NAMED])
        raise AmbiguousError(f"{word!r} matches {len(same)} checkpoints.", hint=f"Name one by its id: {names}.")
    return same[0]


def check_label(label: str) -> None:
    """Raise UsageError for a checkpoint label that looks like a number or an id, or is too long."""
    if len(label) > checkpoint.LONGEST_LABEL:
        raise UsageError(f"The label must have at most {checkpoint.LONGEST_LABEL} characters.")
    if label and (label.replace("-", "").isdigit() or checkpoint.id_of(f"{label}{checkpoint.SUFFIX}")):
        raise UsageError(f"{label!r} is not a label: it looks like a number.", hint="Use a word, such as `approved`.")


MUCH_BYTES = 100_000_000
"""Pruning is suggested if it would free at least this much."""
_PRUNE = "agentws checkpoint prune --dry-run"


def check(count: int, size: int) -> list[Check]:
    """Return the check on the number and size in bytes of checkpoints, if any."""
    if not count:
        return []
    many = f"{count:,} checkpoint{'s' * (count > 1)}, {readable(size)}"
    return [Check("checkpoints", ok=True, says=many)]


def surplus_found(count: int, size: int) -> list[Finding]:
    """Return the finding that pruning would remove `count` checkpoints of `size` bytes; nothing below MUCH_BYTES."""
    if size < MUCH_BYTES:
        return []
    says = f"{count:,} checkpoints are beyond checkpoint.keep and take {readable(size)}"
    return [Finding("checkpoints-many", ADVICE, says, remedy=_PRUNE)]


def damaged(path: str, says: str) -> Finding:
    """Return the finding that a checkpoint's file is damaged and cannot be restored."""
    remedy = "Restore the file from a backup, or from another machine."
    return Finding("checkpoint-damaged", WARNING, says.removeprefix(f"{path}: "), remedy=remedy, path=path)


def missing(path: str, task: str) -> Finding:
    """Return the finding that the current checkpoint of a task is missing."""
    remedy = f"Restore the file from a backup. Or choose another: agentws checkpoint list {task}"
    says = f"missing: the state of task {task} that counts"
    return Finding("checkpoint-missing", WARNING, says, remedy=remedy, path=path)
