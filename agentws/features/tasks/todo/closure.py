"""done and drop: closes the open items that a reference or words name, in the log, in boxes or in tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentws import features
from agentws.changes import ChangeSet, Write
from agentws.core import Record, Result
from agentws.core.disk import local_dir, lock, task_heads
from agentws.core.formats import digest, layout
from agentws.core.formats.documents import daily, task
from agentws.core.formats.secrets import secrets
from agentws.core.notes import closure, reference
from agentws.core.notes.closure import Row
from agentws.core.notes.entry import Entry
from agentws.core.stores import open_items
from agentws.core.stores.stores import Stores
from agentws.core.text import utf8
from agentws.errors import ChangedUnderneathError, NothingOpenError, UsageError
from agentws.features.daily import log
from agentws.features.daily.log import Logged
from agentws.features.tasks import move
from agentws.features.tasks.change import TaskChanged

_LOCK, _LOCK_TIMEOUT_S = "closing", 10.0
_TRIES = 5
_LONG = 8
_VERBS = {daily.DONE: "done", daily.DROPPED: "drop"}


class Closed(Record, Result):
    """An open item that was closed, or would be.

    Fields:
        row: the item.
        boxes: its entries that are boxes of MEMORY.md or of a task.
        ticked: where a box was ticked or a task finished: FILE:LINE, or the path of the task.
        logged: the line in today's log, as `log` returns it; None if boxes or a task say it all.
    """

    row: Row
    boxes: list[Entry]
    ticked: list[str]
    logged: Logged | None = None


class Closing(Record, Result):
    """The result of `done` or `drop`: the closed items, as `kind`: `done` or `dropped`.

    For an action in flight: its `call`, and the `cursor` of the result that was recorded; else both are empty.
    """

    kind: str
    closed: list[Closed]
    dry_run: bool
    notices: list[str]
    call: str = ""
    cursor: str = ""


def done(stores: Stores, *words: str, note: str = "", call: str | None = None, dry_run: bool = False) -> Closing:
    """Close the one open item that `words` name, or each of several references.

    A line in today's log closes it, with the item's reference; a box in MEMORY.md or in a task is ticked instead, a
    task is finished. AmbiguousError if several match, NothingOpenError if none does; then nothing is written.

    With `call` instead of words, record that this action in flight is done; `note` is the text of its result.
    """
    if call is not None:
        return _ended(stores, words, call, note, dry_run=dry_run)
    return _close(stores, words, daily.DONE, note, dry_run=dry_run)


def drop(stores: Stores, *words: str, note: str = "", dry_run: bool = False) -> Closing:
    """Drop an open item, as `done` closes one: the line says `[dropped]`, a box is crossed, a task is cancelled."""
    return _close(stores, words, daily.DROPPED, note, dry_run=dry_run)


def _ended(stores: Stores, words: Sequence[str], call: str, note: str, *, dry_run: bool) -> Closing:
    if words or dry_run:
        raise UsageError("--call cannot be combined with WORDS or --dry-run.", hint='agentws done --call 9 -m "Sent"')
    if not call:
        raise UsageError("--call needs the ID of an action.", hint="To list those in flight: agentws journal replay")
    from agentws.features.journal import event

    check_open(stores, call)
    recorded = event.event(stores, "result", note or None, call=call)
    return Closing(daily.DONE, [], False, recorded.notices, call, recorded.cursor or "")


def check_open(stores: Stores, call: str) -> None:
    """Raise NothingOpenError for a call whose result or error is recorded already."""
    from agentws.core.journal import calls, retractions
    from agentws.core.stores import record, writer_trust

    whole = stores.whole
    known = writer_trust.known(whole)
    gone = retractions.of(whole.files, whole.cache, known)
    end = calls.end_of(stores.files, record.ended_call(stores, call), known, gone)
    if end is not None:
        raise NothingOpenError(
            f"The call {call} has ended already: {end.cursor} is its {end.kind}. Nothing was recorded.",
            hint=f"If that is wrong, retract it first: agentws journal retract {end.cursor} --reason WHY",
        )


def _close(stores: Stores, words: Sequence[str], kind: str, note: str, *, dry_run: bool) -> Closing:
    stores.check_writable()
    secrets.refuse(note)
    stores.refuse_forgotten(note)  # before a box is ticked
    utf8.check(note)
    if not any(map(str.strip, words)):
        raise UsageError("Name the item to close.", hint="By words or by reference: agentws done call tom")
    if dry_run:
        return _closed(stores, words, kind, note, dry_run=True)
    local_dir.prepare(stores.files)
    # If two processes close an item at once, the second one finds it closed.
    with lock.Lock(stores.files, _LOCK, timeout_s=_LOCK_TIMEOUT_S, note=_VERBS[kind]) as held:
        stores.settle()
        stores.call = local_dir.new_id()
        try:
            return _closed(stores, words, kind, note, dry_run=False)
        finally:
            stores.call = ""
            held.clear_note()


def _closed(stores: Stores, words: Sequence[str], kind: str, note: str, *, dry_run: bool) -> Closing:
    open_item = open_items.read(stores.visible_to(), features.each("open_items"), whole=True)
    stores.notices += open_item.notices
    rows = closure.named(words, open_item)
    for asked in (each for each in rows if each.form == closure.APPROVAL):
        hint = f"A person answers it: agentws ask show {asked.ref}"
        raise UsageError(f"{asked.ref} is a question to a person: {asked.text}", hint=hint)
    items = [Closed(row, [entry for entry in row.said if closure.can_be_ticked(entry)], []) for row in rows]
    closing = Closing(kind, items, dry_run, list(stores.notices))
    for closed in closing.closed:
        work = _task if closed.row.form == closure.TASK else _entry
        for result in work(stores, closed, kind, note) if not dry_run else ():
            closing.notices += [notice for notice in result.notices if notice not in closing.notices]
    return closing


def _entry(stores: Stores, closed: Closed, kind: str, note: str) -> Iterator[TaskChanged | Logged]:
    """Tick the boxes of an item; log a line if it is elsewhere too, or if there is a note about it."""
    by_path: dict[str, list[Entry]] = {}
    for entry in closed.boxes:
        by_path.setdefault(entry.path, []).append(entry)
    for path, boxes in by_path.items():
        if path.startswith(f"{layout.TASKS}/") and kind == daily.DONE:
            plan = task.decode(stores.files.read(path), slug=task_heads.slug(path), where=path)
            yield move.step(stores, plan.slug, done=closure.numbers(plan, boxes))
        else:
            _tick(stores, path, boxes, kind)
        closed.ticked += [f"{path}:{entry.line}" for entry in boxes]
    if len(closed.boxes) < len(closed.row.said) or note.strip():
        # Words of others are not repeated as the agent's own, and what looks like a secret not at all.
        is_told = not closed.row.src and not secrets.find(closed.row.text)
        words = closure.words(closed.row.text if is_told else f"{closed.row.path}:{closed.row.line}", note)
        closes = (_reference(closed.row),)
        closed.logged = log.log_closed(stores, words, kind=kind, tags=closed.row.tags, closes=closes)
        yield closed.logged


def _reference(row: Row) -> str:
    """Return the reference for the closing line: a written one, else one so long that no other entry will have it."""
    written = (reference.written(entry.text) for entry in row.said)
    return next(filter(None, written), row.said[0].longer_ref(_LONG))


def _tick(stores: Stores, path: str, boxes: list[Entry], kind: str) -> None:
    for left in reversed(range(_TRIES)):
        data = stores.files.read(path)
        text = closure.ticked(data.decode("utf-8", "surrogateescape"), boxes, kind)
        if text is None:
            raise ChangedUnderneathError(
                f"{path}: another program has just edited this file; nothing was closed.",
                hint="List open items: agentws todo",
            )
        changed = Write(path, text.encode("utf-8", "surrogateescape"), expects=digest.of(data))
        try:
            stores.apply(ChangeSet(_VERBS[kind], (changed,)))
        except ChangedUnderneathError:
            if not left:
                raise
        else:
            return


def _task(stores: Stores, closed: Closed, kind: str, note: str) -> Iterator[TaskChanged]:
    end = move.finish if kind == daily.DONE else move.cancel
    yield end(stores, closed.row.slug, note)
    closed.ticked.append(closed.row.path)
