"""What is said with a verb: what is odd here, and what that verb met, in the thread that carries it out."""

from __future__ import annotations

import threading
from pathlib import Path

from agentws.workspace import Workspace


def tear(workspace: Workspace) -> None:
    """Leave at the end of the journal what a crash leaves."""
    (segment,) = Path(workspace.root, "journal").glob("*/000001.jsonl")
    with segment.open("ab") as file:
        file.write(b'{"torn')


def mended(notices: list[str]) -> list[str]:
    return [notice for notice in notices if "data that a crash left incomplete" in notice]


def test_what_a_verb_met_is_said_with_that_verb_alone(workspace: Workspace) -> None:
    workspace.event("note", "the first")
    tear(workspace)
    workspace.stores.close_journal()

    assert mended(workspace.tasks.add("One").notices)
    assert not workspace.tasks.add("Two").notices
    assert not mended(workspace.boot().notices)


def test_what_is_odd_in_the_manifest_is_said_with_every_verb(workspace: Workspace) -> None:
    with open(f"{workspace.root}/agentws.toml", "a", encoding="utf-8") as file:
        file.write("\n[boot]\nspeed = 3\n")
    opened = Workspace.open(workspace.root, environment=workspace.stores.environment)

    for _ in range(2):
        assert [notice for notice in opened.log("a line").notices if "boot.speed" in notice]


def test_what_another_thread_does_meanwhile_takes_no_notice_away(workspace: Workspace) -> None:
    workspace.stores.begin()
    workspace.notices.append("met in this thread")

    other = threading.Thread(target=lambda: workspace.log("another thread"))
    other.start()
    other.join()

    assert workspace.notices == ["met in this thread"]
