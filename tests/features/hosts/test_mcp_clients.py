"""install for programs that start `agentws mcp`: an entry among their servers, which keeps what a person has there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws import features
from agentws.core.hosts import plan
from agentws.errors import NeedsYouError, UsageError
from agentws.features import hosts
from agentws.workspace import Workspace
from tests import table
from tests.features.approvals.test_rules_told import GOOD, ruled

SCRIPT = str(Path(sys.executable).parent / "agentws")
CLIENTS = [name for name, program in features.HOSTS.items() if program.starts_mcp]
FILES = {"mcp-json": ".mcp.json", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json"}
DESKTOP = "Library/Application Support/Claude" if sys.platform == "darwin" else ".config/Claude"
MINE = """{
  // mine
  "mcpServers": {
    "weir": { "command": "weir-mcp", "args": ["--slow"] }
  },
  "theme": "dark"
}"""


@pytest.fixture(autouse=True)
def _stands_at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in a checkout with the script in it: there nothing would be allowed."""
    monkeypatch.chdir(os.environ["HOME"])


def install(workspace: Workspace, host: str, **more: Any) -> Any:
    return workspace.hosts.install(host, script=SCRIPT, variables={"HOME": os.environ["HOME"]}, named=True, **more)


def uninstall(workspace: Workspace, host: str, **more: Any) -> Any:
    return workspace.hosts.uninstall(host, variables={"HOME": os.environ["HOME"]}, **more)


def entry(path: Path, key: str = "mcpServers") -> Any:
    return json.loads(path.read_text())[key]["agentws"]


def wiring(**more: Any) -> plan.Wiring:
    given = {"level": plan.PROJECT, "parts": 1, "is_named": True, **more}
    return plan.Wiring("/opt/bin/agentws", "/home/leo/robin", **given)


def test_an_entry_of_a_project_has_no_path_of_this_machine(workspace: Workspace) -> None:
    def check(row: tuple[str, str, list[str]]) -> None:
        host, key, words = row
        install(workspace, host)
        made = entry(Path(workspace.root) / FILES[host], key)
        assert (made["command"], made["args"]) == ("agentws", words)

    table.holds(
        check,
        [
            ("mcp-json", "mcpServers", ["mcp"]),
            ("cursor", "mcpServers", ["-C", "${workspaceFolder}", "mcp"]),
            ("vscode", "servers", ["-C", "${workspaceFolder}", "mcp"]),
        ],
    )


def test_an_entry_elsewhere_names_script_and_workspace(workspace: Workspace, tmp_path: Path) -> None:
    other = tmp_path / "another project"
    other.mkdir()
    install(workspace, "cursor", folder=str(other), level="folder")
    install(workspace, "claude-desktop", level="user")

    for made in (entry(other / FILES["cursor"]), entry(Path.home() / DESKTOP / "claude_desktop_config.json")):
        assert (made["command"], made["args"]) == (SCRIPT, ["-C", workspace.root, "mcp"])


@pytest.mark.parametrize("text", [MINE, MINE + "\n", "{}", '{"mcpServers": {}}', "\ufeff{\r\n}\r\n", ""])
def test_what_a_person_has_in_the_file_stays_and_comes_back_byte_for_byte(workspace: Workspace, text: str) -> None:
    path = Path(workspace.root) / ".mcp.json"
    path.write_bytes(text.encode())

    install(workspace, "mcp-json", allow=True)
    written = path.read_bytes()
    assert not install(workspace, "mcp-json").changes
    uninstall(workspace, "mcp-json")

    assert b'"agentws"' in written
    assert (b'"weir": { "command": "weir-mcp", "args": ["--slow"] }' in written) == ("weir" in text)
    assert path.read_bytes() == text.encode()
    assert not (Path(workspace.root) / ".claude").exists()


def test_a_file_edited_since_keeps_the_edit(workspace: Workspace) -> None:
    path = Path(workspace.root) / ".mcp.json"
    install(workspace, "mcp-json", allow=True)
    servers = json.loads(path.read_text())
    servers["mcpServers"]["weir"] = {"command": "weir-mcp"}
    path.write_text(json.dumps(servers))

    uninstall(workspace, "mcp-json")

    assert json.loads(path.read_text()) == {"mcpServers": {"weir": {"command": "weir-mcp"}}}


def test_a_dry_run_writes_nothing(workspace: Workspace) -> None:
    for host in FILES:
        assert install(workspace, host, dry_run=True).changes
    assert not [name for name in FILES.values() if (Path(workspace.root) / name).exists()]


def test_another_server_with_the_name_is_refused_and_kept(workspace: Workspace) -> None:
    path = Path(workspace.root) / ".mcp.json"

    def check(other: dict[str, object]) -> None:
        path.write_text(json.dumps({"mcpServers": {"agentws": other}}))
        with pytest.raises(UsageError, match="another server"):
            install(workspace, "mcp-json")
        uninstall(workspace, "mcp-json")
        assert json.loads(path.read_text())["mcpServers"]["agentws"] == other

    table.holds(
        check,
        [
            {"command": "weir-mcp", "args": ["mcp"]},
            {"command": "agentws", "args": ["log", "x"]},
            {"command": "agentws", "args": "mcp"},
            {"url": "http://127.0.0.1:8765/mcp"},
            {"command": ["agentws"], "args": []},
        ],
    )


