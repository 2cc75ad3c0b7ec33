"""Recorded states looked at: what they hold, in which of them a file changed, and nothing without bound."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentws.core.states import past as _past, versions
from agentws.core.states.past import Past
from agentws.errors import TooLargeError
from tests.features.history.worlds import NEEDS_GIT, World

pytestmark = NEEDS_GIT


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def opened(world: World) -> Past:
    workspace = world.open(9)
    found = versions.open_past(workspace.stores.files, workspace.stores.manifest)
    assert found is not None
    return found


def commit(world: World, *words: str) -> None:
    person = ("git", "-c", "user.name=P", "-c", "user.email=p@example.org")
    subprocess.run([*person, "add", "-A"], cwd=world.root, check=True)
    subprocess.run([*person, "commit", "-qm", "by hand", *words], cwd=world.root, check=True)


def test_a_link_and_a_repository_within_are_no_documents(world: World) -> None:
    (world.root / "TOOLS.md").symlink_to("/etc/passwd")
    commit(world)

    past = opened(world)

    assert "TOOLS.md" not in past.tree(past.states()[0][0])
    assert "SOUL.md" in past.tree(past.states()[0][0])


def test_contents_are_found_by_place_and_read_together(world: World) -> None:
    past = opened(world)
    state = past.states()[0][0]

    soul, none, odd, user = past.contents_of(
        [(state, "SOUL.md"), (state, "a blob"), (state, "x\nSOUL.md"), (state, "USER.md")]
    )

    assert (none, odd) == ("", "")
    assert past.read([soul, user, soul, ""]) == {
        soul: (world.root / "SOUL.md").read_bytes(), user: (world.root / "USER.md").read_bytes(),
    }  # fmt: skip
    assert past.content_id((world.root / "SOUL.md").read_bytes()) == soul


def test_more_than_a_pipe_holds_is_read_in_portions(world: World) -> None:
    for number in range(300):
        world.write(f"tasks/{number:04d}.md", f"# {number}\n")
    world.record(1)
    past = opened(world)
    tree = past.tree(past.states()[0][0])

    found = past.read(list(tree.values()))

    assert {path: found[oid] for path, oid in tree.items()} == {path: (world.root / path).read_bytes() for path in tree}


def test_a_name_longer_than_a_pipe_does_no_harm(world: World) -> None:
    past = opened(world)

    assert past.contents_of([(past.states()[0][0], "x" * 70_000), (past.states()[0][0], "SOUL.md")])[0] == ""


def test_more_text_than_anybody_wants_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    past = opened(world)
    tree = past.tree(past.states()[0][0])
    monkeypatch.setattr(_past, "_MOST_BYTES", 100)

    with pytest.raises(TooLargeError):
        past.read(list(tree.values()))


def test_states_beyond_any_number_are_not_looked_at(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for hour in (1, 2, 3):
        world.open(hour).remember(f"fact {hour}")
    monkeypatch.setattr(_past, "_MOST_STATES", 2)

    assert len(opened(world).states()) == 2


def test_nothing_is_written_where_nothing_may_be(world: World) -> None:
    past = opened(world)
    tree = past.tree(past.states()[0][0])
    os.chmod(world.root / ".agentws", 0o500)
    try:
        assert past.read(list(tree.values()))
    finally:
        os.chmod(world.root / ".agentws", 0o700)
