"""What a reviewer found in the first journal: each of these was wrong once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import files as _files
from agentws.core.journal import sync_failure
from agentws.errors import DamagedError, DiskError, UsageError
from agentws.workspace import Workspace
from tests.features.journal.test_event import lines

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def journal_file(workspace: Workspace) -> Path:
    return next(Path(workspace.root, "journal").glob("*/000001.jsonl"))


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def without_hint(workspace: Workspace) -> None:
    next(Path(workspace.root, ".agentws").glob("*.head")).unlink()


def test_an_edited_line_is_no_crash_although_the_hint_is_lost(workspace: Workspace) -> None:
    for number in range(5):
        workspace.event("note", f"n{number}")
    file = journal_file(workspace)
    file.write_bytes(file.read_bytes().replace(b'"n2"', b'"nX"'))
    without_hint(workspace)
    before = file.read_bytes()

    with pytest.raises(DamagedError, match=r"000001\.jsonl:4"):
        reopened(workspace).event("note", "after")

    assert file.read_bytes() == before
    assert not reopened(workspace).status().well


def cut(workspace: Workspace, kept: int) -> Path:
    """Its journal, sealed once, without what stood behind the first lines, and without the hint that knows of it."""
    with workspace.session() as session:
        session.note("a")
    if not any(event["kind"] == "seal" for event in lines(workspace)):
        pytest.skip("nothing here can seal")
    file = journal_file(workspace)
    stored = file.read_bytes().split(b"\n")
    file.write_bytes(b"".join(line + b"\n" for line in stored[:kept]))
    without_hint(workspace)
    return file


def test_an_emptied_journal_that_lost_its_seal_is_not_gone_on_with(workspace: Workspace) -> None:
    cut(workspace, 0)

    with pytest.raises(DamagedError, match="seal"):
        reopened(workspace).event("note", "after")

    assert not reopened(workspace).status().well


def test_a_journal_that_lost_its_seal_stays_as_it_is_and_another_one_begins(workspace: Workspace) -> None:
    """It may be a backup that somebody has put back: nobody is refused for that, and nothing is hidden."""
    file = cut(workspace, 3)
    before = file.read_bytes()

    done = reopened(workspace).event("note", "after")

    assert file.read_bytes() == before
    assert done.cursor.partition(":")[0] != file.parent.name
    assert not reopened(workspace).status().well
    assert "older than the last write here" in reopened(workspace).boot().text
    assert any(
        ", which this machine had on disk, are missing: they were removed" in found.what
        for found in reopened(workspace).journal.verify().findings
    )


def test_a_line_that_was_taken_out_meanwhile_is_not_acknowledged(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sync failed before ours, its process was slow to mark it, and another one mended before our sync was done."""
    workspace.event("note", "first")
    file, real = journal_file(workspace), _files.sync_data
    writer = file.parent.name

    def failing(fd: int) -> None:
        raise OSError(5, "Input/output error")

    def meanwhile(fd: int) -> None:
        real(fd)
        monkeypatch.setattr(_files, "sync_data", real)
        whole = file.read_bytes()
        file.write_bytes(whole.replace(b'"LOST"', b"\0" * 6))
        Path(workspace.root, ".agentws", f"{writer}.poison").write_text("{}")
        reopened(workspace).event("note", "the other")

    with monkeypatch.context() as patch:
        patch.setattr(_files, "sync_data", failing)
        patch.setattr(sync_failure, "mark", lambda *_: True)
        with pytest.raises(DiskError):
            reopened(workspace).event("note", "LOST")
    monkeypatch.setattr(_files, "sync_data", meanwhile)

    with pytest.raises(DiskError):
        reopened(workspace).event("note", "ours")
    assert [event["body"]["text"] for event in lines(workspace)] == ["first", "the other"]


