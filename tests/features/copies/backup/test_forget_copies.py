"""What is forgotten leaves the backups too, and these go on to verify, restore and drill."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from agentws.core.disk import files as _files
from agentws.core.formats.journal import purge, segment
from agentws.core.journal import read
from agentws.core.journal.sealing import pack
from agentws.core.journal.sealing.verify import verify as verify_journal
from agentws.errors import AgentwsError
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store import reach, rewrite
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.journal.keeping import elsewhere, reopened
from tests.format_reader import reader

WORDS = b"Anna Lind"


def told(workspace: Workspace) -> None:
    """A person in a log, in MEMORY.md, in an event, and in one that is so large that it lies in a blob."""
    workspace.log("Anna Lind sends the survey")
    workspace.log("The roof has 300 tiles")
    workspace.remember("Anna Lind owns the house", section="People")
    workspace.event("note", "rang Anna Lind")
    workspace.event("note", "Anna Lind " + "has much to say. " * 5000)
    workspace.event("note", "rang nobody")


def holding(stick: Path) -> list[str]:
    """The files of the medium that hold it, by path."""
    found = []
    for path in sorted(stick.rglob("*")):
        if path.is_file() and ".git" not in path.parts and not path.is_symlink():
            data = path.read_bytes()
            found += [str(path.relative_to(stick))] if WORDS in pack.lines(path.name, data) else []
    return found


def backups(stick: Path) -> list[Path]:
    return sorted(path for path in next(stick.iterdir()).iterdir() if path.is_dir())


def assert_whole(stick: Path, robin: Workspace, place: Path) -> None:
    """Every backup is verified, and what is restored of it verifies, by our own reader and by another one."""
    for number, made in enumerate(backups(stick)):
        assert verify_backup(str(stick), at=made.name).findings == ()
        restored = restore_backup(str(stick), str(place / str(number)), at=made.name)
        found = verify_journal(_files.Files(restored.path), robin.stores.manifest.agent_id)
        assert found.findings == []
        assert reader.verify(restored.path, robin.stores.manifest.agent_id)[1] == []


@pytest.fixture
def three(robin: Workspace, stick: Path) -> Workspace:
    """Three backups that hold it: the first two share all files but a log, the third one has another event."""
    told(robin)
    robin.copies.create(str(stick))
    robin.log("Nothing of it")
    robin.copies.create()
    robin.event("note", "Anna Lind again")
    robin.copies.create()
    return robin


def test_it_leaves_every_backup_and_all_of_them_stay_whole(three: Workspace, stick: Path, tmp_path: Path) -> None:
    assert holding(stick)

    done = three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert holding(stick) == []
    (told,) = done.backups
    assert len(told.cleared) == 3
    assert not told.is_held
    assert not done.is_left
    assert_whole(stick, three, tmp_path)
    assert three.copies.drill().well
    for made in backups(stick):
        header = json.loads((made / "manifest.jsonl").read_bytes().partition(b"\n")[0])
        assert header["forgotten"] == [done.run]
        assert (made / "workspace/memory/2026-11-20.md").read_text().count("300 tiles") == 2


def test_a_file_that_backups_share_is_replaced_once_and_shared_again(three: Workspace, stick: Path) -> None:
    path = "workspace/MEMORY.md"
    first, second, third = (made / path for made in backups(stick))
    assert os.path.samefile(first, second)
    others = {made.name: os.stat(made / "workspace/SOUL.md").st_ino for made in backups(stick)}

    three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert os.path.samefile(first, second)
    assert os.path.samefile(second, third)
    assert {made.name: os.stat(made / "workspace/SOUL.md").st_ino for made in backups(stick)} == others


def test_the_next_backup_follows_on_the_changed_ones(three: Workspace, stick: Path, tmp_path: Path) -> None:
    three.memory.forget(subjects=["Anna Lind"], copies=True)

    (made,) = three.copies.create()

    assert made.missing == 0
    assert_whole(stick, three, tmp_path)


def test_a_dry_run_tells_and_changes_nothing(three: Workspace, stick: Path) -> None:
    before = holding(stick)

    found = three.memory.forget(subjects=["Anna Lind"], copies=True, dry_run=True)

    assert holding(stick) == before
    assert len(found.backups[0].names) == 3


def test_without_it_they_are_listed_and_the_same_words_clear_them_later(three: Workspace, stick: Path) -> None:
    first = three.memory.forget(subjects=["Anna Lind"])
    assert any("--copies" in words for words in first.elsewhere)
    assert holding(stick)

    again = three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert holding(stick) == []
    assert not again.is_empty
    assert three.memory.forget(subjects=["Anna Lind"], copies=True).is_empty


def test_backups_of_another_agent_are_not_touched(
    three: Workspace, stick: Path, tmp_path: Path, environment: Environment
) -> None:
    other = Workspace.init(str(tmp_path / "wren"), environment=environment, name="Wren")
    told(other)
    other.copies.create(str(stick))
    (theirs,) = (path for path in stick.iterdir() if path.name.startswith("wren-"))
    before = {path: path.read_bytes() for path in theirs.rglob("*") if path.is_file() and not path.is_symlink()}

    three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert {path: path.read_bytes() for path in before} == before


def test_compressed_segments_lose_it_too(robin: Workspace, stick: Path, tmp_path: Path) -> None:
    told(robin)
    for _ in range(18):
        robin.event("note", "x" * 62_000)
    pack.pack(robin.stores.files, robin.stores.appender().writer, 1)
    robin.copies.create(str(stick))
    assert any(path.endswith(".gz") for path in holding(stick))

    robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert holding(stick) == []
    assert_whole(stick, robin, tmp_path)


def test_what_is_no_document_stays_and_is_named(robin: Workspace, stick: Path) -> None:
    Path(robin.root, "plans", "call.txt").write_bytes(b"Anna Lind\n")
    robin.copies.create(str(stick))

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    (told,) = done.backups
    assert told.left == ["0001-2026-11-20T071500Z: plans/call.txt (not a document, or a name)"]
    again = robin.memory.forget(subjects=["Anna Lind"], copies=True)
    assert not any("when they can be reached" in words for words in again.elsewhere)
    assert done.is_left
    assert any("plans/call.txt" in words for words in done.elsewhere)


def test_a_medium_that_is_away_is_remembered_and_asked_for_again(three: Workspace, stick: Path, tmp_path: Path) -> None:
    stick.rename(tmp_path / "away")

    done = three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert done.is_left
    (state,) = (path for path in tmp_path.rglob("backups") if path.is_file())
    assert b'"due"' in state.read_bytes()
    assert b"Anna" not in state.read_bytes()
    (tmp_path / "away").rename(stick)
    (made,) = three.copies.create()
    assert any("Re-run that agentws forget with --copies" in words for words in made.notices)

    three.memory.forget(subjects=["anna lind"], copies=True)
    (made,) = three.copies.create()

    assert holding(stick) == []
    assert not any("--copies" in words for words in made.notices)


def test_what_was_due_is_over_when_the_old_backups_are_gone(three: Workspace, stick: Path, tmp_path: Path) -> None:
    stick.rename(tmp_path / "away")
    three.memory.forget(subjects=["Anna Lind"], copies=True)
    (tmp_path / "away").rename(stick)
    for made in backups(stick):
        shutil.rmtree(made)
    later = Environment(now=NOW + timedelta(hours=1), timezone="UTC", state=(None, str(tmp_path / "state")))

    (made,) = Workspace.open(three.root, environment=later).copies.create()

    assert not any("--copies" in words for words in made.notices)


def test_a_medium_that_takes_nothing_is_told(three: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise _files.failure(OSError(30, "read-only"), str(stick))

    monkeypatch.setattr(rewrite, "rewrite", refused)

    done = three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert "read-only" in done.backups[0].absent
    assert done.is_left


def test_a_kill_at_any_step_is_finished_by_whoever_opens_the_backup(
    three: Workspace, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    take, count = rewrite._take, [0]

    def killed(*arguments: object) -> tuple[str, ...]:
        count[0] += 1
        if count[0] == 2:
            raise Killed
        return take(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(rewrite, "_take", killed)
    with pytest.raises(Killed):
        three.memory.forget(subjects=["Anna Lind"], copies=True)
    monkeypatch.setattr(rewrite, "_take", take)
    assert holding(stick)

    assert_whole(stick, three, tmp_path)
    three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert holding(stick) == []
    (tmp_path / "again").mkdir()
    assert_whole(stick, three, tmp_path / "again")


@pytest.mark.parametrize("times", [1, 2, 9])
def test_text_is_left_if_the_medium_cannot_be_read_after_a_change_was_staged(
    three: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    lstat, failures = os.lstat, [0]

    def failing(path: str, **options: int) -> os.stat_result:
        if str(path).endswith(rewrite._STAGED) and os.path.isdir(path) and failures[0] < times:
            failures[0] += 1
            raise OSError(errno.EIO, "Input/output error")
        return lstat(path, **options)

    monkeypatch.setattr(os, "lstat", failing)
    done = three.memory.forget(subjects=["Anna Lind"], copies=True)
    assert done.is_left
    assert holding(stick)

    monkeypatch.setattr(os, "lstat", lstat)
    assert not three.memory.forget(subjects=["Anna Lind"], copies=True).is_left
    assert holding(stick) == []


@pytest.mark.parametrize("taken", range(4))
def test_what_a_kill_left_on_a_medium_that_is_read_only_now_can_be_read(
    three: Workspace, stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    class Killed(BaseException):
        pass

    take, count = rewrite._take, [0]

    def killed(*arguments: object) -> tuple[str, ...]:
        count[0] += 1
        if count[0] > taken:
            raise Killed
        return take(*arguments)  # type: ignore[arg-type]

    def refused(*_: object) -> None:
        raise OSError(errno.EROFS, "read-only")

    with monkeypatch.context() as patched:
        patched.setattr(rewrite, "_take", killed)
        with pytest.raises(Killed):
            three.memory.forget(subjects=["Anna Lind"], copies=True)
    before = {path: path.read_bytes() for path in stick.rglob("*") if path.is_file()}

    with monkeypatch.context() as patched:
        patched.setattr(rewrite, "_take", refused)
        assert_whole(stick, three, tmp_path)
    assert {path: path.read_bytes() for path in stick.rglob("*") if path.is_file()} == before

    (tmp_path / "again").mkdir()
    three.memory.forget(subjects=["Anna Lind"], copies=True)
    assert holding(stick) == []
    assert_whole(stick, three, tmp_path / "again")


def test_a_purge_reaches_backups(three: Workspace, stick: Path, tmp_path: Path) -> None:
    cursor = three.event("note", "the word is swordfish").cursor
    three.copies.create()
    listed = three.journal.purge([cursor], reason="a slip")
    assert any("--copies" in words for words in listed.notices)

    done = three.journal.purge([cursor], reason="a slip", copies=True)

    assert len(done.backups[0].cleared) == 1
    assert not any(b"swordfish" in path.read_bytes() for path in stick.rglob("*.jsonl"))
    assert_whole(stick, three, tmp_path)


def blanked(robin: Workspace, writer: str, by: str, at: int) -> None:
    """Whoever can write to the folder blanks the last line of a writer, and claims that this event has ordered it."""
    found = read.find(robin.stores.files, writer, read.last_seq(robin.stores.files, writer))
    order = purge.Order(writer, found.seq, found.digest, "01a1f7cf-0953-7981-9182-ec5e9ad68d7f")
    path = Path(robin.root, segment.path(writer, 1))
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:-2], purge.line(lines[-2], order), b""]))
    later = purge.LaterPurge(order, by, at)
    Path(robin.root, purge.LATER_PATH).write_bytes(purge.encode_later([later]))


def test_an_unreadable_backup_holds_up_no_purge_of_the_others(robin: Workspace, stick: Path) -> None:
    cursor = robin.event("note", "the word is swordfish").cursor
    robin.copies.create(str(stick))
    robin.copies.create()
    robin.event("note", "another")
    robin.copies.create()
    first, *others = backups(stick)
    (first / "manifest.jsonl").write_bytes(b"?")

    done = robin.journal.purge([cursor], reason="a slip", copies=True)

    (told,) = done.backups
    assert told.cleared == [one.name for one in others]
    assert told.is_held
    assert told.left == [f"{first.name}: the backup cannot be read"]
    for one in others:
        assert not any(b"swordfish" in path.read_bytes() for path in one.rglob("*.jsonl"))


def test_what_only_an_absent_backup_holds_is_not_said_to_be_gone(three: Workspace, stick: Path, tmp_path: Path) -> None:
    three.memory.forget(subjects=["Anna Lind"])
    stick.rename(tmp_path / "away")

    assert not three.memory.forget(subjects=["Anna Lind"], copies=True, dry_run=True).is_empty
    done = three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert done.is_left
    (state,) = (path for path in tmp_path.rglob("backups") if path.is_file())
    assert b'"due"' in state.read_bytes()


def test_a_purge_leaves_nothing_in_the_cache_of_backups(robin: Workspace, tmp_path: Path) -> None:
    environment = Environment(
        now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")), cache=str(tmp_path / "cache")
    )
    opened = Workspace.open(robin.root, environment=environment)
    cursor = opened.event("note", "the word is swordfish").cursor
    stage = Path(str(opened.stores.cache.folder), "backup-restic-0123/now")
    stage.mkdir(parents=True)
    (stage / "000001.jsonl").write_text("the word is swordfish")

    opened.journal.purge([cursor], reason="a slip", dry_run=True)
    assert stage.exists()
    opened.journal.purge([cursor], reason="a slip")

    assert not stage.exists()


@pytest.mark.parametrize("by", ["itself", "nobody", "another"])
def test_an_order_beside_the_journal_allows_nothing_on_the_machine_that_wrote_the_line(
    robin: Workspace, tmp_path: Path, by: str
) -> None:
    robin.event("note", "what was agreed")
    writer = robin.stores.appender().writer
    others = {
        "itself": writer,
        "nobody": "f" * 16,
        "another": elsewhere(robin, tmp_path / "other").stores.appender().writer,
    }
    blanked(robin, writer, others[by], 1 << 40)

    found = robin.journal.verify()

    assert "purged without a purge event" in [one.what for one in found.findings]


@pytest.mark.parametrize(("by", "is_sound"), [("itself", True), ("nobody", False)])
def test_an_order_that_is_not_here_is_believed_of_a_known_writer_alone(
    robin: Workspace, tmp_path: Path, by: str, is_sound: bool
) -> None:
    """A copy that was restored and adopted elsewhere: its lines are another writer's."""
    other = elsewhere(robin, tmp_path / "other")
    other.event("note", "what was agreed")
    first = robin.stores.appender().writer
    blanked(other, first, first if by == "itself" else "f" * 16, 1 << 40)

    found = reopened(other).journal.verify()

    assert ("purged without a purge event" not in [one.what for one in found.findings]) is is_sound


