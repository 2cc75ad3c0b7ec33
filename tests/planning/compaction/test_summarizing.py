"""Bullets of a summarizer among what was chosen without it."""

from __future__ import annotations

import pytest

from agentws.formats import digest, managed
from agentws.planning import tokens
from agentws.planning.compaction import asking, summarizing
from agentws.planning.compaction.asking import Line
from agentws.planning.compaction.checking import Bullet
from agentws.planning.compaction.choice import Choice, Gone, Kept
from agentws.planning.compaction.folding import File, Folder
from agentws.planning.compaction.units import Day

COUNTER = tokens.Bytes()
NOTES = (
    "**Maria:** I moved to Lisbon for the new job at Harbor Goods.",
    "**Maria:** I pay 1,200 euros rent for the flat.",
    "**Maria:** My sister Anna visits me on May 3.",
    "**Maria:** The printer of the office jams when paper is wet.",
)
TEXT = "# 2026-03-02\n\n" + "".join(f"- 09:00 {note}\n" for note in NOTES)


def file(path: str, text: str) -> File:
    return File(path, text.encode(), digest.of(text.encode()))


def folder(memory: str = "# Memory\n\n- Maria bakes.\n") -> Folder:
    days = [("2026-03-02", file("memory/2026-03-02.md", TEXT))]
    return Folder(file("MEMORY.md", memory), file("memory/sources.jsonl", ""), {}, file("superseded", ""), days, {})


@pytest.fixture
def lines() -> list[Line]:
    return asking.lines([Day("memory/2026-03-02.md", "2026-03-02", TEXT)])


def kept(*lines: Line, worth: int = 100, kind: str = "Facts", mark: str = "") -> Kept:
    text = f"{lines[0].day} " + " ".join(line.shown for line in lines) + mark
    return Kept(text, kind, lines[0].day, [source for line in lines for source in line.sources], worth, "chosen")


def merged(choice: Choice, *said: Bullet, room: int = 2000, memory: str = "# Memory\n\n- Maria bakes.\n") -> Choice:
    return summarizing.merged(folder(memory), choice, said, room=room, counter=COUNTER)


def texts(choice: Choice) -> list[str]:
    return [one.text for one in choice.new]


def test_a_bullet_takes_the_place_of_what_it_tells(lines: list[Line]) -> None:
    choice = Choice(new=[kept(lines[0], worth=300, kind="Decisions"), kept(lines[2], worth=200)])

    found = merged(choice, Bullet("Maria moved to Lisbon for a job at Harbor Goods", (lines[0],)))

    assert texts(found) == ["2026-03-02 Maria moved to Lisbon for a job at Harbor Goods", choice.new[1].text]
    assert found.new[0] == Kept(
        text="2026-03-02 Maria moved to Lisbon for a job at Harbor Goods",
        kind="Decisions",
        day="2026-03-02",
        sources=[*lines[0].sources],
        worth=300,
        why=summarizing.SUMMARIZED,
    )


def test_a_bullet_that_tells_two_entries_is_worth_both(lines: list[Line]) -> None:
    choice = Choice(new=[kept(lines[0], worth=300), kept(lines[1], worth=200)])

    found = merged(
        choice, Bullet("Maria moved to Lisbon for a job, rent of the flat: 1200 euros", (lines[0], lines[1]))
    )

    assert [(one.worth, [source.line for source in one.sources]) for one in found.new] == [(500, [3, 4])]


def test_an_entry_that_a_bullet_only_touches_stays(lines: list[Line]) -> None:
    choice = Choice(new=[kept(lines[0], lines[1], worth=300)])

    found = merged(choice, Bullet("Maria has a flat", (lines[1],)))

    assert choice.new[0].text in texts(found)


def test_without_bullets_the_choice_is_as_it_was(lines: list[Line]) -> None:
    choice = Choice(new=[kept(line) for line in lines])

    assert merged(choice) is choice


