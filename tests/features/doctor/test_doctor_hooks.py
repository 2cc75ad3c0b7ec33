"""`doctor` and the settings of agent programs: what is wired there must be there, be ours, and be allowed to run."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from agentws.core.disk import external_files
from agentws.core.findings import ADVICE, PROBLEM, WARNING, Finding
from agentws.core.hosts import plan
from agentws.errors import DiskError
from agentws.features import hosts
from agentws.features.doctor.apply import Examined
from agentws.features.hosts import install_record
from agentws.workspace import Environment, Workspace

HOOKED = ("claude-code", "codex", "gemini", "opencode", "openclaw")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "home"
    made.mkdir()
    return made


@pytest.fixture
def script(tmp_path: Path) -> Path:
    made = tmp_path / "venv/bin/agentws"
    made.parent.mkdir(parents=True)
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return made


def wire(host: str, folder: Path, workspace: str, script: Path, level: str = plan.PROJECT) -> None:
    """What `install` writes, put where it belongs."""
    settings = hosts.settings(host)
    present = {at: (folder / at).read_text() for at in settings.places(level) if (folder / at).is_file()}
    wiring = plan.Wiring(str(script), workspace, level=level, parts=2)
    for place, text in settings.install(present, wiring).items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text or "")
    if Path(workspace).is_dir():
        Path(workspace, ".agentws").mkdir(exist_ok=True)
        Path(workspace, ".agentws/hook").write_text(wiring.hook_file())


def look(workspace: Workspace, script: Path, home: Path) -> Examined:
    return workspace.doctor(script=str(script), variables={"HOME": str(home)})


def about_hooks(done: Examined) -> list[Finding]:
    return [one for one in done.findings if one.name.startswith(("hook", "host-"))]


def one(done: Examined, name: str) -> Finding:
    found = [each for each in done.findings if each.name == name]
    assert len(found) == 1, [(each.name, each.where, each.says) for each in done.findings]
    return found[0]


def gemini_trusts(home: Path, workspace: Workspace) -> None:
    """What Gemini CLI writes when somebody trusts a folder."""
    (home / ".gemini").mkdir(exist_ok=True)
    (home / ".gemini/trustedFolders.json").write_text(json.dumps({workspace.root: "TRUST_FOLDER"}))


def codex_trusts(home: Path, workspace: Workspace, *, but: str = "nothing", more: str = "", state: str = "") -> None:
    """What Codex writes into its settings when somebody has looked at the hooks and trusts them, `but` some event's."""
    (home / ".codex").mkdir(exist_ok=True)
    hooks = Path(workspace.root) / ".codex/hooks.json"
    told = json.loads(hooks.read_text())["hooks"] if hooks.is_file() else {}
    keys = [
        f"{re.sub('(?<!^)(?=[A-Z])', '_', event).lower()}:{number}:{place}"
        for event, groups in told.items()
        for number, group in enumerate(groups)
        for place, _ in enumerate(group["hooks"])
        if event != but
    ]
    states = [f'[hooks.state."{hooks}:{key}"]\ntrusted_hash = "sha256:00"\n{state}\n' for key in keys]
    trusted = f'[projects."{workspace.root}"]\ntrust_level = "trusted"\n'
    (home / ".codex/config.toml").write_text("\n".join((more, trusted, *states)))


@pytest.mark.parametrize("host", HOOKED)
def test_hooks_that_are_as_install_made_them_are_no_finding(
    workspace: Workspace, script: Path, home: Path, host: str
) -> None:
    wire(host, Path(workspace.root), workspace.root, script)
    codex_trusts(home, workspace)
    gemini_trusts(home, workspace)

    assert about_hooks(look(workspace, script, home)) == []


@pytest.mark.parametrize("host", HOOKED)
def test_hooks_that_call_a_script_that_is_gone_are_a_problem(
    workspace: Workspace, script: Path, home: Path, host: str
) -> None:
    wire(host, Path(workspace.root), workspace.root, script)
    codex_trusts(home, workspace)
    script.unlink()

    found = one(look(workspace, Path(sys.executable), home), "hook-stale")

    assert found.severity == PROBLEM
    assert str(script) in found.says
    assert found.remedy == f"agentws install {host}"


def test_that_stale_hooks_would_not_be_run_either_is_left_for_later(
    workspace: Workspace, script: Path, home: Path
) -> None:
    wire("codex", Path(workspace.root), "/nowhere/heron", script)

    assert [each.name for each in about_hooks(look(workspace, script, home))] == ["hook-stale"]


