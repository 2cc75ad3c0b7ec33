"""artifact: files by their digest, verified when they are read, in backups but not in git history."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from agentws.errors import (
    ChangedUnderneathError,
    DamagedError,
    DiskError,
    MissingFileError,
    SecretRefusedError,
    UsageError,
)
from agentws.features.data import artifacts
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW

WEIGHTS = os.urandom(3_000_000)


@pytest.fixture
def weights(tmp_path: Path) -> str:
    path = tmp_path / "weights.bin"
    path.write_bytes(WEIGHTS)
    return str(path)


def test_a_file_comes_back_as_it_was(workspace: Workspace, weights: str, tmp_path: Path) -> None:
    added = workspace.data.add_artifact(weights, name="ranker", note="2,000 answers")

    assert added.digest == hashlib.sha256(WEIGHTS).hexdigest()
    assert workspace.data.get_artifact("ranker", str(tmp_path / "back")).bytes == len(WEIGHTS)
    assert (tmp_path / "back").read_bytes() == WEIGHTS
    with workspace.data.open_artifact(added.digest[:8]) as file:
        assert file.read() == WEIGHTS
    with pytest.raises(ChangedUnderneathError):
        workspace.data.get_artifact("ranker", weights)


def test_the_newest_of_a_name_counts_and_the_same_is_kept_once(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    for text in ("one", "two", "two"):
        file.write_text(text)
        workspace.data.add_artifact(str(file))

    assert [(each.name, each.bytes) for each in workspace.data.list_artifacts().artifacts] == [("notes.txt", 3)]
    assert len(workspace.data.query("artifacts").rows) == 2
    with workspace.data.open_artifact("notes.txt") as opened:
        assert opened.read() == b"two"
    with workspace.data.open_artifact(hashlib.sha256(b"one").hexdigest()) as opened:
        assert opened.read() == b"one"


def test_damage_is_said_and_adding_again_mends_it(workspace: Workspace, weights: str, tmp_path: Path) -> None:
    path = Path(workspace.root, workspace.data.add_artifact(weights, name="ranker").path)
    path.write_bytes(WEIGHTS[:-1] + b"?")

    with pytest.raises(DamagedError):
        workspace.data.get_artifact("ranker", str(tmp_path / "back"))
    assert not (tmp_path / "back").exists()
    workspace.data.add_artifact(weights, name="ranker")
    workspace.data.get_artifact("ranker", str(tmp_path / "back"))


def test_what_is_missing_is_said(workspace: Workspace, weights: str) -> None:
    added = workspace.data.add_artifact(weights)
    os.unlink(os.path.join(workspace.root, added.path))

    assert not workspace.data.find_artifact(added.name).is_here
    for name in (added.name, "nothing", added.digest[:5]):
        with pytest.raises(MissingFileError):
            workspace.data.open_artifact(name)
    with pytest.raises(MissingFileError):
        workspace.data.add_artifact("/nowhere/at/all")


def test_names_in_one_line_and_texts_without_secrets_are_kept(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "env.txt"
    file.write_text("sk-ant-api03-" + "x7Kq2mPz9Rt4Vw8Yb1Nc" * 4 + "AA")

    with pytest.raises(SecretRefusedError):
        workspace.data.add_artifact(str(file))
    for name in ("", "a\nb"):
        with pytest.raises(UsageError):
            workspace.data.add_artifact(str(file), name=name)
    assert workspace.data.list_artifacts().artifacts == []


def test_a_long_text_is_searched_for_secrets_and_a_notice_says_how_far(workspace: Workspace, tmp_path: Path) -> None:
    file, secret = tmp_path / "answers.jsonl", "sk-ant-api03-" + "x7Kq2mPz9Rt4Vw8Yb1Nc" * 4 + "AA\n"
    file.write_text("ä\n" * (1 << 20) + secret)
    with pytest.raises(SecretRefusedError):
        workspace.data.add_artifact(str(file))
    file.write_text("gr\n" * (3 << 19))
    assert workspace.data.add_artifact(str(file)).notices == []

    file.write_text("ä" + "\n" * (1 << 24))

    assert workspace.data.add_artifact(str(file)).notices == [
        "Only the first 16 MiB of this text were searched for secrets."
    ]


def test_backups_have_it_and_history_names_it(tmp_path: Path, weights: str) -> None:
    kept = Workspace.init(str(tmp_path / "kept"), environment=Environment(now=NOW, timezone="UTC"))
    added = kept.data.add_artifact(weights, name="ranker")

    made = kept.copies.create(str(tmp_path / "backup"))

    copies = [path.read_bytes() for path in (tmp_path / "backup").rglob(added.digest)]
    assert copies == [WEIGHTS], made
    assert kept.history("data/artifacts.jsonl").changes
    assert not [each for each in kept.doctor().findings if "artifacts" in (each.path or "")]


def test_forget_removes_a_content_that_holds_the_text(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("who;what\nÄnnie Winter;gravel\n")
    workspace.data.add_artifact(str(file))
    other = tmp_path / "other.csv"
    other.write_text("sand\n")
    workspace.data.add_artifact(str(other))

    workspace.memory.forget(subjects=["Ännie Winter"])

    assert [each.is_here for each in workspace.data.list_artifacts().artifacts] == [False, True]


def test_a_copy_that_fails_leaves_no_part_and_may_be_repeated(
    workspace: Workspace, weights: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.data.add_artifact(weights, name="ranker")
    to = tmp_path / "back"
    with monkeypatch.context() as patch:
        patch.setattr(artifacts, "_copy", _full)
        patch.setattr(artifacts, "_digest_of", lambda file: (hashlib.sha256(WEIGHTS).hexdigest(), len(WEIGHTS)))
        with pytest.raises(DiskError):
            workspace.data.get_artifact("ranker", str(to))

    assert not to.exists()
    assert workspace.data.get_artifact("ranker", str(to)).bytes == to.stat().st_size


def _full(*_: object) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
