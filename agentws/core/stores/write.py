"""Apply a set of changes to a workspace: check it, change the documents, then record history and identity pins."""

from __future__ import annotations

import os

from agentws.core.disk import local_dir, locate
from agentws.core.disk.change import transaction
from agentws.core.disk.files import unsynced
from agentws.core.formats import layout
from agentws.core.identity import pins
from agentws.core.installation import leftovers, stale_copy
from agentws.core.states import repository, versions
from agentws.core.stores import marks
from agentws.errors import AgentwsError, ChangedUnderneathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentws.changes import ChangeSet
    from agentws.core.stores.port import Stores


def apply(
    stores: Stores, changes: ChangeSet, fields: Mapping[str, object], *, signs_in: bool, receives: bool, is_exact: bool
) -> transaction.Applied:
    """Apply the changes to the stores and record one state in history; raises as disk/change/transaction.py.

    ForgottenError if they bring forgotten text; verbs that bring back older text leave it out instead.

    `fields` go into the record of changes if not None: `undoes`, the number of the change being undone; `redoes`, that
    of the undo being undone; `run`, the compaction run; `logs`, the lines that a sync brings (see lost_lines.py).
    The installation becomes a writer, except when a verb sets up or wires a workspace (`signs_in` is False), undoes, or
    brings changes of others (`receives`): a person has not agreed to those yet, and an installation without a vouch may
    do them. With `is_exact` or `receives`, a link of an agent's file is changed itself: it is synced as a file with a
    path. A failing history is a notice, and reported by `status` and `boot`: the documents are safe without it.
    """
    fields = {key: value for key, value in fields.items() if value is not None}
    is_undo = "undoes" in fields
    if receives:
        stores.check_adopted()
        locate.check_not_left(stores.files)
    else:
        stores.check_writable()
        changes = changes if is_exact else changes.at(stores.files.real)
        if stores.files.exists(layout.KEPT_OUT):
            from agentws.core.stores import kept_out  # only where something was forgotten

            changes = kept_out.checked(stores, changes, brings_back=is_undo or "redoes" in fields)
    older, before = stores.missing_change(), stores.history_failure()
    if stores.keeps_history():
        mark_unrecorded(stores)
    changes_memory = stores.files.real(layout.MEMORY) in changes.paths
    lost = None
    if changes_memory and changes.verb != "doctor" and local_dir.may_lack_facts(stores.files):
        from agentws.core.stores import lost_facts  # seldom

        lost = lost_facts.missing(stores.files)
    try:
        applied = transaction.apply(stores.files, changes, fields=fields | stores.by())
    except AgentwsError:
        marks.leave(stores.files, local_dir.HISTORY_FAILURE, before)
        raise
    if changes_memory:
        from agentws.core.stores import lost_facts

        lost_facts.keep(stores.files, applied.number, before=lost.before if lost else None)
    if not receives:
        _update_pins(stores, changes)
    if signs_in and not is_undo and not receives:
        stores.sign_in(older=older, in_history=False)
    elif older is None:
        _remember_change(stores)
    stores.record(changes.verb)
    if unsynced:
        from agentws.core.disk.inspect import mounts  # seldom

        stores.notices += mounts.warning_of_disk(stores.files)
    if applied.kept_beside:
        raise ChangedUnderneathError(
            "The change was made, but the file was edited at the same time. "
            f"The edit is kept as {applied.kept_beside[0]}.",
            hint="Compare both files and keep the right one. Nothing was lost.",
        )
    return applied


def _update_pins(stores: Stores, changes: ChangeSet) -> None:
    """Update the pins of identity files after a change by agentws itself."""
    own = stores.installation()
    if own is None:
        return
    leftovers.sweep(stores.files, own.folder, stores.manifest.agent_id)
    try:
        pins.ensure(stores.files, own.folder, at=stores.now_text())
        pins.follow(stores.files, own.folder, changes, stores.manifest, at=stores.now_text())
    except AgentwsError:
        return  # the next boot asks about a change that was asked for; nothing is lost by it


def _remember_change(stores: Stores) -> None:
    """Save the newest change outside the workspace, so that an older copy is detected."""
    try:
        own = stores.installation()
        if own is not None:
            stale_copy.keep(stores.files, own.folder, stores.now_text)
    except AgentwsError:
        return  # only the detection of older copies is lost


def record(stores: Stores, verb: str) -> list[str]:
    """Record the present documents as one state of history; returns notices, also about a failure."""
    try:
        at = stores.clock.now()
        secretive, notices = versions.record(
            stores.files, stores.manifest, f"agentws {verb}", at=at, cache=stores.cache
        )
        marks.leave(stores.files, local_dir.HELD_BACK, "\n".join(secretive))
    except AgentwsError as error:  # the disk may fail here too; the changes themselves are kept
        closed = _closed_history(stores)
        says = f"History was not recorded: {closed or error.message} {'' if closed else error.hint or ''}".rstrip()
        stores.notices += [says] if says not in stores.notices else []
        marks.leave(stores.files, local_dir.HISTORY_FAILURE, f"{_moment(stores)}: {closed or error.message}")
        return []
    marks.leave(stores.files, local_dir.HISTORY_FAILURE, "")
    return notices


def _closed_history(stores: Stores) -> str:
    """Return the notice if a sandbox forbids writing to the repository; a later command catches up."""
    value = repository.find(stores.root)
    closed = value is not None and not os.access(value, os.W_OK)
    return "the git repository is read-only here. A later command records this change." if closed else ""


def mark_unrecorded(stores: Stores) -> None:
    """Leave a mark in case of a kill between a change and its state in history, for the next verb and `status`."""
    says = f"{_moment(stores)}: interrupted before it was recorded."
    marks.leave(stores.files, local_dir.HISTORY_FAILURE, marks.under_way(says))


def _moment(stores: Stores) -> str:
    return stores.clock.now().isoformat(timespec="seconds")
