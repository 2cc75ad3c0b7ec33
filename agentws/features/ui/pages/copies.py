"""Copies: backups, sync, conflicts and machines, with a drawing of them all."""

from __future__ import annotations

from agentws.core.disk import clock
from agentws.errors import UsageError
from agentws.features.copies.backup import backup_lag
from agentws.features.identity.show import FIRST, NOBODY
from agentws.features.sync.plan import decision
from agentws.features.ui.drawing import Box, drawing
from agentws.features.ui.page import Notice, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from agentws.core.formats.travel.conflict import Record, Side
    from agentws.core.installation.backups import Known as Backup
    from agentws.core.installation.remotes import Known as Remote
    from agentws.features.identity.show import KnownWriter
    from agentws.workspace import Workspace

_TAKES = {decision.ONE: "Take 1", decision.TWO: "Take 2", decision.BOTH: "Keep both", decision.NEITHER: "Keep neither"}
_TOLD = {FIRST: "the first machine", NOBODY: "nobody vouched", "takeover": "took over", "recovery": "by a recovery key"}


def view(workspace: Workspace, query: Mapping[str, str]) -> Mapping[str, object]:
    """Return the backups, remotes, conflicts and machines of the agent, and the drawing of them."""
    now = workspace.stores.clock.now()
    identity = workspace.identity.show()
    hosts = {writer.writer: writer.host or writer.writer[-8:] for writer in identity.writers}
    machines = [_machine(writer, hosts, now) for writer in identity.writers]
    backups = [_backup(workspace, backup, now) for backup in workspace.copies.list()]
    remotes = [_remote(remote, now) for remote in workspace.sync.list()]
    conflicts = workspace.sync.conflicts()
    return {
        "machines": machines,
        "backups": backups,
        "remotes": remotes,
        "conflicts": [_conflict(workspace, record, conflicts.hosts, now) for record in conflicts.records],
        "drawing": drawing(
            [Box(each["host"], each["trust"], each["kind"], each["voucher"], each["writer"]) for each in machines],
            Box(identity.name, workspace.root, "middle"),
            [Box(each["place"], each["says"], each["kind"], each["link"]) for each in (*backups, *remotes)],
        ),
        "notices": [*identity.notices, *conflicts.notices],
    }


def _machine(writer: KnownWriter, hosts: Mapping[str, str], now: datetime) -> dict[str, str]:
    by = writer.trusted_by
    return {
        "writer": writer.writer,
        "host": hosts[writer.writer],
        "is_here": "yes" if writer.here else "",
        "last": clock.local(writer.last, now) if writer.last else "no event here",
        "events": f"{writer.seq:,}",
        "trust": _TOLD.get(by) or f"vouched for by {hosts.get(by, by[-8:])}",
        "voucher": by if by in hosts else "",
        "kind": "problem" if by == NOBODY else "here" if writer.here else "",
    }


def _backup(workspace: Workspace, backup: Backup, now: datetime) -> dict[str, str]:
    lag = backup_lag.behind(workspace.stores.files, backup.heads) if backup.at else None
    drilled = backup.drilled
    result = "boots" if drilled.get("well") else "failed"
    return {
        "place": backup.to,
        "at": clock.local(backup.at, now),
        "says": backup_lag.ago(now, backup.at) if backup.at else "no backup yet",
        "lag": f"{lag.events:,} events not in it" if lag and lag.events else "all events are in it" if lag else "",
        "drilled": f"{result}, {backup_lag.ago(now, str(drilled['at']))}" if drilled.get("at") else "never tried",
        "failed": backup.failed or backup.hooks_failed,
        "kind": "problem" if backup.failed or drilled.get("well") is False else "",
        "link": "backup",
    }


def _remote(remote: Remote, now: datetime) -> dict[str, str]:
    says = f"synced {backup_lag.ago(now, remote.at)}" if remote.at else "never synced"
    return {
        "place": remote.url,
        "at": clock.local(remote.at, now),
        "says": f"{says}, now away" if remote.away else says,
        "failed": remote.failed,
        "kind": "problem" if remote.failed else "away" if remote.away else "",
        "link": "sync",
    }


def _conflict(workspace: Workspace, record: Record, hosts: Mapping[str, str], now: datetime) -> dict[str, object]:
    return {
        "record": record,
        "at": clock.local(record.at, now),
        "between": [hosts.get(writer, writer[-8:]) for writer in record.between],
        "sides": [_text(workspace, side) for side in record.sides],
        "takes": _TAKES,
    }


def _text(workspace: Workspace, side: Side) -> str | None:
    """Return the text of a side of a conflict, None if it has nothing."""
    if side.file:
        return workspace.stores.files.read(side.file).decode("utf-8", "surrogateescape")
    return side.text


def _resolve(workspace: Workspace, form: Mapping[str, str]) -> Notice:
    take = form.get("take", "")
    if take not in _TAKES:
        raise UsageError("Choose a side.")
    done = workspace.sync.resolve(form.get("id", ""), take=take)
    return Notice(f"{done.record.path}: {_TAKES[take].lower()}. The conflict is resolved.", "To undo: agentws undo")


PAGE = Page("copies", "Copies", view, actions={"resolve": _resolve})
