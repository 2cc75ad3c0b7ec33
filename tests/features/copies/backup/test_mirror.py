"""The mirror beside the newest backup: what it holds, what it costs, what it survives, what is believed of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import main
from agentws.core.disk import files
from agentws.core.formats.travel import mirror as format_
from agentws.errors import LockHeldError, MissingFileError, UsageError
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store import part
from agentws.features.copies.backup.store.mirror.medium import Medium
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.copies.backup.trees import held


def tree(stick: Path) -> Path:
    """The mirrored files."""
    (found,) = stick.glob("robin-*/mirror/*/workspace")
    return found


def segment(root: str | Path) -> Path:
    return next(Path(root).glob("journal/*/000001.jsonl"))


def said(root: str | Path) -> dict[str, tuple[Any, ...]]:
    """What a workspace holds, but its history, with modes and without times."""
    return {path: (mode, what) for path, (mode, _, what) in held(root).items() if not path.startswith(".git/")}


def told(robin: Workspace) -> str:
    (check,) = [one for one in robin.status().checks if one.name == "backup"]
    return check.says


def test_the_newest_events_and_documents_are_copied_beside_the_backup(robin: Workspace, stick: Path) -> None:
    (made,) = robin.create_backup(str(stick))
    before = {path: path.read_bytes() for path in Path(made.path).rglob("*") if path.is_file()}
    robin.event("note", "newer")
    robin.log("a line")

    (done,) = robin.mirror_backup()

    assert (done.follows, done.events, done.documents) == (made.name, 1, 1)
    assert segment(tree(stick)).read_bytes() == segment(robin.root).read_bytes()
    assert "a line" in (tree(stick) / "memory/2026-11-20.md").read_text()
    assert sorted(path.name for path in tree(stick).rglob("*.md")) == ["2026-11-20.md"], "nothing that the backup has"
    assert {path: path.read_bytes() for path in Path(made.path).rglob("*") if path.is_file()} == before


def test_only_new_bytes_are_written_and_nothing_where_nothing_is_new(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.mirror_backup()
    size = segment(robin.root).stat().st_size
    inode = segment(tree(stick)).stat().st_ino
    robin.event("note", "two")

    (done,) = robin.mirror_backup()

    assert (done.events, done.bytes) == (1, segment(robin.root).stat().st_size - size)
    assert segment(tree(stick)).stat().st_ino == inode
    synced: list[int] = []
    monkeypatch.setattr(files, "sync", lambda fd: synced.append(fd))
    (idle,) = robin.mirror_backup()
    assert (idle.events, idle.documents, idle.bytes) == (0, 0, 0)
    assert not [fd for fd in synced if "stick" in str(fd)]


def test_what_a_killed_run_left_behind_the_known_end_is_cut_off(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.mirror_backup()
    with segment(tree(stick)).open("ab") as file:
        file.write(b'{"agentws":1,"seq":4,"id":"torn\0\0\0')
    robin.event("note", "two")

    robin.mirror_backup()

    assert segment(tree(stick)).read_bytes() == segment(robin.root).read_bytes()


def test_a_mirror_that_lost_its_end_or_its_list_is_copied_again(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.mirror_backup()
    for damage in ("end", "list", "file"):
        if damage == "end":
            os.truncate(segment(tree(stick)), 40)
        elif damage == "list":
            (tree(stick).parent / "mirror.json").write_text("{")
        else:
            segment(tree(stick)).unlink()
        robin.event("note", damage)

        robin.mirror_backup()

        assert segment(tree(stick)).read_bytes() == segment(robin.root).read_bytes(), damage


def test_a_line_that_is_being_written_stays_out_of_the_mirror(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    whole = segment(robin.root).read_bytes()
    with segment(robin.root).open("ab") as file:
        file.write(b'{"agentws":1,"seq":4,"id":"0')

    robin.mirror_backup()

    assert segment(tree(stick)).read_bytes() == whole


def test_a_broken_chain_is_said_and_not_copied(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.mirror_backup()
    whole = segment(tree(stick)).read_bytes()
    robin.event("note", "two")
    place = segment(robin.root)
    place.write_bytes(place.read_bytes().replace(b'"text":"two"', b'"text":"tow"'))

    (done,) = robin.mirror_backup()

    assert "body of this event was changed" in done.wrong[0]
    assert segment(tree(stick)).read_bytes() == whole


def test_an_older_state_that_was_put_back_changes_no_mirror(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    old = segment(robin.root).read_bytes()
    robin.event("note", "one")
    robin.mirror_backup()
    whole = segment(tree(stick)).read_bytes()
    segment(robin.root).write_bytes(old)

    (done,) = robin.mirror_backup()

    assert "newer events" in done.wrong[0]
    assert segment(tree(stick)).read_bytes() == whole
    (made,) = robin.create_backup(full=True)
    assert made.name
    assert segment(tree(stick)).read_bytes() == whole, "nor does a backup that lacks these events"


def test_a_complete_backup_takes_the_place_of_the_mirror(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.mirror_backup()

    robin.create_backup()

    assert not list(stick.glob("robin-*/mirror/*"))
    assert not list(stick.glob("robin-*/.gone*"))
    robin.event("note", "two")
    (done,) = robin.mirror_backup()
    assert done.events == 1


@pytest.fixture
def other(robin: Workspace, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The same agent on another machine, restored from the same medium."""
    robin.create_backup(str(stick))
    restore_backup(str(stick), str(tmp_path / "back"))
    environment = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "elsewhere")))
    return Workspace.open(str(tmp_path / "back"), environment=environment)


