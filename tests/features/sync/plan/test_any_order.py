"""Machines that merge each other's states in any order, and break off before a push, come to the same files.

Pure: the files are dictionaries, the remote is a list of commits. The same with the real thing: tests/sync_real.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter
from dataclasses import dataclass, field

import pytest

from agentws.features.sync import state
from agentws.features.sync.plan import plan, tree

NAME = re.compile(r"plum-\d{4}")
DAYS = ("2026-11-18", "2026-11-19", "2026-11-20")
MEMORY, SOURCES, TASK = "MEMORY.md", "memory/sources.jsonl", "tasks/prune.md"
START = {
    MEMORY: b"# Memory\n\nWhat lasts.\n\n## People\n\n- Ada likes tea.\n\n## Places\n\n- The garden is small.\n",
    "SOUL.md": b"# Soul\n\nI am Robin.\n",
    TASK: b"---\nstatus: open\npriority: normal\ncreated: 2026-11-18T08:00:00+00:00\n"
    b"updated: 2026-11-18T08:00:00+00:00\n---\n# Prune\n\n- [ ] saw\n- [ ] rake\n",
}


@dataclass
class Commit:
    """An agreed state and what it follows."""

    files: dict[str, bytes]
    parents: tuple[int, ...]


@dataclass
class Garden:
    """The machines by number, with the commit that the files of each contain, and the remote."""

    chance: random.Random
    machines: list[dict[str, bytes]]
    heads: list[int | None] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    tip: int | None = None
    count: int = 0
    there: Counter[str] = field(default_factory=Counter)
    gone: set[str] = field(default_factory=set)
    same_lines: list[str] = field(default_factory=list)

    def name(self) -> str:
        """A name that nothing else has, and that must be there from now on."""
        self.count += 1
        self.there[f"plum-{self.count:04d}"] = 1
        return f"plum-{self.count:04d}"

    # What a machine does

    def log(self, files: dict[str, bytes]) -> None:
        """A line more, in the order of time on this machine."""
        path = f"memory/{self.chance.choice(DAYS)}.md"
        hour, minute = self.chance.randrange(24), self.chance.randrange(60)
        old = files.get(path, f"# {path[7:17]}\n\n".encode())
        files[path] = old + f"- {hour:02}:{minute:02} Watered {self.name()}\n".encode()

    def same(self, files: dict[str, bytes]) -> None:
        """The same words on every machine: each is an entry of its own, but for one minute on two of them at once."""
        path, name = f"memory/{DAYS[0]}.md", "plum-9000"
        line = f"- 09:{self.chance.randrange(5):02} Fed {name}\n"
        self.there[name] += line not in self.same_lines
        self.same_lines.append(line)
        files[path] = files.get(path, f"# {DAYS[0]}\n\n".encode()) + line.encode()

    def same_fact(self, files: dict[str, bytes]) -> None:
        """The same fact on every machine: it stands once."""
        name = f"plum-{9001 + self.chance.randrange(3)}"
        if name.encode() not in files[MEMORY]:
            self.there[name] = 1
            files[MEMORY] = files[MEMORY].replace(b"## People\n\n", f"## People\n\n- The cat {name}.\n".encode())

    def heading(self, files: dict[str, bytes]) -> None:
        """A heading with lines below it, as a person or a host writes them."""
        path = f"memory/{self.chance.choice(DAYS)}.md"
        old = files.get(path, f"# {path[7:17]}\n\n".encode())
        files[path] = old + f"\n## Noted {self.name()}\n\n- {self.name()}\n  and more of it\n".encode()

    def fact(self, files: dict[str, bytes]) -> None:
        """A bullet more at the end of a section."""
        lines = files[MEMORY].decode().split("\n")
        at = lines.index(self.chance.choice(("## People", "## Places"))) + 2
        while at < len(lines) and lines[at].startswith("- "):
            at += 1
        lines.insert(at, f"- The tree {self.name()} bears fruit.")
        files[MEMORY] = "\n".join(lines).encode()

    def _bullets(self, files: dict[str, bytes]) -> list[tuple[int, str]]:
        lines = files[MEMORY].decode().split("\n")
        return [(at, NAME.findall(line)[0]) for at, line in enumerate(lines) if "tree" in line]

    def edit(self, files: dict[str, bytes]) -> None:
        """Another name in the place of one."""
        if found := self._bullets(files):
            at, old = self.chance.choice(found)
            lines = files[MEMORY].decode().split("\n")
            lines[at] = lines[at].replace(old, self.name())
            files[MEMORY] = "\n".join(lines).encode()
            self.gone.add(old)

    def remove(self, files: dict[str, bytes]) -> None:
        """A bullet less."""
        if found := self._bullets(files):
            at, old = self.chance.choice(found)
            lines = files[MEMORY].decode().split("\n")
            del lines[at]
            files[MEMORY] = "\n".join(lines).encode()
            self.gone.add(old)

    def row(self, files: dict[str, bytes]) -> None:
        """A row of a sidecar more."""
        files[SOURCES] = files.get(SOURCES, b"") + f'{{"entry":"{self.name()}","source":"user"}}\n'.encode()

    def task(self, files: dict[str, bytes]) -> None:
        """A field of the task another."""
        status = self.chance.choice((b"active", b"paused", b"done"))
        files[TASK] = re.sub(rb"status: \w+", b"status: " + status, files[TASK])
        day = self.chance.choice(DAYS).encode()
        files[TASK] = re.sub(rb"updated: \S+", b"updated: " + day + b"T09:00:00+00:00", files[TASK])

    # Sync

    def sync(self, number: int, *, arrives: bool = True) -> bool:
        """Merge what the remote has, push unless cut off; True where anything changed."""
        files, head, tip = self.machines[number], self.heads[number], self.tip
        if tip is None:
            self._commit(number, ())
        else:
            theirs = self.commits[tip].files
            base = plan.common(ids(files), ids(theirs))
            if head is not None:
                base = ids(self.commits[self._base(head, tip)].files)
            merged = merge(base, files, theirs, self._read)
            changed = merged != files
            self.machines[number] = merged
            if merged == theirs:
                self.heads[number] = tip
                return changed
            self._commit(number, (tip,))
        if arrives:
            self.tip = self.heads[number]
        return True

    def _commit(self, number: int, parents: tuple[int, ...]) -> None:
        self.commits.append(Commit(dict(self.machines[number]), parents))
        self.heads[number] = len(self.commits) - 1

    def _ancestors(self, commit: int) -> list[int]:
        found = [commit]
        while parents := self.commits[found[-1]].parents:
            found.append(parents[0])
        return found

    def _base(self, one: int, other: int) -> int:
        known = set(self._ancestors(one))
        return next(commit for commit in self._ancestors(other) if commit in known)

    def _read(self, oid: str) -> bytes:
        for files in (*self.machines, *(commit.files for commit in self.commits)):
            for content in files.values():
                if oid_of(content) == oid:
                    return content
        raise KeyError(oid)


def oid_of(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()


def ids(files: dict[str, bytes]) -> dict[str, str]:
    return {path: oid_of(content) for path, content in files.items()}


def merge(base: dict[str, str], ours: dict[str, bytes], theirs: dict[str, bytes], read: object) -> dict[str, bytes]:
    """Both sides as one, the same whichever side asks."""
    found = []
    for one, other in ((ours, theirs), (theirs, ours)):
        made = tree.merge(base, ids(one), ids(other), read, own="w", rule=state.of)  # type: ignore[arg-type]
        result = dict(one)
        for path, value in made.changes.items():
            if value is None:
                del result[path]
            else:
                result[path] = value if isinstance(value, bytes) else read(value)  # type: ignore[operator]
        found.append((result, sorted(conflict.id for conflict in made.conflicts)))
    assert found[0] == found[1], "which side is ours makes a difference"
    return found[0][0]


def play(seed: int, machines: int = 3, steps: int = 40) -> Garden:
    """Three machines that know each other, and so many random things."""
    chance = random.Random(seed)
    garden = Garden(chance, [dict(START) for _ in range(machines)], [None] * machines)
    for number in range(machines):
        garden.sync(number)
    deeds = {
        garden.log: 5, garden.heading: 1, garden.fact: 4, garden.edit: 3, garden.remove: 2, garden.row: 2,
        garden.task: 2, garden.same: 2, garden.same_fact: 1,
    }  # fmt: skip
    for _ in range(steps):
        number = chance.randrange(machines)
        if chance.random() < 0.35:
            garden.sync(number, arrives=chance.random() < 0.8)
        else:
            (deed,) = chance.choices(list(deeds), list(deeds.values()))
            deed(garden.machines[number])
    return garden


@pytest.mark.parametrize("seed", range(40))
def test_all_machines_come_to_rest_with_the_same_files_and_all_that_was_written(seed: int) -> None:
    garden = play(seed)

    for _ in range(6):
        changed = [garden.sync(number) for number in range(len(garden.machines))]
        if not any(changed):
            break
    else:
        raise AssertionError("they never come to rest")

    first, *others = garden.machines
    assert all(other == first for other in others)
    stand = Counter(name for content in first.values() for name in NAME.findall(content.decode()))
    assert garden.there["plum-9000"] <= stand["plum-9000"] <= len(garden.same_lines)
    for name in garden.there.keys() - {"plum-9000"}:
        assert stand[name] == (0 if name in garden.gone else 1), name
    text = b"\n".join(first.values())
    assert not re.search(rb"^(<{7}|={7}|>{7})", text, re.MULTILINE)
