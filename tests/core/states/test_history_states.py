"""States of a history, on the branch and on a ref of its own."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from agentws.core.states import plumbing
from agentws.core.states.git_history import GitHistory, TipMovedError
from tests.core.states.past_states import content, states

AT = datetime(2026, 1, 2, 7, 30, 15, tzinfo=timezone(timedelta(hours=5, minutes=30)))
DOCUMENTS = {"MEMORY.md": b"# Memory\n", "memory/2026-01-02.md": b"- 07:30 woke up\r\n\xff\x00"}


@pytest.fixture(params=["branch", "ref"])
def history(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitHistory:
    if shutil.which("git") is None:
        pytest.skip("git is not here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root, scratch = tmp_path / "agent", tmp_path / "agent" / ".agentws"
    scratch.mkdir(parents=True)
    return GitHistory(
        root=str(root),
        git_dir=plumbing.create(str(root)),
        mode=request.param,
        ref="refs/agentws/auto",
        author=("Ada", "ada@example.org"),
        scratch=str(scratch),
    )


def test_before_the_first_state_there_is_nothing(history: GitHistory) -> None:
    assert history.newest() is None
    assert states(history) == []


def test_a_kept_state_can_be_read_back_byte_for_byte(history: GitHistory) -> None:
    kept = history.record(DOCUMENTS, message="first", at=AT)

    assert kept
    assert {path: content(history, path, at=kept) for path in DOCUMENTS} == DOCUMENTS
    assert content(history, "absent.md", at=kept) is None
    assert content(history, "memory", at=kept) is None


def test_the_newest_state_is_the_one_that_was_just_kept(history: GitHistory) -> None:
    history.record(DOCUMENTS, message="first", at=AT)
    kept = history.record({**DOCUMENTS, "USER.md": b"Bo\n"}, message="second: ü\n\nwith a body", at=AT)

    newest = history.newest()

    assert newest == (kept, AT, "second: ü\n\nwith a body")


def test_the_same_documents_make_no_second_state(history: GitHistory) -> None:
    history.record(DOCUMENTS, message="first", at=AT)

    again = history.record(dict(reversed(DOCUMENTS.items())), message="again", at=AT + timedelta(days=1))

    assert again is None
    assert len(states(history)) == 1


def test_a_document_that_went_away_is_in_the_old_state_alone(history: GitHistory) -> None:
    first = history.record(DOCUMENTS, message="first", at=AT)
    second = history.record({"MEMORY.md": b"# Memory\n"}, message="second", at=AT)

    assert content(history, "memory/2026-01-02.md", at=first) is not None
    assert content(history, "memory/2026-01-02.md", at=second) is None


def test_what_is_as_in_the_newest_state_is_in_the_next_one_without_its_content(history: GitHistory) -> None:
    history.record(DOCUMENTS, message="first", at=AT)
    assert history.ids() == {path: history.blob_id(data) for path, data in DOCUMENTS.items()}
    kept = history.record({"MEMORY.md": b"# More\n"}, message="second", at=AT, since=history.tip())

    assert {path: content(history, path, at=kept) for path in DOCUMENTS} == {**DOCUMENTS, "MEMORY.md": b"# More\n"}


def test_what_is_gone_since_the_newest_state_is_not_in_the_next_one(history: GitHistory) -> None:
    history.record(DOCUMENTS, message="first", at=AT)
    gone = ["memory/2026-01-02.md", "memory/never.md"]
    kept = history.record({}, message="second", at=AT, since=history.tip(), gone=gone)

    assert history.ids() == {"MEMORY.md": history.blob_id(DOCUMENTS["MEMORY.md"])}
    assert history.tip() == kept


def test_nothing_is_added_to_a_state_that_is_not_the_newest_any_more(history: GitHistory) -> None:
    history.record(DOCUMENTS, message="first", at=AT)
    since = history.tip()
    history.record({"MEMORY.md": b"# Memory\n"}, message="of somebody else", at=AT)
    newest = history.tip()

    with pytest.raises(TipMovedError):
        history.record({"USER.md": b"Bo\n"}, message="third", at=AT, since=since)
    assert history.tip() == newest


def test_the_log_is_newest_first_and_no_longer_than_asked_for(history: GitHistory) -> None:
    for number in range(4):
        history.record({"MEMORY.md": b"%d\n" % number}, message=f"state {number}", at=AT + timedelta(hours=number))

    log = states(history, 3)

    assert [(at, message) for _, at, message in log] == [
        (AT + timedelta(hours=number), f"state {number}") for number in (3, 2, 1)
    ]


def test_no_documents_are_no_state(history: GitHistory) -> None:
    assert history.record({}, message="nothing", at=AT) is None