def test_hooks_that_serve_a_workspace_that_is_gone_are_a_problem(
    workspace: Workspace, script: Path, home: Path
) -> None:
    wire("claude-code", Path(workspace.root), "/nowhere/heron", script)

    found = one(look(workspace, script, home), "hook-stale")

    assert "/nowhere/heron" in found.says
    assert found.path == f"{workspace.root}/.claude/settings.json"


def test_hooks_of_another_project_that_install_has_written_are_looked_at_too(
    workspace: Workspace, script: Path, home: Path, tmp_path: Path
) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    wire("claude-code", project, workspace.root, script, plan.FOLDER)
    install_record.keep(workspace.stores.files, install_record.Record("claude-code", plan.FOLDER, str(project)))
    assert about_hooks(look(workspace, script, home)) == []
    script.unlink()

    found = one(look(workspace, Path(sys.executable), home), "hook-stale")

    assert found.remedy == f"agentws install claude-code --folder '{project}'"


def test_hooks_of_the_user_are_looked_at_too(workspace: Workspace, script: Path, home: Path) -> None:
    wire("claude-code", home / ".claude", workspace.root, script, plan.USER)
    script.unlink()

    found = one(look(workspace, Path(sys.executable), home), "hook-stale")

    assert found.path.startswith(f"{home}/.claude/")
    assert found.remedy == "agentws install claude-code --user"


@pytest.mark.parametrize(("level", "severity"), [(plan.PROJECT, WARNING), (plan.USER, ADVICE)])
def test_hooks_of_another_workspace_are_told(
    workspace: Workspace, script: Path, home: Path, environment: Environment, tmp_path: Path, level: str, severity: str
) -> None:
    other = Workspace.init(str(tmp_path / "heron"), environment=environment, git=False)
    folder = Path(workspace.root) if level == plan.PROJECT else home / ".claude"
    wire("claude-code", folder, other.root, script, level)

    found = one(look(workspace, script, home), "hook-elsewhere")

    assert found.severity == severity
    assert other.root in found.says


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini"])
def test_hooks_that_are_told_twice_are_a_warning(workspace: Workspace, script: Path, home: Path, host: str) -> None:
    at_home = hosts.settings(host).home({"HOME": str(home)})
    assert at_home is not None
    wire(host, Path(at_home), workspace.root, script, plan.USER)
    assert [each.name for each in look(workspace, script, home).findings if each.name == "hook-twice"] == []

    wire(host, Path(workspace.root), workspace.root, script)

    found = one(look(workspace, script, home), "hook-twice")
    assert found.severity == WARNING
    assert at_home in found.says
    assert f"agentws uninstall {host}, or: agentws uninstall {host} --user" in found.remedy


@pytest.mark.parametrize("host", ["opencode", "openclaw", "pi"])
def test_where_one_of_two_hooks_speaks_nothing_is_told_twice(
    workspace: Workspace, script: Path, home: Path, host: str
) -> None:
    at_home = hosts.settings(host).home({"HOME": str(home)})
    assert at_home is not None
    wire(host, Path(at_home), workspace.root, script, plan.USER)
    wire(host, Path(workspace.root), workspace.root, script)

    assert "hook-twice" not in [each.name for each in look(workspace, script, home).findings]


def test_hooks_of_the_user_that_serve_another_workspace_tell_nothing_twice(
    workspace: Workspace, script: Path, home: Path, environment: Environment, tmp_path: Path
) -> None:
    other = Workspace.init(str(tmp_path / "heron"), environment=environment, git=False)
    wire("claude-code", home / ".claude", other.root, script, plan.USER)
    wire("claude-code", Path(workspace.root), workspace.root, script)

    assert "hook-twice" not in [each.name for each in look(workspace, script, home).findings]


def test_hooks_that_call_another_agentws_are_advice(
    workspace: Workspace, script: Path, home: Path, tmp_path: Path
) -> None:
    wire("claude-code", Path(workspace.root), workspace.root, script)
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)

    assert one(look(workspace, other, home), "hook-other").severity == ADVICE


def test_a_link_to_this_script_is_this_script(workspace: Workspace, script: Path, home: Path, tmp_path: Path) -> None:
    link = tmp_path / "bin/agentws"
    link.parent.mkdir()
    link.symlink_to(script)
    wire("claude-code", Path(workspace.root), workspace.root, link)

    assert about_hooks(look(workspace, script, home)) == []


