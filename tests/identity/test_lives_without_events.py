"""Lives of `log`, `remember` and tasks alone: their copies and their old backups are noticed as well."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import local_dir
from agentws.core.disk.files import Files
from agentws.core.formats import digest, layout
from agentws.core.formats.json import plainjson
from agentws.core.identity import writers as neighbours
from agentws.core.installation import keys
from agentws.core.journal.sealing import writer_join
from agentws.core.states import versions
from agentws.errors import AgentwsError, MayNotWriteError, OutsideProgramError
from agentws.workspace import Workspace
from tests.identity.machines import Machine, events, warned, writers
from tests.identity.test_copies import LATER, copied, restored_in_place

WRITES: dict[str, Callable[[Workspace], object]] = {
    "log": lambda workspace: workspace.log("a line that the backup lacks"),
    "remember": lambda workspace: workspace.remember("what the backup lacks"),
    "task": lambda workspace: workspace.tasks.add("that the backup lacks"),
}


@pytest.fixture
def lived(desk: Machine, tmp_path: Path) -> Path:
    """A workspace in which the desk has logged and remembered, and recorded no event."""
    made = desk.makes(tmp_path / "robin")
    made.log("a line from the desk")
    made.remember("what the desk knows")
    return Path(made.root)


@pytest.mark.parametrize("verb", WRITES)
@pytest.mark.parametrize("missed", [1, 3])
def test_an_old_backup_put_back_in_place_is_noticed(
    desk: Machine, lived: Path, tmp_path: Path, verb: str, missed: int
) -> None:
    backup = copied(lived, tmp_path / "backup")
    for _ in range(missed):
        WRITES[verb](desk.opens(lived))
    restored_in_place(backup, lived)

    (first,) = warned(desk.opens(lived))
    assert not desk.opens(lived).status().well
    desk.opens(lived, LATER).log("after the restore")
    (again,) = warned(desk.opens(lived, LATER))

    assert "older than the last write here" in first
    assert "older than the last write here" in again, "it is said until somebody answers"
    (new,) = set(writers(lived)) - set(writers(backup))
    (opened, joined) = events(lived, new)
    assert (opened.kind, joined.kind) == ("segment.opened", "writer.joined")
    assert joined.body is not None
    assert list(joined.body["after"]) == writers(backup)


@pytest.mark.parametrize("first", WRITES)
def test_whoever_writes_at_once_after_it_is_told_as_well(
    desk: Machine, lived: Path, tmp_path: Path, first: str
) -> None:
    # The first write after the restore has the number in the record of changes that the missing one had.
    backup = copied(lived, tmp_path / "backup")
    desk.opens(lived).log("lost with the backup")
    restored_in_place(backup, lived)

    WRITES[first](desk.opens(lived, LATER))

    (said,) = warned(desk.opens(lived, LATER))
    assert "it lacks what `log` wrote, 2026-11-20 07:15" in said


def test_a_takeover_answers_it_and_so_does_what_was_missing(desk: Machine, lived: Path, tmp_path: Path) -> None:
    backup = copied(lived, tmp_path / "backup")
    desk.opens(lived).log("lost with the backup")
    newest = copied(lived, tmp_path / "newest")
    restored_in_place(backup, lived)
    assert warned(desk.opens(lived))

    restored_in_place(newest, lived)
    assert warned(desk.opens(lived)) == []

    restored_in_place(backup, lived)
    desk.opens(lived).log("after the restore")
    desk.opens(lived, LATER).identity.take_over()
    assert warned(desk.opens(lived, LATER)) == []
    desk.opens(lived, LATER).log("goes on")
    assert warned(desk.opens(lived, LATER)) == []


def test_a_backup_without_what_this_machine_keeps_is_told_by_its_newest_line(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    backup = copied(lived, tmp_path / "backup")
    shutil.rmtree(backup / ".agentws")
    aged(backup)
    desk.opens(lived).log("lost with the backup")
    desk.opens(lived).remember("lost with it")
    restored_in_place(backup, lived)

    (first,) = warned(desk.opens(lived))
    desk.opens(lived, LATER).log("after the restore")
    (again,) = warned(desk.opens(lived, LATER))

    assert "older than the last write here" in first
    assert "older than the last write here" in again


@pytest.mark.parametrize("verb", WRITES)
def test_an_old_backup_copied_over_what_is_here_is_noticed(
    desk: Machine, lived: Path, tmp_path: Path, verb: str
) -> None:
    # As `cp -a ../backup/. .` does: what this machine keeps in `.agentws/` is newer than the documents then.
    desk.opens(lived).tasks.add("that both have")
    backup = copied(lived, tmp_path / "backup")
    shutil.rmtree(backup / ".agentws")
    aged(backup)
    WRITES[verb](desk.opens(lived))
    subprocess.run(["cp", "-a", f"{backup}/.", str(lived)], check=True)

    found = warned(desk.opens(lived))
    desk.opens(lived, LATER).log("after the restore")
    (again,) = warned(desk.opens(lived, LATER))

    assert "older than the last write here" in found[0]
    assert "older than the last write here" in again


def aged(root: Path) -> None:
    """As of yesterday: each file and folder was modified an hour before."""
    for path in (*root.rglob("*"), root):
        modified = path.lstat().st_mtime - 3600
        os.utime(path, (modified, modified), follow_symlinks=False)


def test_a_writer_that_could_not_begin_begins_where_what_was_missing_is_back(
    desk: Machine, lived: Path, tmp_path: Path
) -> None:
    older = copied(lived, tmp_path / "older")
    desk.opens(lived).log("a line that the backup lacks")
    newer = copied(lived, tmp_path / "newer")
    restored_in_place(older, lived)
    shutil.rmtree(lived / "journal")
    (lived / "journal").write_text("in the way")
    with pytest.raises(AgentwsError):
        desk.opens(lived).event("note", "not kept")
    restored_in_place(newer, lived)

    desk.opens(lived).log("goes on")
    desk.opens(lived).event("note", "goes on as well")

    assert desk.opens(lived).journal.verify().findings == []
    assert warned(desk.opens(lived)) == []


def test_what_is_back_is_not_missed_again_however_it_goes_on(desk: Machine, lived: Path, tmp_path: Path) -> None:
    older = copied(lived, tmp_path / "older")
    aged(older)
    desk.opens(lived).remember("what the older copy lacks")
    newer = copied(lived, tmp_path / "newer")
    subprocess.run(["cp", "-a", str(older / "MEMORY.md"), str(lived)], check=True)
    desk.opens(lived, LATER).log("noticed here")
    assert warned(desk.opens(lived, LATER))

    subprocess.run(["cp", "-a", str(newer / "MEMORY.md"), str(lived)], check=True)
    assert warned(desk.opens(lived, LATER)) == []
    desk.opens(lived, LATER).remember("and goes on")

    assert warned(desk.opens(lived, LATER)) == []


def test_only_what_was_missing_has_to_come_back(desk: Machine, lived: Path, tmp_path: Path) -> None:
    older, day = copied(lived, tmp_path / "older"), "memory/2026-11-20.md"
    aged(older)
    desk.opens(lived).log("what the older copy lacks")
    newer = copied(lived, tmp_path / "newer")
    subprocess.run(["cp", "-a", str(older / day), str(lived / day)], check=True)
    desk.opens(lived, LATER).remember("noticed here")
    assert warned(desk.opens(lived, LATER))

    subprocess.run(["cp", "-a", str(newer / day), str(lived / day)], check=True)

    assert warned(desk.opens(lived, LATER)) == []


def test_an_archive_that_keeps_whole_seconds_makes_no_older_copy(desk: Machine, lived: Path) -> None:
    # The formatter ran in the second of the write, and what it left was put back from a tar file.
    day = lived / "memory/2026-11-20.md"
    written = day.stat().st_mtime_ns
    day.write_text(day.read_text().replace("- ", "* "))
    whole = written - written % 10**9
    os.utime(day, ns=(whole, whole))

    assert warned(desk.opens(lived)) == []


@pytest.mark.parametrize("does", ["edits", "undoes", "forgets", "removes", "formats"])
def test_what_was_done_to_the_newest_line_on_purpose_is_no_older_copy(
    desk: Machine, lived: Path, tmp_path: Path, does: str
) -> None:
    desk.opens(lived).log("the newest line, on Anna Lind")
    day = lived / "memory/2026-11-20.md"
    if does == "undoes":
        desk.opens(lived).undo()
    if does in ("edits", "formats"):
        words = ("newest", "last") if does == "edits" else ("- ", "* ")
        day.write_text(day.read_text().replace(*words))
    if does == "removes":
        day.unlink()
    shutil.rmtree(lived / ".agentws")
    if does == "forgets":
        desk.opens(lived).memory.forget(subjects=["Anna Lind"])

    assert warned(desk.opens(lived)) == []
    desk.opens(lived, LATER).log("goes on")
    assert warned(desk.opens(lived, LATER)) == []

    backup = copied(lived, tmp_path / "backup")  # the newest one, put back at once
    shutil.rmtree(backup / ".agentws")
    restored_in_place(backup, lived)
    assert warned(desk.opens(lived, LATER)) == []
    assert len(writers(lived)) == 1


def test_a_newer_file_that_was_brought_from_elsewhere_is_no_older_copy(desk: Machine, lived: Path) -> None:
    day = lived / "memory/2026-11-20.md"
    day.write_text("what somebody else has written since\n")
    later = day.stat().st_mtime + 0.001
    os.utime(day, (later, later))
    time.sleep(0.1)  # until the moment in which it came is another one than that of its words
    os.chmod(day, 0o600)

    assert warned(desk.opens(lived)) == []


def test_a_clock_that_was_put_back_makes_no_older_copy(desk: Machine, lived: Path) -> None:
    # Whoever edits then leaves a file that is older than what this machine remembers, and came in that moment.
    changed = next((desk.home / "state").glob("*/changed"))
    told = plainjson.loads(changed.read_bytes().partition(b"\n")[0].partition(b" ")[2])
    told["left"] = [[path, ns + 7200 * 10**9, digest] for path, ns, digest in told["left"]]
    body = plainjson.dumps(told, separators=(",", ":")).encode()
    changed.write_bytes(digest.quick(body).encode() + b" " + body + b"\n")
    (lived / "memory/2026-11-20.md").write_text("edited\n")
    (lived / "MEMORY.md").write_text("edited\n")

    assert warned(desk.opens(lived)) == []


def test_a_day_that_a_backup_lacks_whole_is_missed(desk: Machine, lived: Path, tmp_path: Path) -> None:
    backup = copied(lived, tmp_path / "backup")
    shutil.rmtree(backup / ".agentws")
    aged(backup)
    desk.opens(lived, LATER.replace(day=21)).log("the next day")
    restored_in_place(backup, lived)

    (said,) = warned(desk.opens(lived, LATER.replace(day=22)))

    assert "older than the last write here" in said


def test_whoever_clears_away_what_this_machine_keeps_is_told_nothing(desk: Machine, lived: Path) -> None:
    shutil.rmtree(lived / ".agentws")

    assert warned(desk.opens(lived)) == []
    for write in WRITES.values():
        write(desk.opens(lived, LATER))
        assert warned(desk.opens(lived, LATER)) == []
    assert len(writers(lived)) == 1


def test_what_people_do_to_their_files_makes_no_older_copy(desk: Machine, lived: Path) -> None:
    (lived / "memory/2026-11-20.md").unlink()
    (lived / "MEMORY.md").write_text("all of it anew\n")
    assert warned(desk.opens(lived)) == []

    made = desk.opens(lived)
    made.log("a word that is forgotten: zebra")
    made.memory.forget(matching=["zebra"], confirm=True)
    made.log("a line that is taken back")
    desk.opens(lived).undo()

    assert warned(desk.opens(lived)) == []
    assert len(writers(lived)) == 1


def test_a_record_of_changes_that_was_shortened_tells_nothing_wrong(desk: Machine, lived: Path) -> None:
    path = lived / local_dir.CHANGES
    newest = plainjson.loads(path.read_bytes().split(b"\n")[-2])
    number = newest["number"] + 100
    path.write_bytes(plainjson.dumps({**newest, "number": number, "id": "0a0a0a0a"}).encode() + b"\n")

    assert warned(desk.opens(lived)) == []


def test_a_clone_of_what_nobody_has_written_in_is_not_the_first(desk: Machine, tmp_path: Path) -> None:
    root, clone, vps = tmp_path / "robin", tmp_path / "clone", Machine(tmp_path, "vps")
    desk.makes(root, git=True)
    subprocess.run(["git", "clone", "-q", str(root), str(clone)], check=True)

    vps.opens(clone).log("from the clone")
    assert warned(vps.opens(clone)) == [], "nobody else is known"
    desk.opens(root).log("from the desk")
    with open(clone / layout.WRITERS, "ab") as file:
        file.write((root / layout.WRITERS).read_bytes())

    (said,) = warned(vps.opens(clone))
    assert "New copy" in said
    assert warned(desk.opens(root)) == []


def test_under_require_a_clone_that_brings_no_identity_is_refused(desk: Machine, tmp_path: Path) -> None:
    root, clone, vps = tmp_path / "robin", tmp_path / "clone", Machine(tmp_path, "vps")
    made = desk.makes(root, git=True)
    manifest = root / layout.MANIFEST
    manifest.write_text(manifest.read_text() + '\n[identity]\nmode = "require"\n')
    made.remember("who it is")  # recorded before `identity/` is there
    subprocess.run(["git", "clone", "-q", str(root), str(clone)], check=True)
    shutil.rmtree(clone / "identity", ignore_errors=True)

    with pytest.raises(MayNotWriteError, match="requires a vouch, and this installation has none"):
        vps.opens(clone).log("from the clone")
    assert desk.opens(root).log("goes on").line

    vps.opens(clone).identity.take_over()
    assert vps.opens(clone).log("goes on").line


# What tells of a writer


def test_a_writer_without_a_key_is_told_of_by_name(
    desk: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OutsideProgramError("ssh-keygen did not finish.")

    made = desk.makes(tmp_path / "robin", git=True)
    with monkeypatch.context() as without:
        without.setattr(keys, "ensure", fails)
        made.log("one")

    (line,) = neighbours.lines(Files(made.root))
    assert (line.key, line.host != "") == ("", True)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", made.root, str(clone)], check=True)
    assert "New copy" in warned(Machine(tmp_path, "vps").opens(clone))[0]


def test_the_first_writer_stays_the_first_where_its_key_came_later(
    desk: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "robin"
    with monkeypatch.context() as without:
        without.setattr(keys, "ensure", lambda *_, **__: None)
        desk.makes(root).log("one")
    desk.opens(root).event("note", "two")
    desk.opens(root).journal.seal()

    assert desk.opens(root).identity.verify().findings == []
    (known,) = desk.opens(root).identity.show().writers
    assert known.trusted_by == "first"


def test_identity_that_was_taken_away_is_told_again_and_nobody_joins_twice(desk: Machine, lived: Path) -> None:
    shutil.rmtree(lived / "identity")

    desk.opens(lived).log("again")

    (line,) = neighbours.lines(Files(str(lived)))
    assert [line.writer] == writers(lived)
    assert [one.kind for one in events(lived, line.writer)] == ["segment.opened"]


@pytest.mark.parametrize("has_key", [True, False])
def test_a_line_that_a_merge_has_lost_is_said_by_status_and_a_seal_adds_it(
    desk: Machine, lived: Path, monkeypatch: pytest.MonkeyPatch, has_key: bool
) -> None:
    if not has_key:
        monkeypatch.setattr(keys, "ensure", lambda *_, **__: None)
    desk.opens(lived).event("note", "one")
    desk.opens(lived).journal.seal()
    (lived / layout.SIGNERS).touch()  # as others bring it
    other = '{"agentws":1,"writer":"0000000000000001","key":null,"host":"vps","at":"2026-01-01T00:00:00Z","after":{}}'
    (lived / layout.WRITERS).write_text(other + "\n")

    (check,) = (one for one in desk.opens(lived).status().checks if one.name == "identity")
    assert not check.ok
    assert layout.WRITERS in check.says

    sealed = desk.opens(lived).journal.seal()

    assert any(layout.WRITERS in notice for notice in sealed.notices)
    assert [line.writer for line in neighbours.lines(Files(str(lived)))] == ["0000000000000001", *writers(lived)]
    assert all(one.ok for one in desk.opens(lived).status().checks if one.name == "identity")
    assert not any(layout.WRITERS in notice for notice in desk.opens(lived).journal.seal().notices)


def test_a_first_write_that_was_killed_before_history_knew_is_said_and_recorded_by_the_next_change(
    desk: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = desk.makes(tmp_path / "robin", git=True)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(writer_join, "finish", killed)
        with pytest.raises(KeyboardInterrupt):
            made.log("one")
    assert (Path(made.root) / layout.WRITERS).exists()
    assert recorded(made.root) == []
    (check,) = (one for one in desk.opens(Path(made.root)).status().checks if one.name == "history")
    assert not check.ok

    desk.opens(Path(made.root)).log("two")

    assert recorded(made.root) == [layout.WRITERS]
    assert desk.opens(Path(made.root)).status().well


def recorded(root: str) -> list[str]:
    """What the newest state in history holds of who has written."""
    words = ["git", "-C", root, "ls-tree", "-r", "--name-only", "HEAD", layout.WRITERS]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()


def test_a_state_that_could_not_be_recorded_is_said_at_the_first_write(
    desk: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise OutsideProgramError("git did not finish.")

    made = desk.makes(tmp_path / "robin", git=True)
    monkeypatch.setattr(versions, "record", fails)

    notices = made.log("one").notices

    assert [each for each in notices if "History was not recorded: git did not finish" in each]


def test_a_list_of_keys_that_was_taken_away_is_told_again(desk: Machine, lived: Path) -> None:
    desk.opens(lived).event("note", "one")
    desk.opens(lived).journal.seal()
    (lived / layout.SIGNERS).unlink()

    desk.opens(lived).log("again")

    assert desk.opens(lived).identity.verify().findings == []
    assert desk.opens(lived).journal.verify().findings == []


def test_of_two_installations_that_write_first_at_once_one_is_the_first(
    desk: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other = tmp_path / "robin", Machine(tmp_path, "vps")
    desk.makes(root)
    real = keys.ensure

    def meanwhile(*words: Any, **named: Any) -> Any:
        monkeypatch.setattr(keys, "ensure", real)
        other.opens(root).log("from the other one")
        return real(*words, **named)

    monkeypatch.setattr(keys, "ensure", meanwhile)
    desk.opens(root).log("from this one")

    assert warned(other.opens(root)) == []
    (said,) = warned(desk.opens(root))
    assert "New copy" in said
    assert sum(one.kind == "writer.joined" for writer in writers(root) for one in events(root, writer)) == 1


def test_a_run_without_a_home_does_not_take_the_writers_place(desk: Machine, lived: Path) -> None:
    away = desk.environment(LATER)
    away.state = (None, None, "machine-desk")
    Workspace.open(str(lived), environment=away).log("from a unit without HOME")

    assert warned(desk.opens(lived, LATER)) == []
    assert desk.opens(lived, LATER).identity.show().writer in writers(lived)
    assert len(writers(lived)) == 2


def test_the_library_is_the_installation_that_the_command_line_is(
    lived: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTWS_STATE_DIR", str(tmp_path / "kept"))
    agentws = [sys.executable, "-m", "agentws", "-C", str(lived)]
    subprocess.run([*agentws, "log", "from the command line"], check=True, capture_output=True)

    before = writers(lived)
    Workspace.open(str(lived)).event("note", "from the library")

    assert writers(lived) == before


def test_a_writer_joins_once_however_many_processes_begin_at_once(desk: Machine, lived: Path, tmp_path: Path) -> None:
    copy = copied(lived, tmp_path / "copy")
    slow, fast = desk.opens(copy), desk.opens(copy)
    real = writer_join.finish

    def meanwhile(files: Files) -> None:
        writer_join.finish = real  # type: ignore[assignment]
        fast.event("note", "from the other process")
        real(files)

    writer_join.finish = meanwhile  # type: ignore[assignment]
    try:
        slow.event("note", "from this one")
    finally:
        writer_join.finish = real

    (new,) = set(writers(copy)) - set(writers(lived))
    assert [one.kind for one in events(copy, new)].count("writer.joined") == 1


def test_who_only_began_its_journal_is_not_said_to_have_written_then(desk: Machine, tmp_path: Path) -> None:
    root = tmp_path / "robin"
    desk.makes(root).remember("what it knows")
    desk.opens(root, LATER).remember("what it knows later")

    (said,) = warned(Machine(tmp_path, "vps").opens(root, LATER))

    assert "wrote last" not in said
    assert "has written before" in said


def test_when_such_a_life_was_logged_last_is_told_in_the_time_of_the_workspace(desk: Machine, tmp_path: Path) -> None:
    root = tmp_path / "robin"
    desk.makes(root)
    manifest = root / layout.MANIFEST
    manifest.write_text(manifest.read_text().replace('timezone = "UTC"', 'timezone = "Europe/Berlin"'))
    desk.opens(root).log("one")
    desk.opens(root, LATER).log("two")

    (said,) = warned(Machine(tmp_path, "vps").opens(root, LATER))

    assert "the log ends 2026-11-20 11:15 Europe/Berlin" in said
