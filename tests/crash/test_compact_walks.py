"""P5, P11, P18, P19: days, late lines, runs, undoings, answers to briefs, reviews, facts that replace
others, hand edits and clocks that jump, in any order.

Every log is there once, what people wrote stays, what was heard stays marked, every line leads to its source, and
--verify finds no fault.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.formats.documents import managed, proposals, sources
from agentws.errors import NothingToUndoError, UsageError
from agentws.workspace import Environment, Workspace
from tests.crash import compact_scenarios, scenarios
from tests.thorough import THOROUGH

WALKS = 150 if THOROUGH else 4
STEPS = 25
WORDS = ("chose", "decided", "learned", "SQLite", "Lisbon", "Maria Keller", "export", "412 contacts", "300 MB", "pump")
HOURS = (0, 0, 24, 24, -30)
CANARY = "quillfeather"
"""What every line from outside says."""
WRITTEN = ("MEMORY.md", "memory/digest.md", "memory/proposed.md", "memory/archive/superseded.md")


class Walk:
    """A workspace to which things happen: the `logs` that must be there, and what people wrote into MEMORY.md."""

    def __init__(self, root: str, dice: random.Random) -> None:
        self.root, self.dice = root, dice
        self.now = scenarios.NOW
        self.logs: Counter[str] = Counter()
        self.own: set[str] = set()
        self.stays = dice.random() < 0.3
        if self.stays:
            compact_scenarios.settings(self.workspace, '[compaction]\narchive = false\nsince = "2026-10-01"')

    @property
    def workspace(self) -> Workspace:
        return Workspace.open(self.root, environment=Environment(now=self.now, timezone="UTC"))

    def step(self) -> str:
        """Let something happen; returns what it was."""
        self.now += timedelta(hours=self.dice.choice(HOURS))
        does: list[Callable[[], None]] = [self.day, self.day, self.compact, self.compact, self.undo]
        does += [self.grow, self.remember, self.edit, self.wrap, self.curate, self.curate, self.review, self.replace]
        what = self.dice.choice(does)
        what()
        return what.__name__

    def line(self) -> str:
        words = " ".join(self.dice.choice(WORDS) for _ in range(self.dice.randrange(3, 12)))
        if self.dice.random() < 0.2:
            return f"- {words} {CANARY} {self.dice.random()} (via tool:web)\n"
        mark = self.dice.choice(("", "[ ] ", "[rule] ", "[lesson] "))
        return f"- {mark}{words}{self.dice.choice(('', ' !9', ' !10', ' #tag'))}\n"

    def day(self) -> None:
        name = f"2026-10-{self.dice.randrange(1, 9):02}{self.dice.choice(('', '', '-slug', '.2'))}.md"
        file = Path(self.root, "memory", name)
        if not file.exists():
            lines = "".join(self.line() for _ in range(self.dice.randrange(5)))
            text = f"## {self.dice.choice(('Next steps', 'Notes'))}\n{lines}<!-- {self.dice.random()} -->"
            file.write_text(text)
            self.logs[text] += 1

    def grow(self) -> None:
        """A late line, where days stay for it."""
        found = sorted(Path(self.root, "memory").glob("2026*.md")) if self.stays else []
        if found:
            file = self.dice.choice(found)
            self.logs[file.read_text()] -= 1
            file.write_text(f"{file.read_text()}\n{self.line()}")
            self.logs[file.read_text()] += 1

    def compact(self) -> None:
        self.workspace.memory.compact(agreed=True)

    def undo(self) -> None:
        try:
            self.workspace.memory.undo()
        except NothingToUndoError:
            pass

    def remember(self) -> None:
        fact = f"fact {self.dice.random()}"
        self.own.add(fact)
        self.workspace.remember(fact)

    def replace(self) -> None:
        """A fact takes the place of another one, where that is still there as it was written."""
        found = sorted(fact for fact in self.own if f"- {fact}\n" in self.memory() and fact.startswith("fact"))
        if found:
            old, new = self.dice.choice(found), f"fact {self.dice.random()}"
            try:
                self.workspace.remember(new, replaces=old)
            except UsageError:
                return  # an entry of ours that somebody edited into this one is not the agent's any more
            self.own -= {old}
            self.own.add(new)

    def curate(self) -> None:
        """Its author answers a brief, some of it in a way that does not hold."""
        shown = self.workspace.memory.brief().brief
        said = [f"ADD [{one.kind or 'fact'}] {one.text} {{{one.refs[0]}}}" for one in shown.candidates if one.refs]
        for row in shown.rows:
            ways = ("KEEP {0}", "RETIRE {0} expired", "UPDATE {0} {1}", "UPDATE {0} Chose nothing of it", "")
            said.append(self.dice.choice(ways).format(row.number, " ".join(reversed(row.entry.text.split()))))
        if len(shown.rows) > 1:
            pair = self.dice.sample(shown.rows, 2)
            said.append(f"MERGE {pair[0].number} {pair[1].number} -> {pair[0].entry.text}, {pair[1].entry.text}")
        some = [one for one in said if one and self.dice.random() < 0.5]
        done = self.workspace.memory.curate("\n".join(some or ["NONE"]))
        texts = {row.number: row.entry.text for row in shown.rows}
        # What the agent remembered it may change, too.
        self.own -= {texts[number] for one in done.applied if one.verb != "KEEP" for number in one.numbers}

    def review(self) -> None:
        found = self.workspace.memory.review().proposed
        for one in found:
            one.decision = self.dice.choice(("y", "n", "", ""))
            if CANARY in one.text:
                one.decision = self.dice.choice(("n", ""))  # what a person takes up is theirs, without a mark
        self.workspace.memory.decide(found)

    def memory(self) -> str:
        return Path(self.root, "MEMORY.md").read_text()

    def edit(self) -> None:
        """An entry is edited, and is somebody's own from then on."""
        self._change_entry(lambda text: f"{text} edited {self.dice.random()}", is_own=True)

    def wrap(self) -> None:
        """An entry is wrapped, and stays what it was."""
        self._change_entry(lambda text: text.replace(" ", "\n  ", 1), is_own=False)

    def _change_entry(self, change: Callable[[str], str], *, is_own: bool) -> None:
        file = Path(self.root, "MEMORY.md")
        found = [one.text for one in managed.read(file.read_text()).entries if "\n" not in one.text]
        if found:
            old = self.dice.choice(found)
            new = change(old)
            file.write_text(file.read_text().replace(f"- {old}\n", f"- {new}\n", 1))
            if is_own:
                self.own -= {old}
                self.own.add(new)

    def check(self) -> None:
        there = Counter(path.read_text() for path in Path(self.root, "memory").rglob("2026*.md"))
        assert there == +self.logs, "a log is not there once"
        memory = Path(self.root, "MEMORY.md").read_text()
        lost = {text for text in self.own if text not in " ".join(memory.split())}
        assert not lost, f"of somebody's own: {lost}"
        assert memory.count("## From the logs") <= 1
        self._check_lines()
        found = self.workspace.memory.verify()
        assert [f"{one.path}:{one.line} {one.wrong}" for one in found.faults] == []

    def _check_lines(self) -> None:
        """What was heard is marked in all that is written, and each line of ours leads to where it came from."""
        known = sources.decode(self._text(sources.PATH)).made
        for path in WRITTEN:
            lines = self._text(path).split("\n")
            for at, line in enumerate(lines, 1):
                assert CANARY not in line or "(via tool:web)" in line, f"{path}:{at} is not marked: {line}"
                is_whole = at == len(lines) or not lines[at].startswith("  ")
                is_ours = (is_whole and managed.of_text(line[2:]) in known) or path == proposals.PATH
                if line.startswith("- ") and is_ours:
                    why = self.workspace.memory.why(f"{path}:{at}")
                    assert why.sources or why.verb == "curate", f"{path}:{at} leads nowhere: {line}"
                    assert CANARY not in line or why.src == "tool:web", f"{path}:{at} is of {why.src}"

    def _text(self, path: str) -> str:
        file = Path(self.root, path)
        return file.read_text() if file.exists() else ""


@pytest.mark.parametrize("seed", range(WALKS))
def test_no_order_of_things_loses_a_log_or_what_somebody_wrote(seed: int, tmp_path: Path) -> None:
    scenarios._workspace(str(tmp_path / "robin"))
    walk = Walk(str(tmp_path / "robin"), random.Random(seed))
    steps: list[str] = []

    for _ in range(STEPS):
        steps.append(walk.step())
        try:
            walk.check()
        except AssertionError as error:
            raise AssertionError(f"{steps}: {error}") from error
