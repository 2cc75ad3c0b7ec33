"""ask, answer, use: bound to the exact action, decided once, used once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentws.core.disk import files
from agentws.core.installation import own_records
from agentws.errors import (
    AgentwsError,
    AmbiguousError,
    ApprovalPendingError,
    ApprovalRefusedError,
    ChangedUnderneathError,
    LockHeldError,
    MissingFileError,
    SecretRefusedError,
    UsageError,
)
from agentws.features.approvals import render
from agentws.features.journal import audit
from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.features.approvals.people import ACTION, at, file_of, kinds, told


def test_a_request_is_a_file_for_people_and_an_event(workspace: Workspace) -> None:
    made = at(workspace).ask("Pay the deposit?", action=ACTION, expires="2d", risk="high")

    text = file_of(workspace, made.id).read_text()
    assert "# Pay the deposit?\n" in text
    assert '  "amount": 250\n' in text
    assert "status: pending\n" in text
    assert (made.status, made.risk, made.action, made.is_usable) == ("pending", "high", ACTION, False)
    ((kind, body),) = told(workspace)
    assert (kind, body["id"], body["action"]) == ("asked", made.id, ACTION)


def test_an_approval_is_used_once_and_by_its_action_alone(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id
    with pytest.raises(ApprovalPendingError):
        here.approvals.use(id, ACTION)

    done = here.approvals.decide(id, approve=True, typed=True, message="Fine.")

    assert (done.status, done.proof, done.message, done.is_usable) == ("approved", "typed", "Fine.", True)
    with pytest.raises(ApprovalRefusedError, match="not the action"):
        here.approvals.use(id, {**ACTION, "amount": 251})
    assert here.approvals.use(id, dict(reversed(ACTION.items()))).status == "used"
    with pytest.raises(ApprovalRefusedError, match="used already"):
        here.approvals.use(id, ACTION)
    assert kinds(workspace) == ["asked", "decided", "refused", "used", "refused"]
    assert "status: used\n" in file_of(workspace, id).read_text()


def test_a_second_answer_is_told_who_was_first(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=False, message="Not this month.")

    with pytest.raises(ChangedUnderneathError, match="already rejected"):
        here.approvals.decide(id, approve=True, typed=True)

    with pytest.raises(ApprovalRefusedError, match="rejected"):
        here.approvals.use(id, ACTION)


def test_an_edited_action_counts_in_place_of_the_first(workspace: Workspace) -> None:
    here, less = at(workspace), {**ACTION, "amount": 200}
    id = here.ask("Pay the deposit?", action=ACTION).id

    done = here.approvals.decide(id, approve=True, typed=True, edit=less)

    assert (done.is_edited, done.action) == (True, less)
    with pytest.raises(ApprovalRefusedError):
        here.approvals.use(id, ACTION)
    assert here.approvals.use(id, less).status == "used"


def test_an_agent_cannot_approve_and_the_attempt_is_told(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id

    with pytest.raises(ApprovalRefusedError, match="agent cannot"):
        at(workspace, by_agent=True).approvals.decide(id, approve=True, typed=True)

    assert kinds(workspace) == ["asked", "refused"]
    assert at(workspace).approvals.decide(id, approve=True, typed=True).is_usable


def test_what_is_only_recorded_counts_where_the_settings_say_so(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id

    with pytest.raises(ApprovalRefusedError, match="settings"):
        at(workspace, typed=False).approvals.decide(id, approve=True, typed=True)
    at(workspace).approvals.decide(id, approve=True, typed=True)

    found = at(workspace, typed=False).approvals.show(id)
    assert (found.status, found.is_usable) == ("pending", False)


def test_a_high_risk_needs_more_than_a_typed_answer(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION, risk="high").id

    with pytest.raises(ApprovalRefusedError, match="signature"):
        here.approvals.decide(id, approve=True, typed=True)


def test_a_low_risk_does_not_answer_for_a_high_one(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=True, typed=True)

    with pytest.raises(ApprovalRefusedError, match="high"):
        here.approvals.use(id, ACTION, risk="high")


def test_what_expired_is_recorded_once_and_stays_so_when_the_clock_is_set_back(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION, expires="2h").id

    assert at(workspace, hours=3).approvals.show(id).status == "expired"
    with pytest.raises(ApprovalRefusedError, match="expired"):
        at(workspace, hours=3).approvals.decide(id, approve=True, typed=True)
    with pytest.raises(ApprovalRefusedError, match="expired"):
        at(workspace, hours=1).approvals.decide(id, approve=True, typed=True)

    assert kinds(workspace) == ["asked", "expired"]
    assert at(workspace).approvals.show(id).status == "expired"


@pytest.mark.parametrize("verb", ["task due", "compact"])
def test_what_expired_is_recorded_by_what_a_schedule_runs(verb: str, workspace: Workspace) -> None:
    here = at(workspace)
    asked = [here.ask(f"Pay {who}?", action=who, expires="2h").id for who in ("Lena", "Sam", "Ada")]
    here.approvals.decide(asked[1], approve=True, typed=True)
    here.approvals.decide(asked[2], approve=False)

    for _ in range(2):
        later = at(workspace, hours=3)
        later.tasks.due() if verb == "task due" else later.memory.compact()

    assert kinds(workspace) == ["asked", "asked", "asked", "decided", "decided", "expired", "expired"]
    assert [at(workspace).approvals.show(id).status for id in asked] == ["expired", "expired", "rejected"]
    assert "status: expired\n" in file_of(workspace, asked[0]).read_text()


def test_a_yes_that_nobody_used_expires_by_a_schedule_where_nothing_else_does(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay Lena?", action=ACTION, expires="2h").id
    at(workspace).approvals.decide(id, approve=True, typed=True)

    at(workspace, hours=3).tasks.due()

    assert kinds(workspace) == ["asked", "decided", "expired"]


def test_what_cannot_be_recorded_as_expired_stops_no_schedule(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay Lena?", action=ACTION, expires="2h").id
    at(workspace).tasks.add("Roof")
    at(workspace).tasks.wait("roof", approval=id)

    Path(workspace.root, ".agentws/approvals.lock").unlink()
    Path(workspace.root, ".agentws/approvals.lock").mkdir()
    done = at(workspace, hours=3).tasks.due()

    assert [one.slug for one in done.woken] == ["roof"]
    assert any("expiry of a request was not recorded" in notice for notice in done.notices)


def test_an_answer_given_in_time_is_not_used_after_it(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION, expires="2h").id
    at(workspace, hours=1).approvals.decide(id, approve=True, typed=True)

    with pytest.raises(ApprovalRefusedError, match="expired"):
        at(workspace, hours=3).approvals.use(id, ACTION)


def test_an_action_that_is_edited_in_the_file_is_not_what_was_asked(workspace: Workspace) -> None:
    id = at(workspace).ask("Pay the deposit?", action=ACTION).id
    file = file_of(workspace, id)
    file.write_text(file.read_text().replace("250", "950"))

    assert at(workspace).approvals.show(id).status == "disputed"
    with pytest.raises(ApprovalRefusedError, match="edited"):
        at(workspace).approvals.decide(id, approve=True, typed=True)


def test_the_one_that_waits_needs_no_id_and_the_one_about_an_action_neither(workspace: Workspace) -> None:
    here = at(workspace)
    first = here.ask("Pay the deposit?", action=ACTION).id
    assert here.approvals.show("").id == first
    second = here.ask("Book the hall?", action={"tool": "book"}).id
    with pytest.raises(AmbiguousError):
        here.approvals.show("")
    here.approvals.decide(second, approve=True, typed=True)

    assert here.approvals.use("", {"tool": "book"}).id == second
    with pytest.raises(MissingFileError):
        here.approvals.use("", {"tool": "sail"})
    assert [one.id for one in here.approvals.list()] == [first, second]
    assert [one.id for one in here.approvals.list(pending=True)] == [first]


def test_what_no_person_could_judge_is_not_asked(workspace: Workspace) -> None:
    here = at(workspace)
    cyclic: dict[str, object] = {}
    cyclic["self"] = cyclic
    with pytest.raises(SecretRefusedError):
        here.ask("Deploy?", action={"password": "9f3KqLx27VbTn5RzWc8YdHm4"})
    for question, action in (("", 1), ("Deploy?", cyclic), ("Deploy?", {"at": float("nan")}), ("Deploy?", {1: 2})):
        with pytest.raises(UsageError):
            here.ask(question, action=action)
    with pytest.raises(UsageError):
        here.ask("Deploy?", risk="middling")
    assert kinds(workspace) == []


def test_a_request_of_which_the_journal_was_not_told_is_told_by_the_next_verb(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id
    file = file_of(workspace, id)
    text = file.read_text()
    other = file_of(workspace, "kkkkkk")
    other.write_text(text)

    here.approvals.decide("kkkkkk", approve=False)

    assert [(kind, body["id"]) for kind, body in told(workspace)][1:] == [("asked", "kkkkkk"), ("decided", "kkkkkk")]


def test_undo_passes_over_what_was_asked_and_answered(workspace: Workspace) -> None:
    here = at(workspace)
    here.tasks.add("Rent the hall")
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=True, typed=True)

    assert here.undo(yes=True).verb == "task add rent-the-hall"
    assert here.approvals.show(id).is_usable


def test_what_was_brought_back_in_place_makes_it_not_unused_again(workspace: Workspace, tmp_path: Path) -> None:
    state = (str(tmp_path / "state"), None, None, None)
    here = at(workspace)
    here.stores.environment.state = state
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=True, typed=True)
    shutil.copytree(workspace.root, tmp_path / "backup")
    here.approvals.use(id, ACTION)
    for name in ("journal", "approvals", ".agentws"):
        shutil.rmtree(Path(workspace.root, name))
        shutil.copytree(tmp_path / "backup" / name, Path(workspace.root, name))

    restored = at(workspace)
    restored.stores.environment.state = state
    assert restored.approvals.show(id).status == "approved", "the journal does not know"
    with pytest.raises(ApprovalRefusedError, match="older copy"):
        restored.approvals.use(id, ACTION)


@pytest.mark.parametrize("place", ["workspace", "elsewhere"])
def test_an_older_copy_in_any_folder_makes_it_not_unused_again(
    workspace: Workspace, tmp_path: Path, place: str
) -> None:
    state = (str(tmp_path / "state"), None, None, None)
    here, root = at(workspace), Path(workspace.root)
    here.stores.environment.state = state
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=True, typed=True)
    shutil.copytree(root, tmp_path / "older")
    here.approvals.use(id, ACTION)
    root.rename(tmp_path / "newer")  # another inode takes its place
    older = (tmp_path / "older").rename(root if place == "workspace" else tmp_path / "moved")

    copy = at(Workspace.open(str(older), environment=workspace.stores.environment))
    copy.stores.environment.state = state
    with pytest.raises(ApprovalRefusedError, match="older copy"):
        copy.approvals.use(id, ACTION)


def test_copies_that_use_it_at_once_use_it_once(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = (str(tmp_path / "state"), None, None, None)
    here = at(workspace)
    here.stores.environment.state = state
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=True, typed=True)
    copy = at(
        Workspace.open(shutil.copytree(workspace.root, tmp_path / "copy"), environment=workspace.stores.environment)
    )
    copy.stores.environment.state = state
    copy.stores.files.patience_s = 0.0
    remember, second = own_records.add_approval, list[AgentwsError]()

    def late(*words: Any) -> None:
        """Remember the first use after another copy has tried."""
        monkeypatch.setattr(own_records, "add_approval", remember)
        with pytest.raises(AgentwsError) as refused:
            copy.approvals.use(id, ACTION)
        second.append(refused.value)
        remember(*words)

    monkeypatch.setattr(own_records, "add_approval", late)
    assert here.approvals.use(id, ACTION).status == "used"

    assert isinstance(second[0], LockHeldError)
    with pytest.raises(ApprovalRefusedError, match="older copy"):
        copy.approvals.use(id, ACTION)


def test_the_next_change_makes_durable_what_a_killed_use_has_remembered(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = at(workspace)
    here.stores.environment.state = (str(tmp_path / "state"), None, None, None)
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=True, typed=True)
    here.approvals.use(id, ACTION)
    (lock,) = (tmp_path / "state").glob("used-approvals.*.lock")
    assert lock.read_bytes() == b"", "nothing waits after a use"
    lock.write_text("process 1: ask use\n")
    left = lock.with_name(f".{lock.stem}.agentws-new")
    left.touch()
    synced, sync = list[int](), files.sync
    monkeypatch.setattr(files, "sync", lambda fd: (synced.append(os.fstat(fd).st_ino), sync(fd))[1])

    for expected in (1, 0):
        here.remember(f"The deposit is paid {expected}")

        assert synced.count((tmp_path / "state").stat().st_ino) == expected
        assert lock.read_bytes() == b""
        synced.clear()
    assert not left.exists()


def test_a_file_of_another_name_beside_the_requests_is_none(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id
    for name in ("README.md", "notes 2026.md", "Lena.md"):
        file_of(workspace, id).with_name(name).write_text("# What we may approve\n")

    assert [one.id for one in here.approvals.list()] == [id]
    assert here.approvals.show("").id == id, "the only one that waits"
    here.approvals.decide(id, approve=True, typed=True)
    assert kinds(workspace) == ["asked", "decided"]


def test_of_several_about_one_action_that_is_used_which_is_enough(workspace: Workspace) -> None:
    here = at(workspace)
    high = here.ask("Pay the deposit?", action=ACTION, risk="high").id
    low = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(low, approve=True, typed=True)

    with pytest.raises(ApprovalPendingError, match=high):
        here.approvals.use("", ACTION, risk="high")
    assert here.approvals.use("", ACTION).id == low


def test_the_same_action_asked_again_is_the_open_request(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")
    here = at(workspace)
    first = here.ask("Pay the deposit?", action=ACTION, task="roof")
    again = here.ask("Pay  the deposit?", action=dict(reversed(ACTION.items())), task="roof")
    assert again.id == first.id
    assert any(first.id in said and "--again" in said for said in again.notices)
    assert kinds(workspace) == ["asked"]
    here.approvals.decide(first.id, approve=True, typed=True)
    assert here.ask("Pay the deposit?", action=ACTION, task="roof").id == first.id
    here.approvals.use(first.id, ACTION)
    second = here.ask("Pay the deposit?", action=ACTION, task="roof")

    others = [
        here.ask("Pay the deposit?", action=ACTION, task="roof", again=True),
        here.ask("Pay the deposit?", action=ACTION),
        here.ask("Pay the deposit?", action={**ACTION, "amount": 1}, task="roof"),
        here.ask("Pay the deposit?", action=ACTION, task="roof", risk="high"),
    ]
    assert len({first.id, second.id, *(one.id for one in others)}) == 6


def test_the_action_of_which_another_one_was_approved_is_refused(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id
    here.approvals.decide(id, approve=True, edit={**ACTION, "amount": 200}, typed=True, message="No more than that.")

    with pytest.raises(ApprovalRefusedError, match="another action instead") as refused:
        here.approvals.use("", ACTION)
    assert f"agentws ask show {id}" in (refused.value.hint or "")
    assert [*render.list_lines(here.approvals.list())] == [f"{id}  approved  Pay the deposit? · another action"]
    assert here.approvals.use("", {**ACTION, "amount": 200}).id == id


def test_a_task_that_is_not_there_is_named(workspace: Workspace) -> None:
    workspace.tasks.add("Roof")

    assert at(workspace).ask("Tiles?", task="ro").notices == []
    (told,) = at(workspace).ask("Slates?", task="rof").notices
    assert told == "There is no task 'rof'. To list all: agentws task list"


def test_a_request_is_read_in_any_language(workspace: Workspace) -> None:
    action = {"кому": "Лена Мороз", "金額": 250, "site": "p\u0430y.example"}
    id = at(workspace).ask("Заплатить?", action=action).id

    text = file_of(workspace, id).read_text()
    assert '  "кому": "Лена Мороз",\n  "金額": 250,\n  "site": "p\\u0430y.example"\n' in text
    found = at(workspace).approvals.show(id)
    assert found.action == action
    shown = "\n".join(render.show_lines(found, NOW))
    assert '"кому": "Лена Мороз"' in shown
    assert "p\\u0430y.example" in shown


def test_what_was_decided_is_read_in_the_journal(workspace: Workspace) -> None:
    here = at(workspace)
    first, second = (here.ask(f"Pay {n}?", action=n).id for n in (1, 2))
    here.approvals.decide(first, approve=True, typed=True, edit=3)
    here.approvals.decide(second, approve=False, message="Too much.")
    here.approvals.use("", 3)

    told = [row.what for row in audit.audit(here.stores).rows if row.kind.startswith("approval.")]

    assert told == [
        f"{first}: Pay 1?",
        f"{second}: Pay 2?",
        f"{first}: approved, another action (typed)",
        f"{second}: rejected · Too much.",
        first,
    ]
