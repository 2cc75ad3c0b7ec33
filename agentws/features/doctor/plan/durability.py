"""Findings about durability: history, git files, journal, interrupted changes, leftovers, and the clock. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from agentws.core.findings import (
    ADVICE,
    CLEAR,
    IGNORE,
    PROBLEM,
    SETTLE,
    WARNING,
    WRITE,
    Finding,
    Mend,
    of_error,
    quoted,
)
from agentws.core.formats import layout
from agentws.core.text.names import some

_ATTRIBUTES = "memory/.gitattributes"
_ATTRIBUTES_DATA = b"# Line ends are part of what was written: git keeps them as they are.\n* -text\n"
_IGNORE_DATA = b"# Tool outputs do not belong in a repository that something may push.\n/journal/\n/checkpoints/\n"
_STALE_S = 600.0
RECORD = "agentws doctor --fix records it. If that fails again, fix the cause first."
KEEP = "History contains only Markdown of the usual folders. Move the file there, or commit it with git yourself."


def history(
    *, failure: str, broken: str = "", kept: bool, gone: bool, why_not: str, remotes: bool, ref: str
) -> list[Finding]:
    """Return the finding about history: that it fails, its repository is gone, there is none, or it has no remote.

    `gone`: the repository that init created is missing; `ref` is the git ref where states are recorded.
    """
    if failure or broken:
        says = f"history has not been recorded since {failure}" if failure else f"history cannot be recorded: {broken}"
        return [Finding("history-failing", PROBLEM, says, remedy=RECORD, mends=[Mend(SETTLE)])]
    if gone:
        says = "the repository that init created is missing: no history is recorded"
        remedy = "Restore .git from a backup, or run: git init. To do without: agentws config history.commits off"
        return [Finding("repository-gone", WARNING, says, remedy=remedy)]
    if not kept:
        remedy = "Run git init, then: agentws config history.commits branch. Or keep your own backups."
        return [Finding("no-history", ADVICE, f"no history ({why_not}): only undo can restore files", remedy=remedy)]
    if not remotes:
        remedy = f"git remote add origin URL, then push regularly: git push origin {quoted(ref)}"
        return [Finding("no-remote", ADVICE, "no git remote: no off-machine backup", remedy=remedy)]
    return []


def emptied(ref: str) -> Finding:
    """Return the finding about an own git ref whose file is empty."""
    says = f"git's file of {ref} is empty, as a power cut leaves it, so git itself reads no history"
    remedy = "agentws doctor --fix sets it again, and so does the next change that history records"
    return Finding("history-emptied", WARNING, says, remedy=remedy, mends=[Mend(SETTLE)])


def not_kept(paths: Sequence[str]) -> list[Finding]:
    """Return a finding for files in the workspace that are not documents, so that history does not contain them."""
    if not paths:
        return []
    more = f"; the same holds for {some(paths[1:])}" if len(paths) > 1 else ""
    says = f"not versioned: history contains only documents{more}"
    return [Finding("not-in-history", ADVICE, says, remedy=KEEP, path=paths[0])]


def git_lock(path: str, *, age_s: float) -> list[Finding]:
    """Return a finding if git's lock is so old that the process that made it must have been killed."""
    if age_s < _STALE_S:
        return []
    says = f"git has been locked for {_age(age_s)}: neither agentws nor you can commit"
    remedy = f"If no git command is running, remove the stale lock: rm {quoted(path)}"
    return [Finding("git-locked", WARNING, says, remedy=remedy, path=path)]


