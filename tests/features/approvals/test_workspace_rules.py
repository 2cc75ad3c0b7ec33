"""The rules of a workspace: whose signature makes them count, and what a stranger's file cannot stop."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentws.core.disk.files import Files
from agentws.core.formats import layout
from agentws.core.identity import approvers
from agentws.errors import DiskError
from agentws.workspace import Workspace
from tests.features.approvals import keys
from tests.features.approvals.test_gate import asked, ruled, signed_rules

DENY = '[[ask.rules]]\ncommand = "pay *"\ndo = "deny"\n'
ASK, ALLOW = '[[ask.rules]]\ncommand = "pay *"\n', '[[ask.rules]]\ntool = "*"\ndo = "allow"\n'


@pytest.fixture
def sam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: Workspace) -> Path:
    """The key of Sam, who may sign rules."""
    key = keys.made(tmp_path / "away")
    file = keys.pinned(monkeypatch, tmp_path, key)
    file.write_text(file.read_text().replace("agentws-approval,", "agentws-approval,agentws-rules,"))
    Path(workspace.root, layout.RULES).parent.mkdir(exist_ok=True)
    return key


def unproved() -> None:
    """Let the key be pinned without a word on where it is."""
    file = Path(approvers.FILE)
    file.write_text(file.read_text().replace(",agentws-elsewhere", ""))


@pytest.mark.parametrize("odd", ["large", "pipe", "link", "folder", "unsigned", "signature of a folder", "stranger"])
def test_an_odd_file_that_nobody_trusted_signed_stops_no_tool(
    workspace: Workspace, sam: Path, tmp_path: Path, odd: str
) -> None:
    page, seal = Path(workspace.root, layout.RULES), Path(workspace.root, layout.RULES_SIGNATURE)
    if odd == "large":
        page.write_text("# " + "x" * 300_000)
    elif odd == "pipe":
        os.mkfifo(page)
    elif odd == "link":
        page.symlink_to(tmp_path / "elsewhere")
    elif odd == "folder":
        page.mkdir()
    else:
        page.write_text("[[ask.rules]\n")
    if odd == "signature of a folder":
        seal.mkdir()
    elif odd == "stranger":
        seal.write_text(keys.signed(keys.made(tmp_path, "own"), page.read_text(), namespace="agentws-rules"))
    elif odd != "unsigned":
        seal.write_text(keys.signed(sam, "other words", namespace="agentws-rules"))
    here = ruled(workspace, "")

    assert asked(here).may is None
    assert "does not count" in here.approvals.rules().problems[0]
    assert any(one.name == "rules-unsigned" for one in here.doctor().findings)


def test_a_signed_file_that_cannot_be_read_lets_nothing_through(
    workspace: Workspace, sam: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_rules(workspace, sam, DENY)
    read = Files.read

    def failing(files: Files, path: str, **how: int) -> bytes:
        if path == layout.RULES:
            raise DiskError(f"{path}: input/output error.")
        return read(files, path, **how)

    monkeypatch.setattr(Files, "read", failing)

    assert asked(ruled(workspace, ""), {"command": "make"}).may is False


def test_a_key_that_proves_no_person_any_more_lifts_no_rule_that_it_signed(workspace: Workspace, sam: Path) -> None:
    signed_rules(workspace, sam, DENY)
    unproved()
    here = ruled(workspace, "")

    assert asked(here).may is False
    assert "still denies and asks" in here.approvals.rules().problems[0]


def test_a_key_that_proves_no_person_signs_no_more_than_settings_may_say(
    workspace: Workspace, sam: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from agentws.features.approvals import rules_cache as ask_rules

    machine = tmp_path / "machine.toml"
    machine.write_text(ASK)
    monkeypatch.setattr(ask_rules, "FILE", str(machine))
    signed_rules(workspace, sam, ALLOW)
    assert asked(ruled(workspace, "")).may is False
    machine.write_text("")
    assert asked(ruled(workspace, ASK)).may is None
    assert [one.rank for one in ruled(workspace, ASK).approvals.rules().rules] == [0, 1]

    unproved()

    assert [one.rank for one in ruled(workspace, ASK).approvals.rules().rules] == [0, 0]
