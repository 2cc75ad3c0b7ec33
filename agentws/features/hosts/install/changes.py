"""Applies the changes that install and uninstall make to settings files, and keeps the install record."""

from __future__ import annotations

import contextlib

from agentws.changes import ABSENT, ChangeSet, Remove, Write
from agentws.core.disk import external_files
from agentws.core.disk.files import Files
from agentws.core.hosts import plan
from agentws.errors import AgentwsError, ChangedUnderneathError
from agentws.features.hosts import install_record
from agentws.features.hosts.install.target import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.stores.stores import Stores
    from agentws.features.hosts.install.target import Target
    from agentws.features.hosts.install_record import Record


def apply(stores: Stores, verb: str, target: Target, changes: Sequence[Change], *, at_rest: bool = False) -> None:
    """Apply the changes to settings files, all or none. In the workspace's folder `undo` reverts them like any change.

    `at_rest` is True if nothing may be written in the workspace: a host's settings are no part of it.
    """
    if target.level == plan.PROJECT and not at_rest:
        # Installing is no work of the agent: once uninstalled, it leaves nothing behind.
        stores.apply(ChangeSet(f"{verb} {target.host}", tuple(map(_within, changes))), signs_in=False)
        return
    kept: list[str] = []
    done: list[Change] = []
    try:
        for change in changes:
            beside = _elsewhere(change)
            done.append(change)
            kept += [beside] if beside else []
    except AgentwsError:
        _take_back(done)
        raise
    if kept:
        raise ChangedUnderneathError(
            f"The change was made, but the file was edited at the same time. The edit is kept as {kept[0]}.",
            hint="Compare both files and keep the right one. Nothing was lost.",
        )


def remember(
    stores: Stores, target: Target, changes: Sequence[Change], former: Sequence[Record], rules: Sequence[str]
) -> None:
    """Write the install record before any settings file: each file's text before, and the digest of its new one.

    `former` are the records of replaced workspaces: the texts before those come back at uninstall. `rules` are the
    rules of agentws that will be in a person's list.
    """
    record = install_record.Record(target.host, target.level, target.folder)
    for known in filter(None, (*former, target.record)):
        _inherit(record, known, target)
    without = target.without_us() if target.wired() else {}
    for change in changes:
        if not record.holds(change.place, change.before):
            record.before[change.place] = without.get(change.place, change.before)
        record.after[change.place] = install_record.digest_of(change.after)
        record.folders += [
            folder for folder in external_files.missing_folders(change.spot) if folder not in record.folders
        ]
    record.folders.sort(key=len, reverse=True)
    record.rules = list(rules)
    install_record.keep(stores.files, record)


def former(target: Target, workspaces: Sequence[str]) -> dict[str, Record]:
    """Return the install records that other workspaces hold for these settings, by their root."""
    records = {root: install_record.find(Files(root), target.host, target.folder) for root in workspaces}
    return {root: record for root, record in records.items() if record is not None}


def forget(records: Mapping[str, Record]) -> list[str]:
    """Remove the install records of the workspaces that were replaced; return notices."""
    notices = []
    for root, record in records.items():
        try:
            install_record.forget(Files(root), record)
        except AgentwsError as error:
            notices.append(f"{root} still has a record of these settings: {error.message}")
    return notices


def _inherit(record: Record, known: Record, target: Target) -> None:
    """Take over from another record the files that are unchanged since, and those that this record does not have."""
    for name, digest in known.after.items():
        if known.holds(name, target.present.get(name)) or name not in record.after:
            record.before[name], record.after[name] = known.before.get(name), digest
    record.folders += [folder for folder in known.folders if folder not in record.folders]


def _within(change: Change) -> Write | Remove:
    expects = install_record.digest_of(change.before)
    if change.after is None:
        return Remove(change.spot.path, expects=expects)
    return Write(change.spot.path, change.after.encode("utf-8", "surrogateescape"), expects=expects or ABSENT)


def _take_back(done: Sequence[Change]) -> None:
    """Revert the changes made before one failed, so that no install is half done. What cannot be reverted stays."""
    for change in reversed(done):
        with contextlib.suppress(AgentwsError):
            _elsewhere(Change(change.place, change.spot, change.after, change.before))


def _elsewhere(change: Change) -> str | None:
    if change.after is not None:
        return external_files.write(change.spot, change.after, before=change.before)
    return external_files.remove(change.spot, before=change.before or "")
