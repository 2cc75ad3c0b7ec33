"""install and uninstall in real folders: what a person has there is kept, and comes back byte for byte."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentws.cli import launcher
from agentws.core.disk import external_files
from agentws.core.disk.files import Files
from agentws.core.disk.system import shipped
from agentws.core.hosts import block
from agentws.errors import (
    DamagedError,
    DiskError,
    MayNotWriteError,
    NeedsYouError,
    NoWorkspaceError,
    OutsideProgramError,
    UnsafeFileError,
    UsageError,
)
from agentws.features.hosts import render_install, skill
from agentws.workspace import Environment, Workspace

SCRIPT = str(Path(sys.executable).parent / "agentws")
SKILL = "skills/agentws/SKILL.md"
IN_FULL = ("codex",)
MINE = '{\n  "theme": "dark",\n  "env": {"KEY": "1"}\n}'


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture(autouse=True)
def _stands_at_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in a checkout with the script in it: there nothing would be allowed."""
    monkeypatch.chdir(home)


def install(workspace: Workspace, host: str = "claude-code", **more: Any) -> Any:
    return workspace.hosts.install(host, script=SCRIPT, variables={"HOME": os.environ["HOME"]}, **more)


def uninstall(workspace: Workspace, host: str = "claude-code", **more: Any) -> Any:
    return workspace.hosts.uninstall(host, variables={"HOME": os.environ["HOME"]}, **more)


def own_skill(host: str) -> str:
    """What install writes in a workspace's own folder."""
    called = SCRIPT if host in IN_FULL else "agentws"
    return skill.signed(shipped.skill().replace("Run it as `agentws`.", f"Run it as `{called}`."))


