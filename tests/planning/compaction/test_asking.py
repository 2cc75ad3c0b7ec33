"""What a summarizer is asked."""

from __future__ import annotations

from agentws.planning import tokens
from agentws.planning.compaction import asking
from agentws.planning.compaction.asking import Call, Line
from agentws.planning.compaction.choice import Kept
from agentws.planning.compaction.units import Day

COUNTER = tokens.Bytes()
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def day(day: str, *notes: str) -> Day:
    return Day(f"memory/{day}.md", day, f"# {day}\n\n" + "".join(f"- {note}\n" for note in notes))


def kept(line: Line, *, worth: int = 100) -> Kept:
    return Kept(f"{line.day} {line.shown}", "Facts", line.day, line.sources, worth)


def calls(lines: list[Line], chosen: list[Kept], *, memory: str = "", most_chars: int = 4000) -> list[Call]:
    return asking.calls(lines, chosen, room=1000, memory=memory, counter=COUNTER, most_chars=most_chars)


def test_lines_are_numbered_and_say_when_and_under_which_heading() -> None:
    text = "# 2026-03-02\n\n## Harbor Goods\n\n- the label printer jams. Paper was wet.\n- ordered new rolls\n"
    lines = asking.lines([Day("memory/2026-03-02.md", "2026-03-02", text)])

    request = Call(lines, tokens=300).request

    assert request.endswith(
        "Lines:\n"
        "1 | 2026-03-02 Harbor Goods: the label printer jams. Paper was wet.\n"
        "2 | 2026-03-02 Harbor Goods: ordered new rolls\n"
    )
    assert "at most 300 tokens" in request
    assert [line.place for line in lines] == [("memory/2026-03-02.md", 5), ("memory/2026-03-02.md", 6)]


def test_a_line_that_looks_like_a_secret_is_not_sent() -> None:
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + "\n".join(
        f"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAA{number}Zq7RxW" for number in range(6)
    )
    text = f"- the flat has a view\n- the token is {TOKEN} there\n\n{key}\n-----END OPENSSH PRIVATE KEY-----\n"

    lines = asking.lines([Day("memory/2026-03-02.md", "2026-03-02", text)])

    assert [line.shown for line in lines] == ["the flat has a view"]


def test_a_secret_is_told_by_the_lines_around_it() -> None:
    number = "SK" + "0f1e2d3c4b5a69788796a5b4c3d2e1f0"

    lines = asking.lines([day("2026-03-02", "the flat has a view", "keys for Twilio:", f"here it is: {number}")])

    assert all(number not in line.shown for line in lines)


def test_a_secret_on_a_later_line_of_a_paragraph_is_not_sent() -> None:
    lines = asking.lines([Day("memory/2026-03-02.md", "2026-03-02", f"The token for the door\nis {TOKEN} there.\n")])

    assert lines == []


def test_days_stay_together_where_they_fit() -> None:
    lines = asking.lines([day(f"2026-03-0{number}", *["the flat has a view"] * 40) for number in (1, 2, 3)])

    parts = calls(lines, [kept(line) for line in lines])

    assert [sorted({line.day[-1] for line in part.lines}) for part in parts] == [["1", "2"], ["3"]]


def test_a_day_that_is_too_long_is_sent_in_parts_and_nothing_of_it_is_lost() -> None:
    lines = asking.lines([day("2026-03-01", *[f"the flat has view number {number}" for number in range(400)])])

    parts = calls(lines, [kept(line) for line in lines])

    assert [line for part in parts for line in part.lines] == lines
    assert all(len(part.request) < 6500 for part in parts)


def test_a_line_that_is_too_long_is_cut() -> None:
    lines = asking.lines([day("2026-03-01", "the flat has a view. " * 1000)])

    assert max(len(line.shown) for line in lines) <= 2002


def test_nobody_asks_about_days_of_which_nothing_was_chosen() -> None:
    lines = asking.lines([day("2026-03-01", *["nothing much"] * 200), day("2026-03-02", *["the flat"] * 200)])

    parts = calls(lines, [kept(lines[-1])])

    assert [part.lines[0].day for part in parts] == ["2026-03-02"]
    assert calls(lines, []) == []


def test_the_room_is_shared_as_what_was_chosen_shares_it() -> None:
    lines = asking.lines([day(f"2026-03-0{number}", *["the flat has a view"] * 80) for number in (1, 2)])

    parts = calls(lines, [*map(kept, lines[:30]), *map(kept, lines[80:90])])

    assert [part.tokens for part in parts] == [750, 250]


def test_it_is_told_what_memory_says_of_the_same_things_and_no_secret() -> None:
    lines = asking.lines([day("2026-03-01", "the flat in Lisbon has a view")])
    memory = f"# Flat in Lisbon\n\n- Lisbon flat: third floor\n- bread is baked on Mondays\n- flat in Lisbon: {TOKEN}\n"

    parts = calls(lines, [kept(line) for line in lines], memory=memory)

    assert parts[0].known == ["- Lisbon flat: third floor"]
    assert "In memory already:\n- Lisbon flat: third floor\n" in parts[0].request