def test_another_machine_s_mirror_stays_for_as_long_as_it_alone_holds_a_document(
    robin: Workspace, other: Workspace, stick: Path
) -> None:
    Path(robin.root, "MEMORY.md").write_text("# Memory\n\n- Only here: the gate is blue\n")
    robin.mirror_backup()
    other.log("a line")

    other.create_backup(str(stick))

    assert "the gate is blue" in (tree(stick) / "MEMORY.md").read_text()
    Path(other.root, "MEMORY.md").write_bytes(Path(robin.root, "MEMORY.md").read_bytes())
    other.create_backup(str(stick))
    assert not list(stick.glob("robin-*/mirror/*")), "all that it held is in the backup now"


def test_a_document_of_an_older_mirror_comes_back_where_the_newest_backup_has_it_as_it_was(
    robin: Workspace, other: Workspace, stick: Path, tmp_path: Path
) -> None:
    Path(robin.root, "USER.md").write_text("# User\n\n- Only here: the gate is blue\n")
    Path(robin.root, "MEMORY.md").write_text("# Memory\n\n- Here: the roof is red\n")
    robin.mirror_backup()
    Path(other.root, "MEMORY.md").write_text("# Memory\n\n- There: the roof is grey\n")
    other.create_backup(str(stick))

    done = restore_backup(str(stick), str(tmp_path / "again"))

    assert "the gate is blue" in (tmp_path / "again/USER.md").read_text()
    assert "the roof is grey" in (tmp_path / "again/MEMORY.md").read_text(), "the newest backup has it, changed"
    (told,) = [words for words in done.stripped if "another version" in words]
    assert told.startswith("MEMORY.md of the mirror in ")
    assert verify_backup(str(stick)).well
    before = Path(next(stick.glob("robin-*/0001-*")), "manifest.jsonl")
    before.write_bytes(b"nothing\n")
    restore_backup(str(stick), str(tmp_path / "third"))
    assert "the gate is blue" not in (tmp_path / "third/USER.md").read_text(), "nobody knows what it followed"