@pytest.mark.parametrize("place", [".claude/settings.local.json", "home"])
def test_hooks_that_claude_code_has_switched_off_are_told(
    workspace: Workspace, script: Path, home: Path, place: str
) -> None:
    wire("claude-code", Path(workspace.root), workspace.root, script)
    path = home / ".claude/settings.json" if place == "home" else Path(workspace.root) / place
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"disableAllHooks": true}\n')

    found = one(look(workspace, script, home), "hooks-disabled")

    assert (found.severity, found.path) == (WARNING, str(path))


def test_what_the_project_says_of_hooks_wins_over_the_user(workspace: Workspace, script: Path, home: Path) -> None:
    wire("claude-code", Path(workspace.root), workspace.root, script)
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"disableAllHooks": true}\n')
    (Path(workspace.root) / ".claude/settings.local.json").write_text('{"disableAllHooks": false}\n')

    assert about_hooks(look(workspace, script, home)) == []


def test_a_switch_without_hooks_of_ours_is_none_of_our_business(workspace: Workspace, script: Path, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"disableAllHooks": true}\n')

    assert about_hooks(look(workspace, script, home)) == []


def test_hooks_that_nobody_has_trusted_in_codex_are_told(workspace: Workspace, script: Path, home: Path) -> None:
    wire("codex", Path(workspace.root), workspace.root, script)
    (home / ".codex").mkdir()
    config = home / ".codex/config.toml"
    config.write_text(f'[projects."{workspace.root}"]\ntrust_level = "trusted"\n')

    found = one(look(workspace, script, home), "hook-untrusted")

    assert found.severity == WARNING
    assert "press 2, then Enter" in found.remedy


def test_a_hook_that_came_later_has_to_be_trusted_in_codex_too(workspace: Workspace, script: Path, home: Path) -> None:
    wire("codex", Path(workspace.root), workspace.root, script)
    codex_trusts(home, workspace, but="PostToolUse")

    assert "1 of the " in one(look(workspace, script, home), "hook-untrusted").says


def test_single_hooks_that_codex_has_switched_off_are_told(workspace: Workspace, script: Path, home: Path) -> None:
    wire("codex", Path(workspace.root), workspace.root, script)
    codex_trusts(home, workspace, state="enabled = false")

    assert "are switched off" in one(look(workspace, script, home), "hooks-disabled").says


def test_a_project_that_codex_does_not_trust_is_told(workspace: Workspace, script: Path, home: Path) -> None:
    wire("codex", Path(workspace.root), workspace.root, script)
    (home / ".codex").mkdir()

    assert workspace.root in one(look(workspace, script, home), "hook-untrusted").says


def test_hooks_that_codex_has_switched_off_are_told(workspace: Workspace, script: Path, home: Path) -> None:
    wire("codex", Path(workspace.root), workspace.root, script)
    codex_trusts(home, workspace, more="[features]\nhooks = false\n")

    assert "features.hooks" in one(look(workspace, script, home), "hooks-disabled").says


def test_hooks_that_gemini_has_switched_off_are_told(workspace: Workspace, script: Path, home: Path) -> None:
    wire("gemini", Path(workspace.root), workspace.root, script)
    gemini_trusts(home, workspace)
    (home / ".gemini/settings.json").write_text('{"hooksConfig": {"disabled": ["agentws SessionStart"]}}\n')

    assert "agentws SessionStart" in one(look(workspace, script, home), "hooks-disabled").says


@pytest.mark.parametrize(
    ("rules", "trusted"),
    [
        ({}, False),
        ({"ROOT": "TRUST_FOLDER"}, True),
        ({"ROOT/x": "TRUST_PARENT"}, True),
        ({"ROOT": "DO_NOT_TRUST"}, False),
    ],
)
def test_a_folder_that_gemini_does_not_trust_is_told(
    workspace: Workspace, script: Path, home: Path, rules: dict[str, str], trusted: bool
) -> None:
    wire("gemini", Path(workspace.root), workspace.root, script)
    (home / ".gemini").mkdir()
    told = {path.replace("ROOT", workspace.root): level for path, level in rules.items()}
    (home / ".gemini/trustedFolders.json").write_text(json.dumps(told))

    found = about_hooks(look(workspace, script, home))

    assert [each.name for each in found] == ([] if trusted else ["hook-untrusted"])


def test_where_gemini_does_not_ask_for_trust_none_is_missing(workspace: Workspace, script: Path, home: Path) -> None:
    wire("gemini", Path(workspace.root), workspace.root, script)
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text('{"security": {"folderTrust": {"enabled": false}}}\n')

    assert about_hooks(look(workspace, script, home)) == []


def test_the_memory_of_claude_code_in_the_workspace_is_loaded_twice(
    workspace: Workspace, script: Path, home: Path
) -> None:
    settings = Path(workspace.root) / ".claude/settings.local.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"autoMemoryDirectory": workspace.root}))

    assert one(look(workspace, script, home), "double-loading").path == str(settings)


