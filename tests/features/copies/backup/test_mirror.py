"""Mirrors that earlier versions made beside the newest backup: what is believed of them, and when they go."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import main
from agentws.core.formats.travel import mirror as format_
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.copies.backup import old_mirror
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


def test_a_backup_that_lacks_the_events_of_a_mirror_leaves_it(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    old = segment(robin.root).read_bytes()
    robin.event("note", "one")
    old_mirror.make(robin, stick)
    whole = segment(tree(stick)).read_bytes()
    segment(robin.root).write_bytes(old)

    (made,) = robin.copies.create(full=True)

    assert made.name
    assert segment(tree(stick)).read_bytes() == whole


def test_a_complete_backup_takes_the_place_of_the_mirror(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    robin.event("note", "one")
    old_mirror.make(robin, stick)

    robin.copies.create()

    assert not list(stick.glob("robin-*/mirror/*"))
    assert not list(stick.glob("robin-*/.gone*"))


@pytest.fixture
def other(robin: Workspace, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The same agent on another machine, restored from the same medium."""
    robin.copies.create(str(stick))
    restore_backup(str(stick), str(tmp_path / "back"))
    environment = Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "elsewhere")))
    return Workspace.open(str(tmp_path / "back"), environment=environment)


def test_another_machine_s_mirror_stays_for_as_long_as_it_alone_holds_a_document(
    robin: Workspace, other: Workspace, stick: Path
) -> None:
    Path(robin.root, "MEMORY.md").write_text("# Memory\n\n- Only here: the gate is blue\n")
    old_mirror.make(robin, stick)
    other.log("a line")

    other.copies.create(str(stick))

    assert "the gate is blue" in (tree(stick) / "MEMORY.md").read_text()
    Path(other.root, "MEMORY.md").write_bytes(Path(robin.root, "MEMORY.md").read_bytes())
    other.copies.create(str(stick))
    assert not list(stick.glob("robin-*/mirror/*")), "all that it held is in the backup now"


def test_a_document_of_an_older_mirror_comes_back_where_the_newest_backup_has_it_as_it_was(
    robin: Workspace, other: Workspace, stick: Path, tmp_path: Path
) -> None:
    Path(robin.root, "USER.md").write_text("# User\n\n- Only here: the gate is blue\n")
    Path(robin.root, "MEMORY.md").write_text("# Memory\n\n- Here: the roof is red\n")
    old_mirror.make(robin, stick)
    Path(other.root, "MEMORY.md").write_text("# Memory\n\n- There: the roof is grey\n")
    other.copies.create(str(stick))

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
    other.copies.create(str(stick))
    shutil.rmtree(max(stick.glob("robin-*/0*")))
    for workspace in (robin, other):
        old_mirror.make(workspace, stick)
    assert len(list(stick.glob("robin-*/mirror/*"))) == 2

    done = restore_backup(str(stick), str(tmp_path / "again"))

    assert sum("MEMORY.md of the mirror" in words for words in done.stripped) == 1


def test_as_many_events_of_a_writer_are_not_the_same_events(robin: Workspace, other: Workspace, stick: Path) -> None:
    robin.event("note", "one")
    old_mirror.make(robin, stick)
    state = tree(stick).parent / "mirror.json"
    told = json.loads(state.read_bytes())
    ((held,),) = ([*one.values()] for one in told["segments"].values())
    held[2], held[3] = 2, "0" * 64
    state.write_text(json.dumps(told))

    other.copies.create(str(stick))

    assert segment(tree(stick)).exists()


@pytest.mark.parametrize("bad", ['{"agentws":1,"mirror":2}', "{"])
def test_another_machine_s_mirror_that_cannot_be_read_stays(
    robin: Workspace, other: Workspace, stick: Path, bad: str
) -> None:
    robin.event("note", "one")
    old_mirror.make(robin, stick)
    (tree(stick).parent / "mirror.json").write_text(bad)

    other.copies.create(str(stick))

    assert segment(tree(stick)).read_bytes() == segment(robin.root).read_bytes()


