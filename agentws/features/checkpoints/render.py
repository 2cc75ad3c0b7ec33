"""Rendering of `agentws checkpoint`: lines for people and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.json import values
from agentws.core.text import sizes
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from agentws.core.formats.documents.checkpoint import Header
    from agentws.core.terminal.moments import Teller
    from agentws.features.checkpoints.listing import CheckpointList
    from agentws.features.checkpoints.prune import Pruned
    from agentws.features.checkpoints.restore import Compared
    from agentws.features.checkpoints.task_checkpoints import Checkpoint

_WIDEST_VALUE = 60
HEAD = "task id seq parent at label? state_schema=schema?[name version] bytes=size digest"
OF_TASK = f"checkpoint=checkpoint.head[{HEAD}]"
LIST = f"checkpoints=rows[*head[{HEAD}] task parent_gone=gone is_next] notices"


def saved_lines(checkpoint: Checkpoint) -> Iterator[str]:
    """Yield the id and label of a saved checkpoint."""
    yield f"{checkpoint.id}{label(checkpoint.head)}"


def show_lines(teller: Teller, checkpoint: Checkpoint) -> Iterator[str]:
    """Yield a line on the header of a checkpoint, then its state."""
    head = checkpoint.head
    parent = f" · follows {head.parent}" if head.parent else ""
    yield f"# {one_line(head.task)} · {head.id}{label(head)} · {teller.moment(head.at)}{parent}{_schema(head)}"
    yield from state_lines(checkpoint.state)


def state_lines(state: Any) -> Iterator[str]:
    """Yield the lines of a checkpoint's state as JSON."""
    yield from values.dumps(state, indent=2).split("\n")


def list_lines(teller: Teller, checkpoint_list: CheckpointList) -> Iterator[str]:
    """Yield a line for each checkpoint, the newest first; those of several tasks below the task names."""
    if not checkpoint_list.rows and not checkpoint_list.unread:
        yield "No checkpoint."
    tasks = [checkpoint_list.task] if checkpoint_list.task else sorted({row.task for row in checkpoint_list.rows})
    for task in tasks:
        if not checkpoint_list.task:
            yield one_line(task or "")
        for row in reversed([row for row in checkpoint_list.rows if row.task == task]):
            head = row.head
            parent = (
                f"  follows {head.parent}{' (gone)' if row.gone else ''}" if _is_branch(row, checkpoint_list) else ""
            )
            now = "  restored" if row.is_next else ""
            size = sizes.readable(head.size)
            yield f"{head.id}  {teller.moment(head.at)}  {size}{label(head)}{_schema(head)}{parent}{now}"


def diff_lines(compared: Compared) -> Iterator[str]:
    """Yield the lines of `checkpoint diff`: `-` a removed value, `+` an added one, both for a changed one."""
    if not compared.differences:
        yield f"{compared.before.id} and {compared.after.id} are the same."
    for difference in compared.differences:
        if difference.kind != "added":
            yield f"- {one_line(difference.place)}: {_value(difference.before)}"
        if difference.kind != "removed":
            yield f"+ {one_line(difference.place)}: {_value(difference.after)}"


def pruned_lines(pruned: Pruned) -> Iterator[str]:
    """Yield a line for each pruned checkpoint, and how much that frees."""
    for task, head in pruned.gone:
        yield f"{'Would remove' if pruned.dry_run else 'Removed'}: {one_line(task)} {head.id}"
    count = len(pruned.gone)
    if not count:
        yield f"Nothing to prune; {pruned.kept} kept."
        return
    free = f", {sizes.readable(pruned.freed)}" if count else ""
    yield f"{count} {'checkpoint' if count == 1 else 'checkpoints'}{free}; {pruned.kept} kept."


def _is_branch(row: Any, checkpoint_list: CheckpointList) -> bool:
    """Return whether the parent of a checkpoint is another one than the checkpoint before it."""
    before = [
        other.head.id for other in checkpoint_list.rows if other.task == row.task and other.head.seq == row.head.seq - 1
    ]
    return row.head.parent is not None and (row.gone or row.head.parent not in before)


def label(head: Header) -> str:
    """Return the label of a checkpoint to print behind its id, empty without one."""
    return f"  {one_line(head.label)}" if head.label else ""


def _schema(head: Header) -> str:
    return f"  {one_line(head.schema[0])}@{head.schema[1]}" if head.schema else ""


def _value(value: Any) -> str:
    text = values.dumps(value)
    return text if len(text) <= _WIDEST_VALUE else f"{text[: _WIDEST_VALUE - 1]}…"
