"""What may be kept of a log: sentences that can be read alone."""

from __future__ import annotations

from agentws.planning.compaction import candidates
from agentws.planning.compaction.units import Entry, Source
from tests.planning.compaction.values import chat, day


def test_each_sentence_of_a_turn_may_be_chosen_separately() -> None:
    log = chat(("Maria", "I moved to Lisbon in May. My sister Ana comes to visit me."), ("Tom", "Good for you, Maria!"))

    units = candidates.of([log])

    assert [(unit.who, unit.text) for unit in units] == [
        ("Maria", "I moved to Lisbon in May."),
        ("Maria", "My sister Ana comes to visit me."),
        ("Tom", "Good for you, Maria!"),
    ]
    assert units[0].turn == units[1].turn != units[2].turn


def test_a_sentence_knows_its_day_its_speaker_and_its_line() -> None:
    units = candidates.of([chat(("Maria", "I moved to Lisbon in May."))])

    assert units[0].lead == "2026-03-02 Maria: "
    assert units[0].sources == (Source("memory/2026-03-02.md", 5, 5),)


def test_a_note_says_what_its_heading_and_the_label_above_it_say() -> None:
    log = day("## Harbor server\n\n**Backups:**\n\n- kept for 30 days on disk two\n")

    units = candidates.of([log])

    assert units[0].lead == "2026-03-02 Harbor server › Backups: "


def test_a_heading_that_tells_nothing_is_left_out() -> None:
    units = candidates.of([day("## Session 8\n\n- the disk of the harbor server was replaced\n")])

    assert units[0].lead == "2026-03-02 "


def test_a_line_that_agentws_wrote_is_read_without_its_marks() -> None:
    units = candidates.of([day("- 09:12 [decision] ship on Fridays only !8 #release\n")])

    assert units[0].text == "ship on Fridays only"
    assert units[0].kind == "decision"
    assert units[0].importance == 8


def test_a_row_of_a_table_names_its_columns() -> None:
    units = candidates.of([day("| host | disk |\n|---|---|\n| harbor | 40 percent full |\n")])

    assert [unit.text for unit in units] == ["harbor: disk 40 percent full"]


def test_what_stands_in_a_fenced_block_is_no_sentence() -> None:
    units = candidates.of([day("- ran the script below today\n  ```\n  print hello world again\n  ```\n")])

    assert [unit.text for unit in units] == ["ran the script below today"]


def test_a_labelled_list_is_no_dialogue() -> None:
    log = day("- **TODO:** call the bank about the card\n- **Status:** the bank is closed today\n")

    units = candidates.of([log])

    assert not any(unit.is_spoken for unit in units)


def test_an_entry_that_is_in_memory_competes_whole_with_its_day_and_sources() -> None:
    source = Source("memory/2026-01-01.md", 3, 3)

    units = candidates.of_entries(
        [Entry("2026-01-01 Sam: I live in Berlin.", "Facts", ("2026-01-01",), (source,), 0.4)]
    )

    assert (units[0].day, units[0].sources) == ("2026-01-01", (source,))
