"""The zoo of copies: each is named at first contact, nobody is refused, and nothing that either side wrote is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest

from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.identity.machines import Machine, events, said, warned, writers

LATER = NOW + timedelta(hours=3)


@pytest.fixture
def lived(desk: Machine, tmp_path: Path) -> Path:
    """A workspace in which the desk has written."""
    made = desk.makes(tmp_path / "robin")
    made.event("note", "from the desk")
    made.log("a line from the desk")
    return Path(made.root)


def copied(root: Path, to: Path) -> Path:
    """As `cp -a` does it: everything, with its times."""
    subprocess.run(["cp", "-a", str(root), str(to)], check=True)
    return to


def renamed(root: Path, host: str, to: str) -> None:
    """Let the journal tell of another machine. (Its digests do not fit then; nobody looks at them here.)"""
    for path in (*root.glob("journal/*/*.jsonl"), *root.glob("identity/*.jsonl")):
        path.write_bytes(path.read_bytes().replace(f'"host":"{host}"'.encode(), f'"host":"{to}"'.encode()))


def goes_on(workspace: Workspace, text: str) -> None:
    """Writes an event and a line of the log: nobody is refused."""
    assert workspace.event("note", text).seq is not None
    assert workspace.log(text).line


def united(one: Path, other: Path) -> Path:
    """The first, with the journals of both side by side: where both have a segment, one holds all of the other."""
    for path in other.glob("journal/*/*.jsonl"):
        to = one / path.relative_to(other)
        theirs, ours = path.read_bytes(), to.read_bytes() if to.exists() else b""
        assert theirs.startswith(ours) or ours.startswith(theirs), "two installations wrote as one writer"
        to.parent.mkdir(exist_ok=True)
        to.write_bytes(max(ours, theirs, key=len))
    return one


def test_the_installation_that_wrote_here_is_told_nothing(desk: Machine, lived: Path) -> None:
    assert warned(desk.opens(lived)) == []

    goes_on(desk.opens(lived, LATER), "again")

    assert warned(desk.opens(lived, LATER)) == []
    assert len(writers(lived)) == 1
    assert desk.opens(lived, LATER).status().well


def test_where_the_manifest_cannot_be_read_nobody_is_called_new(desk: Machine, lived: Path) -> None:
    (lived / "agentws.toml").write_text("format = [\n")

    opened = desk.opens(lived)
    (check,) = (each for each in opened.status().checks if each.name == "identity")

    assert not [notice for notice in opened.boot().notices if "New copy" in notice]
    assert check.says == "unknown: agentws.toml is unreadable"
    assert "New copy" not in opened.identity.show().footing.said


def test_a_copy_on_the_same_machine_is_another_writer_and_named(desk: Machine, lived: Path, tmp_path: Path) -> None:
    copy = copied(lived, tmp_path / "copy")

    (first,) = warned(desk.opens(copy))
    goes_on(desk.opens(copy), "from the copy")
    goes_on(desk.opens(lived), "from the original")

    assert "New copy" in first
    assert "2026-11-20 07:15" in first
    assert "identity takeover" in first
    assert warned(desk.opens(lived)) == [], "the original is not bothered"
    assert sorted(said(united(lived, copy))) == ["from the copy", "from the desk", "from the original"]


def test_a_copy_on_another_machine_says_who_wrote_last(desk: Machine, lived: Path, tmp_path: Path) -> None:
    # What the machine calls itself is told by a session, and by whoever has sealed.
    desk.opens(lived).session.start(session="s1")
    renamed(lived, os.uname().nodename, "desk-of-sam")
    copy, vps = copied(lived, tmp_path / "copy"), Machine(tmp_path, "vps")

    (first,) = warned(vps.opens(copy))

    assert "desk-of-sam wrote last, 2026-11-20 07:15" in first
    goes_on(vps.opens(copy), "from the vps")
    (again,) = warned(vps.opens(copy))
    assert again == first, "it is said until somebody answers"


def test_state_that_was_copied_along_is_not_believed_on_another_machine(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    # An image of the disk: the same path, the same inode, the same state; only the machine is another one.
    clone = Machine(tmp_path, "clone")
    shutil.copytree(desk.home, clone.home)

    (said_first,) = warned(clone.opens(lived))
    goes_on(clone.opens(lived), "from the clone")

    assert "New copy" in said_first
    assert len(writers(lived)) == 2


def test_a_restored_image_with_another_inode_is_a_new_writer(desk: Machine, lived: Path, tmp_path: Path) -> None:
    image = copied(lived, tmp_path / "image")
    shutil.rmtree(lived)
    os.rename(image, lived)

    (first,) = warned(desk.opens(lived))
    goes_on(desk.opens(lived), "after the restore")

    assert "New copy" in first
    assert sorted(said(lived)) == ["after the restore", "from the desk"]


def test_a_restored_image_with_everything_as_it_was_goes_on_as_it_was(desk: Machine, lived: Path) -> None:
    # State and workspace both went back, at the same place: nothing here can tell, and nobody is kept from writing.
    goes_on(desk.opens(lived), "after the restore")

    assert warned(desk.opens(lived)) == []


def test_yesterdays_backup_put_back_in_place_is_noticed_before_anything_is_written(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    backup = copied(lived, tmp_path / "backup")
    goes_on(desk.opens(lived), "after the backup")
    restored_in_place(backup, lived)

    (first,) = warned(desk.opens(lived))
    assert "older than the last write here" in first
    assert not desk.opens(lived).status().well

    goes_on(desk.opens(lived, LATER), "after the restore")

    old, new = writers(lived)
    assert [one.kind for one in events(lived, new)][:2] == ["segment.opened", "writer.joined"]
    assert "after the backup" not in said(lived)
    (again,) = warned(desk.opens(lived))
    assert old[-8:] in again


def test_what_was_lost_with_an_old_backup_finds_its_place_free(desk: Machine, lived: Path, tmp_path: Path) -> None:
    backup = copied(lived, tmp_path / "backup")
    goes_on(desk.opens(lived), "after the backup")
    newest = copied(lived, tmp_path / "newest")
    restored_in_place(backup, lived)
    goes_on(desk.opens(lived, LATER), "after the restore")
    (writer, _) = writers(lived)

    shutil.copytree(newest / "journal" / writer, lived / "journal" / writer, dirs_exist_ok=True)

    assert sorted(said(lived)) == ["after the backup", "after the restore", "from the desk"]
    assert warned(desk.opens(lived)) == []
    assert desk.opens(lived).journal.verify().findings == []


def test_a_backup_copied_over_the_workspace_by_hand_is_noticed_too(desk: Machine, lived: Path, tmp_path: Path) -> None:
    # rsync -a without --delete, or a backup without .agentws: this machine's hints are newer than the journal.
    backup = copied(lived, tmp_path / "backup")
    shutil.rmtree(backup / ".agentws")
    goes_on(desk.opens(lived), "after the backup")
    shutil.copytree(backup, lived, dirs_exist_ok=True)

    (first,) = warned(desk.opens(lived))
    goes_on(desk.opens(lived), "after the restore")

    assert "older than the last write here" in first
    assert len(writers(lived)) == 2


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("begun", [True, False])
def test_a_backup_without_what_this_machine_keeps_lets_the_rightful_agent_go_on(
    desk: Machine, tmp_path: Path, sealed: bool, begun: bool
) -> None:
    # As backups should be: `.agentws/` is not in them. What was sealed since is remembered in the state alone.
    root = tmp_path / "robin"
    made = desk.makes(root)
    if begun:
        made.event("note", "before the backup")
    backup = copied(root, tmp_path / "backup")
    shutil.rmtree(backup / ".agentws")
    desk.opens(root).event("note", "after the backup")
    if sealed:
        desk.opens(root).journal.seal()
    restored_in_place(backup, root)

    (first,) = warned(desk.opens(root))
    goes_on(desk.opens(root, LATER), "after the restore")

    assert "older than the last write here" in first
    assert said(root)[-1] == "after the restore"
    assert len(warned(desk.opens(root))) == 1, "it is said until somebody answers"
    assert not desk.opens(root).status().well


def test_what_a_person_gave_up_as_lost_is_no_damage_any_more(desk: Machine, lived: Path, tmp_path: Path) -> None:
    backup = copied(lived, tmp_path / "backup")
    shutil.rmtree(backup / ".agentws")
    goes_on(desk.opens(lived), "after the backup")
    shutil.copytree(backup, lived, dirs_exist_ok=True)
    goes_on(desk.opens(lived), "after the restore")
    assert desk.opens(lived).journal.verify().findings

    desk.opens(lived, LATER).identity.take_over()

    assert desk.opens(lived).journal.verify().findings == []
    assert desk.opens(lived).identity.verify().findings == []


def test_the_last_seal_that_a_journal_lost_is_named_by_verify(desk: Machine, lived: Path, tmp_path: Path) -> None:
    backup = copied(lived, tmp_path / "backup")
    shutil.rmtree(backup / ".agentws")
    desk.opens(lived).journal.seal()
    restored_in_place(backup, lived)

    assert not desk.opens(lived).journal.verify().sound


def restored_in_place(backup: Path, root: Path) -> None:
    """What stands in the folder goes, what is in the backup comes; the folder itself stays the same one."""
    for path in root.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(backup, root, dirs_exist_ok=True)


def test_a_clone_with_git_has_no_journal_and_knows_who_wrote(desk: Machine, tmp_path: Path) -> None:
    root = tmp_path / "robin"
    made = desk.makes(root, git=True)
    session = made.session.start().session
    made.session.end(session=session)
    vps, clone = Machine(tmp_path, "vps"), tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(root), str(clone)], check=True)
    assert not (clone / "journal").exists()

    found = warned(vps.opens(clone))
    goes_on(vps.opens(clone), "from the clone")

    if (clone / "identity/writers.jsonl").exists():  # where nothing here can sign, nobody was told of the desk
        (first,) = found
        assert "New copy" in first
    assert writers(clone) != writers(root)


def test_rsync_by_hand_to_and_fro_keeps_two_writers_apart(desk: Machine, lived: Path, tmp_path: Path) -> None:
    vps, other = Machine(tmp_path, "vps"), tmp_path / "other"
    shutil.copytree(lived, other)
    goes_on(vps.opens(other), "from the vps")
    goes_on(desk.opens(lived), "from the desk again")

    for root in (lived, other):
        newest_of_both(lived, other, to=root)
    goes_on(vps.opens(other), "one more from the vps")
    goes_on(desk.opens(lived), "one more from the desk")
    newest_of_both(lived, other, to=lived)

    assert len(writers(lived)) == 2
    texts = ["from the desk", "from the desk again", "from the vps", "one more from the desk", "one more from the vps"]
    assert sorted(said(lived)) == texts
    assert desk.opens(lived).journal.verify().findings == []
    assert warned(desk.opens(lived)) == []


def newest_of_both(one: Path, other: Path, *, to: Path) -> None:
    """As `rsync -u` does it, both ways: of each segment the longer one."""
    for path in [*one.glob("journal/*/*.jsonl"), *other.glob("journal/*/*.jsonl")]:
        root = one if path.is_relative_to(one) else other
        there = to / path.relative_to(root)
        there.parent.mkdir(exist_ok=True)
        if not there.exists() or there.stat().st_size < path.stat().st_size:
            shutil.copy(path, there)


def test_a_container_with_a_new_home_each_run_stays_one_writer_where_state_lies_beside(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    (lived / ".agentws/state").mkdir(parents=True)
    for run in range(4):
        container = Machine(tmp_path, f"run-{run}")
        surroundings = container.environment()
        surroundings.state = (None, str(container.home), "")  # in a container nothing tells the machine
        goes_on(Workspace.open(str(lived), environment=surroundings), f"run {run}")

    assert len(writers(lived)) == 2, "the desk, and all runs of the container"


def test_a_checkout_that_may_only_be_read_boots(desk: Machine, lived: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere: NOT TESTED")
    copy = copied(lived, tmp_path / "checkout")
    subprocess.run(["chmod", "-R", "a-w", str(copy)], check=True)
    try:
        runner = Machine(tmp_path, "runner")
        assert "New copy" in warned(runner.opens(copy))[0]
        assert runner.opens(copy).status().checks
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(copy)], check=True)


def test_a_checkout_in_ci_is_left_as_it_was(desk: Machine, lived: Path, tmp_path: Path) -> None:
    copy = copied(lived, tmp_path / "checkout")
    before = tree(copy)

    runner = Machine(tmp_path, "runner")
    runner.opens(copy).boot()
    runner.opens(copy).status()
    runner.opens(copy).identity.show()

    assert tree(copy) == before


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("hours", [-2, 2])
def test_a_clock_that_is_two_hours_off_changes_nobodys_standing(lived: Path, tmp_path: Path, hours: int) -> None:
    desk = Machine(tmp_path, "desk", ahead=timedelta(hours=hours))
    goes_on(desk.opens(lived), "with a wrong clock")
    assert warned(desk.opens(lived)) == []
    assert len(writers(lived)) == 1

    copy, vps = copied(lived, tmp_path / "copy"), Machine(tmp_path, "vps", ahead=timedelta(hours=-hours))

    assert len(warned(vps.opens(copy))) == 1
    goes_on(vps.opens(copy), "from the vps")
    assert sorted(said(copy)) == ["from the desk", "from the vps", "with a wrong clock"]


def test_the_notice_ends_when_somebody_has_answered(lived: Path, tmp_path: Path) -> None:
    vps = Machine(tmp_path, "vps")
    goes_on(vps.opens(lived), "from the vps")
    assert len(warned(vps.opens(lived))) == 1

    vps.opens(lived).identity.take_over()

    assert warned(vps.opens(lived)) == []


def test_a_boot_that_is_remembered_is_not_given_to_another_installation(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    assert warned(desk.opens(lived)) == []
    assert warned(desk.opens(lived)) == []
    other = desk.environment()
    other.state = (None, str(tmp_path / "another state"), "machine-desk")

    # The same folder and the same cache, another user's state.
    assert len(warned(Workspace.open(str(lived), environment=other))) == 1


def test_others_are_not_told_which_machines_there_are(desk: Machine, lived: Path, tmp_path: Path) -> None:
    vps = Machine(tmp_path, "vps")

    shared = vps.opens(lived).boot(audience="shared")

    assert not [notice for notice in shared.notices if "New copy" in notice]


def test_a_copy_that_went_another_way_is_not_gone_on_with(desk: Machine, lived: Path, tmp_path: Path) -> None:
    # A twin of machine and folder wrote on as the same writer, which nobody could notice; its folder comes back here.
    home, folder = copied(desk.home, tmp_path / "home before"), copied(lived, tmp_path / "folder before")
    goes_on(desk.opens(lived), "this way")
    home_now = copied(desk.home, tmp_path / "home now")
    restored_in_place(folder, lived)
    restored_in_place(home, desk.home)
    for number in range(3):
        goes_on(desk.opens(lived), f"that way {number}")
    (writer,) = writers(lived)
    restored_in_place(home_now, desk.home)

    (first,) = warned(desk.opens(lived))
    before = events(lived, writer)
    goes_on(desk.opens(lived, LATER), "after they met")

    assert f"Different history: {writer[-8:]}" in first
    assert "a clone of this machine" in first
    assert len(writers(lived)) == 2
    assert [one.seq for one in events(lived, writer)] == [one.seq for one in before], "the other way stays as it is"


def test_those_that_write_first_at_the_same_time_are_one_writer_and_none_is_refused(
    desk: Machine, tmp_path: Path
) -> None:
    for number in range(10):
        root = tmp_path / f"robin{number}"
        desk.makes(root)
        at_once = Barrier(6)

        def writes(text: str, root: Path = root, at_once: Barrier = at_once) -> None:
            opened = desk.opens(root)
            at_once.wait()
            opened.event("note", text)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(writes, "abcdef"))

        assert len(writers(root)) == 1
        assert sorted(said(root)) == list("abcdef")


def test_a_seal_in_an_older_copy_is_one_of_the_journal_it_is_in(desk: Machine, lived: Path, tmp_path: Path) -> None:
    copy = copied(lived, tmp_path / "copy")
    for number in range(3):
        desk.opens(lived).event("note", f"later {number}")
    shutil.rmtree(lived / "journal")
    shutil.copytree(copy / "journal", lived / "journal")

    sealed = desk.opens(lived, LATER).journal.seal()

    assert sealed.writer == writers(lived)[-1] != writers(lived)[0]
    assert sealed.seq == 2
    assert not [one for one in desk.opens(lived, LATER).journal.verify().findings if "seal" in one.what]


@pytest.mark.parametrize("budget", [500, 800])
def test_a_small_boot_and_a_status_with_other_problems_name_the_copy(
    desk: Machine, lived: Path, tmp_path: Path, budget: int
) -> None:
    copy = copied(lived, tmp_path / "copy")
    (copy / ".agentws/journal.poison").touch()
    (copy / "tasks").mkdir(exist_ok=True)
    (copy / "tasks/bad.md").write_text("---\nstatus: [\n---\n")

    booted = desk.opens(copy).boot(budget=budget)
    status = desk.opens(copy).status()

    assert "- ⚠ New copy: " in booted.text
    assert "Only one may write" in booted.text
    assert booted.tokens <= budget
    assert not status.well
    assert status.findings[0].says.startswith("New copy")