def look(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Each file below the folder, but our records and caches, with its mode and bytes; each folder with none."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if not {".agentws", ".cache"} & set(path.parts):
            mode = stat.S_IMODE(path.lstat().st_mode)
            found[str(path.relative_to(folder))] = (mode, path.read_bytes() if path.is_file() else b"")
    return found


def other(tmp_path: Path, environment: Environment) -> Workspace:
    return Workspace.init(str(tmp_path / "wren"), environment=environment, name="Wren", git=False)


# What the agent may run


def test_nothing_is_allowed_that_nobody_said(workspace: Workspace) -> None:
    assert install(workspace, "codex").allowed is False
    assert not Path(workspace.root, ".codex/rules").exists()


def test_what_was_allowed_stays_so_until_it_is_taken_back(workspace: Workspace) -> None:
    before = look(Path(workspace.root))
    install(workspace, "codex", allow=True)

    assert not install(workspace, "codex").changes
    assert workspace.hosts.is_allowed("codex", variables={"HOME": os.environ["HOME"]}) is True
    assert install(workspace, "codex", allow=False).allowed is False
    assert workspace.hosts.is_allowed("codex", variables={"HOME": os.environ["HOME"]}) is False
    uninstall(workspace, "codex")
    assert look(Path(workspace.root)) == before


@pytest.mark.parametrize("host", ["claude-code", "gemini"])
def test_a_rule_of_a_person_stays_theirs_and_allows_no_more_than_it_says(workspace: Workspace, host: str) -> None:
    place, outer, inner, rule = {
        "claude-code": (".claude/settings.local.json", "permissions", "allow", "Bash(agentws log:*)"),
        "gemini": (".gemini/settings.json", "tools", "allowed", "run_shell_command(agentws log)"),
    }[host]
    settings = Path(workspace.root, place)
    settings.parent.mkdir()
    settings.write_text(json.dumps({outer: {inner: [rule]}}))

    def rules() -> list[str]:
        found: list[str] = json.loads(settings.read_text())[outer][inner]
        return found

    assert install(workspace, host).allowed is False
    assert rules() == [rule]
    assert install(workspace, host, allow=True, named=True).allowed is True
    assert len(rules()) == 44
    assert not install(workspace, host, named=True).changes
    done = install(workspace, host, allow=False)

    assert rules() == [rule]
    assert done.allowed is False
    assert done.notices == [
        f"1 permission rule for agentws in {settings}: not written by install, so kept. "
        "Remove it yourself if not wanted."
    ]


def test_a_rule_that_a_person_adds_since_is_not_taken_out(workspace: Workspace) -> None:
    settings, mine = Path(workspace.root, ".claude/settings.local.json"), "Bash(/home/robin/agentws status:*)"
    install(workspace, allow=True)
    read = json.loads(settings.read_text())
    read["permissions"]["allow"].insert(0, mine)
    settings.write_text(json.dumps(read))

    install(workspace)
    uninstall(workspace)

    assert json.loads(settings.read_text()) == {"permissions": {"allow": [mine]}}


def test_a_record_of_an_earlier_version_knows_its_rules(workspace: Workspace) -> None:
    install(workspace, allow=True)
    (record,) = Path(workspace.root, ".agentws/installed").iterdir()
    fields = json.loads(record.read_text())
    del fields["rules"]
    record.write_text(json.dumps(fields))

    done = install(workspace, allow=False)

    assert done.allowed is False
    assert not Path(workspace.root, ".claude/settings.local.json").exists()


def test_a_host_that_cannot_be_told_which_verbs_is_told_none(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="OpenClaw has no setting to allow only these commands"):
        install(workspace, "openclaw", allow=True)

    assert install(workspace, "openclaw").allowed is None


@pytest.mark.parametrize("level", ["folder", "user"])
@pytest.mark.parametrize("present", [".", "deeper/still"])
def test_a_script_that_the_agent_may_write_is_not_allowed(
    workspace: Workspace, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, level: str, present: str
) -> None:
    project = tmp_path / "project"
    (project / "bin").mkdir(parents=True)
    (project / ".git").mkdir()
    shutil.copy(SCRIPT, project / "bin")
    (tmp_path / "agentws").symlink_to(project / "bin/agentws")
    (project / present).mkdir(parents=True, exist_ok=True)
    if level == "user":
        monkeypatch.chdir(project / present)  # where the other is named, it counts wherever that is said
    before = look(project), look(home)

    for script in (project / "bin/agentws", tmp_path / "agentws"):
        with pytest.raises(UsageError, match=", where the agent works"):
            workspace.hosts.install(
                "gemini", script=str(script), variables={"HOME": str(home)}, level=level, allow=True,
                folder=str(project) if level == "folder" else None,
            )  # fmt: skip

    assert (look(project), look(home)) == before


def test_a_script_in_the_workspace_is_not_allowed_to_a_user_either(workspace: Workspace, home: Path) -> None:
    script = Path(workspace.root, "bin/agentws")
    script.parent.mkdir()
    shutil.copy(SCRIPT, script)

    with pytest.raises(UsageError, match=", where the agent works"):
        workspace.hosts.install("gemini", script=str(script), variables={"HOME": str(home)}, level="user", allow=True)


@pytest.mark.parametrize("present", [".", "notes"])
def test_a_home_folder_is_no_project_though_it_is_a_repository(
    workspace: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch, present: str
) -> None:
    script = home / ".local/bin/agentws"
    script.parent.mkdir(parents=True)
    shutil.copy(SCRIPT, script)
    (home / ".git").mkdir()
    (home / present).mkdir(exist_ok=True)
    monkeypatch.chdir(home / present)

    done = workspace.hosts.install(
        "gemini", script=str(script), variables={"HOME": str(home)}, level="user", allow=True
    )

    assert done.allowed is True


# There and back


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "agents-md", "mcp-json", "cursor", "vscode"])
def test_uninstall_brings_back_every_byte_and_folder(workspace: Workspace, host: str) -> None:
    before = look(Path(workspace.root))

    done = install(workspace, host)

    assert done.changes
    assert look(Path(workspace.root)) != before
    uninstall(workspace, host)
    assert look(Path(workspace.root)) == before


@pytest.mark.parametrize(
    "text", [MINE, MINE + "\n", "{}", "", "\ufeff{\r\n}\r\n", '{"hooks": {}}', '{ "hooks":{"Stop":[ ]} }']
)
def test_settings_of_any_style_come_back(workspace: Workspace, home: Path, text: str) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(text.encode())
    settings.chmod(0o600)
    before = look(home)

    install(workspace, level="user")

    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    assert "claude-code SessionEnd" in settings.read_text()
    uninstall(workspace, level="user")
    assert look(home) == before


def test_comments_come_back_where_the_host_reads_them(workspace: Workspace, home: Path) -> None:
    settings = home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(MINE.replace('"dark",', '"dark", // mine'))
    before = look(home)

    install(workspace, "gemini", level="user", allow=True)

    assert "// mine" in settings.read_text()
    uninstall(workspace, "gemini", level="user")
    assert look(home) == before


