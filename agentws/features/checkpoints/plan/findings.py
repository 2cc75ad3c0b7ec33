"""Findings about checkpoints: their number, those to prune, damaged and missing ones. Pure."""

from __future__ import annotations

from agentws.core.findings import ADVICE, WARNING, Check, Finding
from agentws.core.text.sizes import readable

MUCH_BYTES = 100_000_000
"""Pruning is suggested if it would free at least this much."""
_PRUNE = "agentws checkpoint prune --dry-run"


def check(count: int, size: int) -> list[Check]:
    """Return the check on the number and size in bytes of checkpoints; nothing if there are none."""
    if not count:
        return []
    many = f"{count:,} checkpoint{'s' * (count > 1)}, {readable(size)}"
    return [Check("checkpoints", ok=True, says=many)]


def surplus(count: int, size: int) -> list[Finding]:
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
