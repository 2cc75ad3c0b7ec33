"""The plugin of Claude Code: what it holds, and that it records nothing that `install` records already."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agentws import __version__
from agentws.core.disk.system import shipped
from agentws.features.hosts.claude_code.settings import SETTINGS
from tests.features.hosts import node_rig, test_pi_plugin
from tests.features.hosts.test_openclaw_plugin import BOOT, DRIVER, turn

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import build_plugin  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    build_plugin.build(tmp_path / "market")
    return tmp_path / "market" / build_plugin.NAME


@node_rig.needs_node
def test_the_package_for_openclaw_serves_each_workspace_of_ours_by_the_command_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_plugin.build_openclaw(tmp_path / "package")
    command = node_rig.Command(tmp_path, BOOT)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    command.path.write_text(command.path.read_text().replace("#!/bin/sh\n", '#!/bin/sh\necho "$2" >> "$0.of"\n'))
    ours, also_ours, other = (tmp_path / name for name in ("robin's", "wren", "other"))
    for folder in (ours, also_ours, other):
        folder.mkdir()
    for folder in (ours, also_ours):
        (folder / "agentws.toml").touch()
    turns = [turn(folder, folder.name, f"agent:{folder.name}:main") for folder in (ours, also_ours, other)]

    module = tmp_path / "package/index.js"
    found = node_rig.run(module, DRIVER, {"config": {}, "heard": turns})

    told = [[file["name"] for file in context["bootstrapFiles"]] for context in found]
    assert told == [["AGENTS.md", "AGENTWS.md"], ["AGENTS.md", "AGENTWS.md"], ["AGENTS.md"]]
    assert (tmp_path / "agentws.of").read_text().splitlines() == [str(ours), str(also_ours)]


def test_the_package_for_openclaw_says_what_it_is(tmp_path: Path) -> None:
    build_plugin.build_openclaw(tmp_path)

    package = json.loads((tmp_path / "package.json").read_text())
    manifest = json.loads((tmp_path / "openclaw.plugin.json").read_text())
    assert package["name"] == build_plugin.PACKAGE
    assert package["version"] == manifest["version"] == __version__
    assert {"install", "compat", "extensions"} <= package["openclaw"].keys()
    assert all((tmp_path / name).exists() for name in (*package["files"], *package["openclaw"]["extensions"]))
    assert (tmp_path / manifest["skills"][0] / "agentws/SKILL.md").read_text(encoding="utf-8") == shipped.skill()
    assert "agentws install openclaw`" not in (tmp_path / "index.js").read_text().partition("\n")[0]


@node_rig.needs_node
def test_the_package_for_pi_serves_the_workspace_around_the_folder_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_plugin.build_pi(tmp_path / "package")
    command = node_rig.Command(tmp_path, test_pi_plugin.ANSWERS)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    command.path.write_text(command.path.read_text().replace("#!/bin/sh\n", '#!/bin/sh\necho "$2" >> "$0.of"\n'))
    ours, apart, other = (tmp_path / name for name in ("robin/src", "wren", "other"))
    for folder in (ours, apart / ".agentmem", other):
        folder.mkdir(parents=True)
    (tmp_path / "robin/agentws.toml").touch()
    (apart / ".agentmem/agentws.toml").touch()

    steps = [test_pi_plugin.START, test_pi_plugin.SPOKEN]
    for folder in (ours, apart, other):
        told = {"steps": steps, "loaded": 1, "hasUI": True, "cwd": str(folder)}
        node_rig.run(tmp_path / "package/extensions/agentws.js", test_pi_plugin.DRIVER, told)

    served = dict.fromkeys((tmp_path / "agentws.of").read_text().splitlines())
    assert list(served) == [str(tmp_path / "robin"), str(apart / ".agentmem")]


def test_the_package_for_pi_says_what_it_is(tmp_path: Path) -> None:
    build_plugin.build_pi(tmp_path)

    package = json.loads((tmp_path / "package.json").read_text())
    assert (package["name"], package["version"]) == (build_plugin.PI_PACKAGE, __version__)
    assert all((tmp_path / name).exists() for name in (*package["files"], *package["pi"]["extensions"]))
    assert (tmp_path / "skills/agentws/SKILL.md").read_text(encoding="utf-8") == shipped.skill()
    first = (tmp_path / "extensions/agentws.js").read_text().partition("\n")[0]
    assert "install pi" not in first
    assert "@" not in first


def test_this_repository_is_a_marketplace_with_the_plugin_at_its_top() -> None:
    made = build_plugin.top_files()

    assert {path: (ROOT / path).read_text(encoding="utf-8") for path in made} == made, "run: make plugin"
    market = json.loads(made[".claude-plugin/marketplace.json"])
    manifest = json.loads(made[".claude-plugin/plugin.json"])
    assert [plugin["source"] for plugin in market["plugins"]] == ["./"]
    assert (ROOT / manifest["hooks"]).is_file()
    commands = [hook["command"] for rows in json.loads(made[".claude-plugin/hooks.json"])["hooks"].values()
                for row in rows for hook in row["hooks"]]  # fmt: skip
    assert commands
    assert all('"${CLAUDE_PLUGIN_ROOT}/.claude-plugin/hook.sh"' in command for command in commands)
    assert (ROOT / "skills/agentws/SKILL.md").is_file()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "robin" / "src").mkdir(parents=True)
    (tmp_path / "robin" / "agentws.toml").write_text("format = 1\n")
    return tmp_path / "robin"


def called(plugin: Path, project: Path, tmp_path: Path, command: str, **variables: str) -> list[str]:
    """The words that the hook's command calls agentws with, none where it does not."""
    bin_ = tmp_path / "bin"
    bin_.mkdir(exist_ok=True)
    script = bin_ / "agentws"
    script.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    script.chmod(0o755)
    kept = {"PATH": f"{bin_}:{os.environ['PATH']}", "HOME": str(tmp_path / "home"), "CLAUDE_PLUGIN_ROOT": str(plugin)}
    kept["CLAUDE_PROJECT_DIR"] = str(project)
    done = subprocess.run(["sh", "-c", command], env={**kept, **variables}, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.splitlines()


def commands(plugin: Path) -> dict[str, list[str]]:
    hooks = json.loads((plugin / "hooks/hooks.json").read_text())["hooks"]
    return {event: [hook["command"] for group in groups for hook in group["hooks"]] for event, groups in hooks.items()}


def test_it_holds_what_install_writes(plugin: Path) -> None:
    assert tuple(commands(plugin)) == SETTINGS.events
    assert (plugin / "skills/agentws/SKILL.md").read_text(encoding="utf-8") == shipped.skill()
    market = json.loads((plugin.parent / ".claude-plugin/marketplace.json").read_text())
    assert [one["source"] for one in market["plugins"]] == [f"./{plugin.name}"]


def test_a_hook_calls_us_for_the_workspace_around(plugin: Path, project: Path, tmp_path: Path) -> None:
    hooks = commands(plugin)

    assert called(plugin, project / "src", tmp_path, hooks["Stop"][0]) == [
        "-C", str(project), "hook", "claude-code", "Stop"
    ]  # fmt: skip
    assert called(plugin, project, tmp_path, hooks["SessionStart"][1])[-2:] == ["--part", "2"]
    last = ["--part", str(build_plugin.PARTS), "--of", str(build_plugin.PARTS)]
    assert called(plugin, project, tmp_path, hooks["SessionStart"][-1])[-4:] == last
    assert called(plugin, tmp_path, tmp_path, hooks["Stop"][0], AGENTWS_WORKSPACE="/a b")[:2] == ["-C", "/a b"]


def test_a_part_of_the_boot_that_is_idle_starts_nothing(plugin: Path, project: Path, tmp_path: Path) -> None:
    third, fourth = commands(plugin)["SessionStart"][2:4]
    mark = project / ".agentws/idle-parts/claude-code-4"
    mark.parent.mkdir(parents=True)
    mark.touch()

    assert called(plugin, project, tmp_path, fourth) == []
    assert called(plugin, project, tmp_path, third)[-2:] == ["--part", "3"]


@pytest.mark.parametrize("place", [
    "robin/.claude/settings.json", "robin/.claude/settings.local.json", "home/.claude/settings.json"
])  # fmt: skip
def test_where_install_has_wired_it_does_nothing(plugin: Path, project: Path, tmp_path: Path, place: str) -> None:
    wiring = build_plugin.plan.Wiring("/opt/agentws", str(project), level="project", parts=2)
    file = tmp_path / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(str(SETTINGS.install({}, wiring)[".claude/settings.json"]))

    for each in commands(plugin).values():
        assert called(plugin, project, tmp_path, each[0]) == []

    file.write_text('{"model": "best"}')
    assert called(plugin, project, tmp_path, commands(plugin)["Stop"][0])


def test_without_a_workspace_or_a_command_it_does_nothing(plugin: Path, project: Path, tmp_path: Path) -> None:
    (command,) = commands(plugin)["Stop"]

    assert called(plugin, tmp_path / "home", tmp_path, command) == []
    assert shlex.split(command)[0] == "sh"
    assert called(plugin, project, tmp_path, command, PATH="/usr/bin:/bin") == []