def test_an_error_in_one_destination_leaves_the_others_alone(three: Workspace, stick: Path, tmp_path: Path) -> None:
    second = tmp_path / "media" / "second"
    three.copies.create(str(second))
    shutil.rmtree(second)

    done = three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert [bool(one.absent) for one in done.backups] == [False, True]
    assert holding(stick) == []


def test_a_damaged_backup_is_named(three: Workspace, stick: Path) -> None:
    (backups(stick)[1] / "manifest.jsonl").write_bytes(b"nothing\n")

    done = three.memory.forget(subjects=["Anna Lind"], copies=True)

    assert len(done.backups[0].cleared) == 2
    assert any("cannot be read" in words for words in done.backups[0].left)
    with pytest.raises(AgentwsError):
        verify_backup(str(stick), at=backups(stick)[1].name)


def test_what_interrupted_backups_have_left_goes_or_is_named(three: Workspace, stick: Path) -> None:
    place = next(stick.iterdir())
    own = reach.owner(three.root)
    whole = backups(stick)[0]
    for name in (f".part-{own}", ".part-0123456789ab", ".gone-0001-2026-11-19T071500Z"):
        shutil.copytree(whole, place / name, symlinks=True)
    shutil.copytree(whole, place / "0009-2026-11-20T071500Z", symlinks=True)
    (place / "0009-2026-11-20T071500Z" / "manifest.jsonl").unlink()
    shutil.copytree(whole / "workspace" / "plans", place / ".part-ffffffffffff" / "workspace", symlinks=True)
    found = three.memory.forget(subjects=["Anna Lind"], copies=True, dry_run=True)
    assert {f".part-{own}", ".part-0123456789ab", "0009-2026-11-20T071500Z"} < {*found.backups[0].names}
    assert ".part-ffffffffffff" not in found.backups[0].names, "it holds nothing of it"

    done = three.memory.forget(subjects=["Anna Lind"], copies=True)

    others = [".part-0123456789ab", "0009-2026-11-20T071500Z"]
    assert {path.split("/")[1] for path in holding(stick)} == {*others}
    assert [words.partition(":")[0] for words in done.backups[0].left] == others
    assert done.is_left
    for name in others:
        shutil.rmtree(place / name)
    assert three.memory.forget(subjects=["Anna Lind"], copies=True).is_empty


