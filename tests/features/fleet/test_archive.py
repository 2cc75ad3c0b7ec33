"""fleet archive: closed segments are in object storage once, checked, and come back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentws.core.formats import digest
from agentws.core.formats.journal import event, packed, segment
from agentws.errors import MayNotWriteError, MissingFileError, NestedWorkspaceError, UsageError
from agentws.features.fleet import archive as _archive
from agentws.features.fleet.object_store import ObjectStore
from agentws.features.forget.purge import purge
from agentws.workspace import Workspace
from tests.features.journal.keeping import here, note
from tests.forked import AGENTWS

pytest.importorskip("obstore")


@pytest.fixture
def long_journal(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with four closed segments; the first has a blob."""
    monkeypatch.setattr(segment, "LIMIT_BYTES", 3_000)
    monkeypatch.setattr(event, "BODY_LIMIT_BYTES", 900)
    note(workspace, f"the harbour plan {'x' * 2_000}")
    for number in range(20):
        note(workspace, f"bought rope number {number} {'y' * 200}")
    return workspace


@pytest.fixture
def place(tmp_path: Path) -> ObjectStore:
    return ObjectStore(str(tmp_path / "archive"))


def objects(place: ObjectStore) -> dict[str, bytes]:
    """Path -> content of every file in the archive's folder."""
    assert place.folder is not None
    return {
        os.path.relpath(os.path.join(folder, name), place.folder): Path(folder, name).read_bytes()
        for folder, _, names in os.walk(place.folder)
        for name in names
    }


def closed(workspace: Workspace) -> dict[str, bytes]:
    """Path in the archive -> lines of every closed segment."""
    name = here(workspace).writer
    folder = Path(workspace.root, "journal", name)
    agent = workspace.stores.manifest.agent_id
    return {
        f"{agent}/{segment.packed_path(segment.path(name, number))}": (folder / f"{number:06}.jsonl").read_bytes()
        for number in range(1, len([*folder.glob("*.jsonl")]))
    }


def test_every_closed_segment_and_its_blobs_are_written_once(long_journal: Workspace, place: ObjectStore) -> None:
    done = _archive.archive(long_journal.stores, place)
    stored, lines = objects(place), closed(long_journal)
    assert len(lines) > 3
    assert {path: packed.unpack(stored[path], 1 << 20) for path in lines} == lines
    (blob,) = {*stored} - {*lines}
    assert digest.of(stored[blob]) == blob.rpartition("/")[2]
    assert (done.new, done.equal, done.problems) == (len(stored), 0, ())

    again = _archive.archive(long_journal.stores, place)
    assert (again.new, again.bytes, again.equal) == (0, 0, len(stored))
    assert objects(place) == stored


def test_a_dry_run_writes_nothing(long_journal: Workspace, place: ObjectStore) -> None:
    done = _archive.archive(long_journal.stores, place, dry_run=True)
    assert done.new > 4
    assert objects(place) == {}


def test_an_object_that_differs_is_named_with_both_digests_and_stays(
    long_journal: Workspace, place: ObjectStore
) -> None:
    _archive.archive(long_journal.stores, place)
    path, lines = next(iter(closed(long_journal).items()))
    forged = lines.replace(b'"src":"agent"', b'"src":"user"', 1)
    assert place.folder is not None
    Path(place.folder, path).write_bytes(packed.pack(forged))

    (problem,) = _archive.archive(long_journal.stores, place).problems
    assert problem.path in path
    assert digest.of(lines) in problem.what
    assert digest.of(forged) in problem.what
    assert packed.unpack(objects(place)[path], 1 << 20) == forged
    assert [each.path for each in _archive.verify(long_journal.stores, place).problems] != []


def test_a_damaged_segment_is_not_archived(long_journal: Workspace, place: ObjectStore) -> None:
    name = here(long_journal).writer
    second = Path(long_journal.root, segment.path(name, 2))
    second.write_bytes(second.read_bytes().replace(b"bought", b"bouGht", 1))
    done = _archive.archive(long_journal.stores, place)
    assert [problem.path for problem in done.problems] == [segment.path(name, 2)]
    assert not [path for path in objects(place) if path.endswith("000002.jsonl.gz")]
    assert [path for path in objects(place) if path.endswith("000003.jsonl.gz")]


def test_a_line_that_cannot_be_decoded_is_named(long_journal: Workspace, place: ObjectStore) -> None:
    name = here(long_journal).writer
    _archive.archive(long_journal.stores, place)
    path = segment.path(name, len(closed(long_journal)) + 1)
    newest = Path(long_journal.root, path)
    lines = newest.read_bytes().split(b"\n")
    lines[0] = lines[0][:-2] + b',"blob":"x'
    newest.write_bytes(b"\n".join(lines))
    problems = _archive.verify(long_journal.stores, place).problems
    assert f"{path}:1" in [problem.path for problem in problems]


def test_purged_content_leaves_the_archive_with_its_blob(long_journal: Workspace, place: ObjectStore) -> None:
    _archive.archive(long_journal.stores, place)
    purge(long_journal.stores, [f"{here(long_journal).writer}:2"], reason="a test")
    done = _archive.archive(long_journal.stores, place)
    assert (done.purged, done.problems) == (1, ())
    stored = objects(place)
    assert not [path for path in stored if "/blobs/" in path]
    assert b"harbour" not in b"".join(packed.unpack(data, 1 << 20) for data in stored.values())
    verified = _archive.verify(long_journal.stores, place)
    assert verified.problems == ()
    assert _archive.archive(long_journal.stores, place).purged == 0


