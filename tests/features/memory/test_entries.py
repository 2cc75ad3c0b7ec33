"""entries and revise: MEMORY.md with the origin of each entry; a person corrects or removes one, and undoes that."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.errors import ChangedUnderneathError, DamagedError, NeedsYouError, SecretRefusedError, UsageError
from agentws.features.memory.entries import Entry
from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.forget.test_forget import compacted, put, reopened, text_of

TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"


def entry_of(workspace: Workspace, text: str) -> Entry:
    return next(entry for entry in workspace.plumbing.entries().rows if text in entry.text)


def test_an_entry_has_its_day_origin_and_the_lines_behind_it(workspace: Workspace) -> None:
    compacted(workspace)

    entry = entry_of(workspace, "300 tiles")

    assert (entry.line, entry.day, entry.is_item) == (10, "2026-03-02", True)
    assert [(source.path, source.line) for source in entry.sources] == [("memory/2026-03-02.md", 4)]


def test_an_entry_that_a_person_wrote_by_hand_is_listed_without_an_origin(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n## People\n\n- Kim likes tea\n  - green\n\nA paragraph.\n")

    kim, paragraph = workspace.plumbing.entries().rows

    assert (kim.text, kim.headings, kim.src, kim.day) == ("Kim likes tea\n- green", ("Memory", "People"), "unknown", "")
    assert not paragraph.is_item


@pytest.mark.parametrize("is_remembered", [True, False])
def test_a_person_corrects_an_entry_and_undoes_that(workspace: Workspace, is_remembered: bool) -> None:
    if is_remembered:
        workspace.remember("Kim likes tea")
    else:
        put(workspace, "MEMORY.md", "# Memory\n\n- Kim likes tea\n- Leo likes coffee\n")
    before = text_of(workspace, "MEMORY.md")

    done = reopened(workspace).plumbing.revise(entry_of(workspace, "Kim").digest, "Kim likes cocoa")

    assert (done.before, done.after) == ("Kim likes tea", "Kim likes cocoa")
    assert text_of(workspace, "MEMORY.md") == before.replace("tea", "cocoa")
    corrected = entry_of(reopened(workspace), "cocoa")
    assert (corrected.src, corrected.day, corrected.replaced) == ("user", "2026-11-20", ["Kim likes tea"])
    assert "- Kim likes tea → Kim likes cocoa (until 2026-11-20)" in text_of(workspace, "memory/archive/superseded.md")

    reopened(workspace).undo()
    assert text_of(workspace, "MEMORY.md") == before
    assert not Path(workspace.root, "memory/archive/superseded.md").exists()


def test_a_person_removes_an_entry_with_all_of_its_lines(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- Kim likes tea\n  - green\n- Leo likes coffee\n")

    done = workspace.plumbing.revise(entry_of(workspace, "Kim").digest)

    assert done.after == ""
    assert text_of(workspace, "MEMORY.md") == "# Memory\n\n- Leo likes coffee\n"
    assert "- Kim likes tea - green (removed by a person, 2026-11-20)" in text_of(
        workspace, "memory/archive/superseded.md"
    )


def test_no_entry_is_replaced_if_its_old_words_would_go_into_a_file_that_is_not_utf_8(workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- Kim likes tea\n")
    superseded = Path(workspace.root, "memory/archive/superseded.md")
    superseded.parent.mkdir(parents=True, exist_ok=True)
    superseded.write_bytes("# Superseded\n".encode("utf-16"))

    with pytest.raises(DamagedError, match="UTF-16"):
        workspace.plumbing.revise(entry_of(workspace, "Kim").digest, "Kim likes cocoa")
    assert text_of(workspace, "MEMORY.md") == "# Memory\n\n- Kim likes tea\n"


def test_line_ends_and_all_other_lines_stay(workspace: Workspace) -> None:
    Path(workspace.root, "MEMORY.md").write_bytes(b"# Memory\r\n\r\n- Kim likes tea\r\n- Leo\r\n")

    workspace.plumbing.revise(entry_of(workspace, "Kim").digest, "Kim likes cocoa")

    assert Path(workspace.root, "MEMORY.md").read_bytes() == b"# Memory\r\n\r\n- Kim likes cocoa\r\n- Leo\r\n"


def test_an_entry_that_was_edited_meanwhile_stays(workspace: Workspace) -> None:
    workspace.remember("Kim likes tea")
    digest = entry_of(workspace, "Kim").digest
    edited = text_of(workspace, "MEMORY.md").replace("tea", "milk")
    put(workspace, "MEMORY.md", edited)

    with pytest.raises(ChangedUnderneathError):
        workspace.plumbing.revise(digest, "Kim likes cocoa")

    assert text_of(workspace, "MEMORY.md") == edited


@pytest.mark.parametrize("text", ["", "Likes cocoa"])
def test_of_equal_entries_none_is_revised_by_chance(workspace: Workspace, text: str) -> None:
    twice = "# Memory\n\n## Kim\n\n- Likes tea\n\n## Leo\n\n- Likes tea\n"
    put(workspace, "MEMORY.md", twice)

    with pytest.raises(UsageError, match=r"MEMORY\.md:5, MEMORY\.md:9"):
        workspace.plumbing.revise(entry_of(workspace, "Likes").digest, text)

    assert text_of(workspace, "MEMORY.md") == twice


def test_an_agent_and_a_secret_are_refused(workspace: Workspace) -> None:
    workspace.remember("Kim likes tea")
    digest, before = entry_of(workspace, "Kim").digest, text_of(workspace, "MEMORY.md")
    agent = Workspace.open(workspace.root, environment=Environment(now=NOW, timezone="UTC", by_agent=True))

    with pytest.raises(NeedsYouError):
        agent.plumbing.revise(digest)
    with pytest.raises(SecretRefusedError):
        workspace.plumbing.revise(digest, f"The key is {TOKEN}")

    assert text_of(workspace, "MEMORY.md") == before
