"""P5, P11, P18: days, late lines, runs, undoings, facts, hand edits and clocks that jump, in any order: every log is
there once, what people wrote stays, and --verify finds no fault."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.errors import NothingToUndoError
from agentws.formats import managed
from agentws.workspace import Environment, Workspace
from tests.crash import compact_scenarios, scenarios
from tests.thorough import THOROUGH

WALKS = 150 if THOROUGH else 4
STEPS = 25
WORDS = ("chose", "decided", "learned", "SQLite", "Lisbon", "Maria Keller", "export", "412 contacts", "300 MB", "pump")
HOURS = (0, 0, 24, 24, -30)


class Walk:
    """A workspace to which things happen: the `logs` that must be there, and what people wrote into MEMORY.md."""

    def __init__(self, root: str, dice: random.Random) -> None:
        self.root, self.dice = root, dice
        self.now = scenarios.NOW
        self.logs: Counter[str] = Counter()
        self.own: set[str] = set()
        self.stays = dice.random() < 0.3
        if self.stays:
            compact_scenarios.settings(self.workspace, "[compaction]\narchive = false")

    @property
    def workspace(self) -> Workspace:
        return Workspace.open(self.root, environment=Environment(now=self.now, timezone="UTC"))

    def step(self) -> str:
        """Let something happen; returns what it was."""
        self.now += timedelta(hours=self.dice.choice(HOURS))
        does: list[Callable[[], None]] = [self.day, self.day, self.compact, self.compact, self.undo]
        does += [self.grow, self.remember, self.edit, self.wrap]
        what = self.dice.choice(does)
        what()
        return what.__name__

    def line(self) -> str:
        words = " ".join(self.dice.choice(WORDS) for _ in range(self.dice.randrange(3, 12)))
        return f"- {words}{self.dice.choice(('', ' !9', ' !10', ' #tag'))}\n"

    def day(self) -> None:
        name = f"2026-10-{self.dice.randrange(1, 9):02}{self.dice.choice(('', '', '-slug', '.2'))}.md"
        file = Path(self.root, "memory", name)
        if not file.exists():
            lines = "".join(self.line() for _ in range(self.dice.randrange(5)))
            text = f"## {self.dice.choice(('Decisions', 'Notes'))}\n{lines}<!-- {self.dice.random()} -->"
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
        self.workspace.compact(budget=self.dice.choice((60, 200, 400, 800, 3000)), tokenizer="bytes", agreed=True)

    def undo(self) -> None:
        try:
            self.workspace.undo_compaction()
        except NothingToUndoError:
            pass

    def remember(self) -> None:
        fact = f"fact {self.dice.random()}"
        self.own.add(fact)
        self.workspace.remember(fact)

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
        found = self.workspace.verify_compaction()
        assert [f"{one.path}:{one.line} {one.wrong}" for one in found.faults] == []


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