def test_a_file_that_serves_another_workspace_is_changed_on_request_only(workspace: Workspace, tmp_path: Path) -> None:
    other = Workspace.init(str(tmp_path / "wren"), name="Wren", git=False)
    project = tmp_path / "project"
    project.mkdir()
    place = {"folder": str(project), "level": "folder"}
    install(other, "mcp-json", **place)

    with pytest.raises(NeedsYouError):
        install(workspace, "mcp-json", **place)
    install(workspace, "mcp-json", replace=True, **place)

    assert entry(project / ".mcp.json")["args"] == ["-C", workspace.root, "mcp"]


def test_the_permission_is_written_on_request_kept_later_and_revoked_by_no_allow(workspace: Workspace) -> None:
    root = Path(workspace.root)
    claude = root / ".claude/settings.local.json"
    assert install(workspace, "mcp-json").allowed is False
    assert not claude.exists()

    assert install(workspace, "mcp-json", allow=True).allowed is True
    assert install(workspace, "mcp-json").allowed is True
    assert entry(root / ".mcp.json")["trust"] is True
    allowed = {"enabledMcpjsonServers": ["agentws"], "permissions": {"allow": ["mcp__agentws"]}}
    assert json.loads(claude.read_text()) == allowed
    assert install(workspace, "mcp-json", allow=False).allowed is False
    assert "trust" not in entry(root / ".mcp.json")
    assert not claude.exists()
    install(workspace, "cursor", allow=True)
    assert json.loads((root / ".cursor/cli.json").read_text()) == {"permissions": {"allow": ["Mcp(agentws:*)"]}}


def test_a_rule_that_a_person_wrote_stays(workspace: Workspace) -> None:
    rules = Path(workspace.root) / ".claude/settings.local.json"
    rules.parent.mkdir()
    rules.write_text('{"permissions": {"allow": ["mcp__agentws"]}}\n')
    install(workspace, "mcp-json", allow=True)
    rules.write_text(rules.read_text().replace("{", '{"theme": "dark", ', 1))

    uninstall(workspace, "mcp-json")

    assert json.loads(rules.read_text()) == {"theme": "dark", "permissions": {"allow": ["mcp__agentws"]}}


def test_a_client_without_a_setting_for_the_permission_says_so(workspace: Workspace) -> None:
    for host, level in (("claude-desktop", "user"), ("cursor", "user"), ("vscode", "project")):
        with pytest.raises(UsageError, match="has no setting to allow"):
            install(workspace, host, level=level, allow=True)


def test_a_client_with_settings_of_one_kind_says_so(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="has user settings only"):
        install(workspace, "claude-desktop")
    for host in ("mcp-json", "vscode"):
        with pytest.raises(UsageError, match="no user settings"):
            install(workspace, host, level="user")


@pytest.mark.parametrize("reader", ["claude-code", "qwen", "copilot"])
def test_the_tool_for_the_boot_is_left_out_where_hooks_bring_it(workspace: Workspace, reader: str) -> None:
    path = Path(workspace.root) / ".mcp.json"
    install(workspace, "mcp-json")
    assert entry(path)["args"] == ["mcp"]

    install(workspace, reader)
    install(workspace, "mcp-json")
    assert entry(path)["args"] == ["mcp", "--without", "boot"]

    uninstall(workspace, reader)
    install(workspace, reader, level="user")
    assert not install(workspace, "mcp-json").changes


def test_the_entry_starts_a_server_of_this_workspace(workspace: Workspace, tmp_path: Path) -> None:
    install(workspace, "claude-desktop", level="user")
    made = entry(Path.home() / DESKTOP / "claude_desktop_config.json")

    done = subprocess.run(
        [made["command"], *made["args"]], cwd=tmp_path, input="", capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, "")


def test_the_list_and_the_doctor_see_the_entry(workspace: Workspace) -> None:
    install(workspace, "mcp-json")
    install(workspace, "claude-desktop", level="user")

    variables = {"HOME": os.environ["HOME"]}
    listed = {known.name: known for known in workspace.hosts.list(variables=variables).hosts}
    assert [wire.ours and wire.works for name in CLIENTS for wire in listed[name].wires] == [True, True]
    path = Path.home() / DESKTOP / "claude_desktop_config.json"
    path.write_text(path.read_text().replace(SCRIPT, "/gone/agentws"))
    (listed_again,) = (k for k in workspace.hosts.list(variables=variables).hosts if k.name == "claude-desktop")
    assert not listed_again.wires[0].works
    says = [finding.says for finding in workspace.doctor(script=SCRIPT, variables=variables).findings]
    assert any("the settings of Claude Desktop call /gone/agentws, which no longer exists" in line for line in says)


def test_rules_of_tools_need_hooks_and_are_not_enforced_by_a_server(workspace: Workspace) -> None:
    here = ruled(workspace, GOOD)
    install(here, "mcp-json")

    assert "rules-unkept" in [finding.name for finding in here.doctor().findings]


@pytest.mark.parametrize("host", CLIENTS)
def test_settings_that_are_right_are_recognised_at_every_level(host: str) -> None:
    settings = hosts.settings(host)
    for level in (plan.PROJECT, plan.FOLDER, plan.USER):
        if settings.places(level):
            after = settings.install({}, wiring(level=level, is_named=False))
            texts = {place: text for place, text in after.items() if text}
            (wired,) = settings.wired(texts, level)
            assert wired.script == "/opt/bin/agentws"
            assert wired.workspace == ("" if level == plan.PROJECT else "/home/leo/robin")
            assert not settings.install(texts, wiring(level=level, is_named=False))
            assert settings.uninstall(texts, level) == dict.fromkeys(texts)
