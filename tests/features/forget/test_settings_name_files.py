"""forget looks where settings point: at files that they include, and at settings of agent programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.features.hosts import install_record
from agentws.workspace import Workspace
from tests.features.forget.test_left_out import NAME, write


@pytest.mark.parametrize("key", ["sync.include", "history.include", "search.include", "boot.pinned"])
@pytest.mark.parametrize("path", ["notes/style.md", "notes/deep/list.txt"])
def test_a_file_that_a_setting_includes_is_searched_and_named(workspace: Workspace, key: str, path: str) -> None:
    write(workspace, path, f"first\nmet {NAME}\n")
    write(workspace, "other/unnamed.md", f"{NAME}\n")
    assert not workspace.memory.forget(subjects=[NAME]).left
    workspace.config.set(key, path)

    done = workspace.memory.forget(subjects=[NAME], dry_run=True)

    named = [one.place for one in done.left] + [f"{place}:{line.line}" for place, line in done.lines]
    assert named == [f"{path}:2"]
    assert any("but for the files that settings include" in notice for notice in done.notices)
    assert done.would_leave == bool(done.left)


def test_settings_of_an_agent_program_with_the_name_are_named(workspace: Workspace, tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    settings.write_text(f'{{"note": "{NAME}"}}\n')
    record = install_record.Record("claude-code", "user", str(tmp_path))
    record.after = {str(settings): "", str(tmp_path / "gone.json"): ""}
    install_record.keep(workspace.stores.files, record)

    done = workspace.memory.forget(subjects=[NAME], dry_run=True)

    said = [each for each in done.elsewhere if "settings of Claude Code" in each]
    assert said == [f"The settings of Claude Code contain matches: {settings}. Edit this file."]
