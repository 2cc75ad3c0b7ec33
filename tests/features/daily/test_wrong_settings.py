"""One wrong value in the manifest: recording goes on, the other settings hold, and what it would mislead refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentws import workspace as _workspace
from agentws.errors import DamagedError
from agentws.workspace import Workspace
from tests.features.hosts import payloads

MODE = "agentws.toml:{0}: compaction.mode must be one of \"\", marked, propose, auto, not 'propse'."


def manifest_of(workspace: Workspace) -> Path:
    return Path(workspace.root, "agentws.toml")


@pytest.fixture
def mistyped(workspace: Workspace) -> Workspace:
    """A workspace with its name, a budget, and a mode of compaction that is none."""
    path = manifest_of(workspace)
    path.write_text(path.read_text() + '\n[boot]\nbudget = 900\n\n[compaction]\nmode = "propse"\n')
    return Workspace.open(workspace.root, environment=workspace.stores.environment)


def says(workspace: Workspace) -> str:
    return MODE.format(manifest_of(workspace).read_text().count("\n"))


def test_recording_goes_on(mistyped: Workspace) -> None:
    logged = mistyped.log("Watered the ferns")
    mistyped.todo("Call Tom")
    mistyped.done("call")
    mistyped.session.start(session="s1")
    mistyped.event("note", "The ferns look better", session="s1")
    mistyped.session.end(session="s1")
    heard = _workspace.hear("claude-code", "PreToolUse")
    heard.take(json.dumps(payloads.of("claude-code")["PreToolUse"]).encode())
    mistyped.plumbing.record_call(heard)

    assert any(notice.startswith(says(mistyped)) for notice in logged.notices)
    assert [one.kind for one in mistyped.journal.list()][-1] == "action"


def test_boot_and_status_keep_the_rest_and_say_so(mistyped: Workspace) -> None:
    booted = mistyped.boot()

    assert any(notice.startswith(says(mistyped)) for notice in booted.notices)
    assert mistyped.stores.manifest.name in booted.text
    assert booted.budget == 900
    assert any(says(mistyped) in check.says for check in mistyped.status().checks)


def test_what_the_setting_would_mislead_refuses_until_it_is_mended(mistyped: Workspace) -> None:
    for verb in (mistyped.memory.compact, mistyped.memory.brief):
        with pytest.raises(DamagedError, match=r"compaction\.mode must be one of"):
            verb()

    path = manifest_of(mistyped)
    path.write_text(path.read_text().replace("propse", "propose"))

    mended = Workspace.open(mistyped.root, environment=mistyped.stores.environment)
    mended.memory.compact()
    assert not mended.stores.manifest.wrong


@pytest.mark.parametrize("text", ["format = [\n", "format = 1\n[boot]\nprivate_tags = 'family'\n"])
def test_what_recording_cannot_do_without_stops_it(workspace: Workspace, text: str) -> None:
    manifest_of(workspace).write_text(text)

    with pytest.raises(DamagedError):
        Workspace.open(workspace.root, environment=workspace.stores.environment).log("Watered the ferns")


def test_a_granularity_that_is_none_records_every_event(workspace: Workspace) -> None:
    path = manifest_of(workspace)
    path.write_text(path.read_text() + '\n[journal]\ngranularity = "evry"\n')
    opened = Workspace.open(workspace.root, environment=workspace.stores.environment)

    opened.event("note", "The ferns look better")

    assert [one.kind for one in opened.journal.list()][-1] == "note"
    assert any("one of every, milestones, a number such as 5, not 'evry'" in notice for notice in opened.notices)
