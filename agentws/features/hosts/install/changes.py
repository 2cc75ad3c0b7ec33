"""The changes of install and uninstall carried out, and the record of them kept."""

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
    """Write what is to change, or nothing of it. Within the workspace `undo` takes it back like any other change.

    `at_rest` is True where nothing of the agent's may be written: settings of a host are none of it.
    """
    if target.level == plan.PROJECT and not at_rest:
        # Wiring is none of the agent's life: uninstalled, it leaves nothing behind.
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
    """Keep what stood there before us, and what is going to, before anything is written.

    `former` are the records of the workspaces that are replaced: what stood there before them is what comes back.
    `rules` are those of ours that stand among a person's then.
    """
    record = install_record.Record(target.host, target.level, target.folder)
    for known in filter(None, (*former, target.record)):
        _inherit(record, known, target)
    without = target.without_us() if target.wired() else {}
    for change in changes:
        if not record.holds(change.place, change.before):
            record.before[change.place] = without.get(change.place, change.before)
        record.after[change.place] = install_record.digest_of(change.after)
        record.folders += [folder for folder in external_files.lacking(change.spot) if folder not in record.folders]
    record.folders.sort(key=len, reverse=True)
    record.rules = list(rules)
    install_record.keep(stores.files, record)


def former(target: Target, workspaces: Sequence[str]) -> dict[str, Record]:
    """Return the records that other workspaces have kept of these settings, by their root."""
    found = {root: install_record.find(Files(root), target.host, target.folder) for root in workspaces}
    return {root: record for root, record in found.items() if record is not None}


def forget(records: Mapping[str, Record]) -> list[str]:
    """Remove the records of the workspaces that were replaced; notices."""
    notices = []
    for root, record in records.items():
        try:
            install_record.forget(Files(root), record)
        except AgentwsError as error:
            notices.append(f"{root} still has a record of these settings: {error.message}")
    return notices


def _inherit(record: Record, known: Record, target: Target) -> None:
    """Take over what is known of the places that still are as they were left."""
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
    """What was written before something failed, as it was: no half of a wiring is left. What cannot be, stays."""
    for change in reversed(done):
        with contextlib.suppress(AgentwsError):
            _elsewhere(Change(change.place, change.spot, change.after, change.before))


def _elsewhere(change: Change) -> str | None:
    if change.after is not None:
        return external_files.write(change.spot, change.after, before=change.before)
    return external_files.remove(change.spot, before=change.before or "")
