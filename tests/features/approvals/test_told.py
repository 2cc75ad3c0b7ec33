"""Where it is told that approvals wait: boot's header, `status`, `doctor`."""

from __future__ import annotations

from agentws.features.doctor import render_verdict as verdict
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.approvals.people import ACTION, at, file_of


def header(workspace: Workspace, **surroundings: object) -> str:
    config = Environment(now=NOW, timezone="UTC", **surroundings)  # type: ignore[arg-type]
    text = Workspace.open(workspace.root, environment=config).boot().text
    return next(line for line in text.split("\n") if "session ·" in line)


def test_boot_says_how_many_wait_and_until_when(workspace: Workspace) -> None:
    here = at(workspace)
    assert "approval" not in header(workspace)
    first = here.ask("Pay the deposit?", action=ACTION, expires="3d").id
    here.ask("Book the hall?", expires="2d")
    last = here.ask("Call Lena?").id

    assert "3 approvals wait, the first until 2026-11-22 07:15: agentws ask list" in header(workspace)
    here.approvals.decide(first, approve=True, typed=True)
    here.approvals.decide(last, approve=False)
    assert "1 approval waits until 2026-11-22 07:15:" in header(workspace)


def test_boot_says_that_an_approved_action_may_be_done_until_it_is_used_or_expires(workspace: Workspace) -> None:
    here = at(workspace)
    request = here.ask("Pay the deposit?", action=ACTION, expires="2h").id
    here.approvals.decide(request, approve=True, typed=True)

    assert "1 approved action may be done now, once: agentws ask list" in header(workspace)
    assert "approved" not in at(workspace, hours=3).boot().text.partition("\n\n")[0]
    here.approvals.use(request, action=ACTION)
    assert "approved" not in header(workspace)


def test_a_remembered_boot_is_made_anew_when_one_expires(workspace: Workspace, tmp_path: object) -> None:
    cache = f"{tmp_path}/cache"
    at(workspace).ask("Pay the deposit?", action=ACTION, expires="2h")

    def told(**later: float) -> str:
        here = at(workspace, **later)
        found = Environment(now=here.stores.environment.now, timezone="UTC", cache=cache)
        return Workspace.open(workspace.root, environment=found).boot().text

    assert "1 approval waits" in told()
    assert "1 approval waits" in told(hours=1)
    assert "approval" not in told(hours=3).partition("\n\n")[0]


def test_a_group_hears_of_its_own_alone(workspace: Workspace) -> None:
    group = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", session="g-1"))
    group.session.start("Book club", session="g-1", audience="shared")
    own = group.ask("Bring plates?").id
    private = at(workspace).ask("Pay Lena?", action=ACTION).id

    assert "1 approval waits" in header(workspace, session="g-1")
    assert [one.id for one in group.approvals.list()] == [own]
    assert "audience: shared\n" in file_of(workspace, own).read_text()
    assert "audience" not in file_of(workspace, private).read_text()


def test_a_file_that_cannot_be_read_stops_no_boot_and_no_list(workspace: Workspace) -> None:
    here = at(workspace)
    id = here.ask("Pay the deposit?", action=ACTION).id
    file_of(workspace, "bbbbbb").write_bytes(b"---\nstatus: pending\nexpires: [\n---\n# \xff\n")
    file_of(workspace, "cccccc").write_text("---\nstatus: pending\nexpires: soon\n---\n# Soon?\n\n```json\n{\n```\n")

    assert "1 approval waits:" in header(workspace)
    found = here.approvals.list()
    assert [one.id for one in found] == [id]
    assert len(found.notices) == 2


def test_status_counts_them_and_doctor_finds_what_was_edited_forged_or_broken(workspace: Workspace) -> None:
    here = at(workspace)
    assert [one for one in here.status().checks if one.name == "approvals"] == []
    edited, forged, broken = (here.ask(f"Pay number {number}?", action=ACTION).id for number in range(3))
    (check,) = [one for one in here.status().checks if one.name == "approvals"]
    assert (check.ok, check.says, check.remedy) == (True, "3 approvals wait", "agentws ask list")
    assert verdict.of_workspace(here.status()).endswith(" · 3 approvals wait: agentws ask list")
    assert not found(here)

    for id, before, after in ((edited, "250", "950"), (forged, "pending", "approved"), (broken, "# Pay", "Pay")):
        file_of(workspace, id).write_text(file_of(workspace, id).read_text().replace(before, after))

    expected = {"approval-disputed": edited, "approval-forged": forged, "approval-unread": broken}
    assert found(here) == {name: f"approvals/{id}.md" for name, id in expected.items()}


def found(here: Workspace) -> dict[str, str]:
    return {one.name: one.path for one in here.doctor().findings if one.name.startswith("approval-")}


def test_an_open_request_whose_file_is_gone_is_told(workspace: Workspace) -> None:
    here = at(workspace)
    lost, over = (here.ask("Pay?", action={"n": n}).id for n in range(2))
    here.approvals.decide(over, approve=False)
    for id in (lost, over):
        file_of(workspace, id).unlink()

    (notice,) = here.approvals.list().notices
    assert f"approvals/{lost}.md is missing" in notice
    found = [one for one in here.doctor().findings if one.name.startswith("approval-")]
    assert [(one.name, one.path) for one in found] == [("approval-gone", f"approvals/{lost}.md")]
