"""migrate to a folder of this machine: what arrives, what stays, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import main
from agentws.core.disk import lock, tombstone
from agentws.core.stores.stores import Stores
from agentws.errors import (
    AgentwsError,
    ChangedUnderneathError,
    DiskError,
    LockHeldError,
    MayNotWriteError,
    MissingFileError,
    NeedsYouError,
    NestedWorkspaceError,
    UsageError,
)
from agentws.features.copies.migrate import migrate
from agentws.features.copies.transfer import copy_place, disk, receiver, transport
from agentws.features.forget.forget import forget
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")))


@pytest.fixture
def goal(tmp_path: Path) -> Path:
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere" / "robin"


def reopened(place: str | Path, like: Workspace) -> Workspace:
    return Workspace.open(str(place), environment=like.stores.environment)


def held(root: Path) -> dict[str, tuple[Any, ...]]:
    found = {}
    for path in root.rglob("*"):
        name = str(path.relative_to(root))
        if not name.startswith((".agentws", "identity")):  # that grows there by whom is signed in
            status = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[name] = (status.st_mode, int(status.st_mtime), content)
    return found


def test_everything_arrives_and_the_copy_here_says_where_it_went(workspace: Workspace, goal: Path) -> None:
    root = Path(workspace.root)
    (root / "mine").mkdir(mode=0o711)
    (root / "mine" / "model.bin").write_bytes(os.urandom(100_000))
    (root / "mine" / "tool").write_text("#!/bin/sh\n")
    (root / "mine" / "tool").chmod(0o750)
    (root / "mine" / "out").symlink_to("/nowhere/at/all")
    os.utime(root / "mine" / "tool", (1_500_000_000, 1_500_000_000))
    os.utime(root / "mine", (1_400_000_000, 1_400_000_000))
    workspace.event("note", "before")

    done = workspace.copies.migrate(str(goal))

    assert (done.state, done.booted, done.left, done.notices) == ("moved", True, (), ())
    assert held(goal) == held(root)
    with pytest.raises(MayNotWriteError, match=str(goal)):
        reopened(root, workspace).log("too late")
    reopened(goal, workspace).log("on time")


def test_the_journal_tells_of_the_move_and_is_sealed_before_it(workspace: Workspace, goal: Path) -> None:
    workspace.event("note", "before")

    workspace.copies.migrate(str(goal))

    lines = [line for path in sorted(goal.glob("journal/*/*.jsonl")) for line in path.read_text().splitlines()]
    told = [json.loads(line) for line in lines]
    began = next(event for event in told if event["kind"] == "migration.began")
    assert began["body"]["dest"] == str(goal)
    assert [head["seq"] for head in began["body"]["head"].values()] == [2]
    assert told[-1]["kind"] == "seal"
    assert reopened(goal, workspace).journal.verify().sound


def test_nothing_of_this_machine_travels(workspace: Workspace, goal: Path, tmp_path: Path) -> None:
    root = Path(workspace.root)
    (root / "kept" / "here").mkdir(parents=True)
    inside = Environment(now=NOW, timezone="UTC", state=(str(root / "kept" / "state"), None), cache=str(root / "cache"))
    agent = Workspace.open(str(root), environment=inside)
    agent.log("makes a writer and a cache")
    agent.event("note", "one")
    agent.journal.seal()
    assert list((root / "kept" / "state").rglob("key"))

    agent.copies.migrate(str(goal))

    assert (goal / "kept" / "here").is_dir()
    assert not (goal / "kept" / "state").exists()
    assert not (goal / "cache").exists()
    assert not [path for path in goal.rglob("*") if path.is_file() and b"PRIVATE KEY" in path.read_bytes()]
    assert not (goal / "identity" / "moved.json").exists()


@pytest.mark.parametrize("is_dry", [True, False])
def test_forgotten_destination_it_is_named_with_the_command_for_the_new_place(
    workspace: Workspace, goal: Path, tmp_path: Path, is_dry: bool
) -> None:
    stick = str(tmp_path / "stick")
    workspace.copies.create(stick)

    done = workspace.copies.migrate(str(goal), dry_run=is_dry)

    (said,) = [each for each in done.notices if "do not travel" in each]
    assert f"agentws backup create {stick}" in said
    if not is_dry:
        assert not reopened(goal, workspace).copies.list()


def test_what_cannot_be_sent_is_named(workspace: Workspace, goal: Path) -> None:
    os.mkfifo(Path(workspace.root) / "pipe")

    done = workspace.copies.migrate(str(goal))

    assert done.left == ("pipe",)
    assert not (goal / "pipe").exists()


def test_the_repository_of_the_folder_travels(environment: Environment, tmp_path: Path, goal: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not here")
    agent = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin", git=True)
    agent.remember("Leo likes coffee")
    before = git(tmp_path / "robin", "log", "--format=%H %s", "--all")

    agent.copies.migrate(str(goal))

    assert before
    assert git(goal, "log", "--format=%H %s", "--all").endswith(before)
    assert git(goal, "fsck") is not None


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout


def test_a_second_call_says_that_it_is_there_and_another_place_is_refused(workspace: Workspace, goal: Path) -> None:
    workspace.copies.migrate(str(goal))

    again = reopened(workspace.root, workspace).copies.migrate(str(goal))

    assert again.state == "already"
    with pytest.raises(MayNotWriteError):
        reopened(workspace.root, workspace).copies.migrate(f"{goal}-2")
    with pytest.raises(UsageError, match="has moved"):
        reopened(workspace.root, workspace).copies.abort_migration()


def test_it_can_come_home_and_the_older_copy_is_kept(workspace: Workspace, goal: Path) -> None:
    workspace.event("note", "at home")
    workspace.copies.migrate(str(goal))
    away = reopened(goal, workspace)
    away.event("note", "away")

    done = away.copies.migrate(workspace.root)

    assert done.aside.startswith(workspace.root)
    assert (Path(done.aside) / "identity" / "moved.json").exists()
    home = reopened(workspace.root, workspace)
    home.event("note", "home again")
    assert home.journal.verify().sound


def test_a_copy_that_went_on_by_itself_is_not_taken_for_an_older_one(workspace: Workspace, goal: Path) -> None:
    workspace.event("note", "at home")
    workspace.copies.migrate(str(goal))
    home = reopened(workspace.root, workspace)
    stone = tombstone.read(home.stores.files)
    assert stone is not None
    tombstone.take_back(home.stores.files)
    home.event("note", "went on here")
    tombstone.write(home.stores.files, stone)
    journal = next(Path(workspace.root).glob("journal/*/000001.jsonl"))
    stone.head = {name: {"seq": len(journal.read_text().splitlines()), "hash": "0" * 64} for name in stone.head}
    tombstone.write(home.stores.files, stone)

    with pytest.raises(UsageError, match="has events that are missing here"):
        reopened(goal, workspace).copies.migrate(workspace.root)


def test_another_agent_or_another_folder_is_left_alone(
    workspace: Workspace, goal: Path, environment: Environment
) -> None:
    Workspace.init(str(goal), environment=environment, name="Other", git=False)
    before = held(goal)

    with pytest.raises(UsageError, match="contains another agent"):
        workspace.copies.migrate(str(goal))
    (goal.parent / "full").mkdir()
    (goal.parent / "full" / "file").write_text("mine")
    with pytest.raises(UsageError, match="exists and is not this agent"):
        workspace.copies.migrate(str(goal.parent / "full"))
    with pytest.raises(UsageError, match="exists and is not this agent"):
        workspace.copies.migrate(str(goal.parent / "full" / "file") + "/../file")

    assert held(goal) == before
    workspace.log("goes on")


def test_a_copy_of_this_agent_that_may_have_gone_on_is_left_alone(workspace: Workspace, goal: Path) -> None:
    shutil.copytree(workspace.root, goal)

    with pytest.raises(UsageError, match="holds a copy of this agent"):
        workspace.copies.migrate(str(goal))


def test_inside_of_a_workspace_it_may_not_go(workspace: Workspace, goal: Path) -> None:
    with pytest.raises(NestedWorkspaceError):
        workspace.copies.migrate(str(Path(workspace.root) / "within"))


def test_the_folder_above_must_be_there_and_an_empty_one_is_taken(workspace: Workspace, goal: Path) -> None:
    with pytest.raises(MissingFileError, match="does not exist"):
        workspace.copies.migrate(str(goal / "deeper" / "robin"))
    goal.mkdir()

    assert workspace.copies.migrate(str(goal)).state == "moved"


def test_too_little_room_is_seen_before_anything_is_sent(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_place, "_space", lambda above: {"free_bytes": 1 << 20, "free_files": None})

    with pytest.raises(DiskError, match="are free"):
        workspace.copies.migrate(str(goal))

    assert os.listdir(goal.parent) == []
    workspace.log("goes on")


def test_a_dry_run_changes_nothing(workspace: Workspace, goal: Path) -> None:
    before = held(Path(workspace.root))

    done = workspace.copies.migrate(str(goal), dry_run=True)

    assert (done.state, done.sent_files, done.resumes) == ("planned", done.files, False)
    assert held(Path(workspace.root)) == before
    assert not (Path(workspace.root) / ".agentws" / "migration.json").exists()
    assert os.listdir(goal.parent) == []


def breaks_off(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let the connection break when the far side is asked for this."""

    def fails(*_: object, **__: object) -> None:
        raise DiskError("the far side is gone")

    monkeypatch.setattr(transport.Local, name, fails)