def test_an_interrupted_backup_loses_purged_events_too(robin: Workspace, stick: Path) -> None:
    cursor = robin.event("note", "rang Anna Lind").cursor or ""
    robin.copies.create(str(stick))
    place, (whole,) = next(stick.iterdir()), backups(stick)
    for name in (f".part-{reach.owner(robin.root)}", ".part-0123456789ab"):
        shutil.copytree(whole, place / name, symlinks=True)
    assert ".part-0123456789ab" in robin.journal.purge([cursor], reason="a test", dry_run=True).backups[0].names

    done = robin.journal.purge([cursor], reason="a test", copies=True)

    assert {path.split("/")[1] for path in holding(stick)} == {".part-0123456789ab"}
    assert [words.partition(":")[0] for words in done.backups[0].left] == [".part-0123456789ab"]


def test_where_a_link_leads_and_what_a_manifest_tells_is_searched(robin: Workspace, stick: Path) -> None:
    Path(robin.root, "plans", "to").symlink_to("/home/anna-lind/plans")
    robin.copies.create(str(stick))
    manifest = backups(stick)[0] / "manifest.jsonl"
    header, newline, rest = manifest.read_bytes().partition(b"\n")
    manifest.write_bytes(json.dumps({**json.loads(header), "host": "desk of Anna Lind"}).encode() + newline + rest)

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    left = [words.partition(": ")[2].partition(" ")[0] for words in done.backups[0].left]
    assert left == ["plans/to", "manifest.jsonl"]


