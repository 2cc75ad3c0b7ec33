"""The account of what boot left out."""

from __future__ import annotations

from agentws.planning.boot.omissions import Omission, footer, shortest

OMITTED = [
    Omission("AGENTS.md", 1780, "over", "cat AGENTS.md"),
    Omission("SOUL.md", 310, "over", "cat SOUL.md"),
    Omission("memory/2026-11-18.md", 900, "over", "cat memory/2026-11-18.md"),
    Omission("memory/2026-11-19.md", 100, "over", "cat memory/2026-11-19.md"),
    Omission("memory/", None, "21 older days, 2026-08-11 to 2026-09-10", "agentws search WORDS"),
]


def test_with_room_there_is_a_table_with_the_biggest_first_and_days_in_one_row() -> None:
    text = footer(OMITTED, 2000, len)

    rows = [line for line in text.split("\n") if line.startswith("| ")][1:]
    assert rows[0].startswith("| AGENTS.md | 1,780 | `cat AGENTS.md` |")
    assert rows[2].startswith("| 2 days, 2026-11-18 to 2026-11-19 | 1,000 |")
    assert rows[3] == "| 21 older days, 2026-08-11 to 2026-09-10 | not counted | `agentws search WORDS` |"


def test_with_less_room_the_rest_is_summed_up() -> None:
    text = footer(OMITTED, 190, len)

    assert "AGENTS.md" in text
    assert "more |" in text
    assert len(text) <= 190


def test_without_room_one_line_tells_how_much() -> None:
    assert footer(OMITTED, 10, len) == "Left out: 3,090 tokens of 5 files: agentws boot --explain\n"


def test_nothing_left_out_is_said_too() -> None:
    assert footer([], 100, len) == "Nothing was left out.\n"


def test_the_one_line_names_the_biggest_where_there_is_room() -> None:
    text = footer(OMITTED, 95, len)

    assert text == "Left out: 3,090 tokens of AGENTS.md, memory/2026-11-18.md, 3 more: agentws boot --explain\n"


def test_the_reserve_covers_the_one_line_form() -> None:
    sources = [one.source for one in OMITTED]

    assert len(shortest(sources, named=False)) >= len(footer(OMITTED, 0, len))
    three = "Left out: 3,090 tokens of AGENTS.md, memory/2026-11-18.md, SOUL.md, 2 more: agentws boot --explain\n"
    assert footer(OMITTED, len(shortest(sources, named=True)), len) == three


def test_what_the_agent_has_anyway_is_one_line_and_not_left_out() -> None:
    themselves = [Omission(path, None, "loaded by Wren itself", f"cat {path}", cut=False) for path in ("A.md", "B.md")]

    assert footer(themselves, 100, len) == "Nothing was left out.\nLoaded by Wren itself: A.md, B.md.\n"
    both = footer([*OMITTED, *themselves], 2000, len)
    assert both.endswith("| `agentws search WORDS` |\nLoaded by Wren itself: A.md, B.md.\n")
    assert "| A.md |" not in both
    assert footer(themselves, 30, len) == "Left out: 0 tokens of 2 files: agentws boot --explain\n"


def test_of_many_that_the_agent_has_anyway_ten_are_named() -> None:
    many = [Omission(f"{number}.md", None, "loaded by Wren itself", "", cut=False) for number in range(12)]

    assert footer(many, 1000, len).endswith(" 9.md and 2 more.\n")