def test_settings_that_cannot_be_read_are_named_with_their_line(workspace: Workspace, script: Path, home: Path) -> None:
    (Path(workspace.root) / ".claude").mkdir()
    (Path(workspace.root) / ".claude/settings.json").write_text('{\n"hooks": {,}\n}\n')

    found = one(look(workspace, script, home), "host-settings")

    assert found.where == f"{workspace.root}/.claude/settings.json:2"


def test_settings_that_may_not_be_read_are_named(
    workspace: Workspace, script: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire("codex", home / ".codex", workspace.root, script, plan.USER)
    read = external_files.read

    def refuse(spot: external_files.Spot) -> str | None:
        if spot.full == f"{home}/.codex/hooks.json":
            raise DiskError(f"{spot.full}: no permission.", hint="Check the owner.")
        return read(spot)

    monkeypatch.setattr(external_files, "read", refuse)

    found = one(look(workspace, script, home), "host-settings")

    assert (found.where, found.says, found.remedy) == (
        f"{home}/.codex/hooks.json",
        "no permission.",
        "Check the owner.",
    )


def test_settings_that_are_a_link_or_a_fifo_are_not_opened(workspace: Workspace, script: Path, home: Path) -> None:
    (Path(workspace.root) / ".codex").mkdir()
    os.mkfifo(Path(workspace.root) / ".codex/hooks.json")
    (Path(workspace.root) / ".claude").symlink_to(home)

    assert about_hooks(look(workspace, script, home)) == []


_ENTRY = '{"plugins": {"entries": {%s}}}'


@pytest.mark.parametrize(
    ("level", "told", "says"),
    [
        (plan.PROJECT, "{}", "was never enabled"),
        (plan.PROJECT, _ENTRY % '"browser": {"enabled": true}', "was never enabled"),
        (plan.PROJECT, _ENTRY % '"agentws": {"enabled": false}', "is switched off"),
        (plan.PROJECT, '{"plugins": {"deny": ["agentws"]}}', "is switched off"),
        (plan.PROJECT, '{"plugins": {"enabled": false, "entries": {"agentws": {"enabled": true}}}}', "plugins.enabled"),
        (plan.USER, _ENTRY % '"agentws": {"enabled": false}', "is switched off"),
        (plan.USER, '{"plugins": {"allow": ["browser"]}}', "does not name agentws"),
    ],
)
def test_a_plugin_that_openclaw_does_not_load_is_told(
    workspace: Workspace, script: Path, home: Path, level: str, told: str, says: str
) -> None:
    wire("openclaw", openclaw_folder(workspace, home, level), workspace.root, script, level)
    (home / ".openclaw/openclaw.json").write_text(told)

    (found,) = about_hooks(look(workspace, script, home))

    assert says in found.says
    assert found.remedy == "openclaw plugins enable agentws"
    assert found.severity == WARNING


@pytest.mark.parametrize(
    ("level", "told"),
    [
        (plan.PROJECT, _ENTRY % '"agentws": {"enabled": true}'),
        (plan.PROJECT, '{"plugins": {"allow": ["agentws"]}}'),
        (plan.PROJECT, ""),
        (plan.PROJECT, "{plugins: {}}"),
        (plan.USER, "{}"),
        (plan.USER, '{"plugins": {"allow": []}}'),
    ],
)
def test_where_openclaw_loads_the_plugin_or_nothing_can_be_told_nothing_is(
    workspace: Workspace, script: Path, home: Path, level: str, told: str
) -> None:
    wire("openclaw", openclaw_folder(workspace, home, level), workspace.root, script, level)
    (home / ".openclaw/openclaw.json").write_text(told)

    assert about_hooks(look(workspace, script, home)) == []


def openclaw_folder(workspace: Workspace, home: Path, level: str) -> Path:
    """Where the plugin stands at this level; OpenClaw's own folder is there."""
    (home / ".openclaw").mkdir(exist_ok=True)
    return Path(workspace.root) if level == plan.PROJECT else home / ".openclaw"


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ({}, ["hook-untrusted"]),
        ({"projects": {"{}": {"hasTrustDialogAccepted": False}}}, ["hook-untrusted"]),
        ({"projects": {"{}": {"hasTrustDialogAccepted": True}}}, []),
        ({"projects": 3}, ["hook-untrusted"]),
    ],
)
def test_a_folder_that_nobody_trusted_in_claude_code_is_advice(
    workspace: Workspace, script: Path, home: Path, state: dict[str, object], told: list[str]
) -> None:
    wire("claude-code", Path(workspace.root), workspace.root, script)
    (home / ".claude").mkdir()
    (home / ".claude.json").write_text(json.dumps(state).replace("{}", workspace.root) if state else '{"a": 1}')

    found = about_hooks(look(workspace, script, home))

    assert [each.name for each in found] == told
    assert all(each.severity == ADVICE for each in found)