def test_a_compressed_file_of_the_user_is_not_looked_into_as_in_a_workspace(robin: Workspace, stick: Path) -> None:
    Path(robin.root, "plans", "calls.gz").write_bytes(gzip.compress(b"Anna Lind\n"))
    robin.copies.create(str(stick))

    assert robin.memory.forget(subjects=["Anna Lind"], copies=True).is_empty


def test_what_unpacks_to_more_than_a_segment_is_named_and_not_unpacked_to_its_end(
    robin: Workspace, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(robin.root, "journal", robin.stores.appender().writer, "packed")
    folder.mkdir()
    (folder / "odd.gz").write_bytes(gzip.compress(b"\0" * (64 << 20)))
    robin.copies.create(str(stick))
    read, looked = gzip.GzipFile.read, []
    monkeypatch.setattr(gzip.GzipFile, "read", lambda self, size: looked.append(size) or read(self, size))

    done = robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert [path.rpartition("/")[2] for path in done.backups[0].left] == ["odd.gz (not a document, or a name)"]
    assert sum(looked) < 16 << 20


def test_a_compressed_segment_is_looked_into_also_where_a_copy_of_it_stands(robin: Workspace, stick: Path) -> None:
    robin.event("note", "rang Anna Lind")
    for _ in range(18):
        robin.event("note", "x" * 62_000)
    pack.pack(robin.stores.files, robin.stores.appender().writer, 1)
    (packed,) = Path(robin.root, "journal").rglob("*.gz")
    Path(robin.root, "attic.gz").write_bytes(packed.read_bytes())
    robin.copies.create(str(stick))

    robin.memory.forget(subjects=["Anna Lind"], copies=True)

    assert [path.rpartition("/")[2] for path in holding(stick)] == ["attic.gz"]
