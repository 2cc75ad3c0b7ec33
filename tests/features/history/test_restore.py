"""restore: a document comes back as it was, through a change like any other."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.changes import ABSENT
from agentws.core.formats import digest
from agentws.errors import ChangedUnderneathError, DamagedError, MissingFileError, NoWorkspaceError, UsageError
from agentws.features.history import restore
from tests.features.history.worlds import NEEDS_GIT, World, at

pytestmark = NEEDS_GIT


def test_a_file_comes_back_as_in_the_newest_state(world: World) -> None:
    before = world.text("SOUL.md")
    world.write("SOUL.md", "ruined\n")

    done = world.open(1).history.restore("SOUL.md")

    assert world.text("SOUL.md") == before
    assert (done.at, done.before, done.after) == (at(0), digest.of(b"ruined\n"), digest.of(before.encode()))
    assert (done.removed, done.dry_run, done.is_same) == (1, False, False)


def test_a_file_comes_back_as_it_was_at_a_time(world: World) -> None:
    world.open(1).remember("fact 1")
    then = world.text("MEMORY.md")
    world.open(2).remember("fact 2")

    world.open(3).history.restore("MEMORY.md", at="2026-11-16T09:30")

    assert world.text("MEMORY.md") == then


def test_a_file_that_the_newest_state_lacks_comes_back_from_the_newest_that_has_it(world: World) -> None:
    world.record(1, lambda: world.write("SOUL.md", "Grace, calm.\n"))
    world.record(2, lambda: (world.root / "SOUL.md").unlink())
    world.open(3).remember("fact 1")

    done = world.open(4).history.restore("SOUL.md")

    assert (world.text("SOUL.md"), done.at) == ("Grace, calm.\n", at(1))
    with pytest.raises(MissingFileError):
        world.open(5).history.restore("MEMORIES.md")


def test_undo_takes_it_back(world: World) -> None:
    world.write("SOUL.md", "ruined\n")
    world.open(1).history.restore("SOUL.md")

    world.open(2).undo()

    assert world.text("SOUL.md") == "ruined\n"


def test_a_deleted_file_comes_back_and_undo_deletes_it_again(world: World) -> None:
    world.record(1, lambda: world.write("tasks/a.md", "# A\n"))
    world.record(2, lambda: (world.root / "tasks/a.md").unlink())

    done = world.open(3).history.restore("tasks/a.md", at="2026-11-16T09:00")

    assert (done.before, world.text("tasks/a.md")) == (ABSENT, "# A\n")
    world.open(4).undo()
    assert not (world.root / "tasks/a.md").exists()


def test_it_is_recorded_in_the_journal(world: World) -> None:
    world.write("SOUL.md", "ruined\n")

    done = world.open(1).history.restore("SOUL.md")

    (told,) = [one for one in world.open(2).journal.list() if one.kind == "file.restored"]
    assert done.cursor == told.cursor
    assert told.body is not None
    assert {key: told.body[key] for key in ("path", "from", "at", "state")} == {
        "path": "SOUL.md", "from": "SOUL.md", "at": at(0).isoformat(), "state": done.id,
    }  # fmt: skip
    assert (told.body["before"], told.body["after"]) == (done.before, done.after)


def test_a_dry_run_shows_and_changes_nothing(world: World) -> None:
    world.write("SOUL.md", "ruined\n")

    done = world.open(1).history.restore("SOUL.md", dry_run=True)

    assert done.dry_run
    assert "-ruined" in done.patch
    assert world.text("SOUL.md") == "ruined\n"
    assert not (world.root / "journal").exists()


def test_what_is_as_it_was_is_left_alone(world: World) -> None:
    state = world.newest()

    done = world.open(1).history.restore("SOUL.md")

    assert (done.is_same, done.cursor, world.newest()) == (True, None, state)


def test_what_changed_since_it_was_shown_is_not_overwritten(world: World) -> None:
    world.write("SOUL.md", "ruined\n")
    shown = world.open(1).history.restore("SOUL.md", dry_run=True)
    world.write("SOUL.md", "and edited\n")

    with pytest.raises(ChangedUnderneathError, match="changed after the preview"):
        world.open(2).history.restore("SOUL.md", at=shown.id, known=shown)

    assert world.text("SOUL.md") == "and edited\n"


def test_an_edit_that_slips_in_is_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write("SOUL.md", "ruined\n")
    compare = restore._compare

    def edited_meanwhile(*words: object) -> None:
        compare(*words)  # type: ignore[arg-type]
        world.write("SOUL.md", "slipped in\n")

    monkeypatch.setattr(restore, "_compare", edited_meanwhile)

    with pytest.raises(ChangedUnderneathError):
        world.open(1).history.restore("SOUL.md")

    assert world.text("SOUL.md") == "slipped in\n"


def test_it_goes_elsewhere_where_that_is_asked(world: World) -> None:
    before = world.text("SOUL.md")
    world.write("SOUL.md", "new\n")

    done = world.open(1).history.restore("SOUL.md", to="memory/soul-then.md")

    assert (world.text("memory/soul-then.md"), world.text("SOUL.md")) == (before, "new\n")
    assert (done.path, done.to) == ("SOUL.md", "memory/soul-then.md")
    with pytest.raises(UsageError, match="already exists"):
        world.open(2).history.restore("SOUL.md", to="USER.md")
    for place in ("../out.md", "/tmp/out.md", "journal/x.md", ".agentws/x.md", "x.txt", "identity/x.jsonl"):
        with pytest.raises(UsageError):
            world.open(2).history.restore("SOUL.md", to=place)


@pytest.mark.parametrize(
    "path", ["journal/w/00000001.jsonl", ".agentws/changes.jsonl", "identity/writers.jsonl", ".git/config", "x.txt"]
)
def test_what_is_no_document_is_refused(world: World, path: str) -> None:
    with pytest.raises(UsageError):
        world.open(1).history.restore(path)


def test_a_file_that_was_not_there_then_is_missing(world: World) -> None:
    world.record(1, lambda: world.write("tasks/a.md", "# A\n"))

    with pytest.raises(MissingFileError, match=r"tasks/a\.md did not exist on 2026-11-16 08:00"):
        world.open(2).history.restore("tasks/a.md", at="2026-11-16T08:30")


def test_a_folded_day_comes_back_under_its_name_then_or_where_it_is(world: World) -> None:
    old, new = "memory/2026-03-02.md", "memory/archive/2026/2026-03-02.md"
    world.record(1, lambda: world.write(old, "- 09:00 one\n"))
    (world.root / new).parent.mkdir(parents=True)
    world.record(2, lambda: (world.root / old).rename(world.root / new))
    world.write(new, "spoilt\n")

    done = world.open(3).history.restore(new, at="2026-11-16T09:00")
    world.open(4).history.restore(old, at="2026-11-16T09:00")

    assert (done.was, done.to, world.text(new), world.text(old)) == (old, new, "- 09:00 one\n", "- 09:00 one\n")


def test_what_was_forgotten_since_is_warned_of(world: World) -> None:
    world.record(1, lambda: world.write("USER.md", "# User\n\n- Sam Tester\n- tea\n"))
    world.open(2).memory.forget(subjects=["Sam Tester"])

    done = world.open(3).history.restore("USER.md", at="2026-11-16T09:30", dry_run=True)

    assert any("may contain forgotten text" in notice for notice in done.notices)
    assert not world.open(3).history.restore("USER.md", at="2026-11-16T10:30", dry_run=True).notices


def test_bytes_come_back_as_they_were(world: World) -> None:
    data = b"# A\r\n\xff\xfe\x00 no end"
    world.record(1, lambda: (world.root / "TOOLS.md").write_bytes(data))
    world.write("TOOLS.md", "x\n")

    world.open(2).history.restore("TOOLS.md")

    assert (world.root / "TOOLS.md").read_bytes() == data


@pytest.mark.parametrize(
    "left", [b"", b'format = 1\nid = "', b"\x00" * 200, None], ids=["empty", "torn", "zeros", "gone"]
)
@pytest.mark.parametrize("is_theirs", [False, True], ids=["a branch of ours", "a ref in their repository"])
def test_a_manifest_that_cannot_be_read_comes_back(tmp_path: Path, left: bytes | None, *, is_theirs: bool) -> None:
    if is_theirs:
        (tmp_path / "robin").mkdir()
        subprocess.run(["git", "init", "-q", str(tmp_path / "robin")], check=True)
    world = World(tmp_path)
    world.open(1).remember("fact 1")
    before = world.text("agentws.toml")
    (world.root / "agentws.toml").unlink()
    if left is not None:
        (world.root / "agentws.toml").write_bytes(left)

    done = world.open(2).history.restore("agentws.toml")

    assert world.text("agentws.toml") == before
    assert done.notices == []
    assert world.open(3).status().well
    world.open(4).undo()
    assert (world.root / "agentws.toml").exists() == (left is not None)


def test_of_a_workspace_without_a_manifest_nothing_else_is_restored(world: World) -> None:
    (world.root / "agentws.toml").unlink()
    world.write("SOUL.md", "ruined\n")

    with pytest.raises(NoWorkspaceError, match="not adopted"):
        world.open(1).history.restore("SOUL.md")

    assert world.text("SOUL.md") == "ruined\n"


def test_a_manifest_that_may_be_read_is_restored_like_any_other_file(world: World) -> None:
    before = world.text("agentws.toml")
    world.write("agentws.toml", before + "[boot]\nbudget = 3000\n")

    world.open(1).history.restore("agentws.toml")

    assert world.text("agentws.toml") == before


# A repository that lacks something: a damaged disk, a partial clone


def lose(world: World, state: str, path: str) -> None:
    """Take the content of `path` in `state` out of the repository."""
    words = ["git", "-C", str(world.root), "rev-parse", f"{state}:{path}"]
    oid = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    packs = world.root / ".git/objects/pack"
    aside = packs.rename(world.root / ".git/aside")
    packs.mkdir()
    for pack in aside.glob("*.pack"):
        with open(pack, "rb") as packed:
            subprocess.run(["git", "-C", str(world.root), "unpack-objects", "-q"], stdin=packed, check=True)
    shutil.rmtree(aside)
    (world.root / f".git/objects/{oid[:2]}/{oid[2:]}").unlink()


def test_content_that_the_repository_lacks_is_said_with_the_states_that_have_another(world: World) -> None:
    for number in (1, 2, 3):
        world.open(number).remember(f"fact {number}")
    newest, lost, older = [one.id for one in world.open(4).history("MEMORY.md").changes][:3]
    lose(world, lost, "MEMORY.md")
    before = world.text("MEMORY.md")

    with pytest.raises(DamagedError) as refused:
        world.open(4).history.restore("MEMORY.md", at=lost)

    said = f"{refused.value.message} {refused.value.hint}"
    assert lost[:10] in refused.value.message
    assert ".agentws/undo/" in refused.value.message
    assert newest[:10] in said
    assert older[:10] in said
    assert "--at ID. If this is a partial clone: git fetch" in said
    assert world.text("MEMORY.md") == before
    assert world.open(4).history.restore("MEMORY.md", at=older).removed == 2


def test_content_that_the_repository_lacks_was_not_removed(world: World) -> None:
    for number in (1, 2, 3):
        world.open(number).remember(f"fact {number}")
    changes = [one.change for one in world.open(4).history("MEMORY.md").changes]
    lost = world.open(4).history("MEMORY.md").changes[1].id
    lose(world, lost, "MEMORY.md")

    found = world.open(4).history("MEMORY.md")

    assert [one.change for one in found.changes] == changes
    assert any(lost[:10] in notice for notice in found.notices)


def test_where_no_state_has_it_that_is_said(world: World) -> None:
    lose(world, "HEAD", "SOUL.md")
    world.write("SOUL.md", "ruined\n")

    with pytest.raises(DamagedError, match="lacks its content") as refused:
        world.open(1).history.restore("SOUL.md")

    assert "No other state" in (refused.value.hint or "")


def test_a_diff_goes_on_without_what_the_repository_lacks(world: World) -> None:
    lose(world, "HEAD", "SOUL.md")
    world.write("SOUL.md", "ruined\n")
    world.write("USER.md", "another\n")

    found = world.open(1).history.diff()

    assert [one.path for one in found.differs] == ["USER.md"]
    assert [notice for notice in found.notices if "SOUL.md" in notice]
