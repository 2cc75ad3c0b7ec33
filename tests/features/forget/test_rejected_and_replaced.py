"""Rejected text is not offered for MEMORY.md again; replaced text never stands beside the new one without its day."""

from __future__ import annotations

from agentws.features.memory.curate.answer import NO, Review
from agentws.workspace import Workspace
from tests.features.forget.test_left_out import text_of, write

OLD, NEW = "Backups run on Sundays", "Backups run on Mondays"
BESIDE = f"- {OLD} (until 2026-11-20, replaced by: {NEW})"
DAY = "memory/2026-11-18.md"


def replaced(workspace: Workspace) -> Workspace:
    workspace.remember(OLD)
    workspace.remember(NEW, replaces=OLD)
    return workspace


def reasons(workspace: Workspace) -> list[str]:
    return [entry.reason for entry in workspace.memory.kept_out()]


def offered(review: Review) -> list[str]:
    return [one.text for one in review.proposed]


def test_a_replaced_fact_that_is_remembered_again_says_its_day_and_the_new_one(workspace: Workspace) -> None:
    replaced(workspace)
    assert reasons(workspace) == ["superseded"]

    workspace.remember(OLD)
    workspace.remember("Leo")

    assert BESIDE in text_of(workspace, "MEMORY.md")
    assert text_of(workspace, "MEMORY.md").count("replaced by") == 1
    workspace.log(OLD)  # logs may mention it


def test_a_fact_that_is_replaced_back_stands_alone_without_a_remark(workspace: Workspace) -> None:
    replaced(workspace)

    workspace.remember(OLD, replaces=NEW)

    assert f"- {OLD}\n" in text_of(workspace, "MEMORY.md")
    assert "replaced by" not in text_of(workspace, "MEMORY.md")


def test_undo_of_a_replacement_brings_the_old_fact_back_as_it_was(workspace: Workspace) -> None:
    workspace.remember(OLD)
    before = text_of(workspace, "MEMORY.md")
    workspace.remember(NEW, replaces=OLD)

    workspace.undo()

    assert text_of(workspace, "MEMORY.md") == before


def test_boot_adds_the_remark_where_another_program_wrote_the_old_fact(workspace: Workspace) -> None:
    replaced(workspace)
    write(workspace, "MEMORY.md", f"# Memory\n\n- {OLD} (via tool:web)\n- {OLD}\n- {NEW}\n")

    text = workspace.boot().text

    assert BESIDE in text
    assert f"- {OLD}\n" not in text


def test_compact_does_not_bring_a_replaced_or_retired_fact_back_from_a_log(workspace: Workspace) -> None:
    replaced(workspace)
    write(workspace, "memory/2026-10-20.md", f"- [fact] {OLD}\n- [fact] The roof has 300 tiles\n")
    workspace.config.set("compaction.since", "2026-10-01")

    workspace.memory.compact()

    assert "300 tiles" in text_of(workspace, "MEMORY.md")
    assert OLD not in text_of(workspace, "MEMORY.md")


def test_what_curate_retired_or_a_person_declined_is_not_offered_again(workspace: Workspace) -> None:
    write(workspace, DAY, "- [fact] The roof has 300 tiles\n")
    workspace.memory.curate(f"ADD [fact] The roof has 300 tiles {{{DAY}:1}}\n")
    (row,) = workspace.memory.brief().brief.rows
    workspace.memory.curate(f"RETIRE {row.number} retired\n")
    write(workspace, DAY, "- [fact] The roof has 300 tiles\n- [lesson] Backups need the cable\n")
    declined = workspace.memory.review().proposed
    for one in declined:
        one.decision = NO
    workspace.memory.decide(declined)
    write(workspace, "memory/sources.jsonl", "")  # what this machine alone knows of it is lost
    write(workspace, "memory/2026-11-19.md", "- [fact] The roof has 300 tiles\n- [lesson] Backups need the cable\n")

    assert reasons(workspace) == ["rejected"] * 2
    assert not {"The roof has 300 tiles", "Backups need the cable"} & {*offered(workspace.memory.review())}


def test_a_dropped_item_leaves_no_entry(workspace: Workspace) -> None:
    workspace.todo("paint the fence")
    workspace.drop("fence")

    assert not workspace.memory.kept_out()