def test_while_it_is_under_way_the_copy_refuses_and_another_place_is_not_begun(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        breaks_off(broken, "sync")
        with pytest.raises(DiskError):
            workspace.copies.migrate(str(goal))

    (copy,) = (path for path in goal.parent.iterdir() if (path / "agentws.toml").exists())
    with pytest.raises(MayNotWriteError, match="is still being received"):
        reopened(copy, workspace).log("here already?")
    with pytest.raises(UsageError, match="is running"):
        workspace.copies.migrate(f"{goal}-2")
    workspace.log("still here")
    done = workspace.copies.migrate(str(goal))
    assert (done.state, done.resumes) == ("moved", True)
    assert 0 < done.sent_files < done.files, "what was there already is not sent again"
    assert "still here" in "".join(path.read_text() for path in (goal / "memory").glob("*.md"))


def test_of_two_at_once_the_later_one_sees_what_the_first_has_done(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = migrate.held
    first: list[str] = []

    @contextmanager
    def late(stores: Stores) -> Iterator[None]:
        if not first:
            first.append("is faster")
            first.append(reopened(workspace.root, workspace).copies.migrate(str(goal)).state)
        with usual(stores):
            yield

    monkeypatch.setattr(migrate, "held", late)

    assert workspace.copies.migrate(str(goal)).state == "already"
    assert first[1] == "moved"


def test_between_the_tombstone_and_the_arrival_nobody_writes_and_it_can_be_taken_back(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        breaks_off(broken, "activate")
        with pytest.raises(DiskError):
            workspace.copies.migrate(str(goal))

    here = reopened(workspace.root, workspace)
    with pytest.raises(MayNotWriteError, match="is moving to") as raised:
        here.log("nobody")
    assert "--abort" in str(raised.value.hint), "nobody lets it write again while it may arrive"
    assert "revive" not in str(raised.value.hint)
    done = here.copies.abort_migration()

    assert done.state == "aborted"
    assert os.listdir(goal.parent) == []
    here.log("goes on")
    assert "migration.aborted" in [event.kind for event in here.journal.list()]


def test_a_copy_that_arrives_while_it_is_given_up_stays_and_the_tombstone_too(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        breaks_off(broken, "activate")
        with pytest.raises(DiskError):
            workspace.copies.migrate(str(goal))
    look = transport.Local.inspect

    def late(self: transport.Local, path: str, migration: str) -> dict[str, Any]:
        told = look(self, path, migration)
        earlier = receiver.Receiver()  # whose request was under way when the one that had asked was killed
        earlier.inspect(path, migration)
        earlier.activate(0o700, "now")
        return told

    here = reopened(workspace.root, workspace)
    with monkeypatch.context() as racing:
        racing.setattr(transport.Local, "inspect", late)
        with pytest.raises(MayNotWriteError, match=r"has arrived at .* too late"):
            here.copies.abort_migration()

    with pytest.raises(MayNotWriteError):
        reopened(workspace.root, workspace).log("they would be two")
    reopened(goal, workspace).log("the only one")
    assert os.listdir(goal.parent) == ["robin"]
    with pytest.raises(MayNotWriteError, match="too late"):
        reopened(workspace.root, workspace).copies.abort_migration()
    assert reopened(workspace.root, workspace).copies.migrate(str(goal)).state == "already"


def test_giving_it_up_that_was_killed_beside_an_arrival_is_not_to_be_finished(workspace: Workspace, goal: Path) -> None:
    workspace.copies.migrate(str(goal))
    known = tombstone.migration(workspace.stores.files)
    assert known is not None
    known.step = tombstone.ABORTING
    tombstone.keep_migration(workspace.stores.files, known)

    with pytest.raises(MayNotWriteError, match="too late"):
        reopened(workspace.root, workspace).copies.abort_migration()

    assert reopened(workspace.root, workspace).copies.migrate(str(goal)).state == "already"


def test_a_copy_that_is_nowhere_to_be_found_is_a_question_for_a_person(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        breaks_off(broken, "activate")
        with pytest.raises(DiskError):
            workspace.copies.migrate(str(goal))
    for path in goal.parent.iterdir():
        shutil.rmtree(path)
    here = reopened(workspace.root, workspace)

    with pytest.raises(NeedsYouError, match=r"is missing\. No copy may write now"):
        here.copies.migrate(str(goal))
    with pytest.raises(NeedsYouError):
        here.copies.abort_migration()
    with pytest.raises(MayNotWriteError):
        here.log("not before somebody has said so")

    assert here.copies.abort_migration(sure=True).state == "aborted"
    here.log("goes on")


def test_no_state_of_history_is_recorded_while_the_agent_changes_hands(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bury, refused = tombstone.write, []

    def and_record(*words: Any) -> None:
        with pytest.raises(LockHeldError), lock.Lock(workspace.stores.files, lock.HISTORY, timeout_s=0):
            pytest.fail("somebody else records")
        refused.append(True)
        bury(*words)

    monkeypatch.setattr(tombstone, "write", and_record)

    assert workspace.copies.migrate(str(goal)).state == "moved"
    assert refused


def test_an_edit_in_the_last_moment_travels_too(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bury = tombstone.write
    edits = ["an edit", "another one"]

    def and_edit(*words: Any) -> None:
        bury(*words)
        if edits:
            (Path(workspace.root) / "USER.md").write_text(edits.pop(0))

    monkeypatch.setattr(tombstone, "write", and_edit)

    workspace.copies.migrate(str(goal))

    assert (goal / "USER.md").read_text() == "another one"


def test_files_that_never_rest_keep_the_agent_here(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bury = tombstone.write

    def and_edit(*words: Any) -> None:
        bury(*words)
        (Path(workspace.root) / "USER.md").write_text(os.urandom(8).hex())

    with monkeypatch.context() as busy:
        busy.setattr(tombstone, "write", and_edit)
        with pytest.raises(ChangedUnderneathError):
            workspace.copies.migrate(str(goal))

    assert not goal.exists()
    reopened(workspace.root, workspace).log("goes on")


def test_a_copied_folder_has_no_migration_under_way(
    workspace: Workspace, goal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        breaks_off(broken, "activate")
        with pytest.raises(DiskError):
            workspace.copies.migrate(str(goal))
    shutil.copytree(workspace.root, tmp_path / "copied", symlinks=True)

    with pytest.raises(MayNotWriteError):
        reopened(tmp_path / "copied", workspace).copies.migrate(str(goal))
    with pytest.raises(UsageError, match="No migration is running"):
        reopened(tmp_path / "copied", workspace).copies.abort_migration()

    assert not goal.exists()


def test_a_sync_that_fails_over_there_throws_the_copy_away(
    workspace: Workspace, goal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(root: str) -> None:
        raise OSError(5, "Input/output error", root)

    with monkeypatch.context() as broken:
        broken.setattr(disk, "sync_tree", fails)
        with pytest.raises(DiskError):
            workspace.copies.migrate(str(goal))

    assert os.listdir(goal.parent) == [], "what was not made durable is not trusted by a later try"
    assert workspace.copies.migrate(str(goal)).state == "moved"


def test_damage_of_a_journal_is_said_and_travels_as_it_is(workspace: Workspace, goal: Path) -> None:
    workspace.event("note", "one")
    other = Path(workspace.root) / "journal" / "0000000000abcdef"
    other.mkdir()
    (other / "000001.jsonl").write_bytes(b"not an event\nnor this\n")

    done = workspace.copies.migrate(str(goal))

    assert any("0000000000abcdef" in notice and "is sent unchanged" in notice for notice in done.notices)
    assert (goal / "journal" / "0000000000abcdef" / "000001.jsonl").read_bytes() == b"not an event\nnor this\n"


def test_an_unadopted_folder_does_not_move(tmp_path: Path, goal: Path, environment: Environment) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "SOUL.md").write_text("me")

    with pytest.raises(AgentwsError):
        Workspace.open(str(tmp_path / "bare"), environment=environment).copies.migrate(str(goal))


def test_a_file_that_cannot_be_read_is_named_before_the_agent_leaves(workspace: Workspace, goal: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (Path(workspace.root) / "closed").write_text("closed")
    (Path(workspace.root) / "closed").chmod(0)

    with pytest.raises(DiskError, match="closed"):
        workspace.copies.migrate(str(goal))


# The command


def test_without_agreement_nothing_is_moved(
    workspace: Workspace, goal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main.run(["-C", workspace.root, "migrate", str(goal)])

    out, err = capsys.readouterr()
    assert code == 3
    assert "Would move the agent" in out
    assert "--yes" in err
    assert os.listdir(goal.parent) == []


def test_the_json_says_what_was_done(workspace: Workspace, goal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["-C", workspace.root, "migrate", str(goal), "--yes", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["state"], told["to"], told["via"]) == ("agentws/migrate@1", "moved", str(goal), "copy")
    assert stat.S_IMODE(goal.stat().st_mode) == stat.S_IMODE(Path(workspace.root).stat().st_mode)


@pytest.mark.parametrize("words", [[], ["--abort"], ["x", "--via", "pigeon"], ["http://host/x.git", "--yes"]])
def test_words_that_mean_nothing_are_refused(workspace: Workspace, words: list[str]) -> None:
    assert main.run(["-C", workspace.root, "migrate", *words]) == 2


def test_a_name_that_would_act_on_a_terminal_is_shown_as_a_code(
    workspace: Workspace, goal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(Path(workspace.root) / "pi\x1b[2Jpe")

    main.run(["-C", workspace.root, "migrate", str(goal), "--dry-run"])

    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_record_of_a_loss_does_not_stay_behind(goal: Path, environment: Environment, *, dry_run: bool) -> None:
    robin = Workspace.init(str(goal.parent / "here"), environment=environment, name="Robin", git=False)
    robin.log("Painted the gate")
    log = Path(robin.root, robin.log("The paint is in the shed").path)
    log.write_text(log.read_text().replace("- 07:15 The paint is in the shed\n", ""))

    with pytest.raises(NeedsYouError, match="1 acknowledged line is missing") as raised:
        robin.copies.migrate(str(goal), dry_run=dry_run)

    assert "doctor --accept-loss" in str(raised.value.hint)
    assert not goal.exists()
    assert robin.log("Still here").line
    robin.doctor(fix=True)
    if not dry_run:
        robin.copies.migrate(str(goal))
        assert "in the shed" in (goal / log.relative_to(robin.root)).read_text()


@pytest.mark.parametrize("dry_run", [True, False])
def test_forgotten_text_that_a_sync_remote_holds_is_removed_before_the_move(
    workspace: Workspace, goal: Path, tmp_path: Path, *, dry_run: bool
) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    workspace.log("Walrus at the gate")
    workspace.sync(str(stick))
    forget(workspace.stores, matching=["walrus"], confirm=True)

    with pytest.raises(NeedsYouError, match=f"still in {stick}") as raised:
        reopened(workspace.root, workspace).copies.migrate(str(goal), dry_run=dry_run)

    assert f"agentws sync {stick}. " in str(raised.value.hint)
    assert f"agentws sync detach {stick}" in str(raised.value.hint)
    assert not goal.exists()
    agent = reopened(workspace.root, workspace)
    agent.sync(str(stick))
    assert reopened(workspace.root, workspace).copies.migrate(str(goal), dry_run=dry_run).state != "waiting"


def test_forget_names_the_copy_that_the_agent_left_behind(workspace: Workspace, goal: Path) -> None:
    workspace.log("Walrus at the gate")
    workspace.copies.migrate(str(goal))
    here = reopened(goal, workspace)

    done = forget(here.stores, matching=["walrus"], confirm=True)

    (told,) = [words for words in done.elsewhere if "migrate" in words]
    assert f"left in {workspace.root} on " in told
    shutil.rmtree(workspace.root)
    assert not [
        words for words in forget(here.stores, matching=["walrus"], confirm=True).elsewhere if "migrate" in words
    ]
