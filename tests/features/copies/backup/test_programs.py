"""Backups through restic: what is sent, what is believed, what is said where they fail.

What all destinations keep to stands in tests/contracts/test_backups.py.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from agentws.core.formats.travel import destination
from agentws.errors import AgentwsError, MissingFileError, OutsideProgramError, TooLargeError, UsageError
from agentws.features.copies.backup.restore import restore_backup
from agentws.features.copies.backup.store import restic, restic_repository
from agentws.features.copies.backup.verify import verify_backup
from agentws.workspace import Environment, Workspace, list_backups
from tests.conftest import NOW
from tests.features.copies.backup import restic_init
from tests.features.copies.backup.trees import held

ODD = ("a\nb", "[b]*?", "back\\slash", " space ", "ｆｕｌｌ", "‛quoted", "-dash", "#hash ;", "ü", os.fsdecode(b"\xff"))
REPOSITORY = restic_repository.Repository(destination.Destination(destination.RESTIC, "/srv/robin"))
needs_restic = pytest.mark.skipif(shutil.which("restic") is None, reason="restic is not installed")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(now=NOW, timezone="UTC", state=(None, str(tmp_path / "state")), cache=str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def _theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("RESTIC_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("RESTIC_PASSWORD", restic_init.PASSWORD)


@pytest.fixture
def repository(tmp_path: Path) -> str:
    restic_init.make(tmp_path / "repo")
    return f"restic:{tmp_path}/repo"


def odd(robin: Workspace) -> None:
    for name in ODD:
        Path(robin.root, "plans", name).write_text(f"in {name!r}\n")


@needs_restic
def test_restic_takes_odd_names_and_its_own_tools_read_them(robin: Workspace, repository: str, tmp_path: Path) -> None:
    odd(robin)
    (made,) = robin.copies.create(repository)

    restore_backup(repository, str(tmp_path / "back"))
    assert held(tmp_path / "back") == held(robin.root)

    (told,) = json.loads(_restic(tmp_path, "snapshots", "--json"))
    assert told["tags"] == ["agentws", f"agent:{robin.stores.manifest.agent_id}", f"backup:{made.name}"]
    _restic(tmp_path, "restore", "--target", str(tmp_path / "plain"), "latest")
    plain = tmp_path / "plain" / "workspace"
    assert (plain / "MEMORY.md").read_bytes() == Path(robin.root, "MEMORY.md").read_bytes()
    assert (tmp_path / "plain" / "manifest.jsonl").exists()


def _restic(tmp_path: Path, *words: str) -> bytes:
    return subprocess.run(["restic", f"--repo={tmp_path}/repo", *words], check=True, capture_output=True).stdout


@needs_restic
def test_restic_reads_only_what_changed_also_where_its_size_and_time_stayed(
    robin: Workspace, repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Path(robin.root, "plans/draw.sh")
    robin.copies.create(repository)
    status = script.stat()
    script.write_bytes(b"#!/bin/sh\n\xfe\n")
    os.utime(script, ns=(status.st_atime_ns, status.st_mtime_ns))
    told: list[bytes] = []
    run = restic_repository.Repository.run
    monkeypatch.setattr(
        restic_repository.Repository,
        "run",
        lambda self, *words, **more: told.append(run(self, *words, **more)) or told[-1],
    )

    (made,) = robin.copies.create()

    summary, again = [json.loads(line) for out in told for line in out.splitlines() if b'"summary"' in line]
    assert (summary["files_new"], summary["files_changed"]) == (0, 2), "the script, and the manifest"
    assert (again["files_new"], again["files_changed"]) == (0, 0), "what was read back"
    assert (made.changed, made.copied_files) == (1, 1)
    restore_backup(repository, str(tmp_path / "back"))
    assert (tmp_path / "back/plans/draw.sh").read_bytes() == b"#!/bin/sh\n\xfe\n"


@needs_restic
def test_without_its_cache_all_is_copied_again_and_whole(robin: Workspace, repository: str, tmp_path: Path) -> None:
    robin.copies.create(repository)
    shutil.rmtree(tmp_path / "cache")
    robin.log("Another line")

    (made,) = robin.copies.create()

    assert made.copied_files == made.files - 1
    restore_backup(repository, str(tmp_path / "back"))
    assert held(tmp_path / "back") == held(robin.root)


@needs_restic
def test_what_is_forgotten_does_not_stay_in_the_cache(robin: Workspace, repository: str, tmp_path: Path) -> None:
    robin.log("Anna Lind sends the survey")
    robin.copies.create(repository)

    done = robin.memory.forget(subjects=["Anna Lind"])

    assert any("were not searched" in words for words in done.elsewhere)
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and b"Anna Lind" in path.read_bytes()]
    assert kept == []


@needs_restic
def test_a_destination_that_is_detached_leaves_no_copy_here(robin: Workspace, repository: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", f"{tmp_path}/depot.git"], check=True)
    for dest in (repository, f"git:{tmp_path}/depot.git"):
        robin.copies.create(dest)
    kept = {path.name for path in (tmp_path / "cache").glob("*/backup*")}
    assert len(kept) == 2

    robin.copies.detach(repository)

    (left,) = (tmp_path / "cache").glob("*/backup*")
    assert "restic" not in left.name
    robin.copies.detach(f"git:{tmp_path}/depot.git")
    assert not list((tmp_path / "cache").glob("*/backup*"))
    assert list_backups(repository)


@needs_restic
def test_restic_that_cannot_work_says_why_and_what_to_do(
    robin: Workspace, repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, to, error, words in (
        ("a test", f"restic:{tmp_path}/none", MissingFileError, "restic init"),
        ("a test", "restic:rest:http://127.0.0.1:1/", OutsideProgramError, "network"),
        ("other", repository, OutsideProgramError, "RESTIC_PASSWORD_FILE"),
        ("", repository, OutsideProgramError, "RESTIC_PASSWORD_FILE"),
    ):
        monkeypatch.setenv("RESTIC_PASSWORD", name)
        with pytest.raises(error) as raised:
            robin.copies.create(to)
        assert words in (raised.value.hint or ""), to
    assert robin.copies.list() == []
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OutsideProgramError, match="not found on PATH"):
        robin.copies.create(repository)


@needs_restic
def test_a_repository_of_the_environment_is_not_taken_for_the_one_that_is_named(
    robin: Workspace, repository: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RESTIC_REPOSITORY", "/nowhere")
    monkeypatch.setenv("RESTIC_REPOSITORY_FILE", "/nowhere")

    assert robin.copies.create(repository)


@needs_restic
def test_what_the_repository_gives_back_otherwise_is_no_backup(
    robin: Workspace, repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restic, "_digest", lambda place: "")
    with pytest.raises(OutsideProgramError, match="other data"):
        robin.copies.create(repository)

    assert json.loads(_restic(tmp_path, "snapshots", "--json")) in ([], None)


@needs_restic
def test_what_was_never_read_back_is_no_backup_and_goes_with_the_next_one(
    robin: Workspace, repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    robin.copies.create(repository)
    robin.log("a line")
    with monkeypatch.context() as cut:
        cut.setattr(restic.ResticBackups, "compare", killed)
        with pytest.raises(Killed):
            robin.copies.create(repository)

    assert [one.name[:4] for one in list_backups(repository)] == ["0001"]
    assert len(json.loads(_restic(tmp_path, "snapshots", "--json"))) == 2

    (made,) = robin.copies.create(repository)

    assert made.name.startswith("0002")
    assert len(json.loads(_restic(tmp_path, "snapshots", "--json"))) == 2
    assert verify_backup(repository).well


@needs_restic
def test_snapshots_of_others_are_left_alone(robin: Workspace, repository: str, tmp_path: Path) -> None:
    _restic(tmp_path, "backup", "--tag", "mine", robin.root)
    robin.copies.create(repository, rule="1")
    robin.log("Another line")

    robin.copies.create()

    tags = [one.get("tags", [""])[0] for one in json.loads(_restic(tmp_path, "snapshots", "--json"))]
    assert sorted(tags) == ["agentws", "mine"]


@needs_restic
def test_nothing_stays_in_the_folder_for_temporary_files(
    robin: Workspace, repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))

    robin.copies.create(repository)
    assert verify_backup(repository).well

    assert os.listdir(tmp_path / "temporary") == []


def test_what_would_be_an_option_or_hold_a_password_is_refused() -> None:
    for text in (
        *("restic:", "restic:--help", "restic:a\nb"),
        *(
            *("restic:rest:https://robin:geheim@host/", "restic:rest:https://robin@host/"),
            "restic:rclone::sftp,host=a,pass=geheim:x",
            "restic:rclone::s3,secret_access_key=x:y",
            'restic:rclone::azureblob,sas_url="https://host/c?sv=2024&sig=geheim":c',
            'restic:rclone::http,url="https://host/?sig=geheim":c',
            'restic:rclone::http,headers="Authorization,Bearer geheim":',
            "restic:rclone::webdav,bearer_token_command=x:c",
        ),
    ):
        with pytest.raises(UsageError):
            destination.parse(text, str)
    for text in (
        "restic:s3:host/bucket",
        "restic:sftp:robin@host:/srv/repo",
        "restic:rest:https://host:8000/robin/",
        "restic:rclone:box:a/b",
        "restic:rclone::s3,provider=AWS,env_auth=true,region=eu-1:bucket",
    ):
        assert destination.parse(text, str).text == text
    named = destination.parse("restic:/srv/repo#0123abcd", str)
    assert (named.target, named.agent) == ("/srv/repo", "0123abcd")


def test_a_failing_program_without_a_word_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "restic").write_text("#!/bin/sh\nexit 9\n")
    (tmp_path / "restic").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    with pytest.raises(AgentwsError, match="exited with 9"):
        REPOSITORY.run("snapshots")


def test_a_program_that_prints_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "restic").write_text("#!/bin/sh\nexec yes\n")
    (tmp_path / "restic").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    with pytest.raises(TooLargeError, match="1 MiB"):
        REPOSITORY.content("0123", "/manifest.jsonl", 1 << 20)


def test_a_program_is_ended_where_this_process_is_terminated_while_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids: list[int] = []
    start = subprocess.Popen._execute_child  # type: ignore[attr-defined]

    def terminated(self: subprocess.Popen[bytes], *words: object) -> None:
        start(self, *words)
        pids.append(self.pid)
        raise SystemExit(143)

    (tmp_path / "restic").write_text("#!/bin/sh\nexec sleep 600\n")
    (tmp_path / "restic").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(subprocess.Popen, "_execute_child", terminated)

    with pytest.raises(SystemExit):
        REPOSITORY.run("snapshots")

    monkeypatch.undo()
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


def test_a_program_ends_where_a_signal_comes_before_its_number_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "restic").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "restic").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    fork, begun = subprocess._fork_exec, []  # type: ignore[attr-defined]

    def interrupted(*words: object) -> int:
        begun.append(fork(*words))
        signal.raise_signal(signal.SIGINT)
        return int(begun[0])

    monkeypatch.setattr(subprocess, "_fork_exec", interrupted)
    with pytest.raises(KeyboardInterrupt):
        REPOSITORY.run("snapshots")

    with pytest.raises(ProcessLookupError):
        os.kill(begun[0], 0)
