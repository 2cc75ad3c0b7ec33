"""After an undo, and after it is made again, every reader says what the files say; and nothing is erased."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk.change import transaction
from agentws.core.installation import host_info
from agentws.core.journal import read, select
from agentws.core.journal.events import replay
from agentws.core.journal.events.replay import Projection
from agentws.errors import NeedsYouError, NothingToUndoError
from agentws.features.history import command_undo as render
from agentws.features.journal import audit as _audit
from agentws.workspace import Workspace
from tests.core.journal import journals
from tests.features.history.test_undo import files, reopened
from tests.features.journal.test_event import lines

VERBS: dict[str, Callable[[Workspace], Any]] = {
    "task add": lambda here: here.tasks.add("Order paper", steps=["ask", "pay"]),
    "task add --start": lambda here: here.tasks.add("Order ink", start=True),
    "task start": lambda here: here.tasks.start("waits"),
    "task step": lambda here: here.tasks.step("letter", "fold it", done=[1]),
    "task wait": lambda here: here.tasks.wait("letter", on="the postman"),
    "task pause": lambda here: here.plumbing.pause_task("letter", "lunch"),
    "task resume": lambda here: here.plumbing.resume_task("waits"),
    "task done": lambda here: here.tasks.done("letter"),
    "task cancel": lambda here: here.tasks.cancel("letter"),
    "handoff": lambda here: here.handoff(doing="the letter", next="fold it"),
    "handoff ack": lambda here: here.handoff.ack(),
    "remember": lambda here: here.remember("Ada likes green ink"),
    "context new": lambda here: here.contexts.new("garden"),
    "log": lambda here: here.log("Folded the letter"),
}


@pytest.fixture
def desk(workspace: Workspace) -> Workspace:
    """A workspace with a session that runs, tasks in several states, and an open handoff."""
    workspace.session.start("Letters", session="s1", process=os.getpid())
    workspace.tasks.add("Letter", steps=["write", "fold"], start=True)
    workspace.tasks.add("Waits")
    workspace.tasks.wait("waits", on="Ada")
    workspace.handoff(doing="the desk", next="the letter")
    return reopened(workspace)


def replayed(workspace: Workspace) -> Projection:
    reader = select.Reader(workspace.stores.files, select.Wanted())
    writers = read.writers(workspace.stores.files)
    return replay.replay(select.merged([reader.behind(writer, 0) for writer in writers]))


def check_agreement(workspace: Workspace) -> None:
    """The journal, boot and the lists say what the files say."""
    state, opened = replayed(workspace), reopened(workspace)
    tasks = {one.slug: (one.status, one.step) for one in opened.tasks.list(all=True).tasks}
    assert {slug: (one.status, one.step) for slug, one in state.tasks.items()} == tasks
    notes = {f"handoffs/{path.name}" for path in Path(workspace.root, "handoffs").glob("*.md")}
    assert {str((one.body or {})["path"]) for one in state.handoffs} == notes
    shown = [line for line in opened.boot().text.split("\n") if line.startswith("- ") and " · tasks/" in line]
    for slug, (status, _) in tasks.items():
        (*_, line) = [f" · {status} ", *(line for line in shown if line.endswith(f"tasks/{slug}.md"))]
        assert f" · {status}" in line
    open_ = {slug for slug, (status, _) in tasks.items() if status not in ("done", "cancelled")}
    assert {line.rpartition("/")[2].removesuffix(".md") for line in shown} == open_
    assert opened.journal.verify().sound


@pytest.mark.parametrize("verb", VERBS)
def test_every_reader_agrees_with_the_files_after_undo_and_after_redo(desk: Workspace, verb: str) -> None:
    before = files(desk)
    VERBS[verb](reopened(desk))
    after, told = files(desk), lines(desk)

    undone = reopened(desk).undo()
    assert files(desk) == before
    check_agreement(desk)
    assert reopened(desk).tasks.add("Another").noticed == []  # the journal knew what the files say
    assert reopened(desk).undo().verb == "task add another"

    assert lines(desk)[: len(told)] == told, "nothing is erased"
    assert undone.whose.session in ("s1", "")
    assert after != before


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_made_again_is_as_it_was_after_the_verb(desk: Workspace, verb: str) -> None:
    VERBS[verb](reopened(desk))
    after = files(desk)
    recorded = [one["kind"] for one in lines(desk)]

    reopened(desk).undo()
    again = reopened(desk).history.redo()

    assert files(desk) == after
    assert again.redo
    check_agreement(desk)
    assert recorded == [one["kind"] for one in lines(desk)][: len(recorded)]
    with pytest.raises(NothingToUndoError):
        reopened(desk).history.redo()
    assert reopened(desk).undo().verb == again.verb
    check_agreement(desk)


def test_an_undo_names_the_change_and_the_events_that_it_took_back(desk: Workspace) -> None:
    reopened(desk).tasks.done("letter")
    done = lines(desk)[-1]

    undone = reopened(desk).undo()

    *_, detail, told = [one for one in lines(desk) if one["kind"] != "seal"]
    assert (detail["kind"], detail["body"]["after"], detail["body"]["task"]) == ("task.undone", "active", "letter")
    assert told["kind"] == "change.undone"
    assert undone.events == told["body"]["events"]
    assert [one.rpartition(":")[2] for one in undone.events] == [str(done["seq"])]
    assert (told["body"]["verb"], told["body"]["paths"]) == ("task done letter", ["tasks/letter.md"])
    boot = reopened(desk).boot().text
    assert "[task.done]" not in boot
    assert "undid" not in boot, "the files are as they were: it is in the journal"
    reader = select.Reader(desk.stores.files, select.Wanted())
    rows = _audit.rows(one for writer in read.writers(desk.stores.files) for one in reader.behind(writer, 0))
    assert {row.kind: row.outcome for row in rows}["task.done"] == _audit.UNDONE


def test_killed_before_the_journal_was_told_the_next_undo_tells_it_and_takes_no_more_back(
    desk: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    reopened(desk).tasks.done("letter")
    with monkeypatch.context() as patch:
        patch.setattr("agentws.features.history.undo.events.undone", _killed)
        with pytest.raises(KeyboardInterrupt):
            reopened(desk).undo()
    assert replayed(desk).tasks["letter"].status == "done", "the journal does not know yet"

    reopened(desk).undo()

    check_agreement(desk)
    assert [one["kind"] for one in lines(desk)].count("change.undone") == 1
    assert reopened(desk).tasks.list().tasks


def _killed(*_: object) -> list[str]:
    raise KeyboardInterrupt


def test_the_work_of_another_session_that_may_run_is_taken_back_only_where_that_is_agreed_to(desk: Workspace) -> None:
    reopened(desk).tasks.done("letter")
    other = reopened(desk)
    other.stores.environment.session = "another"
    before = files(desk)

    with pytest.raises(NeedsYouError, match="session s1"):
        other.undo()
    assert files(desk) == before
    assert other.undo(dry_run=True).whose.is_others

    assert other.undo(yes=True).whose.session == "s1"
    check_agreement(desk)


def test_the_work_of_a_session_that_is_gone_is_taken_back_and_said(workspace: Workspace) -> None:
    facts = {"host": host_info.name(), "boot": "another", "namespace": host_info.namespace()}
    journals.record(workspace, "session.started", session="gone", **facts)
    its = reopened(workspace)
    its.stores.environment.session = "gone"
    its.remember("Ada likes green ink")

    own = reopened(workspace)
    own.stores.environment.session = None
    assert own.undo().whose.words.startswith("session gone (its process exited)")


def test_the_list_tells_what_can_be_taken_back_the_newest_first(desk: Workspace) -> None:
    reopened(desk).tasks.done("letter")
    reopened(desk).log("one")
    reopened(desk).undo()

    rows = reopened(desk).history.changes().rows

    assert [(row.verb, row.is_undone) for row in rows[:2]] == [("log", True), ("task done letter", False)]
    assert rows[1].paths == ("tasks/letter.md",)
    assert rows[1].whose.at.startswith("2026-11-20T07:15:00")
    assert all(transaction.is_applied(desk.stores.files, row.number) for row in rows if row.verb != "log")


@pytest.mark.parametrize(("shell", "is_open"), [(os.getsid(0), False), (1, True), (2**22 + 1, False)])
def test_the_work_of_another_open_shell_is_taken_back_and_said(workspace: Workspace, shell: int, is_open: bool) -> None:
    workspace.remember("Ada likes green ink")
    record = Path(workspace.root, ".agentws/changes.jsonl")
    record.write_text(record.read_text().replace(f'"shell":{os.getsid(0)}', f'"shell":{shell}'))

    done = reopened(workspace).undo()

    assert ("  by a shell that is still open" in "\n".join(render.undo_lines(done))) == is_open
    assert not done.whose.is_others


@pytest.mark.parametrize("shell", [os.getsid(0), 0])  # 0 in a container whose programs are started from outside
def test_what_was_just_done_by_hand_in_this_shell_is_taken_back_unasked(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, shell: int
) -> None:
    monkeypatch.setattr(os, "getsid", lambda _: shell)
    journals.record(workspace, "session.started", session="s1", host="elsewhere")
    reopened(workspace).tasks.add("Order paper")  # which s1 may have done, for all that is known
    journals.record(workspace, "session.started", session="s2", host="elsewhere")

    assert reopened(workspace).undo().whose.words.startswith("session s1 (by hand, from this shell)")


def test_an_undo_makes_no_writer_where_nothing_was_recorded(workspace: Workspace) -> None:
    reopened(workspace).undo(yes=True)

    assert not Path(workspace.root, "journal").exists()
    assert not Path(workspace.root, "identity").exists()


def test_a_change_whose_files_were_forgotten_is_listed_without_any(workspace: Workspace) -> None:
    workspace.tasks.add("Ada Lind visits")
    workspace.memory.forget(subjects=["Ada Lind"])

    said = [line for line in render.changes_lines(reopened(workspace).history.changes()) if "task add" in line]

    assert len(said) == 1
    assert "()" not in said[0]


def test_the_list_says_what_cannot_be_taken_back_since_it_was_forgotten(workspace: Workspace) -> None:
    workspace.remember("Ada likes green ink")
    workspace.remember("Kim likes blue ink")
    reopened(workspace).memory.forget(subjects=["Kim"], confirm=True)

    found = reopened(workspace).history.changes()

    told = dict(zip((row.verb for row in found.rows), render.changes_lines(found), strict=True))
    assert {row.verb for row in found.rows if row.is_forgotten} == {"forget"}
    assert "cannot be undone" in told["forget"]
    assert "cannot be undone" not in told["remember"] + told["init"]
