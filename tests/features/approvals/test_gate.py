"""The gate before a tool: what needs a yes is asked for once, and goes on once."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agentws.core.formats import layout
from agentws.core.formats.identity import approver
from agentws.features.approvals import ask, gate, rules_cache as ask_rules
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.approvals import keys
from tests.features.approvals.people import file_of, kinds, told

RULES = """
[ask]
typed = true

[[ask.rules]]
command = "pay *"
why = "money leaves"

[[ask.rules]]
command = "wire *"
risk = "high"

[[ask.rules]]
command = "burn *"
do = "deny"
why = "it is gone then"

[[ask.rules]]
command = "ring *"
do = "confirm"
"""
_SECRET = "9f3KqLx27VbTn5RzWc8YdHm4"
PAY = {"command": "pay 250", "description": "Pay the deposit"}


def ruled(workspace: Workspace, rules: str = RULES, **later: float) -> Workspace:
    """The workspace of a user with these rules."""
    from datetime import timedelta

    config = Path(workspace.root).parent / "ruled.toml"
    config.write_text(rules)
    now = NOW + timedelta(**later)
    return Workspace.open(workspace.root, environment=Environment(now=now, timezone="UTC", config=str(config)))


def asked(here: Workspace, given: Any = PAY, **how: Any) -> gate.Answer:
    return here.plumbing.gate("Bash", given, **how)


def only(here: Workspace) -> str:
    """The id of the only request."""
    (one,) = here.approvals.list()
    return one.id


def test_without_rules_nothing_is_said_or_written(workspace: Workspace) -> None:
    here = ruled(workspace, "[ask]\ntyped = true\n")

    answer = asked(here)

    assert (answer.may, answer.says, here.approvals.list()) == (None, "", [])


def test_a_yes_lets_a_call_go_on_once(workspace: Workspace) -> None:
    here = ruled(workspace)

    first, second = asked(here), asked(here)

    id = only(here)
    assert (first.may, second.may) == (False, False)
    assert "money leaves" in first.says
    assert f"agentws ask approve {id}" in first.says
    assert f"Request {id} waits" in second.says
    here.approvals.decide(id, approve=True, typed=True)
    assert asked(here).may is True
    again = asked(here)
    assert again.may is False
    assert id not in again.says
    assert kinds(workspace) == ["asked", "decided", "used", "asked"]


def test_a_yes_is_for_this_very_call(workspace: Workspace) -> None:
    here = ruled(workspace)
    asked(here, folder="/srv")
    here.approvals.decide(only(here), approve=True, typed=True)

    assert asked(here, {**PAY, "command": "pay 251"}, folder="/srv").may is False
    assert asked(here, PAY, folder="/srv/other").may is False
    assert here.plumbing.gate("Shell", {**PAY, "sandbox": "off"}, folder="/srv").may is False
    assert asked(here, {**PAY, "description": "In other words"}, folder="/srv").may is True


def test_what_no_rule_is_about_goes_on(workspace: Workspace) -> None:
    here = ruled(workspace)

    assert asked(here, {"command": "make"}).may is None
    assert here.approvals.list() == []


def test_a_denial_is_said_with_its_reason_and_nobody_is_asked(workspace: Workspace) -> None:
    here = ruled(workspace)

    answer = asked(here, {"command": "cd x && burn y"})

    assert answer.may is False
    assert "it is gone then" in answer.says
    assert "rule 3" in answer.says
    assert here.approvals.list() == []


def test_the_words_that_matched_are_said_with_each_denial(workspace: Workspace) -> None:
    here = ruled(workspace)

    assert "it matched: burn" in asked(here, {"command": "timeout 5 /opt/burn y"}).says
    assert "It matched: pay." in asked(here).says
    assert "It matched: ring." in asked(here, {"command": "ring Lena"}, confirms=True).says


def test_an_input_that_was_cut_is_refused_and_its_reason_told(workspace: Workspace) -> None:
    answer = asked(ruled(workspace), None, is_whole=False)

    assert answer.may is False
    assert "too long" in answer.says


def test_a_host_that_can_ask_does_so_and_any_other_call_waits_for_an_approval(workspace: Workspace) -> None:
    here = ruled(workspace)

    answer = asked(here, {"command": "ring Lena"}, confirms=True)

    assert (answer.may, answer.confirms, here.approvals.list()) == (None, True, [])
    assert answer.says
    assert asked(here, {"command": "ring Lena"}).may is False
    assert only(here)


def test_a_no_stands_and_says_why(workspace: Workspace) -> None:
    here = ruled(workspace)
    asked(here)
    here.approvals.decide(only(here), approve=False, message="Not this month.")

    answer = asked(here)

    assert answer.may is False
    assert "Not this month." in answer.says
    assert only(here)


def test_a_command_in_parts_is_read_in_the_question(workspace: Workspace) -> None:
    here = ruled(workspace)
    here.plumbing.gate("shell", {"command": ["bash", "-c", "pay 250"]})

    (one,) = here.approvals.list()
    assert one.question == "May shell run: bash -c pay 250? (money leaves)"


def test_a_later_yes_ends_a_no(workspace: Workspace) -> None:
    here = ruled(workspace)
    asked(here)
    first = only(here)
    here.approvals.decide(first, approve=False, message="Not this month.")
    assert "Not this month." in asked(here).says

    later = ruled(workspace, hours=1)
    second = later.ask("Pay after all?", action={"tool": "Bash", "input": {"command": PAY["command"]}}).id
    later.approvals.decide(second, approve=True, typed=True)

    assert asked(later).may is True
    answer = asked(ruled(workspace, hours=2))
    assert (answer.may, "was made" in answer.says) == (False, True)


def test_an_answer_that_expired_is_asked_for_again(workspace: Workspace) -> None:
    here = ruled(workspace)
    id = here.ask("May I pay?", action=ask.bound("Bash", PAY), expires="2h").id
    here.approvals.decide(id, approve=True, typed=True)
    later = ruled(workspace, hours=3)

    assert asked(later).may is False
    assert sorted(one.status for one in later.approvals.list()) == ["expired", "pending"]


def test_another_call_that_was_approved_instead_is_told(workspace: Workspace) -> None:
    here = ruled(workspace)
    asked(here)
    less = {"tool": "Bash", "input": {"command": "pay 200"}}
    here.approvals.decide(only(here), approve=True, typed=True, edit=less)

    answer = asked(here)

    assert answer.may is False
    assert "pay 200" in answer.says
    assert asked(here, {"command": "pay 200"}).may is True


def test_a_high_risk_waits_for_a_signature_whatever_was_typed(workspace: Workspace) -> None:
    here, wire = ruled(workspace), {"command": "wire 9"}
    low = here.ask("May I?", action=ask.bound("Bash", wire)).id
    here.approvals.decide(low, approve=True, typed=True)

    assert asked(here, wire).may is False
    high = next(one for one in here.approvals.list() if one.id != low)
    assert high.risk == "high"
    with pytest.raises(Exception, match="signature"):
        here.approvals.decide(high.id, approve=True, typed=True)
    assert asked(here, wire).may is False


@pytest.mark.parametrize(
    "text",
    [
        "[[ask.rules]\n",
        '[[ask.rules]]\ntool = "x"\ndo = "maybe"\n',
        '[[ask.rules]]\ndo = "deny"\n',
        "[ask]\nrules = 1\n",
    ],
)
def test_rules_that_cannot_be_read_let_nothing_through(workspace: Workspace, text: str) -> None:
    here = ruled(workspace, text)

    answer = asked(here, {"command": "make"})

    assert answer.may is False
    assert "ruled.toml" in answer.says
    assert gate.gate_alone(here.stores.environment.config, "Bash", {"command": "make"}).may is False


def test_without_a_workspace_what_needs_a_yes_does_not_run(workspace: Workspace) -> None:
    config = ruled(workspace).stores.environment.config

    assert gate.gate_alone(config, "Bash", {"command": "make"}).may is None
    assert "It matched: pay." in gate.gate_alone(config, "Bash", PAY).says
    assert gate.gate_alone(config, "Bash", PAY).may is False
    assert "gone" in gate.gate_alone(config, "Bash", {"command": "burn x"}).says
    assert gate.gate_alone(config, "Bash", None, is_whole=False).may is False
    assert gate.gate_alone(None, "Bash", PAY).may is None


def test_an_input_with_a_secret_or_of_any_size_is_bound_by_its_digest(workspace: Workspace) -> None:
    here = ruled(workspace)
    secret = {"command": "pay 250", "password": _SECRET}
    large = {"command": "pay 250", "note": "x" * 100_000}

    for given in (secret, large):
        assert asked(here, given).may is False
        (one,) = here.approvals.list(pending=True)
        assert "input_digest" in one.action
        assert _SECRET not in file_of(workspace, one.id).read_text()
        here.approvals.decide(one.id, approve=True, typed=True)
        assert asked(here, {**given, "command": given["command"] + "0"}).may is False
        assert asked(here, given).may is True
        here.approvals.decide(next(iter(here.approvals.list(pending=True))).id, approve=False)


def test_many_hooks_at_once_ask_once_and_consume_once(workspace: Workspace) -> None:
    ruled(workspace)

    def one(_: int) -> bool | None:
        return asked(ruled_again(workspace)).may

    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(one, range(8))] == [False] * 8
    here = ruled_again(workspace)
    here.approvals.decide(only(here), approve=True, typed=True)
    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(one, range(8))]

    assert found.count(True) == 1
    assert kinds(workspace).count("used") == 1


def ruled_again(workspace: Workspace) -> Workspace:
    """The same user, in another process."""
    config = str(Path(workspace.root).parent / "ruled.toml")
    return Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", config=config))


def signed_rules(workspace: Workspace, key: Path, text: str) -> None:
    page = Path(workspace.root, layout.RULES)
    page.write_text(text)
    signature = keys.signed(key, text, namespace=approver.RULES_NAMESPACE)
    page.with_name(page.name + ".sig").write_text(signature)


def test_rules_of_the_workspace_count_where_a_key_that_counts_signed_them(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = keys.made(tmp_path / "away")
    keys.pinned(monkeypatch, tmp_path, key)
    pinned = tmp_path / "approvers"
    pinned.write_text(pinned.read_text().replace("agentws-approval,", "agentws-approval,agentws-rules,"))
    here = ruled(workspace, "")
    page = Path(workspace.root, layout.RULES)
    page.parent.mkdir(exist_ok=True)
    page.write_text('[[ask.rules]]\ncommand = "pay *"\ndo = "deny"\n')
    assert asked(here).may is None

    signed_rules(workspace, key, page.read_text())
    assert asked(here).may is False

    page.write_text(page.read_text() + "\n# more\n")
    assert asked(here).may is None


def test_the_machine_s_own_rules_count_for_every_user(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "rules.toml"
    file.write_text('[[ask.rules]]\ncommand = "pay *"\ndo = "deny"\n')
    monkeypatch.setattr(ask_rules, "FILE", str(file))

    assert asked(ruled(workspace, "")).may is False


def test_what_was_asked_shows_the_call_as_it_is(workspace: Workspace) -> None:
    here = ruled(workspace)
    asked(here, dict(reversed(PAY.items())), folder="/srv")

    ((_, body),) = told(workspace)

    assert body["action"] == {"tool": "Bash", "folder": "/srv", "input": {"command": "pay 250"}}
    assert "pay 250" in body["text"]
    assert json.dumps(body["action"])


@pytest.mark.parametrize("odd", ["folder", "pipe"])
def test_settings_that_are_no_file_let_nothing_through(workspace: Workspace, odd: str, tmp_path: Path) -> None:
    place = tmp_path / "odd.toml"
    os.mkfifo(place) if odd == "pipe" else place.mkdir()
    workspace.stores.environment.config = str(place)

    assert workspace.plumbing.gate("Bash", {"command": "ls"}).may is False


def test_what_another_tool_calls_a_description_is_part_of_the_action(workspace: Workspace) -> None:
    from agentws.features.approvals import ask

    first, second = (ask.bound("mcp__bank__note", {"command": "send", "description": said}) for said in "ab")
    assert first != second