def test_two_mirrors_of_one_document_are_told_apart(
    robin: Workspace, other: Workspace, stick: Path, tmp_path: Path
) -> None:
    for workspace, words in ((robin, "red"), (other, "grey")):
        Path(workspace.root, "MEMORY.md").write_text(f"# Memory\n\n- The roof is {words}\n")
    other.create_backup(str(stick))
    shutil.rmtree(max(stick.glob("robin-*/0*")))
    for workspace in (robin, other):
        workspace.mirror_backup()
    assert len(list(stick.glob("robin-*/mirror/*"))) == 2

    done = restore_backup(str(stick), str(tmp_path / "again"))

    assert sum("MEMORY.md of the mirror" in words for words in done.stripped) == 1


def test_as_many_events_of_a_writer_are_not_the_same_events(robin: Workspace, other: Workspace, stick: Path) -> None:
    robin.event("note", "one")
    robin.mirror_backup()
    state = tree(stick).parent / "mirror.json"
    told = json.loads(state.read_bytes())
    ((held,),) = ([*one.values()] for one in told["segments"].values())
    held[2], held[3] = 2, "0" * 64
    state.write_text(json.dumps(told))

    other.create_backup(str(stick))

    assert segment(tree(stick)).exists()


@pytest.mark.parametrize("bad", ['{"agentws":1,"mirror":2}', "{"])
def test_another_machine_s_mirror_that_cannot_be_read_stays(
    robin: Workspace, other: Workspace, stick: Path, bad: str
) -> None:
    robin.event("note", "one")
    robin.mirror_backup()
    (tree(stick).parent / "mirror.json").write_text(bad)

    other.create_backup(str(stick))

    assert segment(tree(stick)).read_bytes() == segment(robin.root).read_bytes()