def test_the_own_mirror_goes_when_something_is_purged(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    cursor = robin.event("note", "a slip of the tongue").cursor or ""
    old_mirror.make(robin, stick)
    assert b"a slip" in segment(tree(stick)).read_bytes()

    done = robin.journal.purge([cursor], reason="private")

    assert not list(stick.glob("robin-*/mirror/*"))
    assert any("Removed the mirror" in words for words in done.notices)
    assert done.mirrors == []


def test_another_installation_s_mirror_that_holds_what_is_purged_is_named(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    cursor = robin.event("note", "a slip of the tongue").cursor
    old_mirror.make(robin, stick)
    place = tree(stick).parent
    shutil.copytree(place, place.with_name("0123456789ab"))

    done = robin.journal.purge([cursor], reason="private", copies=True)

    (words,) = done.mirrors
    assert "mirror/0123456789ab contains matches" in words
    assert words in done.notices
    shutil.rmtree(place.with_name("0123456789ab"))
    assert robin.journal.purge([cursor], reason="private", copies=True).mirrors == []


def test_the_own_mirror_goes_when_something_is_forgotten(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    """Also with what a killed run has left in it."""
    robin.copies.create(str(stick))
    robin.log("Anna Lind sends the survey")
    robin.event("note", "rang Anna Lind")
    (old_mirror.make(robin, stick) / ".MEMORY.md.agentws-new").write_text("Anna Lind")

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert not list(stick.glob("robin-*/mirror/*"))
    assert any("Removed the mirror" in words for words in done.notices)
    assert not done.is_left
    restore_backup(str(stick), str(tmp_path / "back"))
    assert not [path for path in (tmp_path / "back").rglob("*") if path.is_file() and b"Anna" in path.read_bytes()]


def test_a_dead_installation_s_mirror_that_holds_it_is_named(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    robin.log("Anna Lind sends the survey")
    old_mirror.make(robin, stick)
    place = tree(stick).parent
    place.rename(place.with_name("0123456789ab"))

    done = robin.memory.forget(subjects=["Anna Lind"])

    assert any("mirror/0123456789ab" in words for words in done.elsewhere)


def test_of_a_list_with_an_odd_document_the_events_are_restored_and_the_rest_is_told(
    robin: Workspace, stick: Path, tmp_path: Path, environment: Environment
) -> None:
    robin.copies.create(str(stick))
    robin.event("note", "the newest word")
    robin.log("a line")
    old_mirror.make(robin, stick)
    (state,) = stick.glob("robin-*/mirror/*/mirror.json")
    good = json.loads(state.read_text())
    odd = {"../x.md": [0o644, 1, 1, "0" * 64], "tasks/x.md": "odd"}
    state.write_text(json.dumps(good | {"documents": good["documents"] | odd}))

    done = restore_backup(str(stick), str(tmp_path / "back"))

    assert (done.mirrored_events, done.mirrored_documents) == (1, 1)
    assert [words.partition(" ")[0] for words in done.unrestored] == [*odd]
    assert b"the newest word" in segment(tmp_path / "back").read_bytes()
    assert not (tmp_path / "x.md").exists()


def test_a_mirror_that_cannot_be_read_ends_a_restore_with_exit_code_3(
    robin: Workspace, stick: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robin.copies.create(str(stick))
    robin.event("note", "the newest word")
    old_mirror.make(robin, stick)
    (state,) = stick.glob("robin-*/mirror/*/mirror.json")
    state.write_text("{}")

    assert main.run(["backup", "restore", str(stick), str(tmp_path / "back")]) == 3
    assert "NOT restored: " in capsys.readouterr().out
    assert (tmp_path / "back" / "SOUL.md").exists()


def test_a_list_that_names_other_places_is_not_followed(tmp_path: Path) -> None:
    good: dict[str, Any] = {"agentws": 1, "mirror": 1, "agent": "agent", "follows": "", "at": "", "segments": {}}
    good["documents"] = {"memory/2026-11-20.md": [0o644, 1, 2, "ab"]}
    found = format_.decode(json.dumps(good).encode())
    assert found.documents == {"memory/2026-11-20.md": (0o644, 1, 2, "ab", None)}
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


def test_what_is_newer_than_the_backup_is_restored_from_the_mirror(
    robin: Workspace, stick: Path, tmp_path: Path
) -> None:
    robin.copies.create(str(stick))
    robin.event("note", "one")
    robin.event("note", body={"text": "long " * 40_000})
    robin.log("a line")
    robin.tasks.add("Paint the fence")
    Path(robin.root, "USER.md").unlink()
    old_mirror.make(robin, stick)

    done = restore_backup(str(stick), str(tmp_path / "back"))

    assert said(tmp_path / "back") == said(robin.root)
    assert (done.mirrored_events, done.events) == (3, 5)
    assert done.mirrored_documents == 3, "the log, the task, and what went"
    assert not done.stripped


def test_an_older_backup_is_restored_as_it_is(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    robin.event("note", "one")
    old_mirror.make(robin, stick)

    done = restore_backup(str(stick), str(tmp_path / "back"), at="1")

    assert (done.mirrored_events, done.events) == (0, 2)
    assert b'"one"' not in segment(tmp_path / "back").read_bytes()


def test_a_second_writer_comes_back_whole(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    state = Path(robin.root, ".agentws/state")
    state.rename(tmp_path / "own")
    Workspace.open(robin.root, environment=Environment(now=NOW, timezone="UTC")).event("note", "from another one")
    shutil.rmtree(state, ignore_errors=True)
    (tmp_path / "own").rename(state)
    old_mirror.make(robin, stick)

    done = restore_backup(str(stick), str(tmp_path / "back"))

    assert done.mirrored_events >= 2
    assert len(list((tmp_path / "back").glob("journal/*/000001.jsonl"))) == 2
    assert Workspace.open(str(tmp_path / "back")).journal.verify().sound


def test_of_a_mirror_only_what_the_chain_proves_is_taken(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    for text in ("one", "two", "three"):
        robin.event("note", text)
    robin.log("a line")
    old_mirror.make(robin, stick)
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
        assert Workspace.open(str(place)).journal.verify().sound, name


def test_verify_reads_the_mirror_too(robin: Workspace, stick: Path) -> None:
    robin.copies.create(str(stick))
    for text in ("one", "two"):
        robin.event("note", text)
    old_mirror.make(robin, stick)

    done = verify_backup(str(stick))

    assert (done.well, done.mirrored_events, done.mirrored_documents) == (True, 2, 0)
    copy = segment(tree(stick))
    copy.write_bytes(copy.read_bytes().replace(b'"text":"two"', b'"text":"tow"'))
    bad = verify_backup(str(stick))
    assert (bad.well, bad.mirrored_events, bad.findings[0][0]) == (False, 1, "mirror")
    assert verify_backup(str(stick), at="1").well, "the backup itself is whole"


def test_a_drill_counts_the_mirror(robin: Workspace, stick: Path, environment: Environment) -> None:
    robin.copies.create(str(stick))
    robin.event("note", "one")
    robin.log("a line")
    old_mirror.make(robin, stick)

    done = robin.copies.drill()

    assert (done.well, done.events, done.mirrored_events, done.mirrored_documents) == (True, 0, 1, 1)
    assert done.differ.count == 0 or all(path.startswith(".git/") for path in done.differ.changed + done.differ.added)


def test_the_own_mirror_stays_where_it_alone_holds_events(
    robin: Workspace, stick: Path, environment: Environment
) -> None:
    robin.copies.create(str(stick))
    older = segment(robin.root).read_bytes()
    robin.event("note", "rang Anna Lind")
    old_mirror.make(robin, stick)
    segment(robin.root).write_bytes(older)
    restored = Workspace.open(robin.root, environment=environment)
    restored.log("Anna Lind is back")

    done = restored.memory.forget(subjects=["Anna Lind"], copies=True)

    assert b"Anna Lind" in segment(tree(stick)).read_bytes()
    assert any("holds events that are missing here" in words for words in done.notices)
    assert done.is_left
    found = restored.memory.forget(subjects=["Anna Lind"], copies=True, dry_run=True)
    assert not found.is_empty


def test_what_is_forgotten_here_already_leaves_the_mirror_too(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    robin.copies.create(str(stick))
    robin.log("Anna Lind rang")
    old_mirror.make(robin, stick)
    stick.rename(tmp_path / "away")
    robin.memory.forget(subjects=["Anna Lind"])
    (tmp_path / "away").rename(stick)

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert not list(stick.glob("robin-*/mirror/*"))
    assert not done.is_left