def test_what_somebody_wrote_since_stays(workspace: Workspace, home: Path) -> None:
    settings = home / ".gemini" / "settings.json"
    install(workspace, "gemini", level="user")
    edited = json.loads(settings.read_text())
    edited["theme"] = "dark"
    settings.write_text(json.dumps(edited))

    done = uninstall(workspace, "gemini", level="user")

    assert json.loads(settings.read_text()) == {"theme": "dark"}
    assert done.restored == [SKILL]
    assert done.folders == [str(home / ".gemini" / folder) for folder in ("skills/agentws", "skills")]


def test_a_second_install_changes_nothing(workspace: Workspace) -> None:
    install(workspace)
    before = look(Path(workspace.root))
    changes = Path(workspace.root, ".agentws/changes.jsonl").read_bytes()

    done = install(workspace)

    assert not done.changes
    assert look(Path(workspace.root)) == before
    assert Path(workspace.root, ".agentws/changes.jsonl").read_bytes() == changes


def test_who_takes_out_what_is_not_there_is_told_where_it_is(workspace: Workspace, home: Path, tmp_path: Path) -> None:
    heron = tmp_path / "my heron"
    heron.mkdir()
    assert uninstall(workspace).notices == []
    install(workspace, level="user")
    install(workspace, level="folder", folder=str(heron))

    done = uninstall(workspace)

    assert done.changes == []
    assert done.notices == [
        f"agentws is installed in {heron}: agentws uninstall claude-code --folder '{heron}'",
        f"agentws is installed in {home}/.claude: agentws uninstall claude-code --user",
    ]


@pytest.mark.parametrize("level", ["project", "user"])
def test_where_the_agent_is_retired_its_hooks_can_be_taken_out(workspace: Workspace, home: Path, level: str) -> None:
    before = look(Path(workspace.root)), look(home)
    install(workspace, level=level)
    workspace.identity.retire()

    done = uninstall(workspace, level=level)

    retired = look(Path(workspace.root))
    assert len(done.changes) == 3
    assert {path for path in retired if not path.startswith(("identity", "journal"))} == before[0].keys()
    assert look(home) == before[1]
    with pytest.raises(MayNotWriteError):
        install(workspace, level=level)


def test_a_second_uninstall_changes_nothing(workspace: Workspace) -> None:
    install(workspace)
    uninstall(workspace)

    assert not uninstall(workspace).changes


def test_a_dry_run_changes_nothing(workspace: Workspace, home: Path) -> None:
    here, there = look(Path(workspace.root)), look(home)

    planned = install(workspace, dry_run=True)
    at_home = install(workspace, "codex", level="user", dry_run=True)

    assert [change.place for change in planned.changes] == [".claude/settings.json", f".claude/{SKILL}", "CLAUDE.md"]
    assert [change.spot.full for change in at_home.changes] == [
        str(home / ".codex" / "hooks.json"), str(home / ".codex" / SKILL)
    ]  # fmt: skip
    assert (look(Path(workspace.root)), look(home)) == (here, there)
    assert not Path(workspace.root, ".agentws/installed").exists()


