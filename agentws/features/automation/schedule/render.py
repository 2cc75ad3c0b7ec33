"""Renders the results of `schedule install`, `remove` and `show`: lines for people, and JSON fields for scripts."""

from __future__ import annotations

import difflib
from datetime import datetime

from agentws.core.terminal import output
from agentws.core.text.sanitize import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.automation.schedule.install import Scheduled
    from agentws.features.automation.schedule.show import ScheduleList


_PRINT = "print"
_PLACES = {"crontab": "your crontab", "systemd": "a systemd timer", _PRINT: "a line for a crontab"}


def fields(found: Scheduled, *, dry_run: bool) -> dict[str, object]:
    """Return the fields of `agentws/schedule-install@1` and `agentws/schedule-remove@1`."""
    return {
        **output.fields(found, "job where=place when"),
        "next": _moment(found.next),
        "command": found.command,
        "line": found.line,
        "changes": [output.fields(change, "where before after") for change in found.changes],
        "changed": found.done and bool(found.steps),
        "dry_run": dry_run,
        "notices": found.notices,
    }


def installed_lines(found: Scheduled, *, dry_run: bool) -> Iterator[str]:
    """Yield the lines that `schedule install` prints; a line for a person's crontab stands alone, to be piped."""
    if found.line is not None:
        yield found.line
        return
    where = _PLACES[found.place or _PRINT]
    if not found.steps:
        yield f"{found.job} is already in {where}. Nothing was changed."
    elif found.done:
        yield f"{found.job} is now in {where}."
    else:
        yield from change_lines(found)
    yield from _when(found)
    yield from _open_end(found, dry_run=dry_run)


def removed_lines(found: Scheduled, *, dry_run: bool) -> Iterator[str]:
    """Yield the lines that `schedule remove` prints."""
    if not found.steps:
        yield f"{found.job} is not scheduled here. Nothing was changed."
    elif found.done:
        yield f"{found.job} is no longer scheduled."
    else:
        yield from change_lines(found)
    yield from _open_end(found, dry_run=dry_run)


def change_lines(found: Scheduled) -> Iterator[str]:
    """Yield the lines of crontab or units that are added (+) and removed (-), each place with a title."""
    for change in found.changes:
        yield _PLACES.get(change.where, change.where)
        before, after = (change.before or "").split("\n"), (change.after or "").split("\n")
        for line in list(difflib.unified_diff(before, after, n=0, lineterm=""))[2:]:
            if not line.startswith("@@") and line not in ("+", "-"):
                yield f"  {line[0]} {line[1:]}"


def _when(found: Scheduled) -> Iterator[str]:
    following = f", next on {found.next:%Y-%m-%d at %H:%M}" if found.next else ""
    yield f"  when      {found.when}{following}"
    if found.done or not found.steps:
        yield f"  calls     {one_line(found.command or '')}"


def _open_end(found: Scheduled, *, dry_run: bool) -> Iterator[str]:
    if dry_run and found.steps:
        yield "Nothing was changed (--dry-run)."


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment is not None else None


def shown_fields(found: ScheduleList) -> dict[str, object]:
    """Return the fields of `agentws/schedule-show@1`."""
    rows = [
        {
            **output.fields(row, "job where=place when"),
            "next": _moment(row.next),
            **output.fields(row, "command on here"),
        }
        for row in found.rows
    ]
    return {"jobs": rows, "notices": found.notices}


def shown_lines(found: ScheduleList) -> Iterator[str]:
    """Yield the schedules that `schedule show` prints, a paragraph each."""
    if not found.rows:
        yield "Nothing is scheduled. For a daily check: agentws schedule install doctor"
    for row in found.rows:
        yield f"{row.job}, in {_PLACES[row.place]}"
        following = f", next on {row.next:%Y-%m-%d at %H:%M}" if row.next else ""
        yield f"  when      {one_line(row.when)}{following}"
        yield f"  calls     {one_line(row.command)}"
        again = f"To repair: agentws schedule install {row.job}"
        if not row.on:
            yield f"  off       the systemd timer is inactive. {again}"
        if not row.here:
            yield f"  elsewhere the job runs in another folder. {again}"
