"""`fleet archive` against real servers: each object once, replaced only as it was read, nothing lost, clear errors."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentws.core.journal import unpacked
from agentws.errors import MayNotWriteError, MissingFileError, RemoteAwayError, UsageError
from agentws.features.fleet import archive as _archive
from agentws.features.fleet.object_store import ObjectStore
from agentws.features.forget.purge import purge
from agentws.workspace import Workspace
from tests.features.fleet.test_archive import closed, long_journal
from tests.features.journal.keeping import here

__all__ = ["long_journal"]


def names(url: str, workspace: Workspace) -> list[str]:
    """The names of the agent's objects."""
    return sorted(ObjectStore(url).names(workspace.stores.manifest.agent_id))


def call(workspace: Workspace, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "agentws", "fleet", "archive", *words]
    return subprocess.run(argv, cwd=workspace.root, capture_output=True, text=True, env={**os.environ})


def test_a_journal_is_archived_once_verified_and_restored_elsewhere(
    long_journal: Workspace, url: str, tmp_path: Path
) -> None:
    first = call(long_journal, url)
    assert first.returncode == 0, first.stderr
    objects = names(url, long_journal)
    assert len(objects) == len(closed(long_journal)) + 1, "segments and a blob"
    assert f"Wrote {len(objects)} objects" in first.stdout
    assert f"{len(objects)} were there already" in call(long_journal, url).stdout
    assert call(long_journal, url, "--verify").returncode == 0

    folder = tmp_path / "elsewhere"
    restored = _archive.restore(ObjectStore(url), str(folder))
    assert restored.problems == ()
    for path, lines in closed(long_journal).items():
        name = path.partition("/")[2]
        data = (folder / name).read_bytes()
        assert unpacked.lines(name, data) == lines


def test_two_machines_at_once_write_each_object_once(long_journal: Workspace, url: str) -> None:
    done: list[_archive.Archived] = []
    both = [
        threading.Thread(target=lambda: done.append(_archive.archive(long_journal.stores, ObjectStore(url))))
        for _ in range(2)
    ]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert [each.problems for each in done] == [(), ()]
    objects = names(url, long_journal)
    assert sum(each.new for each in done) == len(objects)
    assert {each.new + each.equal for each in done} == {len(objects)}


def test_purged_content_is_replaced_only_as_it_was_read(
    long_journal: Workspace, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _archive.archive(long_journal.stores, ObjectStore(url))
    before = names(url, long_journal)
    purge(long_journal.stores, [f"{here(long_journal).writer}:2"], reason="a test")

    usual = ObjectStore.replace

    def after_another(self: ObjectStore, name: str, data: bytes, version: Mapping[str, str] | None) -> None:
        there, _ = self.get(name, 1 << 20)
        other = gzip.compress(unpacked.lines(name, there), 1)
        usual(self, name, other, None)  # another machine wrote meanwhile
        usual(self, name, data, version)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "replace", after_another)
        (problem,) = _archive.archive(long_journal.stores, ObjectStore(url)).problems
    assert "re-run the command" in problem.what
    assert names(url, long_journal) == before

    assert _archive.archive(long_journal.stores, ObjectStore(url)).problems == ()
    assert [name for name in names(url, long_journal) if "/blobs/" in name] == []
    assert _archive.verify(long_journal.stores, ObjectStore(url)).problems == ()


def test_half_written_and_foreign_objects_are_named_and_stay(long_journal: Workspace, url: str) -> None:
    _archive.archive(long_journal.stores, ObjectStore(url))
    place, objects = ObjectStore(url), names(url, long_journal)
    half, foreign = (name for name in objects if name.endswith(("000001.jsonl.gz", "000002.jsonl.gz")))
    torn = place.get(half, 1 << 20)[0][:-20]
    for name, data in ((half, torn), (foreign, b"holiday pictures"), (f"{half}.txt", b"a note")):
        place.replace(name, data, None)

    again = call(long_journal, url)
    assert again.returncode == 14
    assert "000001.jsonl.gz" in again.stdout
    assert "000002.jsonl.gz" in again.stdout
    assert "Move" in again.stderr
    assert (place.get(half, 1 << 20)[0], place.get(foreign, 1 << 20)[0]) == (torn, b"holiday pictures")
    verified = _archive.verify(long_journal.stores, place)
    assert {problem.path.rpartition("/")[2] for problem in verified.problems} >= {
        "000001.jsonl.gz", "000002.jsonl.gz", "000001.jsonl.gz.txt",
    }  # fmt: skip

    for name in (half, foreign, f"{half}.txt"):
        place.remove(name)
    assert call(long_journal, url).returncode == 0
    assert _archive.verify(long_journal.stores, place).problems == ()


@pytest.mark.parametrize("objects", [1, 3])
def test_an_archive_that_was_cut_off_goes_on(
    long_journal: Workspace, url: str, monkeypatch: pytest.MonkeyPatch, objects: int
) -> None:
    usual = ObjectStore.create
    written: list[str] = []

    def until_the_network_ends(self: ObjectStore, name: str, data: bytes) -> bool:
        if len(written) == objects:
            raise RemoteAwayError("gone")
        written.append(name)
        return usual(self, name, data)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "create", until_the_network_ends)
        with pytest.raises(RemoteAwayError):
            _archive.archive(long_journal.stores, ObjectStore(url))
    assert names(url, long_journal) == sorted(written)

    done = _archive.archive(long_journal.stores, ObjectStore(url))
    assert (done.equal, done.problems) == (objects, ())
    verified = _archive.verify(long_journal.stores, ObjectStore(url))
    assert (verified.problems, verified.waiting) == ((), 0)


def test_a_missing_bucket_is_named(long_journal: Workspace, url: str, tmp_path: Path) -> None:
    place = ObjectStore(url.replace("://", "://no-"))
    with pytest.raises(MissingFileError, match="no such bucket"):
        _archive.archive(long_journal.stores, place)
    with pytest.raises(MissingFileError, match="no such bucket"):
        _archive.restore(place, str(tmp_path / "elsewhere"))


@pytest.mark.parametrize(
    ("url", "changed", "error", "words"),
    [
        ("s3", {"AWS_ENDPOINT": "http://127.0.0.1:9"}, RemoteAwayError, "Nothing is lost"),
        ("az", {"AZURITE_BLOB_STORAGE_URL": "http://127.0.0.1:9"}, RemoteAwayError, "Nothing is lost"),
        ("az", {"AZURE_STORAGE_ACCOUNT_KEY": "aaaa"}, MayNotWriteError, "credentials"),
    ],
    indirect=["url"],
)
def test_a_server_that_is_away_or_refuses_is_named_with_the_next_step(
    long_journal: Workspace, url: str, monkeypatch: pytest.MonkeyPatch, changed: dict[str, str],
    error: type[Exception], words: str,
) -> None:  # fmt: skip
    for variable, value in changed.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(error) as caught:
        _archive.archive(long_journal.stores, ObjectStore(url))
    assert words in str(getattr(caught.value, "hint", ""))


def test_without_credentials_the_error_says_where_they_are_read(
    long_journal: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "half")
    with pytest.raises(UsageError) as caught:
        ObjectStore("s3://arch/x")
    assert "AWS_ACCESS_KEY_ID" in str(caught.value.hint)