@pytest.mark.parametrize(("host", "asks"), [("claude-code", 1), ("codex", 1), ("opencode", 0), ("openclaw", 0)])
def test_an_agent_that_is_asked_about_what_it_writes_is_advice(
    workspace: Workspace, script: Path, home: Path, host: str, asks: int
) -> None:
    wire(host, Path(workspace.root), workspace.root, script)

    found = [each for each in look(workspace, script, home).findings if each.name == "agent-asked"]

    assert len(found) == asks
    assert all(each.severity == ADVICE and f"install {host} --allow" in each.remedy for each in found)


GAPS = {
    "claude-code": "StopFailure",
    "codex": "Interrupt",
    "gemini": "AfterTool",
    "qwen": "Stop",
    "copilot": "Stop",
    "droid": "PreCompact",
}


def hooks_file(workspace: Workspace, host: str) -> Path:
    places = hosts.settings(host).places(plan.PROJECT)
    files = [Path(workspace.root, place) for place in places]
    return next(file for file in files if file.is_file() and '"hooks"' in file.read_text())


@pytest.mark.parametrize(("host", "event"), GAPS.items())
def test_a_hook_that_was_removed_is_told_with_its_event(
    workspace: Workspace, script: Path, home: Path, host: str, event: str
) -> None:
    wire(host, Path(workspace.root), workspace.root, script)
    file = hooks_file(workspace, host)
    settings = json.loads(file.read_text())
    del settings["hooks"][event]
    file.write_text(json.dumps(settings))

    (told,) = (one for one in about_hooks(look(workspace, script, home)) if "missing" in one.says)

    count = len(hosts.settings(host).events)
    assert told.says.endswith(f": 1 of {count} are missing, so these events are not recorded: {event}")
    assert (told.severity, told.path, told.remedy) == (WARNING, str(file), f"agentws install {host}")
    assert listed(workspace, home, host) == f"1 of {count} are missing, so these events are not recorded: {event}"


def test_an_event_that_the_extension_no_longer_listens_to_is_told(
    workspace: Workspace, script: Path, home: Path
) -> None:
    wire("pi", Path(workspace.root), workspace.root, script)
    file = Path(workspace.root, ".pi/extensions/agentws.js")
    file.write_text(file.read_text().replace('on("session_compact"', 'never("session_compact"'))

    (told,) = (one for one in about_hooks(look(workspace, script, home)) if "missing" in one.says)

    assert told.says.endswith(": 1 of 9 are missing, so these events are not recorded: session_compact")
    assert (told.severity, told.path, told.remedy) == (WARNING, str(file), "agentws install pi")


@pytest.mark.parametrize(("host", "title"), [("claude-code", "Claude Code"), ("codex", "Codex")])
def test_a_comment_for_which_the_host_ignores_the_file_is_told_with_its_line(
    workspace: Workspace, script: Path, home: Path, host: str, title: str
) -> None:
    wire(host, Path(workspace.root), workspace.root, script)
    file = hooks_file(workspace, host)
    file.write_text("{\n// mine\n" + file.read_text().removeprefix("{"))

    (told,) = (one for one in about_hooks(look(workspace, script, home)) if "plain JSON" in one.says)

    assert f"line 2 is not plain JSON (a comment, or an extra comma): {title} ignores the file" in told.says
    assert "line 2 is not plain JSON" in listed(workspace, home, host)


def test_the_block_in_claude_md_that_was_deleted_is_told(workspace: Workspace, script: Path, home: Path) -> None:
    wire("claude-code", Path(workspace.root), workspace.root, script)
    Path(workspace.root, "CLAUDE.md").write_text("# Mine\n")

    (told,) = (one for one in about_hooks(look(workspace, script, home)) if "instructions" in one.says)

    assert told.path == f"{workspace.root}/CLAUDE.md"
    assert "instructions for the agent are missing" in listed(workspace, home, "claude-code")


def listed(workspace: Workspace, home: Path, host: str) -> str:
    """What the list of `install` says keeps the hooks of this host from working."""
    known = next(one for one in workspace.hosts.list(variables={"HOME": str(home)}).hosts if one.name == host)
    (wire,) = known.wires
    return wire.hindered
