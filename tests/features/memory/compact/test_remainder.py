"""Open items of archived logs, and their newest next list, stay in the digest: compaction closes and opens nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from agentws.workspace import Environment, Workspace
from tests.features.memory.compact.test_compacting import everything
from tests.thorough import THOROUGH

PATH, PAGE = "memory/2026-10-01.md", "memory/digest.md"
OLD_PAGE = """\
# Digest of the logs

Chosen by agentws from compacted days; not reviewed. Newest week first.

## Open

- [ ] 2026-08-03 Send the ferry list to Maria ^t3fk
- [x] 2026-08-04 Feed the cat ^b4mm

## 2026-W40

- 2026-10-02 Painted the hide by the well
- a line of my own

## 0000-W00

- a line without a week

## Not shown

- 12 more lines stay in the logs of these days
"""


def put(workspace: Workspace, text: str, day: int = 1) -> Path:
    file = Path(workspace.root, f"memory/2026-10-0{day}.md")
    file.write_text(f"# 2026-10-0{day}\n\n{text}")
    return file


def page(workspace: Workspace) -> str:
    file = Path(workspace.root, PAGE)
    return file.read_text() if file.exists() else ""


def left_open(workspace: Workspace) -> list[str]:
    return sorted(row.text for row in workspace.todos().rows)


def test_every_open_item_is_listed_and_every_day_moves(workspace: Workspace) -> None:
    boxes = "".join(f"- [ ] carry crate {n} of the harbour lamp to the pier\n" for n in range(60))
    file = put(workspace, f"## Open items\n{boxes}")

    workspace.memory.compact()

    assert not file.exists()
    assert page(workspace).count("- [ ] 2026-10-01 carry crate") == 60
    assert len(left_open(workspace)) == 60


@pytest.mark.parametrize("heading", ["Done", "Log", "Open items"])
def test_an_empty_box_is_open_under_any_heading_and_boot_finds_it_after_its_day_has_moved(
    workspace: Workspace, heading: str
) -> None:
    file = put(workspace, f"## {heading}\n- [ ] bring the boat to Sam before the storm\n")

    workspace.memory.compact()

    assert not file.exists()
    assert "bring the boat to Sam" in page(workspace).partition("## Open")[2].partition("##")[0]
    assert "bring the boat to Sam" in workspace.boot().text


def test_the_day_by_which_an_item_is_due_survives_however_it_is_written(workspace: Workspace) -> None:
    items = ("call the ferryman 📅 2026-11-25", "tar the keel (due 2026-11-26) !8", "sort 📅 2026-11-27 ropes")
    put(workspace, "".join(f"- [ ] {item}\n" for item in items))
    before = [(row.text, row.due) for row in workspace.todos().rows]

    workspace.memory.compact()

    assert [(row.text, row.due) for row in workspace.todos().rows] == before
    assert page(workspace).count("2026-11-2") == 3


def test_an_item_keeps_its_marks_its_day_and_its_reference(workspace: Workspace) -> None:
    put(workspace, "- [waiting] the answer of Kim !8 #home (due 2026-12-01)\n- [ ] ask Ada about her letter #private\n")
    before = {row.text: (row.ref, row.state, row.due, row.tags) for row in workspace.todos().rows}

    workspace.memory.compact()

    assert {row.text: (row.ref, row.state, row.due, row.tags) for row in workspace.todos().rows} == before
    assert "- [waiting] 2026-10-01 the answer of Kim" in page(workspace)


def test_an_item_with_a_secret_is_listed_without_it(workspace: Workspace) -> None:
    token = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
    put(workspace, f"- [ ] hand {token} to Sam\n")

    workspace.memory.compact()

    assert token not in page(workspace)
    assert "to Sam" in page(workspace)


def test_what_is_over_is_not_open_again_when_the_line_that_closes_it_is_archived(workspace: Workspace) -> None:
    put(workspace, "- [ ] feed the cat\n- [ ] ask Bob\n- [ ] call Tom\n")
    refs = {row.text: row.ref for row in workspace.todos().rows}
    put(workspace, "- [x] feed the cat\n", 2)
    put(workspace, f"- 20:00 [done] it is over (closes ^{refs['ask Bob']})\n", 3)

    for _ in range(2):
        assert left_open(workspace) == ["call Tom"]
        workspace.memory.compact()

    assert left_open(workspace) == ["call Tom"]


def test_of_an_item_that_a_young_log_lists_too_the_first_day_is_kept_without_a_reference(workspace: Workspace) -> None:
    put(workspace, "- [ ] feed the cat\n")
    Path(workspace.root, "memory/2026-11-19.md").write_text("- [ ] feed the cat\n")

    workspace.memory.compact()

    assert page(workspace).endswith("\n- [ ] 2026-10-01 feed the cat\n")
    assert left_open(workspace) == ["feed the cat"]


def test_a_closed_item_leaves_the_digest_with_the_next_run(workspace: Workspace) -> None:
    put(workspace, "- [ ] feed the cat\n- [ ] call Tom\n")
    workspace.memory.compact()
    workspace.done("feed", "cat")

    workspace.memory.compact()

    assert "feed the cat" not in page(workspace)
    assert left_open(workspace) == ["call Tom"]


def test_boot_shows_an_archived_day_without_the_items_that_were_closed_since(workspace: Workspace) -> None:
    put(workspace, "- [ ] feed the cat\n  - twice a day\n- [ ] call Tom\n  - [todo] about the ice\n- rain\n")
    workspace.memory.compact()
    assert "feed the cat" in workspace.boot().text.rpartition("## Thu 2026-10-01")[2]

    workspace.done("feed", "cat")
    workspace.done("about", "ice")

    for _ in range(2):
        day = workspace.boot().text.rpartition("## Thu 2026-10-01")[2]
        assert [row for row in day.split("\n") if row.strip().startswith("- ")] == ["- [ ] call Tom", "- rain"]
        workspace.memory.compact()


def test_boot_drops_no_other_line_of_an_archived_day_with_closed_and_open_items(workspace: Workspace) -> None:
    put(workspace, "- [todo] feed the cat ^aaaa\n- sun\n- [todo] call Tom ^bbbb\n- rain\n- snow\n")
    workspace.memory.compact()
    workspace.done("feed", "cat")

    text = workspace.boot().text

    day = text.rpartition("## Thu 2026-10-01")[2]
    assert [row for row in day.split("\n") if row.startswith("- ")] == ["- sun", "- rain", "- snow"]
    assert text.count("call Tom") == 1


def test_a_log_that_closes_an_item_of_another_file_stays_where_it_is_and_is_named(workspace: Workspace) -> None:
    memory = Path(workspace.root, "MEMORY.md")
    memory.write_text("# Memory\n\n- [ ] renew the permit ^t3fk\n")
    closing = put(workspace, "- the permit came (closes ^t3fk)\n")
    other = put(workspace, "- rain\n", 2)

    done = workspace.memory.compact()

    assert closing.exists()
    assert not other.exists()
    assert any(PATH in notice for notice in done.notices)
    assert left_open(workspace) == []
    memory.write_text("# Memory\n")
    workspace.memory.compact()
    assert not closing.exists()


@pytest.mark.parametrize(
    "heading", ["Next steps", "Next steps (once the ice is gone)", "Offene Punkte", "未完了", "Pier: to do:"]
)
def test_the_newest_next_list_is_kept_word_for_word_without_its_boxes(workspace: Workspace, heading: str) -> None:
    put(workspace, "## Next steps\n- an older plan\n")
    rows = "- ask Kim about the **key**\n  - or Ada, by phone\n"
    put(workspace, f"## {heading}\n\n{rows}- [ ] tar the roof !8\n\n## Log\n- rain\n", 2)

    for _ in range(2):
        workspace.memory.compact()

        assert page(workspace).endswith(f"\n## {heading} (2026-10-02)\n\n{rows}")
        assert page(workspace).count("tar the roof") == 1
    assert "older plan" not in page(workspace)
    put(workspace, "## Next steps\n- paint the pier\n", 3)
    workspace.memory.compact()
    assert "- paint the pier" in page(workspace)
    assert "about the **key**" not in page(workspace)
    assert left_open(workspace) == ["tar the roof"]


def test_a_next_list_is_kept_below_the_headings_around_it(workspace: Workspace) -> None:
    put(workspace, "## Boat deal with Ines\n\n- She pays in spring\n- **Next steps**:\n  - Wait for her to sign\n")

    workspace.memory.compact()

    assert page(workspace).endswith("\n## Boat deal with Ines · Next steps (2026-10-01)\n\n- Wait for her to sign\n")
    assert "Wait for her to sign" in workspace.boot().text


HEADINGS = ("Pump", "3. Pump in the cellar", "Pump: the hose", "✅ Pump ~~(closes ^t3fk)~~ !9 [done]", "⏳ Pump #boat")


@pytest.mark.parametrize("heading", HEADINGS)
def test_an_item_has_the_heading_that_says_what_it_is_about_also_in_the_digest(
    workspace: Workspace, heading: str
) -> None:
    put(workspace, f"## {heading}\n\n- [ ] order it\n- [waiting] the plumber\n")
    before = {row.text: row.state for row in workspace.todos().rows}

    workspace.memory.compact()

    assert page(workspace).count(", Pump") == 2
    rows = workspace.todos().rows
    assert {row.text: row.state for row in rows} == before == {"order it": "open", "the plumber": "waiting"}
    assert all(row.heading.startswith("Pump") for row in rows)
    workspace.done("order it")
    assert left_open(workspace) == ["the plumber"]


def test_the_headings_inside_a_next_list_are_kept(workspace: Workspace) -> None:
    rows = "### Early\n\n- order the paint\n\n#### Needs a yes from Ada\n\n- hire the plumber\n"
    put(workspace, f"## Next steps (once the landlord has signed)\n\n{rows}")

    for _ in range(2):
        workspace.memory.compact()

        assert page(workspace).endswith(f"\n## Next steps (once the landlord has signed) (2026-10-01)\n\n{rows}")
    assert "once the landlord has signed" in workspace.boot().text.rpartition("## Next")[2]


def test_a_list_of_boxes_alone_is_listed_once(workspace: Workspace) -> None:
    put(workspace, "## Next steps\n\n### Early\n\n- [ ] tar the roof\n- [x] sweep the deck\n")

    workspace.memory.compact()

    assert page(workspace).partition("## Open\n")[2].startswith("\n- [ ] 2026-10-01, Early: tar the roof ^")
    assert "### Early" not in page(workspace)
    assert "deck" not in page(workspace)


def test_a_box_of_the_next_list_with_a_remark_below_it_stays_until_it_is_closed(workspace: Workspace) -> None:
    put(
        workspace,
        "## Next steps\n\n- [ ] tar the roof\n  - with a brush\n- [ ] call Tom\n  - [ ] about the ice\n- ask Kim\n",
    )
    workspace.memory.compact()
    assert page(workspace).endswith("- [ ] tar the roof\n  - with a brush\n- ask Kim\n")

    workspace.done("tar")
    workspace.memory.compact()

    assert page(workspace).endswith("## Next steps (2026-10-01)\n\n- ask Kim\n")
    assert left_open(workspace) == ["about the ice", "call Tom"]


def test_the_boxes_of_a_next_list_that_an_earlier_version_kept_are_removed_and_stay_open_or_closed(
    workspace: Workspace,
) -> None:
    rows = "- [x] tar the roof\n- [ ] call Tom\n- ~~[todo] ask Kim~~\n- rain\n"
    head = "# Digest of the logs\n\nFrom archived logs: the open items, and the newest list of next steps.\n"
    Path(workspace.root, PAGE).write_text(f"{head}\n## Next steps (2026-10-01)\n\n{rows}")
    Path(workspace.root, "MEMORY.md").write_text("# Memory\n\n- [ ] tar the roof\n")
    assert left_open(workspace) == ["call Tom"]

    workspace.memory.compact()

    assert page(workspace).endswith("## Next steps (2026-10-01)\n\n- [x] tar the roof\n- rain\n")
    assert page(workspace).count("call Tom") == 1
    assert left_open(workspace) == ["call Tom"]


def test_a_next_list_of_a_young_log_takes_the_one_of_the_digest_away(workspace: Workspace) -> None:
    put(workspace, "## Next steps\n- an older plan\n")
    workspace.memory.compact()
    Path(workspace.root, "memory/2026-11-19.md").write_text("## Next steps\n- a newer plan\n")

    workspace.memory.compact()

    assert page(workspace) == ""


def test_a_digest_of_an_earlier_version_keeps_what_is_open_and_the_rest_goes_to_the_archive_once(
    workspace: Workspace,
) -> None:
    Path(workspace.root, PAGE).write_text(OLD_PAGE)
    before = everything(workspace)
    assert left_open(workspace) == ["Send the ferry list to Maria"]

    workspace.memory.compact()

    assert "- [ ] 2026-08-03 Send the ferry list to Maria ^t3fk\n" in page(workspace)
    assert not [week for week in ("W40", "W00") if week in page(workspace)]
    assert "12 more lines" not in page(workspace)
    assert Path(workspace.root, "memory/archive/digest.md").read_text() == OLD_PAGE
    assert left_open(workspace) == ["Send the ferry list to Maria"]
    assert workspace.memory.compact().changes.changes == ()
    workspace.memory.undo()
    assert everything(workspace) == before


def test_a_digest_that_somebody_else_wrote_is_left_alone_and_no_log_moves(workspace: Workspace) -> None:
    Path(workspace.root, PAGE).write_text("# My digest\n")
    file = put(workspace, "- [ ] feed the cat\n- [fact] the pier is 40 m\n")

    done = workspace.memory.compact()

    assert page(workspace) == "# My digest\n"
    assert file.exists()
    assert "the pier is 40 m (1 Oct)" in Path(workspace.root, "MEMORY.md").read_text()
    assert any("Rename that file" in notice for notice in done.notices)
    assert left_open(workspace) == ["feed the cat"]


WORDS = ("feed the cat", "call Tom", "tar the roof", "餌をやる", "ask Bob #private")
ROWS = st.tuples(st.sampled_from(("[ ]", "[x]", "[todo]", "[waiting]", "[done]", "~~", "")), st.sampled_from(WORDS))
HEADINGS = ("## Log", "## Next steps", "## Next steps (pier) for Kim", "## Offene Punkte", "**To do (1) / today:**")
LOGS = st.lists(st.tuples(st.sampled_from(HEADINGS), st.lists(ROWS, max_size=4)), min_size=1, max_size=3)  # of one day


def _log(sections: list[tuple[str, list[tuple[str, str]]]]) -> str:
    def row(mark: str, words: str) -> str:
        return f"- ~~{words}~~" if mark == "~~" else f"- {mark} {words}".replace("  ", " ")

    return "\n\n".join("\n".join([heading, *(row(*each) for each in rows)]) for heading, rows in sections) + "\n"


def test_what_is_listed_before_a_compaction_is_listed_after_it_and_nothing_else(
    workspace: Workspace, environment: Environment
) -> None:
    @settings(max_examples=200 if THOROUGH else 30)
    @given(st.lists(LOGS, min_size=1, max_size=4), st.integers(0, 3))
    def check(days: list[list[tuple[str, list[tuple[str, str]]]]], young: int) -> None:
        for name in Path(workspace.root, "memory").rglob("*.*"):
            if name.is_file():
                name.unlink()
        for number, sections in enumerate(days, 1):
            day = f"2026-11-1{number}" if number > len(days) - young else f"2026-10-0{number}"
            Path(workspace.root, f"memory/{day}.md").write_text(_log(sections))
        here = Workspace.open(workspace.root, environment=environment)
        before = left_open(here)

        here.memory.compact()

        assert left_open(here) == before
        assert here.memory.compact().changes.changes == ()
        assert here.memory.verify().faults == []

    check()