def _age(age_s: float) -> str:
    minutes = int(age_s // 60)
    hours, days = minutes // 60, minutes // 1440
    return f"{days} days" if days > 1 else f"{hours} hours" if hours > 1 else f"{minutes} minutes"


def git_files(*, ignore: bool, attributes: bool, own: bool) -> list[Finding]:
    """Return findings for a missing .gitignore or .gitattributes; `own`: init created the repository."""
    findings = []
    if own and not ignore:
        says = "missing: `git add` would add the journal, with tool output, to the repository"
        mend = Mend(WRITE, ".gitignore", data=_IGNORE_DATA)
        findings.append(Finding("git-ignore", ADVICE, says, remedy=_fix(), path=".gitignore", mends=[mend]))
    if not attributes:
        says = "missing: git may change line endings of the logs at checkout"
        mend = Mend(WRITE, _ATTRIBUTES, data=_ATTRIBUTES_DATA)
        findings.append(Finding("git-attributes", ADVICE, says, remedy=_fix(), path=_ATTRIBUTES, mends=[mend]))
    return findings


def local_ignore() -> Finding:
    """Return the finding for a missing .gitignore in `.agentws`, which git would then track."""
    says = "missing: git would add files of this machine only"
    return Finding(
        "local-ignore", WARNING, says, remedy=_fix(), path=f"{layout.LOCAL}/.gitignore", mends=[Mend(IGNORE)]
    )


def interrupted() -> Finding:
    """Return the finding for an interrupted change, which `--fix` completes or reverts durably."""
    says = "a change was interrupted; no data is lost"
    return Finding("interrupted", WARNING, says, remedy=_fix(), mends=[Mend(SETTLE)])


def poisoned(path: str) -> Finding:
    """Return the finding for a journal that lost an event to a disk error."""
    says = "a disk error lost an event"
    remedy = "Check the disk (dmesg, smartctl). The next event verifies the journal and continues."
    return Finding("journal-poisoned", PROBLEM, says, remedy=remedy, path=path)


def damaged(message: str, hint: str | None) -> Finding:
    """Return the finding for a damaged journal, which accepts no more events."""
    return of_error("journal-damaged", PROBLEM, message, remedy=hint or "agentws journal verify")


def unsealed(failure: str) -> Finding:
    """Return the finding for seals of the journal that fail."""
    says = f"the journal has not been sealed since {failure}"
    return Finding("seal-failing", PROBLEM, says, remedy="Fix the cause, then: agentws journal seal")


def quarantined(paths: Sequence[str]) -> list[Finding]:
    """Return a finding if incomplete data of crashes is in quarantine."""
    if not paths:
        return []
    says = f"data that crashes left incomplete was saved: {some(paths)}"
    remedy = "No command reported this data as written. Check the files, then delete them."
    return [Finding("quarantine", ADVICE, says, remedy=remedy, path=paths[0])]


def left_over(paths: Sequence[str], *, base: str = "") -> list[Finding]:
    """Return a finding for temporary files of a killed process; `base` is their folder if outside the workspace."""
    if not paths:
        return []
    first = f"{base}/{paths[0]}" if base else paths[0]
    says = f"temporary files of a killed process: {some(paths)}"
    mends = [Mend(CLEAR, path, base=base) for path in paths]
    return [Finding("leftover", ADVICE, says, remedy=_fix(), path=first, mends=mends)]


def kept_aside(paths: Sequence[str]) -> list[Finding]:
    """Return findings for old contents that a killed change left beside a file: they may contain an edit."""
    remedy = "Compare this file with the original, then delete this file."
    says = "old content that an interrupted change left; it may contain an edit"
    return [Finding("kept-aside", WARNING, says, remedy=remedy, path=path) for path in paths]


def _fix() -> str:
    return "agentws doctor --fix"


_TOLERANCE = timedelta(minutes=5)
_A_DAY = timedelta(days=1)
_MINUTES = "%Y-%m-%d %H:%M"


def future_events(now: datetime, newest: str, cursor: str) -> list[Finding]:
    """Return a finding if the newest event, with its recorded time and its cursor, is dated in the future."""
    at = _moment(newest)
    if at is None or at - now <= _TOLERANCE:
        return []
    dated = f"{at.astimezone(now.tzinfo):{_MINUTES}}"
    says = f"the newest event ({cursor}) is dated {dated}, but the clock says {now:{_MINUTES}}"
    return [Finding("clock", WARNING, says, remedy=_remedy(), path="journal")]


def future_days(now: datetime, newest_path: str, newest_day: str) -> list[Finding]:
    """Return a finding if the newest daily log is of a future day."""
    latest = (now + _A_DAY).date().isoformat()
    if newest_day <= latest:
        return []
    says = f"the newest log is dated {newest_day}, but the clock says {now:{_MINUTES}}"
    remedy = f"{_remedy()} If the clock is right, rename the log to its real day."
    return [Finding("clock", WARNING, says, remedy=remedy, path=newest_path)]


def made_later(now: datetime, created: str, manifest: str) -> list[Finding]:
    """Return a finding if the clock is before the creation of the workspace (`created` in the manifest)."""
    at = _moment(created)
    if at is None or at - now <= _A_DAY:
        return []
    says = f"the workspace was created on {at:%Y-%m-%d}, but the clock says {now:{_MINUTES}}"
    return [Finding("clock", WARNING, says, remedy=_remedy(), path=manifest)]


def unknown_zone(zone: str, manifest: str) -> list[Finding]:
    """Return the finding for a time zone that this machine does not know."""
    says = f"the time zone {zone!r} is unknown on this machine: times are in UTC"
    remedy = f"Write an IANA name into {manifest}, for example Europe/Berlin; or: pip install tzdata"
    return [Finding("time-zone", WARNING, says, remedy=remedy, path=manifest)]


def zones(now: datetime, there: datetime, *, own_zone: str, zone: str, manifest: str) -> list[Finding]:
    """Return a finding if the time in the manifest's zone (`now`) differs from this machine's (`there`)."""
    if now.utcoffset() == there.utcoffset():
        return []
    says = f"the workspace uses {zone} ({now:%H:%M} now), but this machine uses {own_zone} ({there:%H:%M})"
    remedy = f"Ignore this if the user lives in {zone}. Otherwise set timezone in {manifest}."
    return [Finding("time-zone", ADVICE, says, remedy=remedy, path=manifest)]


def _remedy() -> str:
    return "Set the clock (timedatectl). The order of the journal is safe, its dates are not."


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else None
