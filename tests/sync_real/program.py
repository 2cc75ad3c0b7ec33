"""A random program of an agent on several machines: writes, syncs, cuts, compactions, wrong clocks."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.sync_real import oracle as books
from tests.sync_real.machine import Cut, Done, Machine
from tests.sync_real.oracle import EVENT, FACT, HANDOFF, LOG, NAME, TASK, Oracle

START = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)
SKEWS = (0, 0, 0.01, 2, -3, 26, -30)
"""Hours by which the clock of a machine may be wrong."""
_SAME = 4
_USAGE, _EDITED = 2, 13
_STRANGER = re.compile(r"If that machine is yours, a person runs: agentws identity vouch (\w+)(?: --key '([^']+)')?")
_STATUSES = {"start": "active", "done": "done", "cancel": "cancelled", "pause": "paused"}


class World:
    """The machines, the remote between them and the book, driven by one seed."""

    mode = ""
    """The `identity.mode`; empty: one by chance."""
    looks: tuple[tuple[str, ...], ...] = (
        ("journal", "verify"),
        ("compact", "--verify"),
        ("boot",),
        ("identity", "verify"),
    )
    """Verbs that find nothing in the end."""
    forgets = (LOG, FACT, EVENT)
    """What may be forgotten."""

    def __init__(self, base: Path, seed: int, machines: list[Machine], remote: str, repository: Path | None) -> None:
        self.base, self.seed, self.machines = base, seed, machines
        self.remote, self.repository = remote, repository
        self.stick = base / "stick"
        """A folder that machines sync with besides, where it is there."""
        self.chance = random.Random(seed)
        self.book = Oracle()
        self.time = START
        self.count = 0
        self.story: list[str] = []
        """What was done, for whoever has to find out what went wrong."""
        for machine in machines:
            machine.now = lambda: self.time

    # The beginning

    def begin(self) -> None:
        """Make the agent on the first machine and let the others join."""
        first, *others = self.machines
        mode = self.mode or self.chance.choice(("warn", "require"))
        self.well(first, first.bare("init", "--no-git", "-q", "--name", "Robin", str(first.root)), "init")
        with (first.root / "agentws.toml").open("a") as manifest:
            manifest.write(f'\n[identity]\nmode = "{mode}"\n')
        self.well(first, first.call("log", "The first line"), "log")
        for _ in range(3):
            self.log(first)
        self.fact(first)
        self.well(first, first.call("sync", self.remote), "sync")
        for machine in others:
            self.well(machine, machine.bare("sync", "join", self.remote, str(machine.root)), "join")
        self.know_each_other()

    def know_each_other(self) -> None:
        """Let the first machine vouch for the others, and each write once."""
        first, *others = self.machines
        for machine in others:
            asked = machine.call("identity", "vouch", "--json")
            self.well(machine, asked, "identity vouch")
            told = json.loads(asked.out)
            words = ("identity", "vouch", told["writer"], "--key", told["key"])
            self.well(first, first.call(*words), "identity vouch ID")
        for machine in (first, *others):
            self.well(machine, machine.call("sync"), "sync")
        for machine in others:
            self.well(machine, machine.call("event", "note", "here"), "event")
            self.well(machine, machine.call("sync"), "sync")

    # Steps

    def doings(self) -> dict[Callable[[Machine], None], int]:
        """What is done on a machine, and how often."""
        return {
            self.log: 8, self.same: 3, self.fact: 5, self.same_fact: 2, self.edit: 3, self.remove: 2, self.event: 6,
            self.task: 3, self.change_task: 4, self.handoff: 2, self.forget: 1, self.compact: 2, self.sync: 14,
            self.pass_time: 6, self.set_clock: 1, self.foreign: 1,
        }  # fmt: skip

    def play(self, steps: int) -> None:
        """Do so many random things on random machines."""
        doings = self.doings()
        for _ in range(steps):
            self.time += timedelta(seconds=self.chance.choice((1, 20, 300, 4_000)))
            (doing,) = self.chance.choices(list(doings), list(doings.values()))
            doing(self.chance.choice(self.machines))

    def name(self) -> str:
        """A name that nothing else has."""
        self.count += 1
        return f"plum-{self.seed:04d}-{self.count:04d}"

    def cut(self) -> Cut | None:
        """A way to be cut off, one time in five."""
        if self.chance.random() > 0.2:
            return None
        return Cut(at=self.chance.randrange(40), torn=self.chance.random() < 0.4)

    def do(self, machine: Machine, *words: str, cut: Cut | None = None) -> Done:
        """Run a command and write it down."""
        return self.noted(machine, machine.call(*words, cut=cut), *words, cut=cut)

    def noted(self, machine: Machine, done: Done, *words: str, cut: Cut | None = None) -> Done:
        """Write a command down that has ended."""
        self.story.append(
            f"{self.time:%m-%d %H:%M:%S} {machine.name} {' '.join(words)} → {done.code}{f' {cut}' if cut else ''}"
            f"{'' if done.well else ' ' + (done.err.strip().splitlines() or [''])[-1][:200]}"
        )
        crashed = "Traceback" in done.err or done.code == 70
        assert not crashed, f"{self.told()}\n{done.err}"
        return done

    def well(self, machine: Machine, done: Done, what: str) -> None:
        """Fail unless it went well."""
        assert done.well, f"{self.told()}\n{machine.name} {what}: {done.code} {done.out}{done.err}"

    def told(self) -> str:
        """The story so far."""
        return f"seed {self.seed} in {self.base}\n" + "\n".join(self.story)

    def log(self, machine: Machine) -> None:
        name = self.name()
        kind = self.chance.choice(((), ("--kind", "decision"), ("--kind", "fact", "--importance", "8")))
        done = self.do(machine, "log", *kind, f"Watered the tree {name}", cut=self.cut())
        self.book.said(LOG, name, machine.name, acknowledged=done.well)

    def same(self, machine: Machine) -> None:
        """The same words as on another machine are another line."""
        name = f"same-{self.seed:04d}-{self.chance.randrange(_SAME):04d}"
        done = self.do(machine, "log", f"Fed the cat {name}", cut=self.cut())
        self.book.said(LOG, name, machine.name, acknowledged=done.well)

    def fact(self, machine: Machine) -> None:
        name = self.name()
        section = self.chance.choice(((), ("--section", "People"), ("--section", "Places")))
        done = self.do(machine, "remember", *section, f"The tree {name} bears fruit", cut=self.cut())
        self.book.said(FACT, name, machine.name, acknowledged=done.well)

    def same_fact(self, machine: Machine) -> None:
        """The same fact on another machine is the same fact."""
        name = f"same-{self.seed:04d}-{9000 + self.chance.randrange(_SAME):04d}"
        done = self.do(machine, "remember", f"The cat {name} likes fish", cut=self.cut())
        if done.well or done.code < 0:
            self.book.said(FACT, name, machine.name, acknowledged=done.well)

    def event(self, machine: Machine) -> None:
        name = self.name()
        done = self.do(machine, "event", "note", f"Saw {name} " + "and waited " * 9, cut=self.cut())
        self.book.said(EVENT, name, machine.name, acknowledged=done.well)

    def task(self, machine: Machine) -> None:
        name = self.name()
        done = self.do(machine, "task", "add", f"Prune {name}", "--step", "saw", "--step", "rake", cut=self.cut())
        self.book.said(TASK, name, machine.name, acknowledged=done.well)

    def change_task(self, machine: Machine) -> None:
        paths = sorted((machine.root / "tasks").glob("*.md")) if (machine.root / "tasks").is_dir() else []
        if not paths:
            return
        verb = self.chance.choice(sorted(_STATUSES))
        path = self.chance.choice(paths)
        (name,) = NAME.findall(path.name)[:1] or [""]
        done = self.do(machine, "task", verb, path.stem, cut=self.cut())
        if name in self.book.things and (done.well or done.code < 0):
            self.book.things[name].statuses.append((machine.name, _STATUSES[verb], done.well))

    def handoff(self, machine: Machine) -> None:
        name = self.name()
        done = self.do(machine, "handoff", "--doing", f"Digging at {name}", cut=self.cut())
        self.book.said(HANDOFF, name, machine.name, acknowledged=done.well)

    def facts_at(self, machine: Machine) -> list[tuple[int, str]]:
        """(line, name) of what MEMORY.md says here."""
        lines = (machine.root / "MEMORY.md").read_text().split("\n")
        found = [(at, NAME.findall(line)) for at, line in enumerate(lines) if "The tree" in line]
        return [(at, names[0]) for at, names in found if len(names) == 1 and names[0] in self.book.things]

    def edit(self, machine: Machine) -> None:
        """By hand: another name in the place of one."""
        if found := self.facts_at(machine):
            at, old = self.chance.choice(found)
            new = self.name()
            path = machine.root / "MEMORY.md"
            lines = path.read_text().split("\n")
            lines[at] = lines[at].replace(old, new)
            path.write_text("\n".join(lines))
            self.story.append(f"{self.time:%m-%d %H:%M:%S} {machine.name} edits {old} to {new}")
            self.book.took(old, "removed", acknowledged=machine.is_whole)
            self.book.said(FACT, new, machine.name, acknowledged=True)

    def remove(self, machine: Machine) -> None:
        """By hand: a line less."""
        if found := self.facts_at(machine):
            at, name = self.chance.choice(found)
            path = machine.root / "MEMORY.md"
            lines = path.read_text().split("\n")
            del lines[at]
            path.write_text("\n".join(lines))
            self.story.append(f"{self.time:%m-%d %H:%M:%S} {machine.name} removes {name}")
            self.book.took(name, "removed", acknowledged=machine.is_whole)
            self.do(machine, "doctor", "--accept-loss")  # where it was most of what stood there

    def forget(self, machine: Machine) -> None:
        texts = {path: content.decode(errors="replace") for path, content in books.travelling(machine.root).items()}
        here = set(
            NAME.findall(
                "\n".join(text for path, text in texts.items() if path.startswith(("memory/2", "journal/", "MEMORY")))
            )
        )
        names = sorted(
            name for name, thing in self.book.things.items()
            if name in here and name.startswith("plum") and not thing.gone and thing.kind in self.forgets
        )  # fmt: skip
        if names:
            name = self.chance.choice(names)
            done = self.do(machine, "forget", "--matching", name, "--yes", cut=self.cut())
            self.book.took(name, "forgotten", acknowledged=done.well)

    def compact(self, machine: Machine) -> None:
        self.do(machine, "compact", "--yes", cut=self.cut())

    def foreign(self, machine: Machine) -> None:
        """A file of somebody else, which does not travel."""
        (machine.root / "mine").mkdir(exist_ok=True)
        (machine.root / "mine" / f"{machine.name}.bin").write_bytes(b"\0\xff" * self.chance.randrange(1, 9))

    def pass_time(self, machine: Machine) -> None:
        self.time += timedelta(hours=self.chance.choice((1, 9, 30, 24 * 9, 24 * 20)))

    def set_clock(self, machine: Machine) -> None:
        machine.skew = timedelta(hours=self.chance.choice(SKEWS))
        self.story.append(f"{machine.name}'s clock is wrong by {machine.skew}")

    def sync(self, machine: Machine) -> None:
        ways = (
            None, None, None, Cut(at=self.chance.randrange(120), torn=self.chance.random() < 0.3),
            Cut(after_s=self.chance.uniform(0.01, 0.6)), Cut(push=self.chance.choice(("alone", "late"))),
            Cut(push="all", after_s=self.chance.uniform(0, 0.05)),
        )  # fmt: skip
        done = self.synced(machine, *self.place(), cut=self.chance.choice(ways))
        assert done.well or done.code < 0, f"{self.told()}\n{done.err}"

    def place(self) -> list[str]:
        """The stick, three times in ten, else whatever is known."""
        return [str(self.stick)] if self.stick.exists() and self.chance.random() < 0.3 else []

    def synced(self, machine: Machine, *words: str, cut: Cut | None = None) -> Done:
        """Run `sync`, once more where a lock was in the way, or a writer that a person then vouches for."""
        done = self.do(machine, "sync", *words, cut=cut)
        if done.code > 0 and self.unlock():
            done = self.do(machine, "sync", *words)
        return self.vouched(machine, done, *words)

    def vouched(self, machine: Machine, done: Done, *words: str) -> Done:
        """Vouch, as the message says, for the machine of ours that a sync does not know, and sync again."""
        for _ in self.machines:
            strangers = _STRANGER.findall(done.err)
            if not strangers or done.code < 0:
                break
            for name, key in dict.fromkeys(strangers):
                by_key = ("--key", key) if key else ()
                self.well(machine, self.do(machine, "identity", "vouch", name, *by_key), "identity vouch")
            done = self.do(machine, "sync", *words)
        return done

    def unlock(self) -> bool:
        """As the message says: remove the locks that a git has left which was killed at the remote."""
        places = [self.repository] if self.repository is not None else []
        locks = [lock for place in (*places, *self.stick.glob("*.git")) for lock in place.rglob("*.lock")]
        left = [lock for lock in locks if lock.name != "agentws.lock"]
        for lock in left:
            lock.unlink(missing_ok=True)
        self.story += [f"{lock} is removed" for lock in left]
        return bool(left)

    # The end

    def settle(self) -> None:
        """Sync in turn until a whole round changes nothing; people then decide what is left to decide.

        What killed compactions have left beside their files, the next one clears away, and the next seal the segment
        that a killed process was about to begin.
        """
        for machine in self.machines:
            self.well(machine, self.do(machine, "compact", "--yes"), "compact")
            self.well(machine, self.do(machine, "journal", "seal"), "journal seal")
        self.rounds()
        for _ in range(3):
            records = books.conflicts(self.machines[0].root)
            if not records:
                break
            for number, name in enumerate(records):
                machine = self.machines[number % len(self.machines)]
                self.resolve(machine, name)
            self.rounds()

    def resolve(self, machine: Machine, name: str) -> None:
        """Keep both sides; where a value is one or the other, the first, and where it was edited since, what stands.

        What one has removed and another has edited is kept by that: a person has said so.
        """
        sides = json.dumps(books.conflicts(machine.root)[name].get("sides"))
        done = self.do(machine, "sync", "resolve", name, "--take", "both")
        if done.well:
            self.book.kept(NAME.findall(sides))
        for words in (("--take", "1"), ()):
            if not done.well and done.code == (_USAGE if words else _EDITED):
                done = self.do(machine, "sync", "resolve", name, *words)
        self.well(machine, done, f"resolve {name}")

    def rounds(self) -> None:
        for _ in range(12):
            before = [books.travelling(machine.root) for machine in self.machines]
            for machine in self.machines:
                self.well(machine, self.synced(machine), "sync")
            if before == [books.travelling(machine.root) for machine in self.machines]:
                return
        raise AssertionError(f"{self.told()}\nnever quiet: {books.differing(self.machines)}")

    def check(self) -> None:
        """Raise AssertionError with the story where anything is wrong."""
        wrong = [f"differs: {line}" for line in books.differing(self.machines)]
        for machine in self.machines:
            wrong += [f"{machine.name}: {line}" for line in self.book.wrong(machine)]
            wrong += [f"{machine.name}: {line}" for line in self.unfit(machine)]
            mine = machine.root / "mine"
            others = (
                [path.name for path in mine.glob("*") if path.name != f"{machine.name}.bin"] if mine.exists() else []
            )
            wrong += [f"{machine.name}: {name} has travelled" for name in others]
        gone = self.book.forgotten()
        private = [machine.root / ".agentws/sync/repo.git" for machine in self.machines]
        for repository in (self.repository, *self.stick.glob("*.git"), *private):
            if repository is not None:
                wrong += [f"{repository} still holds {name}" for name in sorted(books.still_in(repository, gone))]
        assert not wrong, f"{self.told()}\n" + "\n".join(wrong[:40])

    def unfit(self, machine: Machine) -> list[str]:
        """What verbs say of this machine's workspace that they should not."""
        found = [f"conflict {name} dangles" for name in books.conflicts(machine.root)]
        for words in self.looks:
            done = machine.call(*words)
            if not done.well:
                found.append(f"{' '.join(words)} ends with {done.code}: {done.out[-600:]}{done.err[-600:]}")
        found += [f"left behind: {path.name}" for path in machine.root.rglob("*.agentws-*")]
        return found
