"""Rendering of `agentws checkpoint`: lines for people and JSON fields for scripts."""

from __future__ import annotations

from agentws.core.formats.json import values
from agentws.core.terminal import output
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


def fields(checkpoint: Checkpoint, *, has_state: bool) -> dict[str, object]:
    """Return the fields of `agentws/checkpoint-save@1`; with `has_state` those of `-show` and `-restore`."""
    state = {"state": checkpoint.state} if has_state else {}
    return {**head_fields(checkpoint.head), "path": checkpoint.path, **state, "notices": checkpoint.notices}


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


def list_fields(checkpoint_list: CheckpointList) -> dict[str, object]:
    """Return the fields of `agentws/checkpoint-list@1`."""
    rows = [
        {**head_fields(row.head), "task": row.task, "parent_gone": row.gone, "is_next": row.is_next}
        for row in checkpoint_list.rows
    ]
    return {"checkpoints": rows, "notices": checkpoint_list.notices}


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


def diff_fields(compared: Compared) -> dict[str, object]:
    """Return the fields of `agentws/checkpoint-diff@1`."""
    return {
        **output.fields(compared, "task=before.task before=before.id after=after.id"),
        "differences": [difference.plain() for difference in compared.differences],
        "notices": compared.notices,
    }


def diff_lines(compared: Compared) -> Iterator[str]:
    """Yield the lines of `checkpoint diff`: `-` a removed value, `+` an added one, both for a changed one."""
    if not compared.differences:
        yield f"{compared.before.id} and {compared.after.id} are the same."
    for difference in compared.differences:
        if difference.kind != "added":
            yield f"- {one_line(difference.place)}: {_value(difference.before)}"
        if difference.kind != "removed":
            yield f"+ {one_line(difference.place)}: {_value(difference.after)}"


def pruned_fields(pruned: Pruned) -> dict[str, object]:
    """Return the fields of `agentws/checkpoint-prune@1`."""
    return {
        "removed": [{"task": task, "id": head.id, "at": head.at, "bytes": head.size} for task, head in pruned.gone],
        **output.fields(pruned, "kept freed_bytes=freed dry_run notices"),
    }


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


def head_fields(head: Header) -> dict[str, object]:
    """Return the JSON fields of a checkpoint's header."""
    return {
        **output.fields(head, "task id seq parent at label?"),
        "state_schema": {"name": head.schema[0], "version": head.schema[1]} if head.schema else None,
        "bytes": head.size,
        "digest": head.digest,
    }


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
