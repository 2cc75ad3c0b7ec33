"""What any History keeps to, whether it keeps states in git or none at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from agentws.core.states import git_history, plumbing
from agentws.core.states.versions import NoHistory
from agentws.errors import UsageError

AT = datetime(2026, 1, 2, 7, 30, 15, tzinfo=timezone(timedelta(hours=5, minutes=30)))
DOCUMENTS = {"MEMORY.md": b"# Memory\n", "memory/2026-01-02.md": b"- 07:30 woke up\r\n\xff\x00"}


def none(root: Path) -> Any:
    return NoHistory()


def in_git(mode: str) -> Callable[[Path], Any]:
    def make(root: Path) -> Any:
        scratch = root / ".agentws"
        scratch.mkdir()
        return git_history.GitHistory(
            root=str(root),
            git_dir=plumbing.create(str(root)),
            mode=mode,
            ref="refs/agentws/auto",
            author=("Ada", "ada@example.org"),
            scratch=str(scratch),
        )

    return make


@pytest.fixture(params=[none, in_git("branch"), in_git("ref")], ids=["none", "branch", "ref"])
def history(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param is not none and shutil.which("git") is None:
        pytest.skip("git is not here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "agent"
    root.mkdir()
    return request.param(root)


def test_a_history_says_its_kind(history: Any) -> None:
    assert history.kind in ("branch", "ref", "none")


def test_before_the_first_state_there_is_nothing(history: Any) -> None:
    assert history.newest() is None
    assert history.log(limit=10) == []


def test_a_kept_state_can_be_read_back_byte_for_byte(history: Any) -> None:
    kept = history.record(DOCUMENTS, message="first", at=AT)

    if kept is None:
        assert history.kind == "none"
    else:
        assert {path: history.read(path, at=kept) for path in DOCUMENTS} == DOCUMENTS
        assert history.read("absent.md", at=kept) is None
        assert history.read("memory", at=kept) is None


def test_the_newest_state_is_the_one_that_was_just_kept(history: Any) -> None:
    history.record(DOCUMENTS, message="first", at=AT)
    kept = history.record({**DOCUMENTS, "USER.md": b"Bo\n"}, message="second: ü\n\nwith a body", at=AT)

    newest = history.newest()

    assert newest == (None if kept is None else (kept, AT, "second: ü\n\nwith a body"))


def test_the_same_documents_make_no_second_state(history: Any) -> None:
    history.record(DOCUMENTS, message="first", at=AT)

    again = history.record(dict(reversed(DOCUMENTS.items())), message="again", at=AT + timedelta(days=1))

    assert again is None
    assert len(history.log(limit=10)) == (0 if history.kind == "none" else 1)


def test_a_document_that_went_away_is_in_the_old_state_alone(history: Any) -> None:
    first = history.record(DOCUMENTS, message="first", at=AT)
    second = history.record({"MEMORY.md": b"# Memory\n"}, message="second", at=AT)

    if history.kind != "none":
        assert history.read("memory/2026-01-02.md", at=first) is not None
        assert history.read("memory/2026-01-02.md", at=second) is None


def test_what_is_as_in_the_newest_state_is_in_the_next_one_without_its_content(history: Any) -> None:
    history.record(DOCUMENTS, message="first", at=AT)
    assert history.ids() == (
        {} if history.kind == "none" else {path: history.blob_id(data) for path, data in DOCUMENTS.items()}
    )
    kept = history.record({"MEMORY.md": b"# More\n"}, message="second", at=AT, since=history.tip())

    if history.kind != "none":
        assert {path: history.read(path, at=kept) for path in DOCUMENTS} == {**DOCUMENTS, "MEMORY.md": b"# More\n"}


def test_what_is_gone_since_the_newest_state_is_not_in_the_next_one(history: Any) -> None:
    history.record(DOCUMENTS, message="first", at=AT)
    gone = ["memory/2026-01-02.md", "memory/never.md"]
    kept = history.record({}, message="second", at=AT, since=history.tip(), gone=gone)

    if history.kind != "none":
        assert history.ids() == {"MEMORY.md": history.blob_id(DOCUMENTS["MEMORY.md"])}
        assert history.tip() == kept


def test_nothing_is_added_to_a_state_that_is_not_the_newest_any_more(history: Any) -> None:
    history.record(DOCUMENTS, message="first", at=AT)
    since = history.tip()
    history.record({"MEMORY.md": b"# Memory\n"}, message="of somebody else", at=AT)
    newest = history.tip()

    if history.kind != "none":
        with pytest.raises(git_history.TipMovedError):
            history.record({"USER.md": b"Bo\n"}, message="third", at=AT, since=since)
    assert history.tip() == newest


def test_the_log_is_newest_first_and_no_longer_than_asked_for(history: Any) -> None:
    for number in range(4):
        history.record({"MEMORY.md": b"%d\n" % number}, message=f"state {number}", at=AT + timedelta(hours=number))

    log = history.log(limit=3)

    if history.kind != "none":
        assert [(at, message) for _, at, message in log] == [
            (AT + timedelta(hours=number), f"state {number}") for number in (3, 2, 1)
        ]
    assert history.log(limit=0) == []


def test_no_documents_are_no_state(history: Any) -> None:
    assert history.record({}, message="nothing", at=AT) is None


@pytest.mark.parametrize("state", ["HEAD", "-x", "0" * 40, "main", "", ":/first", "deadbeef^{tree}"])
def test_a_state_that_never_was_is_said_not_guessed(history: Any, state: str) -> None:
    history.record(DOCUMENTS, message="first", at=AT)

    if history.kind == "none":
        assert history.read("MEMORY.md", at=state) is None
    else:
        with pytest.raises(UsageError):
            history.read("MEMORY.md", at=state)
