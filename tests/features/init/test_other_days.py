"""Daily logs that other programs wrote are read as days after `init`, or named with the setting that reads them."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from agentws.workspace import Environment, Workspace, initialise
from tests import table
from tests.features.init.test_names import adopted, written

READ = {
    "memory/20261118.md": ["memory"],
    "memory/2026/11/18.md": ["memory"],
    "memory/2026/11/2026-11-18.md": ["memory"],
    "memory/daily/2026-11-18.md": ["memory/daily"],
    "memory/2026_11_18-fog.md": ["memory"],
    "journals/2026_11_18.md": ["journals"],
    "Tagebuch/18.11.2026.md": ["Tagebuch"],
    "Daily Notes/2026/2026-11-18.md": ["Daily Notes"],
}


def test_each_is_read_by_boot_todo_and_search_and_left_as_it_is(tmp_path: Path, environment: Environment) -> None:
    def check(row: tuple[str, list[str]]) -> None:
        path, folders = row
        files = {"MEMORY.md": "# Memory\n", path: "- The fog came early.\n- [ ] oil the hinge\n"}
        root = written(tmp_path / path.replace("/", "-"), files)

        done = initialise(str(root), environment)
        agent = Workspace.open(str(root), environment=environment)
        boot = agent.boot()

        assert (done.log_folders, done.days) == (folders, ["2026-11-18"])
        assert boot.text.count("fog came early") == 1
        assert "2026-11-18" in boot.text
        assert not [notice for notice in boot.notices if "memory" in notice]
        assert [hit.path for hit in agent.search("fog early").hits] == [path]
        assert [(item.path, item.since) for item in agent.todos().rows] == [(path, "2026-11-18")]
        assert agent.status().days == ["2026-11-18"]
        assert "fog came" not in agent.boot(audience="shared").text
        agent.memory.compact(agreed=True)
        assert (root / path).read_text() == files[path]

    table.holds(check, READ.items())


def test_folders_that_may_hold_daily_logs_are_named_with_the_setting(tmp_path: Path, environment: Environment) -> None:
    root = written(tmp_path / "a", {"MEMORY.md": "# M\n", "blog/2026-11-18-fog.md": "- Fog.\n"})

    done = initialise(str(root), environment)
    agent = Workspace.open(str(root), environment=environment)

    (says,) = [notice for notice in done.notices if notice.startswith("blog")]
    assert says.endswith("agentws config log.folders blog")
    assert "Fog" not in agent.boot().text
    agent.config.set("log.folders", "blog")
    assert "Fog" in agent.boot().text


def test_boot_names_them_in_a_workspace_without_the_setting(tmp_path: Path, environment: Environment) -> None:
    agent = adopted(written(tmp_path / "a", {"MEMORY.md": "# Memory\n"}), environment)
    written(tmp_path / "a", {"memory/daily/2026-11-18.md": "- Fog.\n", "memory/20261117.md": "- Rain.\n"})

    (says,) = [notice for notice in agent.boot().notices if "daily logs" in notice]

    assert says.endswith("agentws config log.folders 'memory,memory/daily'")
    agent.config.set("log.folders", "memory,memory/daily")
    assert not [notice for notice in agent.boot().notices if "daily logs" in notice]


def test_markdown_that_nothing_reads_is_named_by_init(tmp_path: Path, environment: Environment) -> None:
    files = {"MEMORY.md": "# M\n", "README.md": "# R\n", "docs/a/b.md": "# B\n", ".cursor/rules/c.mdc": "# C\n"}
    root = written(tmp_path / "a", files)

    done = initialise(str(root), environment, dry_run=True)

    assert sorted(done.unread) == [".cursor/rules/c.mdc", "README.md", "docs/a/b.md"]


def test_the_daily_notes_of_a_vault_may_be_in_its_root(tmp_path: Path, environment: Environment) -> None:
    def check(row: tuple[str, str]) -> None:
        settings, path = row
        number = len(list(tmp_path.iterdir()))
        files = {path: "- The fog came early.\n- [ ] oil the hinge\n", "Harbour.md": "# Harbour\n", settings: "{}"}
        root = written(tmp_path / str(number), files)

        done = initialise(str(root), environment)
        agent = Workspace.open(str(root), environment=environment)

        assert (done.log_folders, done.days, done.unread) == (["."], ["2026-11-18"], ["Harbour.md"])
        assert agent.boot().text.count("fog came early") == 1
        assert [row.path for row in agent.todos().rows] == [path]
        assert [hit.path for hit in agent.search("fog").hits] == [path]

    table.holds(
        check,
        [
            (".obsidian/app.json", "2026-11-18.md"),
            (".obsidian/daily-notes.json", "2026-11-18.md"),
            (".obsidian/app.json", "2026-11-18 Wednesday.md"),
            (".obsidian/daily-notes.json", "2026/11/18.md"),
        ],
    )


def test_dated_files_in_the_root_of_another_folder_are_named_with_the_setting(
    tmp_path: Path, environment: Environment
) -> None:
    root = written(tmp_path / "a", {"MEMORY.md": "# M\n", "2026-11-18-fog.md": "- Fog.\n"})

    done = initialise(str(root), environment)
    agent = Workspace.open(str(root), environment=environment)

    assert [notice for notice in done.notices if notice.endswith("agentws config log.folders .")]
    assert "Fog" not in agent.boot().text
    agent.config.set("log.folders", ".")
    assert "Fog" in agent.boot().text


def test_unversioned_folders_are_named_with_the_setting_that_syncs_them(
    tmp_path: Path, environment: Environment
) -> None:
    def check(row: tuple[str, list[str]]) -> None:
        path, (folder,) = row
        root = written(tmp_path / path.replace("/", "-"), {"MEMORY.md": "# M\n", path: "- The fog came early.\n"})
        initialise(str(root), environment)
        agent = Workspace.open(str(root), environment=environment)
        is_ours = folder.startswith("memory")
        tree = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
        assert (path in tree.split("\0")) == is_ours

        told = [each for each in agent.doctor().findings if each.name == "log-folder"]

        assert [each.path for each in told] == ([] if is_ours else [folder])
        for each in told:
            (glob,) = shlex.split(each.remedy.partition("sync.include ")[2])
            agent.config.set("sync.include", glob)
        assert not [each for each in agent.doctor().findings if each.name == "log-folder"]
        (stick := tmp_path / f"stick-{path.replace('/', '-')}").mkdir()
        done = agent.sync(str(stick))[0]
        assert not done.skipped
        assert path in done.outward.paths

    table.holds(check, READ.items())
