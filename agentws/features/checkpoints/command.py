"""The verbs `agentws checkpoint save|list|show|restore|diff|prune`: their options and calls."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

from agentws.core.formats.json import plainjson
from agentws.core.terminal import output
from agentws.core.terminal.invocation import Run, check_read
from agentws.core.terminal.moments import Teller
from agentws.core.terminal.options import DRY_RUN, Verb, optional, text, word
from agentws.errors import TooLargeError, UsageError
from agentws.features.checkpoints import render
from agentws.workspace import Workspace


def save(run: Run, *, task: str, label: str, parent: str | None, schema: str | None) -> None:
    """Save the state of a task: JSON on standard input. Print its id.

    It follows the checkpoint restored or saved last.
    """
    state = state_in("-")
    result = run.workspace().checkpoints.save(task, state, label=label, parent=parent, schema=_schema(schema))
    run.result("checkpoint-save", result, f"*head[{render.HEAD}] path notices", render.saved_lines(result))


def state_in(file: str) -> Any:
    """Return the state for a checkpoint from a JSON file, from standard input for `-`; UsageError if it is not JSON."""
    try:
        return plainjson.loads(_bounded(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        where = "Standard input" if file == "-" else file
        raise UsageError(f"{where} is not JSON: {error}.", hint="agentws checkpoint save TASK < state.json") from error


def _bounded(file: str) -> bytes:
    """Return the content of a file with a state; TooLargeError above a bound."""
    if file == "-" and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError("A state is needed on standard input.", hint="agentws checkpoint save TASK < state.json")
    with nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb") as opened:
        data: bytes = opened.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise TooLargeError(
            f"The state has more than {_MOST_BYTES >> 20} MiB.", hint="Save large data in files, and their paths here."
        )
    return data


def list_checkpoints(run: Run, *, task: str | None) -> None:
    """List the checkpoints of a task, or of all tasks, the newest first."""
    workspace = run.workspace()
    result = workspace.checkpoints.list(task)
    lines = render.list_lines(_teller(workspace), result)
    run.result("checkpoint-list", result, render.LIST, lines, look=output.ROWS)
    check_read(result.unread)


def show(run: Run, *, task: str, which: str | None) -> None:
    """Show a checkpoint and its state."""
    workspace = run.workspace()
    result = workspace.checkpoints.show(task, which)
    lines = render.show_lines(_teller(workspace), result)
    run.result("checkpoint-show", result, f"*head[{render.HEAD}] path state notices", lines)


def restore(run: Run, *, task: str, to: str | None) -> None:
    """Print the state of a checkpoint as JSON. The next save follows it."""
    result = run.workspace().checkpoints.restore(task, to)
    lines = render.state_lines(result.state)
    run.result("checkpoint-restore", result, f"*head[{render.HEAD}] path state notices", lines)


def diff(run: Run, *, task: str, before: str | None, after: str | None) -> None:
    """Compare the states of two checkpoints of a task, place by place."""
    result = run.workspace().checkpoints.diff(task, before, after)
    run.result(
        "checkpoint-diff",
        result,
        "task=before.task before=before.id after=after.id differences[.plain] notices",
        render.diff_lines(result),
        look=output.PATCH,
    )


def prune(run: Run, *, task: str | None, dry_run: bool) -> None:
    """Remove checkpoints by `checkpoint.keep` and `checkpoint.keep_days`.

    Those with a label stay. `undo` cannot restore the others.
    """
    result = run.workspace().checkpoints.prune(task, dry_run=dry_run)
    run.result(
        "checkpoint-prune",
        result,
        "removed=gone[task *head[id at bytes=size]] kept freed_bytes=freed dry_run notices",
        render.pruned_lines(result),
    )


def _schema(text: str | None) -> tuple[str, int] | None:
    if text is None:
        return None
    name, _, version = text.rpartition("@")
    if not (name and version.isascii() and version.isdigit() and len(version) < 10):
        raise UsageError(f"--schema {text!r} is not NAME@VERSION.", hint="For example: --schema loan@2")
    return name, int(version)


def _teller(workspace: Workspace) -> Teller:
    return Teller((), workspace.stores.clock.now().tzinfo)


_MOST_BYTES = 1 << 26
_TASK = word("task", "TASK", "Task name, unique prefix, or path.", completes="task")
_ANY_TASK = optional("task", "[TASK]", "Task name or unique prefix. Default: all tasks.", completes="task")
_WHICH = "number, label, or id"
_COUNTS = "Default: the one restored last, until something is saved; else the newest."
VERBS = (
    Verb(
        "checkpoint save",
        save,
        (
            _TASK,
            text("--label", "TEXT", "A name; labelled checkpoints are never pruned.", default=""),
            text("--parent", "ID", f"The checkpoint that it follows: {_WHICH}."),
            text("--schema", "NAME@V", "Name and version of the state's schema."),
        ),
        "agentws checkpoint save loan-7 --label assessed < state.json",
        "agentws checkpoint save loan-7 --schema loan@2 < state.json",
    ),
    Verb(
        "checkpoint list",
        list_checkpoints,
        (_ANY_TASK,),
        "agentws checkpoint list loan-7",
        "agentws checkpoint list --json",
    ),
    Verb(
        "checkpoint show",
        show,
        (_TASK, optional("which", "[ID]", f"Checkpoint: {_WHICH}. {_COUNTS}")),
        "agentws checkpoint show loan-7",
        "agentws checkpoint show loan-7 assessed",
    ),
    Verb(
        "checkpoint restore",
        restore,
        (_TASK, text("--to", "ID", f"Checkpoint: {_WHICH}. {_COUNTS}")),
        "agentws checkpoint restore loan-7 > state.json",
        "agentws checkpoint restore loan-7 --to assessed > state.json",
    ),
    Verb(
        "checkpoint diff",
        diff,
        (
            _TASK,
            optional("before", "[ID]", f"Earlier checkpoint: {_WHICH}. Default: the one before."),
            optional("after", "[ID]", "Later checkpoint. Default: the newest one."),
        ),
        "agentws checkpoint diff loan-7",
        "agentws checkpoint diff loan-7 1 2",
        "agentws checkpoint diff loan-7 assessed",
    ),
    Verb(
        "checkpoint prune",
        prune,
        (_ANY_TASK, DRY_RUN),
        "agentws checkpoint prune --dry-run",
        "agentws checkpoint prune loan-7",
    ),
)
