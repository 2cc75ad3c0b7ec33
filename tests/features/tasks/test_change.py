"""The verbs that change a task: one change of the file, one event, and nothing of the user's lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import AmbiguousError, DamagedError, MissingFileError, SecretRefusedError, UsageError
from agentws.workspace import Workspace
from tests.features.tasks.events import kinds, put, text, told

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def test_a_task_is_a_file_named_after_its_title(workspace: Workspace) -> None:
    done = workspace.tasks.add(
        "Move the\naddress book", goal="All on our server.", steps=["export", "import"], priority="high"
    )

    assert (done.slug, done.path, done.changed) == ("move-the-address-book", "tasks/move-the-address-book.md", True)
    assert text(workspace, done.slug) == (
        "---\nstatus: open\ncreated: 2026-11-20T07:15:00+00:00\nupdated: 2026-11-20T07:15:00+00:00\npriority: high\n"
        "---\n# Move the address book\n\nAll on our server.\n\n- [ ] export\n- [ ] import\n"
    )
    assert kinds(workspace) == ["added move-the-address-book: None → open"]
    assert workspace.tasks.add("Move the address book").slug == "move-the-address-book-2"


def test_the_whole_life_of_a_task_is_in_the_journal(workspace: Workspace) -> None:
    workspace.session.start(session="s1")
    workspace.tasks.add("Roof", steps=["ask", "pay"], start=True)
    workspace.tasks.step("roof", "ask Sam", done=[1])
    workspace.tasks.wait("roof", on="Sam")
    workspace.plumbing.pause_task("roof", "Sam is away")
    workspace.plumbing.resume_task("roof")
    workspace.plumbing.resume_task("roof")
    workspace.tasks.done("tasks/roof.md")

    assert kinds(workspace) == [
        "added roof: None → active", "stepped roof: active → active", "waiting roof: active → waiting",
        "paused roof: waiting → paused", "resumed roof: paused → waiting", "resumed roof: waiting → active",
        "done roof: active → done",
    ]  # fmt: skip
    events = told(workspace)
    assert {event["session"] for event in events} == {"s1"}
    assert [event["text"] for event in events[1:4]] == ["now: ask Sam; done: ask", "Sam", "Sam is away"]
    assert (events[3]["reason"], events[1]["step"], events[1]["checked"]) == ("Sam is away", "ask Sam", [1, 2])
    assert text(workspace, "roof").startswith(
        "---\nstatus: done\ncreated: 2026-11-20T07:15:00+00:00\nupdated: 2026-11-20T07:15:00+00:00\nsession: s1\n"
        "step: ask Sam\n---\n# Roof\n\n- [x] ask\n- [ ] pay\n"
    )


def test_what_is_the_users_own_is_kept_byte_for_byte(workspace: Workspace) -> None:
    put(
        workspace,
        "roof",
        "---\n# mine\nclient: 'Harbor'\nstatus: blocked  # by Sam\n\nwho: [a, b]\n---\n# Roof\n* [ ] a",
    )

    workspace.tasks.step("roof", done=[1])
    workspace.tasks.start("roof")

    now = "updated: 2026-11-20T07:15:00+00:00\n"
    assert text(workspace, "roof") == (
        f"---\n# mine\nclient: 'Harbor'\nstatus: active  # by Sam\n\nwho: [a, b]\n{now}---\n# Roof\n* [x] a"
    )


def test_a_task_without_front_matter_gets_one(workspace: Workspace) -> None:
    put(workspace, "roof", "# Roof\n")

    workspace.tasks.start("roof")

    assert text(workspace, "roof") == "---\nstatus: active\nupdated: 2026-11-20T07:15:00+00:00\n---\n# Roof\n"


def test_what_a_task_waits_for_that_nobody_understands_is_kept_until_it_goes_on(workspace: Workspace) -> None:
    put(workspace, "roof", "---\nstatus: waiting\nwaiting_on:\n  approval: a1\n  by: Sam\n---\n# Roof\n")

    done = workspace.tasks.step("roof", "asked")

    assert done.task.waiting_on == "approval: a1, by: Sam"
    assert "waiting_on:\n  approval: a1\n  by: Sam\n" in text(workspace, "roof")
    assert workspace.tasks.due().woken == []
    assert "waiting_on" not in text(workspace, workspace.tasks.start("roof").slug)


def test_what_is_so_already_is_said_and_recorded_by_nobody(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", start=True)

    assert not workspace.tasks.start("roof").changed
    assert kinds(workspace) == ["added roof: None → active"]


def test_a_move_that_cannot_be_made_changes_nothing(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    workspace.tasks.done("roof")
    before = text(workspace, "roof")

    with pytest.raises(UsageError, match="roof is done, so `agentws task wait` cannot be used") as refused:
        workspace.tasks.wait("roof", until="soon")

    assert refused.value.hint == "To reopen the task: agentws task start roof"
    assert text(workspace, "roof") == before
    assert len(kinds(workspace)) == 2


def test_several_tasks_are_active_at_once(workspace: Workspace) -> None:
    for title in ("Roof", "Garden", "Letters"):
        workspace.tasks.add(title, start=True)

    assert [(one.slug, one.status) for one in workspace.tasks.list().tasks] == [
        ("garden", "active"), ("letters", "active"), ("roof", "active"),
    ]  # fmt: skip


def test_undo_takes_a_verb_back_and_the_journal_is_told(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", start=True)
    workspace.tasks.cancel("roof", "too dear")

    assert workspace.undo().verb == "task cancel roof"
    workspace.tasks.add("Garden")
    workspace.undo()
    assert not Path(workspace.root, "tasks", "garden.md").exists()
    workspace.tasks.due()

    assert kinds(workspace) == [
        "added roof: None → active", "cancelled roof: active → cancelled", "undone roof: cancelled → active",
        "added garden: None → open", "undone garden: open → None",
    ]  # fmt: skip


def test_boxes_that_are_left_are_a_notice(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", steps=["ask", "pay"])

    assert workspace.tasks.done("roof").notices == ["2 of 2 boxes of tasks/roof.md are not checked."]


@pytest.mark.parametrize("title", ["", " \n", TOKEN, "‹redacted:github-token:1a2b3c4d›"])
def test_a_title_that_is_none_or_a_secret_makes_no_file(workspace: Workspace, title: str) -> None:
    with pytest.raises((UsageError, SecretRefusedError)):
        workspace.tasks.add(title)

    assert not Path(workspace.root, "tasks").exists()


@pytest.mark.parametrize(
    "words",
    [{"goal": TOKEN}, {"steps": ["pay", TOKEN]}, {"steps": [""]}, {"priority": "urgent"}],
)
def test_the_other_words_of_a_new_task_are_looked_at_too(workspace: Workspace, words: dict[str, object]) -> None:
    with pytest.raises((UsageError, SecretRefusedError)):
        workspace.tasks.add("Roof", **words)  # type: ignore[arg-type]

    assert not Path(workspace.root, "tasks").exists()


def test_a_secret_is_refused_where_a_task_would_hold_it_and_redacted_where_the_journal_would(
    workspace: Workspace,
) -> None:
    workspace.tasks.add("Roof")

    with pytest.raises(SecretRefusedError):
        workspace.tasks.step("roof", f"use {TOKEN}")
    with pytest.raises(SecretRefusedError):
        workspace.tasks.wait("roof", on=TOKEN)
    workspace.tasks.cancel("roof", f"leaked {TOKEN}")

    assert "‹redacted:github-token:" in told(workspace)[-1]["reason"]


@pytest.mark.parametrize("words", [{}, {"until": "2h", "on": "Sam"}, {"path": "../out"}, {"path": "/etc/passwd"},
                                   {"path": ""}, {"on": ""}, {"on": "2026-11-23"}, {"until": "yesterday"}])  # fmt: skip
def test_a_wait_for_nothing_that_can_be_waited_for_is_refused(workspace: Workspace, words: dict[str, str]) -> None:
    workspace.tasks.add("Roof")

    with pytest.raises(UsageError):
        workspace.tasks.wait("roof", **words)

    assert workspace.tasks.show("roof").task.status == "open"


def test_a_beginning_that_only_one_task_has_names_it(workspace: Workspace) -> None:
    for title in ("Roof", "Roof tiles", "Letter to Sam"):
        workspace.tasks.add(title)

    assert workspace.tasks.start("L").slug == "letter-to-sam"
    assert workspace.tasks.show("tasks/roof-t").task.slug == "roof-tiles"
    assert workspace.tasks.done("roof").slug == "roof"  # a whole name is no beginning


def test_words_of_its_title_name_a_task_as_done_would(workspace: Workspace) -> None:
    for title in ("Sell the sofa", "Paint the porch", "Paint the fence", "屋根を直す"):
        workspace.tasks.add(title, steps=("look at it",))

    assert workspace.tasks.step("sofa", done=(1,)).slug == "sell-the-sofa"
    assert workspace.tasks.show("paint porch").task.slug == "paint-the-porch"
    assert workspace.tasks.show("屋根").task.title == "屋根を直す"
    with pytest.raises(AmbiguousError, match="2 tasks match 'the paint'"):
        workspace.tasks.done("the paint")
    with pytest.raises(MissingFileError):
        workspace.tasks.show("ofa")


def test_words_name_an_open_task_before_one_that_is_over(workspace: Workspace) -> None:
    for title in ("Paint the porch", "Paint the fence"):
        workspace.tasks.add(title)
    workspace.tasks.done("fence")

    assert workspace.tasks.start("the paint").slug == "paint-the-porch"
    assert workspace.tasks.show("fence").task.slug == "paint-the-fence"


def test_a_number_as_text_ticks_that_step_and_renames_none(workspace: Workspace) -> None:
    workspace.tasks.add("Sell the sofa", steps=("take a photo", "write the offer", "carry it down"), start=True)
    workspace.tasks.step("sell", "write the offer")

    done = workspace.tasks.step("sofa", "1")

    assert done.task.boxes == [("take a photo", True), ("write the offer", False), ("carry it down", False)]
    assert done.task.step == "write the offer"
    assert [ticked for _, ticked in workspace.tasks.step("sofa", "2 3").task.boxes] == [True, True, True]
    with pytest.raises(UsageError, match="no step 4"):
        workspace.tasks.step("sofa", "4")


def test_of_several_that_begin_so_none_is_taken_also_where_one_is_over(workspace: Workspace) -> None:
    for title in ("Roof tiles", "Roof beam"):
        workspace.tasks.add(title)
    workspace.tasks.done("roof-tiles")
    before = kinds(workspace)

    with pytest.raises(AmbiguousError, match="2 tasks start with 'roof'") as refused:
        workspace.tasks.done("roof")

    assert "roof-beam, roof-tiles" in (refused.value.hint or "")
    assert refused.value.exit_code == 2
    assert kinds(workspace) == before


@pytest.mark.parametrize(
    ("slug", "error"), [("rof", MissingFileError), ("ro.md", MissingFileError), ("", UsageError), ("a/b", UsageError)]
)
def test_a_task_that_is_not_there_is_told_with_those_that_are(
    workspace: Workspace, slug: str, error: type[Exception]
) -> None:
    workspace.tasks.add("Roof")

    with pytest.raises(error) as refused:
        workspace.tasks.start(slug)

    assert "roof" in (refused.value.hint or "") or "task list" in (refused.value.hint or "")  # type: ignore[attr-defined]


def test_a_damaged_task_stops_nobody_but_itself(workspace: Workspace) -> None:
    put(workspace, "broken", "---\nstatus: [open\n---\n")
    workspace.tasks.add("Roof")

    assert workspace.tasks.start("roof").changed
    assert any("tasks/broken.md" in notice for notice in workspace.tasks.list().notices)
    with pytest.raises(DamagedError, match=r"tasks/broken\.md"):
        workspace.tasks.start("broken")


def test_a_damaged_journal_is_found_before_a_file_is_changed(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    (journal,) = Path(workspace.root, "journal").glob("*/*.jsonl")
    before = text(workspace, "roof")
    journal.write_bytes(journal.read_bytes().replace(b'"after":"open"', b'"after":"done"'))

    with pytest.raises(DamagedError):
        Workspace.open(workspace.root, environment=workspace.stores.environment).tasks.start("roof")

    assert text(workspace, "roof") == before


def test_a_step_that_is_ticked_already_is_said_to_be(workspace: Workspace) -> None:
    workspace.tasks.add("Roof", steps=["Ask Sam", "Buy slate"])
    assert workspace.tasks.step("roof", done=[1]).notices == []

    again = workspace.tasks.step("roof", done=[1, 2])
    nothing = workspace.tasks.step("roof", done=[1])

    assert again.notices == ["Step 1 is ticked already."]
    assert again.changed
    assert (nothing.notices, nothing.changed) == (["Step 1 is ticked already."], False)