def test_an_older_copy_of_the_workspace_brings_no_purged_content_back(
    long_journal: Workspace, place: ObjectStore, tmp_path: Path
) -> None:
    _archive.archive(long_journal.stores, place)
    shutil.copytree(long_journal.root, tmp_path / "older")
    purge(long_journal.stores, [f"{here(long_journal).writer}:3"], reason="a test")
    _archive.archive(long_journal.stores, place)
    stored = objects(place)
    older = Workspace.open(str(tmp_path / "older"), environment=long_journal.stores.environment)
    assert _archive.archive(older.stores, place).problems == ()
    assert objects(place) == stored


def test_a_verified_archive_has_all_events_and_names_a_lost_object(long_journal: Workspace, place: ObjectStore) -> None:
    _archive.archive(long_journal.stores, place)
    verified = _archive.verify(long_journal.stores, place)
    assert (verified.problems, verified.waiting, verified.objects) == ((), 0, len(objects(place)))
    assert verified.events == 22 + len(closed(long_journal))
    path = [*closed(long_journal)][1]
    assert place.folder is not None
    os.unlink(os.path.join(place.folder, path))
    assert _archive.verify(long_journal.stores, place).waiting == 1
    Path(place.folder, path).write_bytes(b"\x1f\x8b")
    (problem,) = [each for each in _archive.verify(long_journal.stores, place).problems if each.path.endswith("gz")]
    assert problem.path in path


def test_what_is_restored_is_the_journal_that_was_archived(
    long_journal: Workspace, place: ObjectStore, tmp_path: Path
) -> None:
    _archive.archive(long_journal.stores, place)
    restored = _archive.restore(place, str(tmp_path / "again"))
    assert (restored.agent, restored.problems) == (long_journal.stores.manifest.agent_id, ())
    agent = restored.agent
    written = {
        f"{agent}/{path.relative_to(tmp_path / 'again')}": path.read_bytes()
        for path in (tmp_path / "again").rglob("*")
        if path.is_file()
    }
    assert written == objects(place)
    with pytest.raises(UsageError):
        _archive.restore(place, str(tmp_path / "again"))
    with pytest.raises(MissingFileError):
        _archive.restore(place, str(tmp_path / "other"), "0" * 32)


def test_strange_objects_are_named_and_never_written(
    long_journal: Workspace, place: ObjectStore, tmp_path: Path
) -> None:
    _archive.archive(long_journal.stores, place)
    agent = long_journal.stores.manifest.agent_id
    place.create(f"{agent}/journal/MEMORY.md", b"x")
    place.create(f"{agent}/journal/{'a' * 16}/packed/000001.jsonl.gz", packed.pack(bytes(2 << 20)))
    restored = _archive.restore(place, str(tmp_path / "again"))
    assert {problem.path for problem in restored.problems} >= {
        "journal/MEMORY.md",
        f"journal/{'a' * 16}/packed/000001.jsonl.gz",
    }
    assert not (tmp_path / "again/journal/MEMORY.md").exists()


def test_an_archive_is_never_in_the_workspace_and_its_url_has_no_password(long_journal: Workspace) -> None:
    with pytest.raises(NestedWorkspaceError):
        _archive.archive(long_journal.stores, ObjectStore(f"{long_journal.root}/archive"))
    for url in ("s3://key:word@acme/journals", "s3://acme/journals?token=word", "nonsense://acme"):
        with pytest.raises(UsageError):
            ObjectStore(url)


def test_a_folder_that_may_not_be_made_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(MayNotWriteError):
        ObjectStore(str(tmp_path / "file/archive"))


def test_the_command_archives_verifies_and_restores(long_journal: Workspace, tmp_path: Path) -> None:
    place = str(tmp_path / "archive")
    first = agentws("-C", long_journal.root, "fleet", "archive", place, "--json")
    assert json.loads(first.stdout)["new"] > 4
    checked = agentws("-C", long_journal.root, "fleet", "archive", place, "--verify")
    assert (checked.returncode, checked.stderr) == (0, "")
    restored = agentws("fleet", "archive", place, "--restore", str(tmp_path / "again"))
    assert (restored.returncode, (tmp_path / "again/journal").is_dir()) == (0, True)
    refused = agentws("-C", long_journal.root, "fleet", "archive", place, "--verify", "--dry-run")
    assert refused.returncode == 2


def test_a_purge_that_is_not_archived_yet_makes_no_object_wrong(long_journal: Workspace, tmp_path: Path) -> None:
    place = str(tmp_path / "archive")
    purge(long_journal.stores, [f"{here(long_journal).writer}:3"], reason="a test")
    assert agentws("-C", long_journal.root, "fleet", "archive", place).returncode == 0
    restored = agentws("fleet", "archive", place, "--restore", str(tmp_path / "again"))
    assert restored.returncode == 14
    assert "purged without a purge event" in restored.stdout
    assert "not archived: then the archive is good" in restored.stderr
    assert "Move a wrong object" not in restored.stderr


def agentws(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a new process: the client's threads do not survive a fork."""
    return subprocess.run([AGENTWS, *words], capture_output=True, text=True, cwd="/")


def test_an_empty_archive_and_a_young_journal_are_said_to_be_so(
    workspace: Workspace, place: ObjectStore, tmp_path: Path
) -> None:
    with pytest.raises(MissingFileError, match="has no archive"):
        _archive.restore(place, str(tmp_path / "back"))
    note(workspace, "one event")
    argv = [AGENTWS, "-C", workspace.root, "fleet", "archive", str(place.folder)]
    assert "No segment of the journal is closed yet" in subprocess.run(argv, capture_output=True, text=True).stdout
