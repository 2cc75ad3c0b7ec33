"""What any Transport keeps to: to a folder of this machine, or through ssh to another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats.travel import inventory, inventory as delta
from agentws.errors import AgentwsError, DamagedError, MayNotWriteError
from agentws.features.copies.transfer import ssh
from agentws.features.copies.transfer.transport import Local
from agentws.features.copies.transfer.tree import Tree
from tests.hosts_real import rig

MIGRATION = "0123abcd"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = tmp_path / "source"
    (root / "deep" / "deeper").mkdir(parents=True)
    (root / "agentws.toml").write_text('format = 1\nid = "ada"\n')
    (root / "deep" / "deeper" / "a file\nwith lines").write_bytes(b"\0\xff" * 3000)
    os.utime(root / "deep" / "deeper" / "a file\nwith lines", (1_600_000_000, 1_600_000_000))
    (root / "deep" / "run.sh").write_text("#!/bin/sh\n")
    (root / "deep" / "run.sh").chmod(0o751)
    (root / "link").symlink_to("/nowhere/at all")
    (root / "empty").mkdir(mode=0o700)
    (root / os.fsdecode(b"not utf-8 \xff")).write_bytes(b"")
    (root / ".agentws").mkdir()
    (root / ".agentws" / "mine").write_text("this machine alone")
    return root


@pytest.fixture(params=["local", "ssh", "ssh in bulk"])
def transport(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    if request.param == "local":
        found: Any = Local()
        yield found
        found.close()
        return
    if not (rig.SSHD and rig.SSH and rig.RSYNC):
        pytest.skip("sshd, ssh or rsync is not here: apt-get install openssh-server rsync")
    if request.param == "ssh in bulk":
        monkeypatch.setattr(ssh, "_FEW", 0)
    machine = rig.Machine(tmp_path, "there")
    with rig.machines(tmp_path, machine):
        for name, value in machine.environment.items():
            monkeypatch.setenv(name, value)
        found = ssh.OverSsh("there", "")
        yield found
        found.close()


@pytest.fixture
def goal(tmp_path: Path) -> Path:
    (tmp_path / "goal").mkdir()
    return tmp_path / "goal" / "robin"


def sent(transport: Any, source: Path, goal: Path) -> Path:
    """The copy, as it is when all was sent."""
    transport.inspect(str(goal), MIGRATION)
    transport.prepare("1")
    transport.record({"migration": MIGRATION})
    found = Tree(str(source)).scan()
    assert transport.send(Tree(str(source)), list(found.values())) == ""
    return goal.parent / f".robin.incoming-{MIGRATION}"


def there(transport: Any) -> dict[str, inventory.TreeEntry]:
    return {entry.path: entry for entry in map(inventory.decode, transport.entries())}


def test_at_first_nothing_is_there(transport: Any, goal: Path) -> None:
    told = transport.inspect(str(goal), MIGRATION)

    assert (told["stands"], told["waiting"], told["above"]) == ("nothing", False, "ready")
    assert told["path"] == str(goal)
    assert list(transport.entries()) == []
    assert os.listdir(goal.parent) == []


def test_what_was_sent_is_what_is_there(transport: Any, source: Path, goal: Path) -> None:
    sent(transport, source, goal)

    wanted = Tree(str(source)).scan()

    assert not delta.between(wanted, there(transport))
    assert list(wanted) != []
    assert not any(path.startswith(".agentws") for path in there(transport))


def test_a_byte_that_changes_in_the_copy_is_seen(transport: Any, source: Path, goal: Path) -> None:
    copy = sent(transport, source, goal)
    status = (copy / "deep" / "run.sh").stat()
    (copy / "deep" / "run.sh").write_text("#!/bin/ch\n")
    os.utime(copy / "deep" / "run.sh", ns=(status.st_atime_ns, status.st_mtime_ns))

    found = delta.between(Tree(str(source)).scan(), there(transport))

    assert [entry.path for entry in found.send] == ["deep/run.sh"]


def test_what_becomes_something_else_can_be_sent_again(transport: Any, source: Path, goal: Path) -> None:
    sent(transport, source, goal)
    (source / "link").unlink()
    (source / "link").mkdir()
    (source / "link" / "inside").write_text("now a folder")
    (source / "deep" / "run.sh").unlink()
    (source / "deep" / "run.sh").symlink_to("deeper")

    found = delta.between(Tree(str(source)).scan(), there(transport))
    transport.drop(found.gone)
    transport.send(Tree(str(source)), found.send)

    assert not delta.between(Tree(str(source)).scan(), there(transport))


def test_a_folder_that_may_not_be_written_can_be_filled(transport: Any, source: Path, goal: Path) -> None:
    (source / "deep").chmod(0o555)
    sent(transport, source, goal)
    (source / "deep").chmod(0o755)
    (source / "deep" / "more").write_text("more")
    (source / "deep").chmod(0o555)

    found = delta.between(Tree(str(source)).scan(), there(transport))
    transport.send(Tree(str(source)), found.send)

    assert not delta.between(Tree(str(source)).scan(), there(transport))
    (source / "deep").chmod(0o755)


def test_a_file_that_went_meanwhile_is_passed_over_and_said(transport: Any, source: Path, goal: Path) -> None:
    transport.inspect(str(goal), MIGRATION)
    transport.prepare("1")
    found = Tree(str(source)).scan()
    (source / "deep" / "run.sh").unlink()

    said = transport.send(Tree(str(source)), list(found.values()))

    assert said
    assert not delta.between(Tree(str(source)).scan(), there(transport))


def test_it_is_in_its_place_at_once_and_for_good(transport: Any, source: Path, goal: Path) -> None:
    copy = sent(transport, source, goal)
    transport.set_folders([["deep", 0o755, 1_500_000_000_000_000_000]])
    transport.sync()
    assert not goal.exists()

    placed = transport.activate(0o750, "now")
    again = transport.activate(0o750, "now")

    assert placed == {"path": str(goal), "aside": ""} == again
    assert not copy.exists()
    assert goal.stat().st_mode & 0o777 == 0o750
    assert (goal / "deep").stat().st_mtime == 1_500_000_000
    assert os.listdir(goal.parent) == ["robin"]
    assert transport.inspect(str(goal), MIGRATION)["arrived"] == MIGRATION


def test_an_older_copy_that_was_left_is_kept_beside_and_another_one_is_not_touched(
    transport: Any, source: Path, goal: Path
) -> None:
    sent(transport, source, goal)
    (goal / "identity").mkdir(parents=True)
    (goal / "agentws.toml").write_text('id = "ada"\n')
    with pytest.raises(AgentwsError):
        transport.activate(0o755, "now")

    (goal / "identity" / "moved.json").write_text("{}")
    placed = transport.activate(0o755, "now")

    assert placed["aside"] == f"{goal}.moved-now"
    assert (goal.parent / "robin.moved-now" / "identity" / "moved.json").exists()
    assert (goal / "deep" / "run.sh").exists()


def test_a_copy_that_was_given_up_is_gone_and_cannot_be_put_in_place(transport: Any, source: Path, goal: Path) -> None:
    sent(transport, source, goal)

    assert transport.abandon()
    assert not transport.abandon()

    assert os.listdir(goal.parent) == []
    with pytest.raises(AgentwsError):
        transport.activate(0o755, "now")


def test_what_is_in_its_place_cannot_be_given_up(transport: Any, source: Path, goal: Path) -> None:
    sent(transport, source, goal)
    transport.activate(0o755, "now")

    with pytest.raises(MayNotWriteError, match="has arrived"):
        transport.abandon()
    assert (goal / "agentws.toml").exists()
    assert os.listdir(goal.parent) == ["robin"]


@pytest.mark.parametrize("path", ["/x", "../x", "deep/../../x", ""])
def test_nothing_is_done_outside_of_the_copy(transport: Any, source: Path, goal: Path, path: str) -> None:
    copy = sent(transport, source, goal)

    for act in (
        lambda: transport.drop([path]),
        lambda: transport.set_folders([[path, 0o777, 0]]),
        lambda: list(transport.entries([path])),
        lambda: transport.sign_in({path: "a line"}),
    ):
        with pytest.raises(DamagedError, match="not a path in"):
            act()

    assert sorted(os.listdir(goal.parent)) == [copy.name, f"{copy.name}.part-1"]


def test_a_later_try_goes_on_with_what_an_earlier_one_left(transport: Any, source: Path, goal: Path) -> None:
    copy = sent(transport, source, goal)
    part = goal.parent / f"{copy.name}.part-1"
    (part / "half a file").write_text("half")

    told = transport.inspect(str(goal), MIGRATION)
    transport.prepare("2")

    assert told["waiting"]
    assert (goal.parent / f"{copy.name}.part-2" / "half a file").exists()
    assert not part.exists()


def test_a_copy_that_is_only_tried_goes_with_the_conversation(transport: Any, source: Path) -> None:
    place = Path(transport.trial_folder())
    sent(transport, source, place)
    transport.activate(0o700, "")
    assert (place / "deep" / "run.sh").exists()
    assert place.parent.stat().st_mode & 0o777 == 0o700

    transport.close()

    assert not place.parent.exists()
