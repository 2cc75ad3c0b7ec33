"""The state of a hit: what another line closed is no longer open, and the hit names that line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentws.features.search.render import search as rendered
from agentws.workspace import Environment, Workspace
from tests.features.search.worlds import opened, put


def states(workspace: Workspace, question: str) -> list[tuple[str, str, str]]:
    hits = workspace.search(question).hits
    return [(f"{hit.path}:{hit.line}", hit.state, hit.closed_by) for hit in hits]


def test_a_closed_item_has_the_state_done_and_names_the_line_that_closed_it(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "# 2026-11-18\n\n- [ ] Oil the hinges of the garden gate\n")
    put(workspace, "memory/2026-11-19.md", "# 2026-11-19\n\n- [ ] Sell the red boat\n- [ ] Feed the heron\n")
    workspace.done("oil", "hinges")
    workspace.drop("sell", "boat")

    assert ("memory/2026-11-18.md:3", "done", "memory/2026-11-20.md:3") in states(workspace, "hinges")
    assert ("memory/2026-11-19.md:3", "dropped", "memory/2026-11-20.md:4") in states(workspace, "boat")
    assert states(workspace, "heron") == [("memory/2026-11-19.md:4", "open", "")]


def test_scripts_and_people_are_told_so(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "# 2026-11-18\n\n- [ ] Oil the hinges of the garden gate\n")
    workspace.done("oil", "hinges", note="with a brush")
    found = workspace.search("garden gate hinges", until="2026-11-18")

    (fields,) = json.loads(json.dumps(rendered.fields(found)))["hits"]
    assert (fields["state"], fields["closed_by"]) == ("done", "memory/2026-11-20.md:3")
    assert any("done, memory/2026-11-20.md:3" in line for line in rendered.lines(found))


def test_the_state_is_that_of_the_files_now_also_with_an_index_and_for_a_second_question(tmp_path: Path) -> None:
    for cache in (str(tmp_path / "cache"), None):
        root = str(tmp_path / f"world-{bool(cache)}")
        Workspace.init(root, environment=Environment(cache=None), name="Robin", git=False)
        workspace = opened(root, cache=cache)
        put(workspace, "memory/2026-11-17.md", "# 2026-11-17\n\n- [ ] Oil the hinges of the garden gate\n")
        assert states(workspace, "hinges") == [("memory/2026-11-17.md:3", "open", "")]

        closing = put(workspace, "memory/2026-11-18.md", "# 2026-11-18\n\n- [x] Oil the hinges of the garden gate\n")
        assert ("memory/2026-11-17.md:3", "done", "memory/2026-11-18.md:3") in states(workspace, "hinges")

        closing.unlink()
        assert states(workspace, "hinges") == [("memory/2026-11-17.md:3", "open", "")]


def test_only_what_todo_lists_is_open(workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "# 2026-11-18\n\n- [ ] Feed the heron\n- [ ] Ask the heron (via net:chat)\n")
    put(workspace, "memory/birds.md", "- [ ] A box of the heron in a note\n")
    put(workspace, "AGENTS.md", "# How\n\n- [ ] A box of the heron in an identity file\n")
    put(workspace, "tasks/pond.md", "---\nstatus: done\n---\n# Pond\n\n- [ ] A net for the heron\n")

    listed = {f"{row.path}:{row.line}" for row in workspace.todos().rows}

    found = states(workspace, "heron")
    assert len(found) == 5
    assert {place for place, state, _ in found if state == "open"} == listed == {"memory/2026-11-18.md:3"}


@pytest.mark.parametrize("is_ticked", [True, False])
def test_an_item_of_an_archived_day_has_the_state_that_the_digest_gives_it(
    workspace: Workspace, *, is_ticked: bool
) -> None:
    put(workspace, "memory/2026-11-02.md", "# 2026-11-02\n\n- [ ] Oil the hinges of the garden gate\n")
    (row,) = workspace.todos().rows
    archived = Path(workspace.root) / "memory/archive/2026/2026-11-02.md"
    archived.parent.mkdir(parents=True)
    (Path(workspace.root) / "memory/2026-11-02.md").rename(archived)
    box = "[x]" if is_ticked else "[ ]"
    put(
        workspace,
        "memory/digest.md",
        f"# Digest of the logs\n\n## Open\n\n- {box} 2026-11-02 Oil the hinges of the garden gate ^{row.ref}\n",
    )

    expected = ("done", "memory/digest.md:5") if is_ticked else ("open", "")
    assert ("memory/archive/2026/2026-11-02.md:3", *expected) in states(workspace, "hinges")


ARCHIVED_CLOSINGS = [
    ("## House\n\n- [ ] Oil the hinges\n- [ ] Paint the shed\n", "done"),
    ("\n\n- [x] Sell the red boat\n", "done"),
    ("\n\n- 09:00 [dropped] Sell the red boat (closes ^{ref})\n", "dropped"),
]


@pytest.mark.parametrize(("newer", "state"), ARCHIVED_CLOSINGS)
def test_an_item_that_an_archived_line_closed_names_that_line(workspace: Workspace, newer: str, state: str) -> None:
    put(workspace, "memory/2026-10-01.md", "\n\n## House\n\n- [ ] Oil the hinges\n- [ ] Sell the red boat\n")
    ref = next(row.ref for row in workspace.todos().rows if "boat" in row.text)
    put(workspace, "memory/2026-10-03.md", newer.format(ref=ref))
    workspace.memory.compact(agreed=True)

    archived = {place: (state, by) for place, state, by in states(workspace, "red boat hinges")}

    boat, hinges = (archived[f"memory/archive/2026/2026-10-01.md:{line}"] for line in (6, 5))
    assert boat == (state, "memory/archive/2026/2026-10-03.md:3")
    assert hinges == ("open", "")
    assert [row.text for row in workspace.todos().rows if "boat" in row.text] == []


def test_an_archived_item_that_was_taken_out_of_the_digest_by_hand_is_not_open(workspace: Workspace) -> None:
    put(workspace, "memory/2026-10-01.md", "# 2026-10-01\n\n- [ ] Sell the red boat\n")
    workspace.memory.compact(agreed=True)
    assert states(workspace, "boat") == [("memory/archive/2026/2026-10-01.md:3", "open", "")]

    put(workspace, "memory/digest.md", "# Digest of the logs\n")
    assert states(workspace, "boat") == [("memory/archive/2026/2026-10-01.md:3", "", "")]
