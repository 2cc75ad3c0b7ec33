"""Plays a story through the library, day by day, and says what boot and `todo` then show wrongly.

By hand: `python -m tests.weeks.player assistant-en` plays one story and prints its last boot and what is wrong in it.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agentws.errors import AgentwsError
from agentws.workspace import Environment, Workspace
from tests.weeks import story as stories
from tests.weeks.story import Mark, Story

BUDGET = 2000
SMALL, ROOMY = 500, 8000
"""Budgets of the last morning, besides: one that holds little, one that holds all."""
_MORNING, _STEP = timedelta(hours=8), timedelta(minutes=7)
_NEWEST_DAYS = 2


@dataclass
class Truth:
    """What a reader knows: the words of what is open, over and asked, the decisions by day, and the rules."""

    open: dict[str, str] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    rules: set[str] = field(default_factory=set)
    decisions: dict[str, list[str]] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)

    def learn(self, mark: Mark, day: str) -> None:
        """Take in what one mark says on that day."""
        if mark.sign == "+":
            self.open[mark.words] = mark.until
            self.over.discard(mark.words)
        elif mark.sign == "-":
            self.close(mark.words)
        elif mark.sign == "!":
            self.decisions.setdefault(day, []).append(mark.words)
        else:
            (self.rules if mark.sign == "*" else self.asked).add(mark.words)

    def close(self, words: str) -> None:
        """This is over."""
        assert words in self.open, f"{words!r} was never opened, or is over already"
        del self.open[words]
        self.over.add(words)

    def wake(self, day: str) -> None:
        """A new day begins: what ended before it is over, and for one more day it may be listed all the same."""
        self.asked.difference_update(self.ended)
        self.ended = [words for words, until in self.open.items() if until and until < day]
        for words in self.ended:
            self.close(words)
        self.asked.update(self.ended)


@dataclass
class Morning:
    """What is seen on the morning of `day`: boot's text in a budget, what its Open shows, and what `todo` lists."""

    day: str
    budget: int
    boot: str
    shown: list[str]
    listed: list[str]
    wrong: list[str] = field(default_factory=list)


@dataclass
class Played:
    """A played story: what was seen on its mornings, and the commands that had to be said again by reference."""

    name: str
    mornings: list[Morning] = field(default_factory=list)
    again: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """All that was wrong, each with its morning."""
        return [
            f"{self.name} {morning.day}, {morning.budget}: {told}"
            for morning in self.mornings
            for told in dict.fromkeys(morning.wrong)
        ]


def play(name: str, root: Path, *, mornings: tuple[str, ...] = ()) -> Played:
    """Play the story of that name below `root`, and look on these mornings and on the one after the last day."""
    return _Player(stories.read(name), root).play(mornings)


