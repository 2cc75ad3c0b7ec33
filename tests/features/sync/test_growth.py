"""What a year of syncs leaves: few packs, here and at a remote on a disk, and few objects for each sync."""

from __future__ import annotations

import random
import subprocess
import tracemalloc
import zlib
from collections.abc import Collection
from pathlib import Path

import pytest

from agentws.core.states import object_store, private
from agentws.features.sync.store.repo import Repo
from tests.features.sync.conftest import Machines

MOST_PACKS = 4
SYNCS = 14
MOST_NEW = 13
"""Objects of a sync of two lines and an event: the commit, its record, five folders, five files, and one to spare."""

MOST_CONTENTS = 8
NOTE_LINES = 2_000
"""Of random letters: some 90 KB in a pack."""

FEW, MANY = 100, 1_100
MOST_BYTES_A_FILE = 450


def bare(machines: Machines) -> Path:
    place = machines.stick.with_name("bare.git")
    subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
    return place


def packs(repository: Path) -> int:
    return len([*repository.glob("objects/pack/*.pack")])


def objects(repository: Path) -> list[str]:
    words = ["git", f"--git-dir={repository}", "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("is_bare", [True, False])
def test_many_syncs_leave_few_packs_and_few_objects(
    machines: Machines, monkeypatch: pytest.MonkeyPatch, is_bare: bool
) -> None:
    monkeypatch.setattr(object_store, "_MOST_PACKS", MOST_PACKS)
    desk = machines.first()
    place = bare(machines) if is_bare else machines.stick
    desk.log("The post came")
    desk.event("note", "here")
    notes, chance = machines.root("desk") / "memory/notes.md", random.Random(1)
    notes.write_text("".join(f"- {chance.randbytes(32).hex()}\n" for _ in range(NOTE_LINES)))
    desk.sync(str(place))
    there = place if is_bare else next(place.glob("*.git"))
    here = machines.root("desk") / private.FOLDER / private.NAME
    before = len(objects(there))

    for number in range(SYNCS):
        desk = machines.opened("desk", minutes=60 * 24 * number)
        desk.log(f"Day {number}")
        notes.write_text(notes.read_text() + f"- {chance.randbytes(32).hex()}\n")
        desk.event("note", f"day {number}")
        desk.sync()
        assert packs(there) <= MOST_PACKS + 1
        assert packs(here) <= MOST_PACKS + 1

    assert len(objects(there)) - before <= SYNCS * MOST_NEW
    assert {*objects(there)} <= {*objects(here)}
    # Since the last fold each sync may have left the changed file whole; before, it is stored as differences.
    whole = len(zlib.compress(notes.read_bytes(), 1))
    for repository in (here, there):
        assert sum(path.stat().st_size for path in repository.rglob("*.pack")) < (MOST_PACKS + 3) * whole
    another = machines.stick.with_name("again")
    subprocess.run(["git", f"--git-dir={there}", "fsck", "--full"], check=True, capture_output=True)
    subprocess.run(["git", "clone", "-q", "--mirror", str(there), str(another)], check=True)


def test_a_fold_that_fails_at_the_remote_fails_no_sync(machines: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "_MOST_PACKS", 0)
    monkeypatch.setattr(object_store, "_FOLDED", ("--no-such-option",))
    desk = machines.first()
    desk.log("The post came")

    desk.sync(str(bare(machines)))

    assert not desk.sync()[0].failed


def test_growth_a_join_holds_few_of_the_contents_that_it_writes(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A journal of a million events has six hundred segments of a megabyte each."""
    desk = machines.first()
    for number in range(3 * MOST_CONTENTS):
        desk.tasks.add(f"Mend boat {number}")
    desk.sync(str(machines.stick))
    real, counts = Repo.blobs, list[int]()

    def counted(repo: Repo, oids: Collection[str]) -> dict[str, bytes]:
        counts.append(len(oids))
        return real(repo, oids)

    monkeypatch.setattr(Repo, "blobs", counted)
    lap = machines.another("lap")

    assert (sum(counts) > 3 * MOST_CONTENTS, max(counts)) == (True, MOST_CONTENTS)
    assert len(lap.tasks.list().tasks) == 3 * MOST_CONTENTS
    assert lap.tasks.start("mend-boat-0").noticed == []


def test_growth_a_join_takes_few_bytes_of_memory_for_each_file(machines: Machines) -> None:
    """With fifty thousand tasks, each copy of a state's paths or of its rows in memory is ten megabytes."""
    machines.first().tasks.add("Paint the mast")
    _, few, more = (peak_of_join(machines, count) for count in (1, FEW, MANY))  # the first one imports modules
    assert (more - few) / (MANY - FEW) < MOST_BYTES_A_FILE


def peak_of_join(machines: Machines, count: int) -> int:
    """The most bytes that Python holds while a machine joins a workspace of so many tasks, and syncs it."""
    for number in range(count):
        task = f"---\nstatus: done\n---\n# Mend boat {number}\n"
        (machines.root("desk") / f"tasks/mend-boat-{number:05d}.md").write_text(task)
    machines.opened("desk").sync(str(machines.stick))
    tracemalloc.start()
    try:
        machines.another(f"lap-{count}")
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


WARM_DAYS, DAYS = 4, 16
MOST_STATE_BYTES, MOST_MEDIUM_BYTES, MOST_MEDIUM_FILES = 60_000, 120_000, 20
MOST_REMOTE_BYTES, MOST_REMOTE_FILES = 35_000, 3
"""Of `.agentws/`, a backup folder and a remote on a path, for each of the first days with all that a day has."""


def test_growth_a_day_of_work_adds_few_bytes_to_the_state_a_remote_and_a_backup_folder(machines: Machines) -> None:
    desk = machines.first()
    medium = machines.stick.with_name("medium")
    medium.mkdir()
    state = machines.root("desk") / ".agentws"
    remote = bare(machines)
    desk.log("The post came")
    desk.sync(str(remote))

    sizes = []
    for number in range(DAYS):
        desk = machines.opened("desk", minutes=60 * 24 * number)
        for each in range(8):
            desk.log(f"On day {number} the pump {each} was greased and ran for {number * each} minutes")
        for each in range(10):
            desk.event("note", f"Looked at valve {each} on day {number}")
        desk.remember(f"Pump {number} needs grease number {number * 7}")
        desk.handoff(doing=f"Pump {number}", next=f"Pump {number + 1}")
        desk.sync()
        desk.copies.create(str(medium))
        if number + 1 in (WARM_DAYS, DAYS):
            sizes.append((used(state), used(medium), used(remote)))

    (state_before, medium_before, remote_before), (state_now, medium_now, remote_now) = sizes
    days = DAYS - WARM_DAYS
    assert (state_now[0] - state_before[0]) / days <= MOST_STATE_BYTES
    assert (medium_now[0] - medium_before[0]) / days <= MOST_MEDIUM_BYTES
    assert (medium_now[1] - medium_before[1]) / days <= MOST_MEDIUM_FILES
    assert (remote_now[0] - remote_before[0]) / days <= MOST_REMOTE_BYTES
    assert (remote_now[1] - remote_before[1]) / days <= MOST_REMOTE_FILES


def used(folder: Path) -> tuple[int, int]:
    """The bytes and the number of a folder's files, each counted once."""
    every = [path.lstat() for path in folder.rglob("*") if path.is_file()]
    found = {(status.st_dev, status.st_ino): status.st_size for status in every}
    return sum(found.values()), len(found)
