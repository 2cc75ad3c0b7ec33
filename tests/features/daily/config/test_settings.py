"""The settings: shown with where they come from, and set without touching another line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.core.hosts import allowance
from agentws.errors import UsageError
from agentws.features.daily import command_config as config
from agentws.workspace import Workspace


def reopened(workspace: Workspace) -> Workspace:
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def manifest(workspace: Workspace) -> Path:
    return Path(workspace.root, "agentws.toml")


def test_every_setting_is_shown_with_its_default_and_its_place(workspace: Workspace) -> None:
    before = manifest(workspace).read_text()
    manifest(workspace).write_text(before + "\n[boot]\nbudget = 900  # small\n")

    found = {one.key: one for one in reopened(workspace).config.list().settings}

    assert (found["boot.budget"].value, found["boot.budget"].default, found["boot.budget"].is_set) == (900, 8000, True)
    assert manifest(workspace).read_text().split("\n")[found["boot.budget"].line - 1] == "budget = 900  # small"
    assert (found["log.heading"].value, found["log.heading"].is_set, found["log.heading"].line) == ("Log", False, 0)
    lines = list(config.table(reopened(workspace).config.list()))
    assert len(lines) == len(found) + 1
    assert [line.split()[0] for line in lines[:4]] == ["name", "timezone", "id", "created"]
    assert lines[1].split()[1] == "UTC"
    assert lines[4].split() == ["boot.budget", "900", f"(agentws.toml:{found['boot.budget'].line};", "default", "8000)"]


def test_one_is_set_and_comments_stay(workspace: Workspace) -> None:
    manifest(workspace).write_text(manifest(workspace).read_text() + "\n# mine\n[boot]\nbudget = 900  # small\n")

    done = reopened(workspace).config.set("boot.budget", "1200")
    again = reopened(workspace).config.set("boot.budget", "1200")
    reopened(workspace).config.set("compaction.archive", "no")
    reopened(workspace).config.set("boot.pinned", "notes/a.md, notes/b.md")

    assert (done.changed, done.settings[0].value, again.changed) == (True, 1200, False)
    assert "\n# mine\n[boot]\nbudget = 1200  # small\n" in manifest(workspace).read_text()
    found = reopened(workspace).stores.manifest
    assert (found.setting("compaction.archive"), found.setting("boot.pinned")) == (False, ["notes/a.md", "notes/b.md"])
    reopened(workspace).undo()
    assert reopened(workspace).stores.manifest.setting("boot.pinned") == []


def test_keys_outside_the_sections_of_settings_are_shown_and_set(workspace: Workspace) -> None:
    reopened(workspace).config.set("name", "Robin of the mill")
    reopened(workspace).config.set("vocabulary.open", "loose ends, on the bench")
    reopened(workspace).config.set("vocabulary.kinds.decision", "verdict")

    found = reopened(workspace)
    shown = {one.key: one for one in found.config.list().settings}
    assert (found.stores.manifest.name, shown["name"].value) == ("Robin of the mill", "Robin of the mill")
    assert found.stores.manifest.vocabulary == {"open": ["loose ends", "on the bench"], "kinds.decision": ["verdict"]}
    assert shown["vocabulary.open"].value == ["loose ends", "on the bench"]
    assert "vocabulary.todo" not in shown
    assert found.config.list("vocabulary.todo").settings[0].value == []
    assert shown["id"].value == found.stores.manifest.agent_id
    for key in ("id", "created"):
        with pytest.raises(UsageError, match=f"{key} cannot be changed"):
            found.config.set(key, "other")


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("boot.budget", "8e3", "boot.budget must be a whole number"),
        ("compaction.archive", "maybe", "compaction.archive must be true or false"),
        ("identity.mode", "never", "identity.mode must be one of warn, require"),
        ("journal.granularity", "0", "journal.granularity must be one of"),
        ("log.heading", "a\nb", "one line"),
        ("boot.budget", "199", "boot.budget must be at least 200, not '199'"),
        ("boot.pinned", "notes/a.md, ../b.md", "not a path inside the workspace"),
        ("history.include", "/etc/passwd", "not a path inside the workspace"),
        ("retention.archive", "banana", "retention.archive: 'banana' is not a number of days"),
        ("compaction.before", "soon", "soon"),
        ("boot.budgets", "1", "Unknown setting: 'boot.budgets'"),
    ],
)
def test_what_does_not_fit_is_not_written(workspace: Workspace, key: str, value: str, says: str) -> None:
    before = manifest(workspace).read_bytes()

    with pytest.raises(UsageError, match=says):
        workspace.config.set(key, value)

    assert manifest(workspace).read_bytes() == before


def test_what_was_wrong_before_can_be_put_right(workspace: Workspace) -> None:
    manifest(workspace).write_text(manifest(workspace).read_text() + '\n[retention]\narchive = "banana"\n')

    reopened(workspace).config.set("retention.archive", "730d")
    reopened(workspace).config.set("retention.archive", "")

    assert 'archive = ""' in manifest(workspace).read_text()


def test_an_agent_is_not_allowed_it_by_install() -> None:
    assert "config" not in allowance.VERBS


def test_the_time_zone_is_set_above_all_sections_and_other_lines_stay(workspace: Workspace) -> None:
    before = manifest(workspace).read_text()

    done = workspace.config.set("timezone", "Asia/Tokyo")

    assert (done.changed, done.settings[0].value) == (True, "Asia/Tokyo")
    assert manifest(workspace).read_text() == before.replace('timezone = "UTC"', 'timezone = "Asia/Tokyo"')
    assert reopened(workspace).stores.manifest.timezone == "Asia/Tokyo"
    for wrong in ("Europe/Nowhere", "CST-8", "../etc/passwd"):
        with pytest.raises(UsageError, match="unknown time zone"):
            workspace.config.set("timezone", wrong)
