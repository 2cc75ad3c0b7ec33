"""Checkpoints: how many there are, those that pruning would remove, and those that cannot be restored. Pure."""

from __future__ import annotations

from agentws.core.findings import ADVICE, WARNING, Check, Finding
from agentws.core.text.sizes import readable

MUCH_BYTES = 100_000_000
"""So much that pruning would free is worth a word."""
_PRUNE = "agentws checkpoint prune --dry-run"


def check(count: int, size: int) -> list[Check]:
    """The check of how many there are and their size in bytes; none where there are none."""
    if not count:
        return []
    many = f"{count:,} checkpoint{'s' * (count > 1)}, {readable(size)}"
    return [Check("checkpoints", ok=True, says=many)]


def surplus(count: int, size: int) -> list[Finding]:
    """The finding that pruning would remove so many, of so many bytes; none below MUCH_BYTES."""
    if size < MUCH_BYTES:
        return []
    says = f"{count:,} checkpoints are beyond checkpoint.keep and take {readable(size)}"
    return [Finding("checkpoints-many", ADVICE, says, remedy=_PRUNE)]


def damaged(path: str, says: str) -> Finding:
    """The finding that a checkpoint cannot be restored."""
    remedy = "Restore the file from a backup, or from another machine."
    return Finding("checkpoint-damaged", WARNING, says.removeprefix(f"{path}: "), remedy=remedy, path=path)


def missing(path: str, task: str) -> Finding:
    """The finding that the checkpoint that counts is not there."""
    remedy = f"Restore the file from a backup. Or choose another: agentws checkpoint list {task}"
    says = f"missing: the state of task {task} that counts"
    return Finding("checkpoint-missing", WARNING, says, remedy=remedy, path=path)
