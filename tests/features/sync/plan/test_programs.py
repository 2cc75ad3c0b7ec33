"""Programs of three machines, made by chance: whatever they do and whenever they merge, they end up alike.

Every line that was acknowledged stands in the logs exactly once, unless it was forgotten: then it stands nowhere.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from random import Random

import pytest

from agentws.core.formats.journal import event, segment
from agentws.core.journal.sealing import pack
from agentws.errors import AgentwsError, NothingToUndoError
from agentws.workspace import Environment, Workspace
from tests.features.sync.plan.machines import NOON, Machine, Remote
from tests.thorough import THOROUGH

pytestmark = pytest.mark.slow
STEPS = 40
KINDS = (None, None, "decision", "lesson", "todo", "fact")


class Program:
    """Steps of three machines, and what must be true afterwards."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance = Random(seed)
        self.remote = Remote()
        one = Machine(folder, "one")
        Workspace.init(str(one.root), environment=Environment(now=NOON, timezone="UTC"), name="Robin", git=False)
        one.put("memory/2026-09-01.md", "# 2026-09-01\n\n- 07:15 [decision] oldest plan stands !8\n")
        here = one.at()
        for key in ("handoffs", "tasks"):
            here.config.set(f"retention.{key}", "20d")
        one.sync(self.remote)
        self.machines = [one, one.beside("two"), one.beside("three")]
        for machine in self.machines:
            machine.base = dict(one.base)
        self.words: list[str] = ["oldest plan stands"]
        self.events: list[str] = []
        self.forgotten: list[str] = []
        self.day = 0.0
        self.told: list[str] = []

    def run(self) -> None:
        """Take all steps, then merge until nothing moves."""
        steps = [self.log, self.log, self.log, self.write, self.compact, self.undo, self.forget, self.task, self.sync]
        steps += [self.event, self.event, self.remember, self.handoff, self.edit, self.close]
        for _ in range(STEPS):
            self.day += self.chance.choice((0.01, 0.2, 1, 9))
            step = self.chance.choice([*steps, self.sync])
            machine = self.chance.choice(self.machines)
            self.told.append(f"{step.__name__} {machine.root.name} {self.day:.2f}")
            step(machine)
        for _ in range(3):
            for machine in self.machines:
                machine.sync(self.remote)
            for machine in self.machines:
                machine.at(days=self.day).journal.seal()  # what others ordered to be purged is carried out then
        for machine in self.machines * 2:
            machine.sync(self.remote)

    def log(self, machine: Machine) -> None:
        words = f"marigold number {len(self.words):04}"
        machine.at(days=self.day).log(words, kind=self.chance.choice(KINDS))
        self.words.append(words)

    def write(self, machine: Machine) -> None:
        """A line that a person writes into a log that is there."""
        logs = sorted((machine.root / "memory").glob("202*.md"))
        if logs:
            words = f"marigold number {len(self.words):04}"
            file = self.chance.choice(logs)
            file.write_text(f"{file.read_text()}- 10:{len(self.words) % 60:02} {words}\n")
            self.words.append(words)

    def compact(self, machine: Machine) -> None:
        machine.at(days=self.day).memory.compact(before=self.chance.choice((None, "1d", "3d")))

    def undo(self, machine: Machine) -> None:
        try:
            machine.at(days=self.day).memory.undo()
        except NothingToUndoError:
            return

    def forget(self, machine: Machine) -> None:
        words = self.chance.choice(self.words)
        if any(words.encode() in data for path, data in machine.files.items() if path.startswith("memory/2")):
            machine.at(days=self.day).memory.forget(matching=[words], confirm=True)
            self.forgotten.append(words)

    def task(self, machine: Machine) -> None:
        here = machine.at(days=self.day)
        slugs = sorted(path.stem for path in (machine.root / "tasks").glob("*.md"))
        number = len(self.told)
        try:
            if not slugs or self.chance.random() < 0.4:
                here.tasks.add(f"Plan bed {number}")
            elif self.chance.random() < 0.5:
                here.tasks.rename(self.chance.choice(slugs), f"Plan border {number}")
            else:
                here.tasks.step(self.chance.choice(slugs), f"Buy seeds {number}")
        except AgentwsError as error:
            self.told.append(error.message)

    def event(self, machine: Machine) -> None:
        here = machine.at(days=self.day)
        for _ in range(4):
            words = f"crocus number {len(self.events):04}"
            here.event("note", f"{words} {'x' * self.chance.choice((1, 300, 1200))}")
            self.events.append(words)

    def remember(self, machine: Machine) -> None:
        words = f"tulip number {len(self.told):04}"
        machine.at(days=self.day).remember(words)

    def handoff(self, machine: Machine) -> None:
        machine.at(days=self.day).handoff(doing=f"planted bed {len(self.told)}", next="water it")

    def edit(self, machine: Machine) -> None:
        """A line that a person changes."""
        logs = sorted((machine.root / "memory").glob("202*.md"))
        if logs:
            file = self.chance.choice(logs)
            lines = file.read_text().split("\n")
            at = self.chance.randrange(len(lines))
            if "number" in lines[at]:
                lines[at] += f", edited in step {len(self.told)}"
                file.write_text("\n".join(lines))

    def close(self, machine: Machine) -> None:
        here = machine.at(days=self.day)
        slugs = sorted(path.stem for path in (machine.root / "tasks").glob("*.md"))
        try:
            if slugs and self.chance.random() < 0.5:
                here.tasks.done(self.chance.choice(slugs))
            else:
                here.handoff.ack()
        except AgentwsError as error:
            self.told.append(error.message)

    def sync(self, machine: Machine) -> None:
        machine.sync(self.remote)

    def wrong(self) -> list[str]:
        """What is not as it must be."""
        first, *others = self.machines
        files = first.files
        found = [f"{each.root.name} differs" for each in others if each.files != files]
        found += [f"{each.root.name}: {fault}" for each in self.machines for fault in each.faults()]
        found += [f"{each.root.name}: {notice}" for each in self.machines for notice in each.notices]
        logs = [data for path, data in files.items() if path.endswith(".md") and "/202" in path]
        for words in self.words:
            times = sum(data.count(words.encode()) for data in logs)
            if words not in self.forgotten and times != 1:
                found.append(f"{words} stands {times} times")
            places = [path for path, data in files.items() if words.encode() in data]
            if words in self.forgotten and places:
                found.append(f"{words} was forgotten and stands in {places}")
        journal = [
            gzip.decompress(data) if path.endswith(".gz") else data
            for path, data in files.items()
            if path.startswith("journal/")
        ]
        for words in self.events:
            times = sum(data.count(words.encode()) for data in journal)
            if times != 1:
                found.append(f"the event {words} stands {times} times")
        return found


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let segments be full early, and old soon."""
    monkeypatch.setattr(segment, "LIMIT_BYTES", 3_000)
    monkeypatch.setattr(event, "BODY_LIMIT_BYTES", 900)
    monkeypatch.setattr(pack, "NEWEST", 1)


@pytest.mark.parametrize("seed", range(60 if THOROUGH else 4))
def test_machines_end_up_alike_whatever_they_did(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    program = Program(tmp_path, seed)
    program.run()
    assert program.wrong() == [], "\n".join(program.told)