def test_what_is_marked_to_stay_stays_word_for_word(lines: list[Line]) -> None:
    choice = Choice(new=[kept(lines[0], worth=1, mark=" !10"), kept(lines[2], worth=200)])

    found = merged(
        choice, Bullet("Maria moved to Lisbon for a job at Harbor Goods since 2026-03", (lines[0],)), room=10
    )

    assert choice.new[0].text in texts(found)


def test_the_successor_of_an_entry_that_leaves_stays(lines: list[Line]) -> None:
    old = "2025-01-02 Maria: I pay 900 euros rent for the flat."
    successor = kept(lines[1])
    memory = f"# Memory\n\n## From the logs\n\n### Facts\n\n- {old}\n"
    gone = Gone(managed.of_text(old), old, "a newer value is known", successor=successor.text)

    said = Bullet("Maria, 1200 euros rent for a flat in town", (lines[1],))

    found = merged(Choice(new=[successor], gone=[gone]), said, memory=memory)

    assert successor.text in texts(found)


def test_what_memory_tells_already_is_not_said_again(lines: list[Line]) -> None:
    choice = Choice(new=[kept(lines[2])])

    assert merged(choice, Bullet("Maria moved to Lisbon", (lines[0],)), memory="- Maria moved to Lisbon.\n") is choice


def test_of_two_bullets_the_one_that_tells_nothing_new_is_left_out(lines: list[Line]) -> None:
    choice = Choice(new=[kept(lines[0])])

    found = merged(
        choice,
        Bullet("Maria moved to Lisbon for the job at Harbor Goods", (lines[0],)),
        Bullet("Maria moved to Lisbon", (lines[0],)),
    )

    assert texts(found) == ["2026-03-02 Maria moved to Lisbon for the job at Harbor Goods"]


def test_memory_becomes_no_larger_than_its_room_and_what_does_not_fit_is_said(lines: list[Line]) -> None:
    choice = Choice(new=[kept(line, worth=100 + line.sources[0].line) for line in lines[:3]])
    room = tokens.tokens(COUNTER, memory_with(choice))
    said = [
        Bullet("Maria has trouble with the office printer, which jams when its paper is wet", (lines[3],)),
        Bullet("Maria moved to Lisbon, job at Harbor Goods", (lines[0],)),
    ]

    found = merged(choice, *said, room=room)

    assert tokens.tokens(COUNTER, memory_with(found)) <= room
    assert "2026-03-02 Maria moved to Lisbon, job at Harbor Goods" in texts(found)
    left_out = {*texts(choice)} - {*texts(found)} - {choice.new[0].text}
    assert {one.text for one in found.dropped} == left_out != set()
    assert {one.why for one in found.dropped} == {summarizing.CROWDED}


def test_a_choice_that_was_larger_than_the_room_does_not_grow(lines: list[Line]) -> None:
    choice = Choice(new=[kept(line, mark=" !10") for line in lines[:3]])

    found = merged(choice, Bullet("Maria's office printer jams when paper is wet", (lines[3],)), room=10)

    assert found.new == choice.new


def test_where_what_is_pinned_takes_more_than_the_room_the_rest_is_still_said(lines: list[Line]) -> None:
    choice = Choice(new=[kept(lines[0], mark=" !10"), kept(lines[2]), kept(lines[3])])

    found = merged(choice, Bullet("Maria's office printer jams when paper is wet", (lines[3],)), room=10)

    said = "2026-03-02 Maria's office printer jams when paper is wet"
    assert {*texts(found)} == {choice.new[0].text, choice.new[1].text, said}


def test_a_bullet_for_which_there_is_no_room_is_said_too(lines: list[Line]) -> None:
    choice = Choice(new=[kept(lines[2], worth=200)])
    said = Bullet("Maria pays 1,200 euros rent " + "for the flat " * 20, (lines[1],))

    found = merged(choice, said, room=10)

    assert found.new == choice.new
    assert [one.why for one in found.dropped] == [summarizing.NO_ROOM]


def memory_with(choice: Choice) -> str:
    return managed.rewritten(folder().memory.text, joining=[(one.kind, one.text) for one in choice.new])