def test_what_is_purged_goes_from_the_mirror(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    cursor = robin.event("note", "a slip of the tongue").cursor
    robin.event("note", body={"text": "long " * 40_000})
    robin.mirror_backup()
    (blob,) = tree(stick).glob("journal/*/blobs/*")
    assert b"a slip" in segment(tree(stick)).read_bytes()

    robin.purge_journal([cursor, cursor.replace(":3", ":4")], reason="private")

    assert b"a slip" not in segment(tree(stick)).read_bytes()
    assert segment(tree(stick)).read_bytes() == segment(robin.root).read_bytes()
    assert not blob.exists()


def test_what_is_purged_goes_from_a_mirror_whose_first_run_was_killed(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robin.create_backup(str(stick))
    cursor = robin.event("note", "a slip of the tongue").cursor
    robin.remember("a line")
    with monkeypatch.context() as killed:
        killed.setattr("agentws.features.copies.backup.store.mirror.run.Run._all_documents", _died)
        with pytest.raises(Killed):
            robin.mirror_backup()
    assert b"a slip" in segment(tree(stick)).read_bytes()

    robin.purge_journal([cursor], reason="private")

    assert b"a slip" not in segment(tree(stick)).read_bytes()


def test_what_a_killed_run_left_beside_the_files_goes_with_the_next_one(
    robin: Workspace, stick: Path, tmp_path: Path
) -> None:
    robin.create_backup(str(stick))
    robin.event("note", body={"text": "long " * 40_000})
    robin.log("a line")
    robin.mirror_backup()
    before = held(tree(stick))
    (tmp_path / "elsewhere").write_text("Anna Lind")
    (tree(stick) / "to").symlink_to(tmp_path)
    for name in (".MEMORY.md.agentws-new", "journal/.x.agentws-new", "MEMORY.md", "memory/1999-01-01.md"):
        (tree(stick) / name).write_text("Anna Lind")

    done = robin.forget(subjects=["Anna Lind"], copies=True)

    assert list(done.mirrors) == []
    assert not done.is_left
    (tree(stick) / "to").unlink()
    assert held(tree(stick)) == before
    assert (tmp_path / "elsewhere").exists()


class Killed(BaseException):
    """What nothing catches."""


def _died(_: object) -> None:
    raise Killed


def test_another_installation_s_mirror_that_holds_what_is_purged_is_named(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    cursor = robin.event("note", "a slip of the tongue").cursor
    robin.mirror_backup()
    place = tree(stick).parent
    shutil.copytree(place, place.with_name("0123456789ab"))

    done = robin.purge_journal([cursor], reason="private", copies=True)

    (words,) = done.mirrors
    assert "mirror/0123456789ab contains matches" in words
    assert words in done.notices
    shutil.rmtree(place.with_name("0123456789ab"))
    assert robin.purge_journal([cursor], reason="private", copies=True).mirrors == []


def test_what_is_forgotten_goes_from_the_mirror(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    robin.log("Anna Lind sends the survey")
    robin.event("note", "rang Anna Lind")
    robin.mirror_backup()

    done = robin.forget(subjects=["Anna Lind"])

    assert not [path for path in tree(stick).rglob("*") if path.is_file() and b"Anna Lind" in path.read_bytes()]
    assert not any("Backups contain" in words for words in done.elsewhere)


def test_a_dead_installation_s_mirror_that_holds_it_is_named(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    robin.log("Anna Lind sends the survey")
    robin.mirror_backup()
    place = tree(stick).parent
    place.rename(place.with_name("0123456789ab"))

    done = robin.forget(subjects=["Anna Lind"])

    assert any("mirror/0123456789ab" in words for words in done.elsewhere)


def test_a_medium_that_is_not_there_is_told_and_tried_again(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.mirror_backup()
    stick.rename(stick.with_name("drawer"))
    robin.event("note", "two")

    robin.mirror_aside()

    assert not stick.exists(), "nothing is written where the medium is not mounted"
    assert "the mirror fails" in told(robin)
    assert "1 event in no copy" in told(robin)
    assert robin.status().well
    stick.with_name("drawer").rename(stick)
    robin.mirror_aside()
    assert told(robin).endswith("all events and documents are in a copy")


def test_status_counts_what_is_in_no_copy(robin: Workspace, stick: Path, environment: Environment) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.mirror_backup()
    environment.now = NOW + timedelta(minutes=5)
    Workspace.open(robin.root, environment=environment).event("note", "two")
    environment.now = NOW + timedelta(minutes=5, seconds=40)

    says = told(Workspace.open(robin.root, environment=environment))

    assert says == f"newest 5 min ago, in {stick}; mirrored 5 min ago; 1 event in no copy, the last event 40 s ago"


def test_a_mirror_is_switched_off_and_on(robin: Workspace, stick: Path) -> None:
    with pytest.raises(MissingFileError):
        robin.mirror_backup()
    robin.create_backup(str(stick))
    assert robin.mirror_backup(on=False) == []
    robin.event("note", "one")
    robin.mirror_aside()
    assert not list(stick.glob("robin-*/mirror"))
    with pytest.raises(UsageError, match="are off"):
        robin.mirror_backup(str(stick))

    (done,) = robin.mirror_backup(on=True)

    assert done.events == 1


def test_only_a_folder_takes_a_mirror(robin: Workspace) -> None:
    with pytest.raises(UsageError, match="not a folder"):
        robin.mirror_backup("restic:/srv/repo")


def test_who_makes_a_backup_is_not_met_halfway(robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robin.create_backup(str(stick))
    real, met = part.Part.copy, []

    def copy(self: part.Part, *arguments: Any) -> Any:
        if not met:
            with pytest.raises(LockHeldError) as raised:
                robin.mirror_backup()
            met.append(raised)
        return real(self, *arguments)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(part.Part, "copy", copy)
        robin.create_backup(full=True)
    assert met
    assert robin.mirror_backup()


def test_of_a_list_with_an_odd_document_the_events_are_restored_and_the_rest_is_told(
    robin: Workspace, stick: Path, tmp_path: Path, environment: Environment
) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "the newest word")
    robin.log("a line")
    robin.mirror_backup()
    (state,) = stick.glob("robin-*/mirror/*/mirror.json")
    good = json.loads(state.read_text())
    odd = {"../x.md": [0o644, 1, 1, "0" * 64], "tasks/x.md": "odd"}
    state.write_text(json.dumps(good | {"documents": good["documents"] | odd}))

    done = restore_backup(str(stick), str(tmp_path / "back"))

    assert (done.mirrored_events, done.mirrored_documents) == (1, 1)
    assert [words.partition(" ")[0] for words in done.unrestored] == [*odd]
    assert b"the newest word" in segment(tmp_path / "back").read_bytes()
    assert not (tmp_path / "x.md").exists()
    robin.mirror_backup()
    assert json.loads(state.read_text())["documents"].keys() == good["documents"].keys()
    assert restore_backup(str(stick), str(tmp_path / "again")).unrestored == ()


def test_a_mirror_that_cannot_be_read_ends_a_restore_with_exit_code_3(
    robin: Workspace, stick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "the newest word")
    robin.mirror_backup()
    (state,) = stick.glob("robin-*/mirror/*/mirror.json")
    state.write_text("{}")

    assert main.run(["backup", "restore", str(stick), str(tmp_path / "back")]) == 3
    assert "NOT restored: " in capsys.readouterr().out
    assert (tmp_path / "back" / "SOUL.md").exists()


def test_a_list_that_names_other_places_is_not_followed(tmp_path: Path) -> None:
    state = format_.State("agent")
    state.documents["memory/2026-11-20.md"] = (0o644, 1, 2, "ab", None)
    good = json.loads(format_.encode(state))
    assert format_.decode(json.dumps(good).encode()).documents == state.documents
    for path in ("../x.md", "/etc/x.md", ".git/hooks/x.md", "memory/../x.md", "identity/moved.json", "plans/x.md"):
        found = format_.decode(json.dumps(good | {"documents": {path: None}}).encode())
        assert (found.documents, found.odd) == ({}, [path])
    for writer, number in (
        ("x", "1"),
        ("../0123456789ab", "1"),
        ("006afff37486b241", "../1"),
        ("006afff37486b241", "01"),
    ):
        bad = good | {"segments": {writer: {number: [1, "a", 1, "b", 0, 0, 0]}}}
        with pytest.raises(format_.NotAMirrorError):
            format_.decode(json.dumps(bad).encode())


def test_a_mirror_folder_that_is_a_link_is_not_written_through(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    (made,) = robin.create_backup(str(stick))
    (tmp_path / "elsewhere").mkdir()
    Path(made.path).parent.joinpath("mirror").symlink_to(tmp_path / "elsewhere")
    robin.event("note", "one")

    robin.mirror_aside()

    assert not list((tmp_path / "elsewhere").rglob("*"))


def test_a_medium_that_gives_back_other_bytes_is_no_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "read_up_to", lambda *_, **__: b"other")
    with pytest.raises(Exception, match="other data"):
        Medium(str(tmp_path), "0123456789ab").put("MEMORY.md", b"text")
    shutil.rmtree(tmp_path / "mirror")


def test_what_is_newer_than_the_backup_is_restored_from_the_mirror(
    robin: Workspace, stick: Path, tmp_path: Path
) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.event("note", body={"text": "long " * 40_000})
    robin.log("a line")
    robin.add_task("Paint the fence")
    Path(robin.root, "USER.md").unlink()
    robin.mirror_backup()

    done = restore_backup(str(stick), str(tmp_path / "back"))

    assert said(tmp_path / "back") == said(robin.root)
    assert (done.mirrored_events, done.events) == (3, 5)
    assert done.mirrored_documents == 3, "the log, the task, and what went"
    assert not done.stripped


def test_an_older_backup_is_restored_as_it_is(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.mirror_backup()

    done = restore_backup(str(stick), str(tmp_path / "back"), at="1")

    assert (done.mirrored_events, done.events) == (0, 2)
    assert b'"one"' not in segment(tmp_path / "back").read_bytes()


def test_a_second_writer_comes_back_whole(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.create_backup(str(stick))
    state = Path(robin.root, ".agentws/state")
    state.rename(tmp_path / "own")
    Workspace.open(robin.root, environment=Environment(now=NOW, timezone="UTC")).event("note", "from another one")
    shutil.rmtree(state, ignore_errors=True)
    (tmp_path / "own").rename(state)
    robin.mirror_backup()

    done = restore_backup(str(stick), str(tmp_path / "back"))

    assert done.mirrored_events >= 2
    assert len(list((tmp_path / "back").glob("journal/*/000001.jsonl"))) == 2
    assert Workspace.open(str(tmp_path / "back")).verify_journal().sound


def test_of_a_mirror_only_what_the_chain_proves_is_taken(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.create_backup(str(stick))
    for text in ("one", "two", "three"):
        robin.event("note", text)
    robin.log("a line")
    robin.mirror_backup()
    good = segment(tree(stick)).read_bytes()
    document = tree(stick) / "memory/2026-11-20.md"
    cases = {
        "changed": (good.replace(b'"text":"two"', b'"text":"tow"'), 1),
        "torn": (good[:-30], 2),
        "another beginning": (good.replace(b"rang the office", b"rang my dentist"), 0),
        "empty": (b"", 0),
        "no journal": (b"\xff\n" * 40, 0),
    }
    document.write_text("other words\n")
    for number, (name, (data, events)) in enumerate(cases.items()):
        segment(tree(stick)).write_bytes(data)
        place = tmp_path / f"back-{number}"

        done = restore_backup(str(stick), str(place))

        assert done.mirrored_events == events, name
        assert "other words" not in (place / "memory/2026-11-20.md").read_text()
        assert any("memory/2026-11-20.md" in words for words in done.stripped)
        assert Workspace.open(str(place)).verify_journal().sound, name


def test_verify_reads_the_mirror_too(robin: Workspace, stick: Path) -> None:
    robin.create_backup(str(stick))
    for text in ("one", "two"):
        robin.event("note", text)
    robin.mirror_backup()

    done = verify_backup(str(stick))

    assert (done.well, done.mirrored_events, done.mirrored_documents) == (True, 2, 0)
    copy = segment(tree(stick))
    copy.write_bytes(copy.read_bytes().replace(b'"text":"two"', b'"text":"tow"'))
    bad = verify_backup(str(stick))
    assert (bad.well, bad.mirrored_events, bad.findings[0][0]) == (False, 1, "mirror")
    assert verify_backup(str(stick), at="1").well, "the backup itself is whole"


def test_a_drill_counts_the_mirror(robin: Workspace, stick: Path, environment: Environment) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.log("a line")
    robin.mirror_backup()

    done = robin.drill()

    assert (done.well, done.events, done.mirrored_events, done.mirrored_documents) == (True, 0, 1, 1)
    assert done.differ.count == 0 or all(path.startswith(".git/") for path in done.differ.changed + done.differ.added)


@pytest.mark.parametrize("killed", [False, True])
def test_wherever_the_medium_or_the_process_dies_what_it_held_is_restored_and_the_next_run_goes_on(
    robin: Workspace, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    robin.create_backup(str(stick))
    robin.event("note", "one")
    robin.log("a line")
    robin.mirror_backup()
    died = 0
    for died in range(60):
        robin.event("note", body={"text": "long " * 20_000} if died % 2 else {"text": f"event {died}"})
        robin.log(f"line {died}")
        sure = events(robin) - 1
        with monkeypatch.context() as medium:
            is_through = (_killed if killed else _failing)(robin, medium, stick, died)
        back = tmp_path / f"back-{died}"
        done = restore_backup(str(stick), str(back))
        assert done.events in (sure, sure + 1)
        assert not done.stripped
        assert died < 2 or f"line {died - 1}" in (back / "memory/2026-11-20.md").read_text()
        assert Workspace.open(str(back)).verify_journal().sound
        robin.mirror_backup()
        assert segment(tree(stick)).read_bytes() == segment(robin.root).read_bytes()
        shutil.rmtree(back)
        if is_through:
            break
    assert 8 < died < 59, "it died at every write and sync of a run"


def _failing(robin: Workspace, medium: pytest.MonkeyPatch, stick: Path, after: int) -> bool:
    """Run a mirror on a medium that fails after so many writes and syncs; True where that was never met."""
    failures = dying(medium, stick, after=after, how=_error)
    robin.mirror_aside()
    return not failures


def _killed(robin: Workspace, medium: pytest.MonkeyPatch, stick: Path, after: int) -> bool:
    """Run a mirror in a process that is killed after so many writes and syncs; True where it came to its end."""
    child = os.fork()
    if not child:
        try:
            dying(medium, stick, after=after, how=lambda: os._exit(9))
            robin.mirror_aside()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _error() -> None:
    raise OSError(5, "Input/output error")


def events(robin: Workspace) -> int:
    return len(segment(robin.root).read_bytes().splitlines())


def dying(medium: pytest.MonkeyPatch, stick: Path, *, after: int, how: Callable[[], None]) -> list[str]:
    """Let it die at every write, sync or rename `after` so many; what was met is put into the list."""
    count: list[int] = [0]
    failures: list[str] = []

    def failing(real: Callable[..., Any]) -> Callable[..., Any]:
        def act(*arguments: Any, **named: Any) -> Any:
            on_it = any(isinstance(one, int) and on_stick(one) for one in (*arguments, *named.values()))
            if on_it and count[0] >= after:
                failures.append(real.__name__)
                how()
            count[0] += on_it
            return real(*arguments, **named)

        return act

    def on_stick(fd: int) -> bool:
        try:
            return str(stick) in os.readlink(f"/proc/self/fd/{fd}")
        except OSError:
            return False

    for place, name in ((files, "write_all"), (files, "sync"), (os, "rename"), (os, "ftruncate")):
        medium.setattr(place, name, failing(getattr(place, name)))
    return failures


def test_a_mirror_that_is_off_goes_when_something_is_forgotten(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.create_backup(str(stick))
    robin.log("Anna Lind rang")
    robin.event("note", "Anna Lind again")
    robin.mirror_backup()
    robin.mirror_backup(on=False)
    assert b"Anna Lind" in segment(tree(stick)).read_bytes()

    done = robin.forget(subjects=["Anna Lind"])

    assert not list(stick.glob("robin-*/mirror/*"))
    assert any("Removed the mirror" in words for words in done.notices)
    assert robin.known_backups()[0].mirrored == {}
    restore_backup(str(stick), str(tmp_path / "back"))
    assert not [path for path in (tmp_path / "back").rglob("*") if path.is_file() and b"Anna" in path.read_bytes()]


def test_a_mirror_that_is_off_stays_where_it_alone_holds_events(
    robin: Workspace, stick: Path, environment: Environment
) -> None:
    robin.create_backup(str(stick))
    older = segment(robin.root).read_bytes()
    robin.event("note", "rang Anna Lind")
    robin.mirror_backup()
    robin.mirror_backup(on=False)
    segment(robin.root).write_bytes(older)
    restored = Workspace.open(robin.root, environment=environment)
    restored.log("Anna Lind is back")

    done = restored.forget(subjects=["Anna Lind"], copies=True)

    assert b"Anna Lind" in segment(tree(stick)).read_bytes()
    assert any("holds events that are missing here" in words for words in done.notices)
    assert done.is_left
    found = restored.forget(subjects=["Anna Lind"], copies=True, dry_run=True)
    assert not found.is_empty


def test_what_is_forgotten_here_already_leaves_the_mirror_too(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.create_backup(str(stick))
    robin.log("Anna Lind rang")
    robin.mirror_backup()
    stick.rename(tmp_path / "away")
    robin.forget(subjects=["Anna Lind"])
    (tmp_path / "away").rename(stick)

    done = robin.forget(subjects=["Anna Lind"], copies=True)

    assert b"Anna" not in (tree(stick) / "memory/2026-11-20.md").read_bytes()
    assert not done.is_left