def test_undo_takes_an_install_in_the_workspace_back(workspace: Workspace) -> None:
    before = look(Path(workspace.root))
    install(workspace)

    done = workspace.undo()

    assert done.verb == "install claude-code"
    assert look(Path(workspace.root)) == before
    assert not uninstall(workspace).changes


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_an_install_that_broke_off_is_finished_by_the_next_and_leads_back(
    workspace: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(MINE)
    before = look(home)
    write, done = external_files.write, []

    def break_off(spot: external_files.Spot, text: str, *, before: str | None) -> str | None:
        if len(done) == writes:
            raise KeyboardInterrupt
        done.append(spot)
        return write(spot, text, before=before)

    with monkeypatch.context() as patched:
        patched.setattr(external_files, "write", break_off)
        with pytest.raises(KeyboardInterrupt):
            install(workspace, level="user")

    assert len(install(workspace, level="user").changes) == 3 - writes
    uninstall(workspace, level="user")

    assert look(home) == before


# The skill


@pytest.mark.parametrize(
    ("host", "place"),
    [
        ("claude-code", f".claude/{SKILL}"), ("codex", f".agents/{SKILL}"), ("gemini", f".gemini/{SKILL}"),
        ("opencode", f".opencode/{SKILL}"), ("openclaw", SKILL), ("agents-md", f".agents/{SKILL}"),
    ],
)  # fmt: skip
def test_each_host_finds_the_skill_where_it_looks(workspace: Workspace, host: str, place: str) -> None:
    before = look(Path(workspace.root))

    install(workspace, host)

    written = Path(workspace.root, place).read_text(encoding="utf-8")
    assert written == own_skill(host)
    uninstall(workspace, host)
    assert look(Path(workspace.root)) == before


def test_in_another_project_the_skill_names_the_workspace(workspace: Workspace, tmp_path: Path) -> None:
    project = tmp_path / "a project"
    project.mkdir()

    install(workspace, "codex", folder=str(project))

    text = (project / ".agents" / SKILL).read_text(encoding="utf-8")
    assert f"Run it as `{SCRIPT} -C {workspace.root}`." in text
    uninstall(workspace, "codex", folder=str(project))
    assert not look(project)


@pytest.mark.parametrize("leaves", [0, 1])
@pytest.mark.parametrize("first", ["codex", "agents-md"])
def test_a_skill_that_two_hosts_read_goes_with_the_second(workspace: Workspace, first: str, leaves: int) -> None:
    second = {"codex": "agents-md", "agents-md": "codex"}[first]
    root = Path(workspace.root)
    (root / ".agents/skills/agentws").mkdir(parents=True)
    older = "---\nname: agentws\nmetadata:\n  written-by: agentws\n---\nAn older one.\n"
    (root / ".agents" / SKILL).write_text(skill.signed(older))
    before = look(root)
    install(workspace, first)
    install(workspace, second)

    done = uninstall(workspace, (first, second)[leaves])

    assert f".agents/{SKILL}" not in [change.place for change in done.changes]
    assert (root / ".agents" / SKILL).read_text(encoding="utf-8") == own_skill("codex")
    stays = (second, first)[leaves]
    assert not install(workspace, stays).changes
    uninstall(workspace, stays)
    assert look(root) == before


@pytest.mark.parametrize("first", ["codex", "agents-md"])
def test_folders_of_a_skill_that_two_hosts_read_go_with_it(workspace: Workspace, first: str) -> None:
    second = {"codex": "agents-md", "agents-md": "codex"}[first]
    before = look(Path(workspace.root))
    install(workspace, first)
    install(workspace, second)

    uninstall(workspace, first)
    uninstall(workspace, second)

    assert look(Path(workspace.root)) == before


@pytest.mark.parametrize("host", ["claude-code", "opencode", "openclaw"])
def test_a_skill_of_somebody_else_stops_an_install(workspace: Workspace, host: str) -> None:
    place = {"claude-code": f".claude/{SKILL}", "opencode": f".opencode/{SKILL}", "openclaw": SKILL}[host]
    theirs = Path(workspace.root, place)
    theirs.parent.mkdir(parents=True)
    theirs.write_text("---\nname: agentws\n---\n\n  written-by: agentws\n")  # the name is that of the folder

    with pytest.raises(UsageError, match="is not a skill of agentws"):
        install(workspace, host)

    assert not uninstall(workspace, host).changes
    assert theirs.exists()


@pytest.mark.parametrize(
    "host", ["claude-code", "codex", "gemini", "qwen", "droid", "opencode", "openclaw", "pi", "agents-md"]
)
def test_a_skill_that_somebody_has_edited_is_theirs(workspace: Workspace, host: str) -> None:
    install(workspace, host)
    (place,) = Path(workspace.root).glob(f"**/{SKILL}")
    edited = place.read_text(encoding="utf-8") + "\nAsk Kim first.\n"
    place.write_text(edited, encoding="utf-8")

    done = install(workspace, host)
    gone = uninstall(workspace, host)

    assert place.read_text(encoding="utf-8") == edited
    told = [f"{place} was edited after install wrote it, so agentws left it unchanged."]
    assert [note for note in done.notices if "SKILL" in note] == told
    assert [note for note in gone.notices if "SKILL" in note] == told
    assert not done.changes
    assert gone.changes


# Upgrades


def test_an_upgrade_still_leads_back_to_the_beginning(workspace: Workspace, home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(MINE)
    install(workspace, level="user")
    settings.write_text(settings.read_text().replace(" claude-code Stop", " claude-code Gone"))
    hook = Path(workspace.root, ".agentws/hook")
    hook.write_text(hook.read_text().replace(SCRIPT, "/gone/bin/agentws"))

    done = install(workspace, level="user")

    assert [change.place for change in done.changes] == ["settings.json"]
    assert "Gone" not in settings.read_text()
    assert "/gone/" not in hook.read_text()
    uninstall(workspace, level="user")
    assert settings.read_text() == MINE


def test_a_larger_budget_gets_more_parts(workspace: Workspace) -> None:
    few = install(workspace).parts
    with Path(workspace.root, "agentws.toml").open("a") as manifest:
        manifest.write("\n[boot]\nbudget = 20000\n")

    many = install(Workspace.open(workspace.root, environment=workspace.stores.environment))

    assert many.parts > few
    text = Path(workspace.root, ".claude/settings.json").read_text()
    assert f"--part {many.parts}" in text
    assert f"--part {many.parts + 1}" not in text


def test_a_workspace_that_has_moved_is_wired_anew(workspace: Workspace, home: Path) -> None:
    install(workspace, level="user")
    moved = workspace.root + "-moved"
    Path(workspace.root).rename(moved)

    done = install(Workspace.open(moved, environment=workspace.stores.environment), level="user")

    assert done.replaced == [workspace.root]
    text = (home / ".claude/settings.json").read_text()
    assert f"f={moved}/.agentws/hook;" in text
    assert f"{workspace.root}/" not in text


# Two workspaces


def test_another_workspace_is_not_pushed_out_unasked(
    workspace: Workspace, tmp_path: Path, environment: Environment, home: Path
) -> None:
    install(workspace, level="user")
    before = look(home)
    wren = other(tmp_path, environment)

    with pytest.raises(NeedsYouError, match=r"another workspace") as refused:
        install(wren, level="user")
    with pytest.raises(NeedsYouError, match=r"another workspace"):
        uninstall(wren, level="user")

    assert "--replace" in (refused.value.hint or "")
    assert look(home) == before


@pytest.mark.parametrize("text", [None, '{"hooks": {}}', MINE])
def test_uninstall_after_a_replace_brings_back_what_stood_there_before_the_first_one(
    workspace: Workspace, tmp_path: Path, environment: Environment, text: str | None
) -> None:
    wren, project = other(tmp_path, environment), tmp_path / "project"
    project.mkdir()
    (project / "CLAUDE.md").write_text("# Hi\n\nno end of line")
    if text is not None:
        (project / ".claude").mkdir()
        (project / ".claude" / "settings.json").write_text(text)
    before = look(project)

    install(workspace, level="folder", folder=str(project))
    install(wren, level="folder", folder=str(project), replace=True)
    kept = list((Path(workspace.root) / ".agentws").rglob("installed/*"))
    uninstall(wren, level="folder", folder=str(project))

    assert look(project) == before
    assert kept == [], "it has nothing to bring back any more"


def test_what_was_edited_before_a_replace_is_kept_by_the_uninstall_after_it(
    workspace: Workspace, tmp_path: Path, environment: Environment
) -> None:
    wren, project = other(tmp_path, environment), tmp_path / "project"
    project.mkdir()
    install(workspace, level="folder", folder=str(project))
    with (project / "CLAUDE.md").open("a") as file:
        file.write("written since\n")

    install(wren, level="folder", folder=str(project), replace=True)
    uninstall(wren, level="folder", folder=str(project))

    assert (project / "CLAUDE.md").read_text().strip() == "written since"
    assert not (project / ".claude").exists()


def test_with_replace_the_other_one_gives_way_and_nothing_of_it_is_left(
    workspace: Workspace, tmp_path: Path, environment: Environment, home: Path
) -> None:
    before = look(home)
    install(workspace, level="user")
    wren = other(tmp_path, environment)

    done = install(wren, level="user", replace=True)

    assert done.replaced == [workspace.root]
    assert workspace.root not in (home / ".claude/settings.json").read_text()
    assert workspace.root not in (home / ".claude/CLAUDE.md").read_text()
    uninstall(wren, level="user")
    assert {path for path in look(home) if ".claude/" in path} == {path for path in before if ".claude/" in path}


def test_settings_on_two_levels_are_told(workspace: Workspace) -> None:
    install(workspace, level="user")

    assert any("twice" in notice for notice in install(workspace).notices)


@pytest.mark.parametrize("host", ["opencode", "openclaw", "pi"])
def test_where_one_of_two_hooks_speaks_two_levels_are_no_matter(workspace: Workspace, host: str) -> None:
    install(workspace, host, level="user")

    assert install(workspace, host).notices == []


def test_settings_of_a_workspace_that_is_the_home_folder_are_not_taken_for_two(
    tmp_path: Path, environment: Environment, home: Path
) -> None:
    at_home = Workspace.init(str(home), environment=environment, name="Robin", git=False)

    assert install(at_home).notices == []
    assert not install(at_home, level="user", dry_run=True).notices


# Where others keep their files


def test_a_link_to_dotfiles_is_written_through(workspace: Workspace, home: Path) -> None:
    dotfiles = home / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "claude.json").write_text(MINE)
    (home / ".claude").mkdir()
    link = home / ".claude" / "settings.json"
    link.symlink_to("../dotfiles/claude.json")

    install(workspace, level="user")

    assert link.is_symlink()
    assert "claude-code SessionEnd" in (dotfiles / "claude.json").read_text()
    uninstall(workspace, level="user")
    assert link.is_symlink()
    assert (dotfiles / "claude.json").read_text() == MINE


def test_claude_md_that_is_a_link_to_agents_md_stays_one(workspace: Workspace) -> None:
    root = Path(workspace.root)
    before = (root / "AGENTS.md").read_bytes()
    (root / "CLAUDE.md").symlink_to("AGENTS.md")

    install(workspace)

    assert (root / "CLAUDE.md").is_symlink()
    assert block.body_of((root / "AGENTS.md").read_text(), "claude-code")
    uninstall(workspace)
    assert (root / "CLAUDE.md").is_symlink()
    assert (root / "AGENTS.md").read_bytes() == before


@pytest.mark.parametrize("name", ["agents.md", "Agents.md", "AGENTS.MD", "AGENTS.md"])
def test_a_claude_md_imports_agents_md_by_the_name_that_it_has(workspace: Workspace, name: str) -> None:
    root = Path(workspace.root)
    (root / "AGENTS.md").rename(root / name)
    before = (root / name).read_bytes()

    done = install(workspace)
    again = install(workspace)

    assert done.changes
    assert (root / "CLAUDE.md").read_text().splitlines()[1] == f"@{name}"
    assert again.changes == []
    assert (root / name).exists()
    assert not (root / "AGENTS.md").exists() or name == "AGENTS.md"
    uninstall(workspace)
    assert not (root / "CLAUDE.md").exists()
    assert (root / name).read_bytes() == before


def test_the_block_for_any_program_is_said_to_be_in_the_file_that_has_it(
    workspace: Workspace,
) -> None:
    root = Path(workspace.root)
    (root / "AGENTS.md").rename(root / "agents.md")

    done = install(workspace, "agents-md")

    assert block.body_of((root / "agents.md").read_text(), "agents-md")
    said = "\n".join(render_install.installed_lines(done))
    assert f"changed   {root}/agents.md" in said
    assert "AGENTS.md (a link" not in said


@pytest.mark.parametrize("level", ["project", "folder"])
def test_a_link_that_leads_out_of_a_project_is_refused(workspace: Workspace, tmp_path: Path, level: str) -> None:
    folder = Path(workspace.root) if level == "project" else tmp_path / "heron"
    (folder / ".claude").mkdir(parents=True)
    outside = tmp_path / "precious.json"
    outside.write_text("{}")
    (folder / ".claude" / "settings.json").symlink_to(outside)

    with pytest.raises(UnsafeFileError, match=r"a link to"):
        install(workspace, level=level, folder=str(folder))

    assert outside.read_text() == "{}"


def test_another_project_is_wired_to_this_workspace(workspace: Workspace, tmp_path: Path) -> None:
    heron = tmp_path / "heron"
    heron.mkdir()
    (heron / "AGENTS.md").write_text("# Heron\n")
    before = look(heron)

    install(workspace, level="folder", folder=str(heron))

    assert f"agentws -C {workspace.root} boot" in (heron / "CLAUDE.md").read_text()
    wired = {known.name: known.wires for known in workspace.hosts.list(variables={}).hosts}["claude-code"]
    assert [(wire.level, wire.folder, wire.ours, wire.works) for wire in wired] == [("folder", str(heron), True, True)]
    uninstall(workspace, level="folder", folder=str(heron))
    assert look(heron) == before


def test_a_file_that_cannot_be_understood_stops_everything(workspace: Workspace) -> None:
    root = Path(workspace.root)
    (root / ".claude").mkdir()
    (root / ".claude/settings.json").write_text('{\n  "a": 1\n  "b": 2\n}\n')
    before = look(root)

    with pytest.raises(DamagedError, match=rf"^{root}/\.claude/settings\.json:3: "):
        install(workspace)

    assert look(root) == before


def test_where_a_file_cannot_be_written_the_ones_before_it_come_back(
    workspace: Workspace, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text(MINE)
    before = look(home)
    write = external_files.write

    def refuse(spot: external_files.Spot, text: str, *, before: str | None) -> str | None:
        if spot.path == "settings.json":
            raise DiskError(f"{spot.full}: no permission.")
        return write(spot, text, before=before)

    monkeypatch.setattr(external_files, "write", refuse)
    with pytest.raises(DiskError):
        install(workspace, level="user")

    assert look(home) == before, "instructions that speak of hooks would be worse than none"
    monkeypatch.undo()
    install(workspace, level="user")
    uninstall(workspace, level="user")
    assert look(home) == before


def test_a_workspace_that_takes_no_record_says_so(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Files.open

    def refuse(files: Files, path: str, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
        if path.startswith(".agentws/installed/"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(files, path, flags, mode)

    monkeypatch.setattr(Files, "open", refuse)
    with pytest.raises(DiskError, match="permission denied"):
        install(workspace)


def test_bytes_that_are_no_text_come_back(workspace: Workspace) -> None:
    page = Path(workspace.root, "CLAUDE.md")
    page.write_bytes(b"# caf\xe9\r\n")

    install(workspace)

    assert page.read_bytes().startswith(b"# caf\xe9\r\n")
    uninstall(workspace)
    assert page.read_bytes() == b"# caf\xe9\r\n"


def test_the_record_of_settings_is_for_the_owner_alone(workspace: Workspace) -> None:
    install(workspace)

    (record,) = Path(workspace.root, ".agentws/installed").iterdir()
    assert stat.S_IMODE(record.stat().st_mode) == 0o600


def test_without_the_record_what_is_ours_is_known_by_its_looks(workspace: Workspace, home: Path) -> None:
    settings = home / ".codex" / "hooks.json"
    settings.parent.mkdir()
    settings.write_text(MINE)
    before = settings.read_text()
    install(workspace, "codex", level="user")
    (record,) = Path(workspace.root, ".agentws/installed").iterdir()
    record.unlink()

    uninstall(workspace, "codex", level="user")

    assert settings.read_text() == before


# What it says


def test_it_says_what_a_session_costs(workspace: Workspace) -> None:
    done = install(workspace)

    boot = workspace.boot(host="claude-code", part=1)
    assert abs(done.cost.boot - boot.tokens) < 20, "the clock of the command is another one"
    assert done.cost.counter == "o200k_base"
    assert done.cost.block > 50
    assert done.cost.tokens == done.cost.boot + done.cost.block
    assert done.cost.took_ms > 0


def test_what_the_host_loads_itself_is_not_in_its_boot(workspace: Workspace) -> None:
    install(workspace)

    left = {omission.source for omission in workspace.boot(host="claude-code").context.omitted}
    assert {"AGENTS.md", "CLAUDE.md"} <= left


def test_the_hosts_are_listed_with_what_is_found_and_wired(workspace: Workspace, home: Path) -> None:
    (home / ".codex").mkdir()
    install(workspace, "gemini")
    hook = Path(workspace.root, ".agentws/hook")
    hook.write_text(hook.read_text().replace(SCRIPT, "/gone/agentws"))

    hosts = {known.name: known for known in workspace.hosts.list(variables={"HOME": str(home)}).hosts}

    assert hosts["codex"].found
    assert not hosts["claude-code"].found
    assert [(wire.level, wire.ours, wire.works) for wire in hosts["gemini"].wires] == [("project", True, False)]


# Refused


def test_without_a_command_to_call_nothing_is_wired(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match=r"Hooks need an installed `agentws` command"):
        workspace.hosts.install("claude-code", script=None, variables={})


@pytest.mark.parametrize("words", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho hello\n"])
def test_a_command_that_does_not_work_is_not_wired(workspace: Workspace, tmp_path: Path, words: str) -> None:
    broken = tmp_path / "agentws"
    broken.write_text(words)
    broken.chmod(0o755)
    before = look(Path(workspace.root))

    with pytest.raises(OutsideProgramError):
        workspace.hosts.install("claude-code", script=str(broken), variables={})

    assert look(Path(workspace.root)) == before


@pytest.mark.parametrize(
    ("host", "more", "says"),
    [
        ("emacs", {}, "Unknown host"),
        ("agents-md", {"level": "user"}, "no user settings that apply to every folder"),
        ("codex", {"auto_memory": True}, "no auto-memory"),
        ("codex", {"level": "folder", "folder": "/nowhere/at/all"}, "folder not found"),
    ],
)
def test_what_makes_no_sense_is_refused(workspace: Workspace, host: str, more: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        install(workspace, host, **more)


def test_a_folder_that_nobody_adopted_is_not_wired(tmp_path: Path, environment: Environment) -> None:
    (tmp_path / "SOUL.md").write_text("# Soul\n")

    with pytest.raises(NoWorkspaceError):
        install(Workspace.open(str(tmp_path), environment=environment))


def test_a_launcher_that_does_not_run_is_not_wired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = Environment(timezone="UTC", cache=str(tmp_path / "cache"))
    workspace = Workspace.init(str(tmp_path / "wren"), environment=environment, name="Wren", git=False)
    made = launcher.Launcher.make

    def broken(self: launcher.Launcher) -> bool:
        assert made(self)
        Path(self.path).write_text("raise SystemExit(1)")
        return True

    monkeypatch.setattr(launcher.Launcher, "make", broken)

    assert install(workspace, "codex").launcher is None

    assert "-IS" not in Path(workspace.root, ".codex/hooks.json").read_text()
    assert not list((tmp_path / "cache").glob("launcher/*"))


# The hook file


def test_the_hook_file_stays_until_the_last_host_is_uninstalled(workspace: Workspace, home: Path) -> None:
    hook = Path(workspace.root, ".agentws/hook")
    install(workspace, dry_run=True)
    assert not hook.exists()
    install(workspace)
    install(workspace, "codex", level="user")
    uninstall(workspace)
    assert hook.exists()

    uninstall(workspace, "codex", level="user")

    assert not hook.exists()


def test_a_project_that_was_renamed_keeps_its_hooks(workspace: Workspace) -> None:
    install(workspace)
    moved = Path(workspace.root + "-moved")
    Path(workspace.root).rename(moved)
    settings = json.loads((moved / ".claude/settings.json").read_text())
    line = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    payload = json.dumps({"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"})

    done = subprocess.run(
        ["sh", "-c", line], input=payload, cwd="/", env={**os.environ, "CLAUDE_PROJECT_DIR": str(moved)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr) == (0, "")
    assert "additionalContext" in done.stdout


def test_status_and_doctor_name_a_hook_file_that_is_missing_on_this_machine(workspace: Workspace) -> None:
    install(workspace)
    assert not [one for one in workspace.status().findings if one.name == "hook-stale"]
    Path(workspace.root, ".agentws/hook").unlink()

    for found in (workspace.status().findings, workspace.doctor().findings):
        (stale,) = [one for one in found if one.name == "hook-stale"]

        assert f"{workspace.root}/.agentws/hook, which no longer exists" in stale.says
        assert stale.remedy == "agentws install claude-code"


@pytest.mark.parametrize("host", ["claude-code", "agents-md"])
def test_of_a_workspace_in_agentmem_the_settings_of_the_project_are_listed_once_and_work(
    tmp_path: Path, environment: Environment, host: str
) -> None:
    (tmp_path / "code").mkdir()
    robin = Workspace.init(str(tmp_path / "code/.agentmem"), environment=environment, name="Robin", git=False)
    install(robin, host)

    listed = {each.name: each for each in robin.hosts.list(variables={"HOME": os.environ["HOME"]}).hosts}

    wires = [(wire.folder, wire.ours, wire.works) for wire in listed[host].wires]
    assert wires == [(str(tmp_path / "code"), True, True)]
