"""Where rules are told of: `ask rules`, `status`, `doctor` and the settings of the user."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agentws.core.findings import PROBLEM, WARNING, Finding
from agentws.core.formats import layout
from agentws.errors import UsageError
from agentws.features.approvals import rules_cache as ask_rules
from agentws.features.daily.config import user
from agentws.workspace import Workspace
from tests.features.approvals.test_gate import PAY, ruled

GOOD = '[[ask.rules]]\ncommand = "pay *"\n'


@pytest.fixture(autouse=True)
def _own_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ask_rules, "FILE", str(tmp_path / "rules-of-the-machine.toml"))


def findings(here: Workspace) -> dict[str, Finding]:
    return {one.name: one for one in here.doctor().findings if one.name.startswith("rules-")}


def check(here: Workspace) -> list[tuple[bool, str]]:
    return [(one.ok, one.says) for one in here.status().checks if one.name == "rules"]


def unsigned(workspace: Workspace, text: str = GOOD) -> None:
    page = Path(workspace.root, layout.RULES)
    page.parent.mkdir(exist_ok=True)
    page.write_text(text)


def test_without_rules_nothing_is_said(workspace: Workspace) -> None:
    here = ruled(workspace, "")

    found = here.approvals.rules(tool="Bash", given=PAY)

    assert (found.rules, found.problems) == ([], [])
    assert found.verdict is not None
    assert found.verdict.do == ""
    assert (findings(here), check(here)) == ({}, [])


def test_every_rule_is_listed_with_its_file_and_a_call_is_only_judged(workspace: Workspace, tmp_path: Path) -> None:
    Path(ask_rules.FILE).write_text('[[ask.rules]]\ntool = "Bash"\ndo = "deny"\n')
    here = ruled(workspace, GOOD)

    found = here.approvals.rules(tool="Shell", given=PAY)

    assert [one.where.rpartition("/")[2] for one in found.rules] == [
        "rules-of-the-machine.toml: rule 1",
        "ruled.toml: rule 1",
    ]
    assert found.verdict is not None
    assert found.verdict.do == "ask"
    assert here.approvals.list() == []
    assert check(here) == [(True, "2 rules for tools")]


def test_rules_that_cannot_be_read_are_a_problem(workspace: Workspace) -> None:
    here = ruled(workspace, '[[ask.rules]]\ntool = "x"\ndo = "perhaps"\n')

    assert findings(here)["rules-unread"].severity == PROBLEM
    ((ok, says),) = check(here)
    assert (ok, "ruled.toml: rule 1" in says) == (False, True)
    assert "ruled.toml: rule 1" in here.approvals.rules().problems[0]


def test_rules_that_nobody_signed_are_named(workspace: Workspace) -> None:
    unsigned(workspace)
    here = ruled(workspace, "")

    found = findings(here)["rules-unsigned"]
    assert (found.severity, found.path) == (WARNING, layout.RULES)
    assert "ssh-keygen -Y sign -n agentws-rules" in found.remedy
    assert not check(here)[0][0]
    assert here.approvals.rules().rules == []
    assert "does not count" in here.approvals.rules().problems[0]


def test_rules_that_no_hook_keeps_are_named_until_one_does(workspace: Workspace) -> None:
    here = ruled(workspace, GOOD)
    assert findings(here)["rules-unkept"].severity == WARNING

    here.hosts.install("gemini", script=str(Path(sys.executable).with_name("agentws")), variables={})

    assert findings(ruled(workspace, GOOD)) == {}


def test_the_settings_of_the_user_say_that_rules_are_there_and_are_edited_by_hand(workspace: Workspace) -> None:
    config = ruled(workspace, GOOD).stores.environment.config

    assert any("ask.rules" in notice for notice in user.settings(config).notices)
    with pytest.raises(UsageError, match="by hand"):
        user.settings(config, "ask.rules")
    with pytest.raises(UsageError, match="by hand"):
        user.set_setting(config, "ask.rules", "[]", by_agent=False)
    assert Path(str(config)).read_text() == GOOD
