"""A machine that was restored from an earlier copy with `.agentws/`: what went meanwhile does not come back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.formats.journal import event
from agentws.core.journal.sealing import order_check
from agentws.core.stores import record
from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines
from tests.features.sync.trust.test_forgotten import holds
from tests.thorough import meeting


def two(machines: Machines) -> tuple[Workspace, Workspace]:
    """A desk with two facts and two lines, and an attic."""
    desk = machines.first(git=False)
    desk.log("The zebra came")
    desk.log("The post came")
    desk.remember("The kettle whistles at noon")
    desk.remember("The ladder stands in the barn")
    desk.sync(str(machines.stick))
    attic = machines.another("attic")
    desk.sync()
    return desk, attic


def copied(machines: Machines, name: str) -> Path:
    copy = machines.root(f"copy-of-{name}")
    shutil.copytree(machines.root(name), copy, symlinks=True)
    return copy


def restored(machines: Machines, name: str, copy: Path) -> Workspace:
    """The folder itself stays, and so does the state of the installation."""
    root = machines.root(name)
    for path in root.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(copy, root, symlinks=True, dirs_exist_ok=True)
    return machines.opened(name, minutes=9)


def everything(machines: Machines, name: str) -> bytes:
    return b"".join(machines.files(name).values())


def test_what_was_forgotten_elsewhere_does_not_come_back_with_an_older_copy(machines: Machines) -> None:
    desk, attic = two(machines)
    copy = copied(machines, "attic")
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync()
    attic.remember("The cellar is dry")
    attic.sync()

    attic = restored(machines, "attic", copy)
    attic.sync()
    desk.sync()

    for name in ("desk", "attic"):
        assert b"zebra" not in everything(machines, name)
        assert everything(machines, name).count(b"The cellar is dry") >= 1
    assert not holds(machines.stick, b"zebra")
    assert not holds(machines.root("attic") / ".agentws" / "sync", b"zebra")


def test_what_this_machine_has_forgotten_does_not_come_back_with_an_older_copy(machines: Machines) -> None:
    desk, attic = two(machines)
    copy = copied(machines, "attic")
    attic.memory.forget(matching=["zebra"], confirm=True)
    attic.sync()
    desk.sync()

    restored(machines, "attic", copy).sync()
    desk.sync()

    for name in ("desk", "attic"):
        assert b"zebra" not in everything(machines, name)
    assert not holds(machines.stick, b"zebra")


@pytest.mark.parametrize("has_second_remote", [False, True])
def test_old_wording_does_not_come_back_with_an_older_copy(
    machines: Machines, tmp_path: Path, has_second_remote: bool
) -> None:
    desk, attic = two(machines)
    if has_second_remote:
        (tmp_path / "disk").mkdir()
        attic.sync(str(tmp_path / "disk"))
    copy = copied(machines, "attic")
    memory = machines.root("attic") / "MEMORY.md"
    memory.write_text(memory.read_text().replace("The kettle whistles at noon", "The kettle whistles at dawn"))
    attic.remember("The cellar is dry")
    attic.sync()
    desk.sync()

    restored(machines, "attic", copy).sync()
    desk.sync()

    for name in ("desk", "attic"):
        assert b"at noon" not in machines.files(name)["MEMORY.md"]
        assert machines.files(name)["MEMORY.md"].count(b"The kettle whistles at dawn") == 1


@pytest.mark.parametrize("is_whole", [True, False])
def test_what_is_missing_in_an_older_copy_is_not_taken_for_removed(machines: Machines, is_whole: bool) -> None:
    desk, attic = two(machines)
    copy = copied(machines, "attic")
    attic.remember("The cellar is dry")
    attic.log("The cat came")
    attic.sync()
    desk.sync()
    if not is_whole:
        shutil.rmtree(copy / ".agentws" / "sync")
        shutil.copytree(machines.root("attic") / ".agentws" / "sync", copy / ".agentws" / "sync")

    restored(machines, "attic", copy).sync()
    desk.sync()

    for name in ("desk", "attic"):
        assert b"The cellar is dry" in machines.files(name)["MEMORY.md"]
        assert b"The cat came" in everything(machines, name)


def test_what_went_stays_away_where_the_restored_machine_writes_before_it_syncs(machines: Machines) -> None:
    desk, attic = two(machines)
    copy = copied(machines, "attic")
    attic.event("note", "Swept the attic")
    desk.memory.forget(matching=["zebra"], confirm=True)
    desk.sync()
    attic.sync()

    attic = restored(machines, "attic", copy)
    attic.event("note", "Swept the attic again")
    attic.remember("The cellar is dry")
    attic.sync()
    desk.sync()

    for name in ("desk", "attic"):
        assert b"zebra" not in everything(machines, name)
        assert b"The cellar is dry" in machines.files(name)["MEMORY.md"]


@pytest.mark.parametrize("is_archived", [False, True])
def test_a_line_of_the_copy_that_was_synced_since_stands_once(machines: Machines, is_archived: bool) -> None:
    desk, attic = two(machines)
    attic.log("The cat came", kind="decision")
    copy = copied(machines, "attic")
    attic.remember("The cellar is dry")
    attic.sync()
    desk = machines.opened("desk", minutes=60 * 24 * 30 if is_archived else 0)
    desk.sync()
    if is_archived:
        desk.memory.compact()
        desk.sync()

    attic = restored(machines, "attic", copy)
    attic.log("The dog came")
    attic.sync()
    desk.sync()

    for name in ("desk", "attic"):
        files = machines.files(name)
        days = b"".join(data for path, data in files.items() if path.startswith("memory/") and "2026-11" in path)
        assert days.count(b"The cat came") == 1
        assert days.count(b"The dog came") == 1


def test_a_line_of_the_copy_that_was_forgotten_here_before_it_was_ever_synced_stays_away(machines: Machines) -> None:
    desk, attic = two(machines)
    attic.log("The otter came", kind="decision")
    copy = copied(machines, "attic")
    attic.memory.forget(matching=["otter"], confirm=True)
    attic.sync()

    attic = restored(machines, "attic", copy)
    attic.log("The dog came")
    attic.sync()
    desk.sync()

    for name in ("desk", "attic"):
        assert b"otter" not in everything(machines, name)
        assert everything(machines, name).count(b"The dog came") == 1


ORDERS: dict[str, Callable[[Workspace], object]] = {
    "forget": lambda attic: attic.memory.forget(matching=["zebra"], confirm=True),
    "purge": lambda attic: attic.journal.purge([numbered(attic, "zebra")], reason="a name"),
    "both": lambda attic: [
        attic.journal.purge([numbered(attic, "hall")], reason="a name"),
        attic.memory.forget(matching=["zebra"], confirm=True),
    ],
}


def numbered(workspace: Workspace, word: str) -> str:
    (cursor,) = [one.cursor for one in workspace.journal.list() if word in str(one.body)]
    return str(cursor)


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_of_this_machine_that_came_back_after_a_snapshot_was_restored_is_its_own(
    machines: Machines, order: str
) -> None:
    """The snapshot has the state of the installation too, which knows nothing of the order."""
    desk, attic = two(machines)
    for words in ("a zebra came", "swept the hall", "swept the yard"):
        attic.event("note", words)
    attic.journal.seal()
    attic.sync()
    copy, state = copied(machines, "attic"), machines.root("state-attic")
    shutil.copytree(state, machines.root("copy-of-state"), symlinks=True)
    ORDERS[order](attic)
    attic.sync()
    desk.sync()

    shutil.rmtree(state)
    shutil.copytree(machines.root("copy-of-state"), state, symlinks=True)
    attic = restored(machines, "attic", copy)
    attic.sync()

    assert attic.journal.verify().findings == []
    assert attic.journal.seal() is not None
    attic.event("note", "swept again")
    attic.sync()
    desk.sync()
    assert attic.journal.verify().findings == desk.journal.verify().findings == []
    for name in ("desk", "attic"):
        assert b"a zebra came" not in everything(machines, name)


def test_an_order_in_this_machines_name_that_came_back_without_its_seal_is_not_its_own(machines: Machines) -> None:
    desk, attic = two(machines)
    for words in ("a zebra came", "swept the hall"):
        attic.event("note", words)
    attic.journal.seal()
    attic.sync()
    copy, state = copied(machines, "attic"), machines.root("state-attic")
    shutil.copytree(state, machines.root("copy-of-state"), symlinks=True)
    target = next(one for one in attic.journal.list() if "hall" in str(one.body))
    body = {"v": 1, "writer": target.writer, "seq": target.seq, "digest": target.digest, "reason": "x"}
    attic.stores.environment.seals = False
    record.record(attic.stores, [record.Happening(event.PURGE, body)])
    attic.sync()
    desk.sync()

    shutil.rmtree(state)
    shutil.copytree(machines.root("copy-of-state"), state, symlinks=True)
    attic = restored(machines, "attic", copy)
    attic.sync()

    assert [one.what for one in attic.journal.verify().findings] == [order_check.NOT_OURS]
    assert b"swept the hall" in everything(machines, "attic")


def test_between_two_remotes_a_restored_machine_brings_back_nothing_that_it_had_sent(machines: Machines) -> None:
    """The state in which the line stood went from one remote, and another state of the other one has the same files."""
    other = machines.stick.with_name("other")
    other.mkdir()
    desk = machines.first(git=False)
    desk.log("An otter came")
    desk.sync(str(machines.stick))
    desk.memory.forget(matching=["otter"], confirm=True)
    desk.sync()
    attic = machines.another("attic")
    attic.sync(str(other))
    attic.sync()
    copy = copied(machines, "attic")
    attic.log("A zebra came")
    attic.remember("The kettle whistles at noon")
    attic.sync()
    desk = machines.opened("desk")
    desk.sync()
    desk.memory.forget(matching=["zebra"], confirm=True)
    memory = machines.root("desk") / "MEMORY.md"
    memory.write_text(memory.read_text().replace("at noon", "at dawn"))
    desk.sync()

    restored(machines, "attic", copy).sync()
    machines.opened("desk").sync()

    for name in ("desk", "attic"):
        assert b"zebra" not in everything(machines, name)
        assert b"at noon" not in everything(machines, name)
        assert machines.files(name)["MEMORY.md"].count(b"at dawn") == 1


def test_between_two_remotes_of_different_epochs_an_edit_by_hand_is_not_taken_back_by_an_older_copy(
    machines: Machines,
) -> None:
    """Nothing but the sync head says that the copy is older: an edit by hand is no event and no recorded change."""
    other = machines.stick.with_name("other")
    other.mkdir()
    desk, attic = two(machines)
    desk.memory.forget(matching=["zebra"], confirm=True)
    for workspace in (desk, attic):
        workspace.sync()
    attic.sync(str(other))
    attic.sync()
    copy = copied(machines, "attic")
    memory = machines.root("attic") / "MEMORY.md"
    memory.write_text(memory.read_text().replace("at noon", "at dawn"))
    machines.opened("attic").sync()
    assert [one.epoch for one in attic.sync.list()] == [2, 1]

    restored(machines, "attic", copy).sync()
    machines.opened("desk").sync()

    for name in ("desk", "attic"):
        assert b"at noon" not in everything(machines, name)
        assert machines.files(name)["MEMORY.md"].count(b"at dawn") == 1


SAYS = {"log": "zebra", "fact": "kettle"}
REMOTES = ("one that has all", "one that has the first line", "one that is known", "an empty one")


@pytest.mark.parametrize(("what", "forgets", "meets"), meeting(SAYS, ["desk", "attic"], REMOTES))
def test_a_restored_machine_that_meets_another_remote_first_brings_nothing_back_that_was_forgotten(
    machines: Machines, tmp_path: Path, what: str, forgets: str, meets: str
) -> None:
    """It knows what was forgotten, its copy and that remote do not; and what was edited there is edited everywhere."""
    other = tmp_path / "other"
    other.mkdir()
    desk = machines.first(git=False)
    desk.log("The post came")
    desk.sync(str(machines.stick))
    attic, barn = machines.another("attic"), machines.another("barn")
    if meets == "one that is known":
        attic.sync(str(other))
    if meets == "one that has the first line":
        barn.sync(str(other))
    desk.log("The zebra came")
    desk.remember("The kettle whistles at noon")
    desk.remember("The ladder stands in the barn")
    for workspace in (desk, attic, barn):
        workspace.sync(str(machines.stick))
    copy = copied(machines, "attic")
    word = SAYS[what]
    {"desk": desk, "attic": attic}[forgets].memory.forget(matching=[word], confirm=True)
    for workspace in (attic, desk, attic):
        workspace.sync(str(machines.stick))
    edited = meets in ("one that has all", "one that is known")
    if edited:
        memory = machines.root("barn") / "MEMORY.md"
        memory.write_text(memory.read_text().replace("stands in the barn", "leans on the wall"))
        machines.opened("barn").sync(str(other))

    restored(machines, "attic", copy).sync(str(other))
    for name in ("attic", "desk", "barn", "attic", "barn", "desk", "attic"):
        machines.opened(name, minutes=20).sync()

    for name in ("desk", "attic", "barn"):
        assert word.encode() not in everything(machines, name)
        places = [machines.stick, other, machines.root(name) / ".agentws" / "sync"]
        assert [place for place in places if holds(place, word.encode())] == []
        assert machines.files(name)["MEMORY.md"].count(b"leans on the wall") == edited
        assert machines.files(name)["MEMORY.md"].count(b"stands in the barn") == (not edited)
        for rest in {*SAYS.values()} - {word}:
            assert everything(machines, name).count(rest.encode()) >= 1
    assert machines.files("desk") == machines.files("attic") == machines.files("barn")


WRITES = {
    "an event": lambda attic: attic.event("note", "swept the hall"),
    "a line": lambda attic: attic.log("Swept the hall"),
    "a fact": lambda attic: attic.remember("The hall is swept"),
    "nothing": lambda attic: None,
}


@pytest.mark.parametrize(
    ("writes", "goes", "is_synced"), meeting(WRITES, ["edited", "removed", "forgotten"], [True, False])
)
def test_whatever_a_copy_lacks_what_went_meanwhile_stays_away(
    machines: Machines, writes: str, goes: str, is_synced: bool
) -> None:
    """Also where it lacks only events, which the record of changes does not tell of."""
    desk, attic = two(machines)
    attic.sync()
    copy = copied(machines, "attic")
    WRITES[writes](attic)
    attic.sync()
    if goes == "forgotten":
        desk.memory.forget(matching=["kettle"], confirm=True)
    else:
        memory = machines.root("desk") / "MEMORY.md"
        lines = memory.read_text().splitlines(keepends=True)
        new = [line.replace("at noon", "at dawn") for line in lines if goes == "edited" or "kettle" not in line]
        memory.write_text("".join(new))
    machines.opened("desk").sync()
    if is_synced:
        machines.opened("attic").sync()

    restored(machines, "attic", copy).sync()
    for name in ("desk", "attic"):
        machines.opened(name, minutes=20).sync()

    for name in ("desk", "attic"):
        assert b"at noon" not in machines.files(name)["MEMORY.md"]
        assert machines.files(name)["MEMORY.md"].count(b"at dawn") == (goes == "edited")
        assert machines.files(name)["MEMORY.md"].count(b"ladder") == 1
    assert machines.files("desk") == machines.files("attic")