class _Player:
    def __init__(self, story: Story, root: Path) -> None:
        self.story = story
        self.root = root / story.name
        self.truth = Truth()
        self.played = Played(story.name)
        first = min(story.days)
        Workspace.init(str(self.root), environment=_at(_moment(first)), name="Robin", git=False)
        for path, text in story.files.items():
            (self.root / path).write_text(text, encoding="utf-8")
        for mark in story.marks:
            self.truth.learn(mark, "")

    def play(self, mornings: tuple[str, ...]) -> Played:
        for day in sorted(self.story.days):
            self.truth.wake(day)
            if day in mornings:
                self._look(day, BUDGET)
            self._day(day)
        after = str((_moment(max(self.story.days)) + timedelta(days=1)).date())
        self.truth.wake(after)
        for budget in (SMALL, ROOMY, BUDGET):
            self._look(after, budget)
        return self.played

    def _day(self, day: str) -> None:
        now = _moment(day)
        pending: list[str] = []
        for step in self.story.days[day]:
            if step.is_command:
                self._note(day, pending)
                now += _STEP
                self._run(shlex.split(step.text), step.marks, Workspace.open(str(self.root), environment=_at(now)))
            else:
                pending.append(step.text)
            for mark in step.marks:
                self.truth.learn(mark, day)
        self._note(day, pending)

    def _note(self, day: str, pending: list[str]) -> None:
        """Add lines to the log of a day, as an agent does that edits the file."""
        text = "\n".join(pending).strip("\n")
        pending.clear()
        if text:
            with (self.root / f"memory/{day}.md").open("a", encoding="utf-8") as file:
                file.write(("\n" if file.tell() and text.startswith("#") else "") + text + "\n")

    def _run(self, words: list[str], marks: tuple[Mark, ...], workspace: Workspace) -> None:
        verb, options = words[0], _options(words[1:])
        if verb == "log":
            workspace.log(options.words[0], kind=options.kind, importance=options.importance)
        elif verb == "todo":
            workspace.todo(options.words[0], due=options.due, for_whom=options.whom)
        else:
            self._close(workspace.done if verb == "done" else workspace.drop, options, marks, workspace)

    def _close(self, verb: Any, options: argparse.Namespace, marks: tuple[Mark, ...], workspace: Workspace) -> None:
        """Close by words; where they name none or several, by the reference that the list then gives."""
        try:
            verb(*options.words, note=options.note)
            return
        except AgentwsError as error:
            self.played.again.append(f"{self.story.name}: {' '.join(options.words)}: {error}")
        for mark in marks:
            rows = [row for row in _rows(workspace) if mark.words in row.text]
            if rows:
                verb(rows[0].ref, note=options.note)
            else:
                self.played.again[-1] += f"; nor is there {mark.words!r}"

    def _look(self, day: str, budget: int) -> None:
        workspace = Workspace.open(str(self.root), environment=_at(_moment(day)))
        boot = workspace.boot(budget=budget).text
        rows = _rows(workspace)
        morning = Morning(day, budget, boot, list(_open_lines(boot)), [row.text for row in rows])
        self.played.mornings.append(morning)
        morning.wrong += self._claimed(morning.shown, "boot")
        morning.wrong += self._claimed([row.text for row in rows if not row.is_late], "todo")
        morning.wrong += self._missing(morning)
        if budget >= BUDGET:
            morning.wrong += self._decisions(day, boot)

    def _claimed(self, lines: list[str], where: str) -> Iterator[str]:
        """Each line that is shown as open, and is not."""
        known = (*self.truth.open, *self.truth.asked)
        for line in lines:
            if any(words in line for words in known):
                continue
            is_over = any(words in line for words in self.truth.over)
            yield f"{where} shows as open what {'is over' if is_over else 'never was'}: {line}"

    def _missing(self, morning: Morning) -> Iterator[str]:
        """Each open thing that nothing shows, and an Open that does not say that it is cut."""
        absent = [words for words in self.truth.open if not any(words in line for line in morning.shown)]
        if morning.budget == SMALL:
            absent = [words for words in absent if words not in morning.boot]
        for words in absent:
            if not any(words in line for line in morning.listed):
                yield f"nothing shows as open: {words}"
            if morning.budget == ROOMY and words not in morning.boot:
                yield f"boot has room, and does not tell what is open: {words}"
        section = _section(morning.boot, "Open")
        if absent and not any("agentws todo" in line and any(map(str.isdigit, line)) for line in section):
            yield f"Open does not say that {len(absent)} more are open: {', '.join(absent)}"

    def _decisions(self, day: str, boot: str) -> Iterator[str]:
        files = "".join(path.read_text(encoding="utf-8") for path in self.root.rglob("*.md"))
        logged = sorted(path.stem for path in (self.root / "memory").glob("2*.md") if path.stem < day)
        for made, decided in self.truth.decisions.items():
            for words in decided:
                if words not in files:
                    yield f"no file holds the decision of {made}: {words}"
                if made in logged[-_NEWEST_DAYS:] and words not in boot:
                    yield f"boot does not tell the decision of {made}: {words}"
        for words in self.truth.rules:
            if words not in boot:
                yield f"boot does not tell the rule: {words}"


def _rows(workspace: Workspace) -> list[Any]:
    """All that `todo` lists, what is open for long too."""
    return [*workspace.todos().rows, *workspace.todos(stale=True).rows]


def _section(boot: str, name: str) -> list[str]:
    """The lines below boot's own heading of that name."""
    lines = boot.splitlines()
    begins = next((at for at, line in enumerate(lines) if line.startswith(f"## {name}")), len(lines))
    ends = next((at for at in range(begins + 1, len(lines)) if lines[at].startswith("## ")), len(lines))
    return lines[begins:ends]


def _open_lines(boot: str) -> Iterator[str]:
    """What boot shows as open, line by line, without what it says of it."""
    return (line for line in _section(boot, "Open") if line.startswith("- ") and "agentws todo" not in line)


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="+")
    parser.add_argument("--kind")
    parser.add_argument("--importance", type=int)
    parser.add_argument("--due")
    parser.add_argument("--for", dest="whom")
    parser.add_argument("-m", dest="note", default="")
    return parser.parse_intermixed_args(words)


def _moment(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T00:00:00+00:00") + _MORNING


def _at(moment: datetime) -> Environment:
    return Environment(now=moment, timezone="UTC")


def main() -> int:
    """Play the stories that are named, or all, and print what is wrong; one alone with its last boot."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("story", nargs="*", default=[])
    given = parser.parse_args()
    failed = 0
    for name in given.story or stories.names():
        with tempfile.TemporaryDirectory() as root:
            try:
                played = play(name, Path(root), mornings=MORNINGS)
            except (AgentwsError, AssertionError) as error:
                print(f"{name}: {type(error).__name__}: {error}")
                failed += 1
                continue
        if len(given.story) == 1:
            print(played.mornings[-1].boot)
        print("\n".join((*played.wrong, *(f"again: {told}" for told in played.again))) or f"{name}: nothing is wrong")
        failed += bool(played.wrong)
    return int(failed > 0)


MORNINGS = ("2026-11-05", "2026-11-10", "2026-11-13")
"""The mornings that are looked at besides the last."""

if __name__ == "__main__":
    sys.exit(main())
