"""Reads and edits agentws's lines in a crontab: each ends in a comment with the job and the agent; others are kept.

A crontab is a text whose bytes that are no UTF-8 are lone surrogates.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time

from agentws.errors import UsageError
from agentws.features.automation.schedule.plan import jobs
from agentws.features.automation.schedule.plan.jobs import Command

_MARK = " # agentws schedule "
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_TIMES = re.compile(r"([0-9]{1,2}) ([0-9]{1,2}) \* \* (\*|[0-7]|[A-Za-z]{3})")
_ZONE = re.compile(r"\s*(?:CRON_)?TZ\s*=")
_TWO = re.compile(r"(?<=\\)(?=\\)")
_MOST_BYTES = 990
"""The longest line: some crons cut a command at 1,000 bytes silently."""


@dataclass(frozen=True, slots=True)
class CrontabLine:
    """A line of agentws's in a crontab: `when` are its time fields as they are there, `command` is what cron runs."""

    job: str
    agent: str
    when: str
    command: str

    @property
    def line(self) -> str:
        """The crontab line, without a line end."""
        return f"{self.when} {self.command}{_MARK}{self.job} {self.agent}"

    @property
    def at(self) -> time | None:
        """The time of day at which the crontab line runs, None if somebody gave it another rhythm."""
        match = _TIMES.fullmatch(self.when) if self.every else None
        fits = match is not None and int(match[1]) < 60 and int(match[2]) < 24
        return time(int(match[2]), int(match[1])) if match and fits else None

    @property
    def every(self) -> str:
        """`day`, or the day of the week on which the crontab line runs; empty if somebody gave it another rhythm."""
        match = _TIMES.fullmatch(self.when)
        day = match[3].lower() if match else ""
        if day == "*":
            return jobs.DAY
        return jobs.DAYS[int(day) - 1] if day.isdigit() else day if day in jobs.DAYS else ""


def fields(at: time, every: str = jobs.DAY) -> str:
    """Return a crontab's time fields for once a day, or once a week."""
    day = "*" if every == jobs.DAY else str((jobs.DAYS.index(every) + 1) % len(jobs.DAYS))
    return f"{at.minute} {at.hour} * * {day}"


def entry(command: Command, *, job: str, agent: str, when: str) -> CrontabLine:
    """Return the crontab line that calls `command`; UsageError if it is too long for some cron."""
    made = CrontabLine(job, agent, when, " ".join(map(_word, command.whole)))
    if len(made.line.encode("utf-8", "surrogateescape")) > _MOST_BYTES:
        raise UsageError("The workspace path is too long for a crontab.", hint="Use --with systemd.")
    return made


def _word(word: str) -> str:
    r"""Return `word` quoted for sh and cron, which reads the line first and turns `%` into a line break.

    Some crons remove the backslash of `\%`, others leave it to sh: outside of quotes both have the same effect. Some
    turn two backslashes into one, so no two are adjacent.
    """
    quoted = (shlex.quote(part) if part else "" for part in word.split("%"))
    return r"\%".join(_TWO.sub("''", part) for part in quoted) or "''"


def entries(text: str, *, agent: str) -> Iterator[CrontabLine]:
    """Yield the crontab lines of agentws for this agent, in order."""
    for line in _lines(text):
        crontab_line = _read(line)
        if crontab_line is not None and crontab_line.agent == agent:
            yield crontab_line


def with_entry(text: str, new: CrontabLine) -> str:
    """Return the crontab with this line in place of those for the same job and agent, else after all others."""
    kept: list[str] = []
    for line in _lines(text):
        if not _same(line, new.job, new.agent):
            kept.append(line)
        elif f"{new.line}\n" not in kept:
            kept.append(f"{new.line}\n")
    if f"{new.line}\n" not in kept:
        # A last line without a newline stays the last, so that removing this line restores the crontab.
        open_end = bool(kept) and not kept[-1].endswith("\n")
        kept.insert(len(kept) - open_end, f"{new.line}\n")
    return "".join(kept)


def without(text: str, *, job: str, agent: str) -> str:
    """Return the crontab without the lines for this job and agent."""
    return "".join(line for line in _lines(text) if not _same(line, job, agent))


def names(command: str, root: str) -> bool:
    """Return whether the command of a crontab line names this workspace."""
    return f" -C {_word(root)} " in f"{command} "


def sets_zone(text: str) -> bool:
    """Return whether the crontab sets its own time zone, so that only cron knows when a line runs."""
    return any(_ZONE.match(line) for line in _lines(text))


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _same(line: str, job: str, agent: str) -> bool:
    crontab_line = _read(line)
    return crontab_line is not None and (crontab_line.job, crontab_line.agent) == (job, agent)


def _read(line: str) -> CrontabLine | None:
    """Return the line as a `CrontabLine`; None for a foreign line, and for one that somebody turned into a comment."""
    message, mark, names = line.rpartition(_MARK)
    words, message = names.split(), message.strip()
    if not mark or len(words) != 2 or message.startswith("#"):
        return None
    parts = message.split(None, 1 if message.startswith("@") else 5)
    return CrontabLine(words[0], words[1], " ".join(parts[:-1]), parts[-1]) if len(parts) > 1 else None