@pytest.mark.parametrize(
    "body",
    [{"v": {}}, {"v": 7}, {"importance": 99}, {"importance": "x"}, {"tool": {}}, {"task": [1]}, {"text": ["a"]}],
)
def test_a_body_is_held_to_the_same_words_as_the_options(workspace: Workspace, body: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        workspace.event("note", body=body)


@pytest.mark.parametrize("kind", ["writer.joined", "task.done", "handoff.written", "compaction.began"])
def test_what_verbs_record_cannot_be_claimed(workspace: Workspace, kind: str) -> None:
    with pytest.raises(UsageError):
        workspace.event(kind, "not so")

    (answer,), _ = workspace.journal.record_lines([json.dumps({"kind": kind}).encode()])
    assert "error" in answer


def test_a_secret_in_one_line_of_many_stops_that_line_alone(workspace: Workspace) -> None:
    asked = [{"kind": "note", "text": "a"}, {"kind": "note", "via": f"tool:{TOKEN}"}, {"kind": "note", "text": "b"}]

    answers, _ = workspace.journal.record_lines([json.dumps(each).encode() for each in asked])

    assert [answer.get("line") for answer in answers] == [None, 2, None]
    assert [event["body"]["text"] for event in lines(workspace)] == ["a", "b"]


@pytest.mark.parametrize("granularity", ["2", "milestones"])
def test_whatever_ends_a_recorded_action_is_recorded(workspace: Workspace, granularity: str) -> None:
    manifest = Path(workspace.root, "agentws.toml")
    manifest.write_text(manifest.read_text() + f'\n[journal]\ngranularity = "{granularity}"\n')
    opened = reopened(workspace)

    for _ in range(3):
        cursor = opened.event("action", tool="a", importance=8).cursor
        assert opened.event("result", call=cursor).seq is not None
        opened.event("action", tool="b", call="named", importance=9)
        assert opened.event("result", call="named").seq is not None


def test_the_call_of_an_action_that_was_left_out_has_no_name_and_no_result(workspace: Workspace) -> None:
    manifest = Path(workspace.root, "agentws.toml")
    manifest.write_text(manifest.read_text() + '\n[journal]\ngranularity = "milestones"\n')

    assert reopened(workspace).event("action", tool="a").cursor is None
    assert reopened(workspace).event("result", call="").cursor is None
    with pytest.raises(UsageError):
        reopened(workspace).event("note", "x", call="a b", importance=9)


def test_an_action_whose_result_is_too_large_is_done_all_the_same(workspace: Workspace) -> None:
    with workspace.session() as session, session.action("fetch") as call:
        call.result("x y" * 12_000_000)
    with workspace.session() as session, session.action("count", 10**5000) as call:
        call.result(10**5000)

    assert [event["kind"] for event in lines(workspace) if event["kind"] in ("result", "error")] == ["result", "result"]


@pytest.mark.parametrize("harm", ["emptied", "removed", "folder gone", "cut"])
def test_a_journal_that_refuses_is_loud(workspace: Workspace, harm: str) -> None:
    workspace.event("note", "a")
    file = journal_file(workspace)
    if harm == "emptied":
        file.write_bytes(b"")
    elif harm == "removed":
        file.unlink()
    elif harm == "folder gone":
        os.rename(file.parent, Path(workspace.root, "elsewhere"))
    else:
        file.write_bytes(file.read_bytes()[:-10])

    found = reopened(workspace).status()

    assert [check.name for check in found.checks if not check.ok] == ["journal"]
    with pytest.raises(DamagedError):
        reopened(workspace).event("note", "b")


def test_an_action_of_another_writer_can_be_ended_here(workspace: Workspace, tmp_path: Path) -> None:
    import shutil

    cursor = workspace.event("action", tool="send_mail").cursor
    shutil.copytree(workspace.root, tmp_path / "copy")
    copy = Workspace.open(str(tmp_path / "copy"), environment=workspace.stores.environment)

    copy.event("result", call=cursor, output="it was sent")

    (row,) = [row for row in copy.journal.audit().rows if row.kind == "action"]
    assert row.outcome == "ok"
    assert "In flight" in reopened(workspace).boot().text
    assert "In flight" not in copy.boot().text


def test_a_follower_whose_sync_fails_tells_every_process(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.event("note", "first")
    hint = next(Path(workspace.root, ".agentws").glob("*.head"))
    before = hint.read_bytes()
    workspace.event("note", "written, and its writer killed before its sync")
    hint.write_bytes(before)
    writer = journal_file(workspace).parent.name

    def failing(fd: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(_files, "sync_data", failing)
        with pytest.raises(DiskError):
            list(workspace.journal.follow(after="", limit=3, poll_s=0.001))

    assert sync_failure.stands(workspace.stores.files, writer)


def test_a_line_that_is_too_long_is_answered_and_the_next_one_recorded(workspace: Workspace) -> None:
    long = b'{"kind":"note","text":"' + b"x" * (33 << 20) + b'"}\n'
    asked = b'{"kind":"note","text":"a"}\n' + long + b'{"kind":"note","text":"b"}\n'

    done = subprocess.run(
        [sys.executable, "-m", "agentws", "event", "--stdin", "-C", workspace.root], input=asked, capture_output=True
    )

    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [False, True, False]
    assert (answers[1]["line"], done.returncode) == (2, 2)
