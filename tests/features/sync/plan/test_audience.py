"""Who may hear an entry, after a merge: nobody whom either side has kept from it."""

from __future__ import annotations

import pytest

from agentws.core.formats.documents import shared
from agentws.features.sync.plan.state import late
from agentws.features.sync.plan.units import tags
from tests.features.sync.plan.sides import LOG, MEMORY, TASK, told

DAY = "# 2026-11-20\n\n## Plants\n\n- 09:00 The fig sleeps indoors #shared\n\n## Work\n\n- 10:00 Sowed peas #shared\n"
EDITED = DAY.replace("The fig sleeps indoors", "The fig sleeps upstairs")


def heard(content: str) -> str:
    """Return what a shared audience hears of the day."""
    return (shared.visible(LOG, content.encode(), ("private",)).data or b"").decode()


@pytest.mark.parametrize("tag", ["#private", "#Private"])
def test_an_entry_that_one_side_made_private_stays_so_where_the_other_one_edited_it(tag: str) -> None:
    made, conflicts = told(LOG, DAY, DAY.replace("indoors #shared", f"indoors #shared {tag}"), EDITED)
    assert "upstairs" in made
    assert "fig" not in heard(made)
    assert "peas" in heard(made)
    assert not conflicts


def test_it_stays_so_where_both_have_edited_it() -> None:
    made, conflicts = told(LOG, DAY, DAY.replace("indoors #shared", "in the shed #shared #private"), EDITED)
    assert "upstairs" in made
    assert "shed" in made
    assert "fig" not in heard(made)
    sides = [str(side) for side in conflicts[0][3:]]
    assert all(f"{side}\n" in made for side in sides)


def test_what_is_shared_no_longer_is_heard_by_nobody_else() -> None:
    made, _ = told(LOG, DAY, DAY.replace("indoors #shared", "indoors"), EDITED)
    assert "upstairs" in made
    assert "fig" not in heard(made)


def test_a_heading_that_one_side_made_private_stays_so_where_the_other_one_renamed_it() -> None:
    made, _ = told(LOG, DAY, DAY.replace("## Plants", "## Plants #private"), DAY.replace("## Plants", "## Trees"))
    assert "fig" in made
    assert "fig" not in heard(made)
    assert "peas" in heard(made)


def test_it_stays_so_where_nobody_knows_what_both_came_from() -> None:
    made, _ = told(LOG, None, DAY.replace("indoors #shared", "indoors #shared #private"), DAY)
    assert made.count("fig") == 1
    assert "fig" not in heard(made)


def test_a_tag_of_ones_own_that_one_side_added_stands_on_both_edits() -> None:
    base = "# Memory\n\n- The fig sleeps indoors\n"
    ours, theirs = base.replace("indoors", "indoors #garden"), base.replace("indoors", "upstairs (via user)")
    made, _ = told(MEMORY, base, ours, theirs)
    assert made.count("#garden") == made.count("The fig")
    assert "- The fig sleeps upstairs #garden (via user)\n" in made


def test_a_box_is_ticked_and_its_row_private() -> None:
    base = "# Memory\n\n- [ ] Water the fig\n\n| plant | state |\n|---|---|\n| fig | asleep |\n"
    ours = base.replace("the fig", "the fig #private").replace("| asleep |", "| asleep #private |")
    theirs = base.replace("[ ]", "[x]").replace("| asleep |", "| awake now |")
    made, _ = told(MEMORY, base, ours, theirs)
    assert "- [x] Water the fig #private\n" in made
    assert "| fig | awake now #private |" in made


def test_words_without_a_place_for_a_tag_stay_as_they_were_made_private() -> None:
    base = "# Memory\n\n```\nthe fig sleeps indoors\n```\n"
    ours, theirs = base.replace("indoors", "indoors #private"), base.replace("indoors", "upstairs")
    made, conflicts = told(MEMORY, base, ours, theirs)
    assert "#private" in made
    assert "upstairs" not in made
    assert "upstairs" in str(conflicts)


@pytest.mark.parametrize(("private", "other"), [("private: yes", "private: no"), ("tags: a, private", "tags: a, z")])
def test_a_header_says_private_where_either_side_says_so(private: str, other: str) -> None:
    made, _ = told(
        TASK, f"---\n{other.partition(':')[0]}: no\n---\n", f"---\n{private}\n---\n", f"---\n{other} \n---\n"
    )
    assert "private: yes" in made or "a, private" in made


def test_a_line_that_leaves_its_heading_takes_the_heading_s_tags() -> None:
    day = DAY.replace("## Plants", "## Plants #private").replace("## Work", "## Work #garden")
    now = day.replace("- 10:00", "- 09:30 It rains #shared\n- 10:00") + "- 11:00 Read\n  a book\n"
    now = now.replace("\n## Work", "- 09:10 It grew #shared (via net)\n\n## Work")
    added = late.leaving(now.encode(), late.compared(day.encode(), now.encode())[1])
    assert [text for *_, text in added] == [
        b"- 09:10 It grew #shared #private (via net)",
        b"- 09:30 It rains #shared #garden",
        b"- 11:00 Read #garden\n  a book",
    ]


def test_words_are_cut_where_agentws_reads_tags() -> None:
    assert tags.plain("- a #private #shared") == "- a"
    assert tags.plain("- a #shared !8 ^x1 (via net)\n  #private") == "- a !8 ^x1 (via net)\n  #private"
    assert tags.narrowed("- a", "- a #private", "- a b\n  c\n") == ["- a #private", "- a b #private\n  c\n"]
    assert tags.narrowed("- a", "- a (#private)", "- a b") == ["- a (#private)", "- a b #private"]
    assert tags.narrowed("- a #x", "- a", "- a b #x") == ["- a", "- a b #x"]
