"""Copies: backups, sync, conflicts and machines, with a drawing of them all."""

from __future__ import annotations

from dataclasses import dataclass

from agentws.core.disk import clock
from agentws.errors import UsageError
from agentws.features.copies.backup import backup_lag
from agentws.features.identity.show import FIRST, NOBODY
from agentws.features.sync.plan import decision
from agentws.features.ui.page import Notice, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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


WIDTH = 720
_BOX_WIDTH, _BOX_HEIGHT, _GAP = 184, 54, 16
_LEFT, _MIDDLE, _RIGHT = 40, 288, 536
_MOST = 12
_TITLE_CHARS, _CHARS = 18, 22


@dataclass(frozen=True, slots=True)
class Box:
    """A box: its `title` and `text`, its `kind` as a class of CSS, and the id of the box that it is `joined` to."""

    title: str
    text: str
    kind: str = ""
    joined: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A box at its place, with `title` and `text` cut to fit in it."""

    box: Box
    x: int
    y: float
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawing; `left_out` counts boxes that are not in it."""

    height: int
    boxes: tuple[Placed, ...]
    lines: tuple[tuple[str, str], ...]
    """(path in SVG, kind as a class of CSS) of each."""
    left_out: int
    width: int = WIDTH
    box_width: int = _BOX_WIDTH
    box_height: int = _BOX_HEIGHT


def drawing(machines: Sequence[Box], middle: Box, copies: Sequence[Box]) -> Drawing:
    """Return the drawing: machines on the left, joined to the one that vouched for them, this copy, its copies.

    At most twelve boxes of a side are drawn.
    """
    most = max(min(_MOST, len(machines)), min(_MOST, len(copies)), 1)
    height = most * (_BOX_HEIGHT + _GAP) - _GAP
    left, right = _column(machines[:_MOST], _LEFT, height), _column(copies[:_MOST], _RIGHT, height)
    centre = _placed(middle, _MIDDLE, (height - _BOX_HEIGHT) / 2)
    vouchers = {place.box.id: place for place in left}
    vouches = [(vouchers.get(place.box.joined), place) for place in left]
    lines = [
        *(_line(place, centre, place.box.kind) for place in left),
        *(_line(centre, place, f"{place.box.joined} {place.box.kind}") for place in right),
        *(_arc(voucher, place) for voucher, place in vouches if voucher is not None and voucher is not place),
    ]
    left_out = len(machines) - len(left) + len(copies) - len(right)
    return Drawing(height, (*left, centre, *right), tuple(lines), left_out)


def _column(boxes: Sequence[Box], x: int, height: int) -> list[Placed]:
    top = (height - len(boxes) * (_BOX_HEIGHT + _GAP) + _GAP) / 2
    return [_placed(box, x, top + number * (_BOX_HEIGHT + _GAP)) for number, box in enumerate(boxes)]


def _placed(box: Box, x: int, y: float) -> Placed:
    return Placed(box, x, y, _cut(box.title, _TITLE_CHARS), _cut(box.text, _CHARS))


def _cut(text: str, most: int) -> str:
    """Return a text that fits in a box; of a long path its end says most."""
    if len(text) <= most:
        return text
    return f"…{text[1 - most :]}" if "/" in text else f"{text[: most - 1]}…"


def _line(start: Placed, end: Placed, kind: str) -> tuple[str, str]:
    x1, y1, x2, y2 = start.x + _BOX_WIDTH, start.y + _BOX_HEIGHT / 2, end.x, end.y + _BOX_HEIGHT / 2
    middle = (x1 + x2) / 2
    return (f"M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}", kind)


def _arc(voucher: Placed, vouched: Placed) -> tuple[str, str]:
    y1, y2 = voucher.y + _BOX_HEIGHT / 2, vouched.y + _BOX_HEIGHT / 2
    return (f"M{_LEFT} {y1:g}C0 {y1:g} 0 {y2:g} {_LEFT} {y2:g}", "vouch")
