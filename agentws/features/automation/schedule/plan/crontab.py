"""A crontab with our lines in it: each ends in a comment that names the job and the agent, all else is kept.

A crontab is text in which bytes that are no UTF-8 stand as lone surrogates.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from datetime import time

from agentws.errors import UsageError
from agentws.features.automation.schedule.plan import jobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentws.features.automation.schedule.plan.jobs import Command

_MARK = " # agentws schedule "
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_TIMES = re.compile(r"([0-9]{1,2}) ([0-9]{1,2}) \* \* (\*|[0-7]|[A-Za-z]{3})")
_ZONE = re.compile(r"\s*(?:CRON_)?TZ\s*=")
_TWO = re.compile(r"(?<=\\)(?=\\)")
_MOST_BYTES = 990
"""Some crons cut a command at 1,000 bytes without a word."""


@dataclass(frozen=True, slots=True)
class CrontabLine:
    """A line of ours: `when` are its fields of time as they stand there, `command` what cron is told to run."""

    job: str
    agent: str
    when: str
    command: str

    @property
    def line(self) -> str:
        """The line, without its end."""
        return f"{self.when} {self.command}{_MARK}{self.job} {self.agent}"

    @property
    def at(self) -> time | None:
        """The time of day at which it runs, None where somebody gave it another rhythm."""
        found = _TIMES.fullmatch(self.when) if self.every else None
        fits = found is not None and int(found[1]) < 60 and int(found[2]) < 24
        return time(int(found[2]), int(found[1])) if found and fits else None

    @property
    def every(self) -> str:
        """`day`, or the day of the week on which it runs; empty where somebody gave it another rhythm."""
        found = _TIMES.fullmatch(self.when)
        day = found[3].lower() if found else ""
        if day == "*":
            return jobs.DAY
        return jobs.DAYS[int(day) - 1] if day.isdigit() else day if day in jobs.DAYS else ""


def fields(at: time, every: str = jobs.DAY) -> str:
    """The fields of time for once a day, or once a week."""
    day = "*" if every == jobs.DAY else str((jobs.DAYS.index(every) + 1) % len(jobs.DAYS))
    return f"{at.minute} {at.hour} * * {day}"


def entry(command: Command, *, job: str, agent: str, when: str) -> CrontabLine:
    """The line that makes cron call `command`; UsageError where it is longer than every cron takes."""
    made = CrontabLine(job, agent, when, " ".join(map(_word, command.whole)))
    if len(made.line.encode("utf-8", "surrogateescape")) > _MOST_BYTES:
        raise UsageError("The workspace path is too long for a crontab.", hint="Use --with systemd.")
    return made


def _word(word: str) -> str:
    r"""`word` quoted for sh, and for every cron, which reads the line first and makes a line break of `%`.

    Some crons take the backslash of `\%` away and some leave it to sh: outside of quotes both come to the same. Some
    make one backslash of two, so no two stand side by side.
    """
    quoted = (shlex.quote(part) if part else "" for part in word.split("%"))
    return r"\%".join(_TWO.sub("''", part) for part in quoted) or "''"


def entries(text: str, *, agent: str) -> Iterator[CrontabLine]:
    """The lines of ours for this agent, in their order."""
    for line in _lines(text):
        found = _read(line)
        if found is not None and found.agent == agent:
            yield found


def with_entry(text: str, new: CrontabLine) -> str:
    """The crontab with this line in place of those for the same job and agent, else behind all others."""
    kept: list[str] = []
    for line in _lines(text):
        if not _same(line, new.job, new.agent):
            kept.append(line)
        elif f"{new.line}\n" not in kept:
            kept.append(f"{new.line}\n")
    if f"{new.line}\n" not in kept:
        # A last line without its end stays the last: what is taken out again must leave what was there.
        open_end = bool(kept) and not kept[-1].endswith("\n")
        kept.insert(len(kept) - open_end, f"{new.line}\n")
    return "".join(kept)


def without(text: str, *, job: str, agent: str) -> str:
    """The crontab without the lines for this job and agent."""
    return "".join(line for line in _lines(text) if not _same(line, job, agent))


def names(command: str, root: str) -> bool:
    """Return whether the command of a line of ours names this workspace."""
    return f" -C {_word(root)} " in f"{command} "


def sets_zone(text: str) -> bool:
    """Return whether the crontab sets a time zone of its own, so that nobody else knows when a line runs."""
    return any(_ZONE.match(line) for line in _lines(text))


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _same(line: str, job: str, agent: str) -> bool:
    found = _read(line)
    return found is not None and (found.job, found.agent) == (job, agent)


def _read(line: str) -> CrontabLine | None:
    """The line as one of ours; None for all others, also for one of ours that somebody has made a comment."""
    said, mark, names = line.rpartition(_MARK)
    words, said = names.split(), said.strip()
    if not mark or len(words) != 2 or said.startswith("#"):
        return None
    parts = said.split(None, 1 if said.startswith("@") else 5)
    return CrontabLine(words[0], words[1], " ".join(parts[:-1]), parts[-1]) if len(parts) > 1 else None
