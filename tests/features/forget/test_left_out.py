"""Forgotten text that older text or a program brings back is left out, counted, and named once; the rest goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentws import workspace as _workspace
from agentws.core.formats.kept_out import STAND_IN
from agentws.workspace import Workspace
from tests import forked, table
from tests.features.forget.test_kept_out import NAMES, forgotten
from tests.features.hosts import payloads

NAME = "Zebulon Quark"
DAY = "memory/2026-11-20.md"


def text_of(workspace: Workspace, path: str) -> str:
    return Path(workspace.root, path).read_text()


def write(workspace: Workspace, path: str, text: str) -> None:
    """What a person writes with an editor, which nothing keeps out."""
    file = Path(workspace.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def said_once(notices: list[str]) -> bool:
    return sum("was forgotten on 2026-11-20" in notice for notice in notices) == 1


def test_a_hook_records_its_call_without_the_line_in_every_script(workspace: Workspace) -> None:
    forgotten(workspace, *(name for name, _ in NAMES.values()))

    def check(script: str) -> None:
        said: dict[str, Any] = payloads.of("claude-code")["UserPromptSubmit"]
        heard = _workspace.hear("claude-code", "UserPromptSubmit")
        heard.take(json.dumps({**said, "prompt": f"first\n{NAMES[script][1]}\nlast"}).encode())

        notices = workspace.plumbing.record_call(heard)

        newest = [one for one in workspace.journal.list() if one.kind == "note"][-1]
        assert newest.body is not None
        assert newest.body["text"] == f"first\n{STAND_IN}\nlast"
        assert said_once(notices)

    table.holds(check, NAMES)


def test_every_event_of_a_hook_is_recorded_without_it(workspace: Workspace) -> None:
    forgotten(workspace, NAME)

    for host in payloads.HOSTS:
        for event, said in payloads.of(host).items():
            heard = _workspace.hear(host, event)
            heard.take(json.dumps(_with(said)).encode())
            workspace.plumbing.record_call(heard)

    stored = "".join(path.read_text() for path in Path(workspace.root, "journal").rglob("*.jsonl"))
    assert NAME not in stored
    assert STAND_IN.strip("‹›") in stored


def _with(said: Any) -> Any:
    """A payload with the name behind each text that is no id, path or word of the host's own."""
    if isinstance(said, dict):
        return {
            key: f"{value} {NAME}" if key in ("prompt", "content", "stdout", "command") else _with(value)
            for key, value in said.items()
        }
    return said


def test_undo_brings_back_the_rest(workspace: Workspace) -> None:
    write(workspace, "MEMORY.md", f"# Memory\n\n- {NAME} likes tea\n- Leo\n")
    workspace.remember("Ann")
    write(workspace, "USER.md", f"{NAME}\n")
    workspace.memory.forget(subjects=[NAME])
    write(workspace, "MEMORY.md", f"# Memory\n\n- {NAME} likes tea\n  a lot\n- Leo\n")
    workspace.remember("Tom")
    write(workspace, "MEMORY.md", text_of(workspace, "MEMORY.md"))

    done = workspace.undo()

    assert "Tom" not in text_of(workspace, "MEMORY.md")
    assert "Leo" in text_of(workspace, "MEMORY.md")
    assert NAME in text_of(workspace, "MEMORY.md"), "a person wrote it, and it was there before undo"
    assert not said_once(done.notices)


def test_restore_brings_back_the_rest_of_an_older_state(tmp_path: Path, environment: _workspace.Environment) -> None:
    workspace = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin")
    workspace.remember(f"{NAME} likes tea\n> and honey")
    workspace.remember("Leo likes coffee")
    old = workspace.history("MEMORY.md").changes[0].id
    workspace.memory.forget(subjects=[NAME])

    done = workspace.history.restore("MEMORY.md", at=old)

    assert NAME not in text_of(workspace, "MEMORY.md")
    assert "honey" not in text_of(workspace, "MEMORY.md"), "what is indented below it goes with it"
    assert "Leo likes coffee" in text_of(workspace, "MEMORY.md")
    assert said_once(done.notices)


def test_a_checkpoint_gives_its_state_without_it(workspace: Workspace) -> None:
    workspace.tasks.add("Loan")
    forgotten(workspace, NAME)
    workspace.checkpoints.save("loan", {"who": [NAME, "Leo"], "said": f"a\n{NAME}\nb"})

    done = workspace.checkpoints.restore("loan")

    assert done.state == {"who": [STAND_IN, "Leo"], "said": f"a\n{STAND_IN}\nb"}
    assert said_once(done.notices)


def test_curate_and_compact_take_no_line_with_it(workspace: Workspace) -> None:
    forgotten(workspace, NAME)
    write(workspace, "memory/2026-11-18.md", f"- [fact] {NAME} owns the roof\n- [fact] The roof has 300 tiles\n")

    brief = workspace.memory.brief().brief.text
    done = workspace.memory.curate(f"ADD [fact] {NAME} owns the roof {{memory/2026-11-18.md:2}}\n")
    write(workspace, "memory/2026-10-20.md", f"- [fact] {NAME} owns the roof\n- [fact] The roof has 300 tiles\n")
    workspace.config.set("compaction.since", "2026-10-01")
    workspace.memory.compact()

    assert NAME not in brief
    assert "300 tiles" in brief
    assert ["forgotten" in why for _, why in done.refused] == [True], done.refused
    assert NAME not in text_of(workspace, "MEMORY.md")
    assert "300 tiles" in text_of(workspace, "MEMORY.md")


@pytest.mark.parametrize("has_index", [True, False])
def test_the_index_of_search_leaves_it_out(tmp_path: Path, workspace: Workspace, has_index: bool) -> None:
    workspace.stores.environment.cache = str(tmp_path / "cache") if has_index else None
    searching = Workspace.open(workspace.root, environment=workspace.stores.environment)
    write(workspace, DAY, "# Day\n\n- 08:00 met Quark, Zebulon at the roof\n- 08:05 the roof has 300 tiles\n")
    assert len(searching.search("roof").hits) == 2
    write(workspace, "memory/2026-11-19.md", f"- {NAME}\n")

    workspace.memory.forget(subjects=[NAME])
    write(workspace, DAY, f"# Day\n\n- 08:00 met {NAME} at the roof\n- 08:05 the roof has 300 tiles\n")

    assert [hit.unit.text for hit in searching.search("roof").hits] == ["- 08:05 the roof has 300 tiles"]
    assert not searching.search("Zebulon").hits
    (entry,) = workspace.memory.kept_out()
    workspace.memory.lift(entry.id)
    assert len(searching.search("roof").hits) == 2


def test_sessions_and_calls_in_flight_are_recorded_without_it(workspace: Workspace) -> None:
    forgotten(workspace, NAME)

    done = forked.run_text("-C", workspace.root, "session", "start", f"talk with {NAME}")

    assert done.returncode == 0
    assert "was forgotten on" in done.stderr
    assert not any(NAME in str(one.body) for one in workspace.journal.list())
