"""Standing rules that were said in the logs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning.lines import bare
from agentws.planning.standing import rules
from tests.planning.standing import lines_of

MON, TUE, WED = "2026-09-14", "2026-09-15", "2026-09-16"


def said(logs: dict[str, str], *, memory: str = "") -> list[tuple[str, int]]:
    lines = lines_of(logs, memory=memory)
    return [(bare(lines[rule.index].text), rule.days) for rule in rules.find(lines)]


RULES = [
    "- Never push to main without asking Sam",
    "- **DO NOT copy whole shelves** — only the book that is read",
    "- Don't sing while I am on the phone",
    "- Always save the map before the lamp is changed",
    "- Only send helpers that can read maps",
    "- From now on, answer Sam in one sentence",
    "- RULE: prices before Easter are never compared",
    "- **HARD RULE:** no `mop` without a look under the table",
    "- **Lesson:** NEVER keep tea in `/cellar` over the summer",
    "- All doors of the shop: a bell inside (non-negotiable)",
    "## Communication preferences\n- Short answers, no tables, please",
]


@pytest.mark.parametrize("line", RULES)
def test_what_is_never_or_always_to_be_done_is_a_rule(line: str) -> None:
    assert len(said({WED: line})) == 1


@pytest.mark.parametrize(
    "line",
    [
        "- The dashboard always shows the old number",
        "- always shows the old number on the first page",
        "- Never needed the second key after all",
        "- Never got an answer from the bank",
        "- Sam has never used the second key",
        "- The backup was always on the other disk",
        "- I don't know who wrote the second page",
        "- Don't think the bank is open today",
        "- DO NOT miss it: the feast of the year is near",
        "- ✅ Never lend the private maps: done in the code",
        "- ~~Never lend the private maps to strangers~~",
        "- Should we never lend the private maps?",
        "- Plan of the garden (non-negotiable paths)",
        "## Tea preference\nWrote the list of sorts into the book:\n",
        "- Never mind",
        "| NEVER | lend the private maps |",
        "```\n# NEVER lend the private maps\n```",
        "- The policy page of the shop is online",
        "- Only three of the five machines answered",
        "- Read the book about rules of thumb",
    ],
)
def test_what_only_sounds_like_one_is_none(line: str) -> None:
    assert said({WED: line}) == []


def test_a_rule_is_told_once_in_its_newest_wording_with_the_days_it_was_said() -> None:
    logs = {
        MON: "- NEVER push to main without asking Sam",
        TUE: "- Never push to main without asking Sam\n- Never push to main without asking Sam",
        WED: "- Never push to main without asking Sam first",
    }

    assert said(logs) == [("Never push to main without asking Sam first", 3)]


def test_rules_that_differ_in_a_number_are_two() -> None:
    assert len(said({WED: "- Never spend more than 20 on paper\n- Never spend more than 90 on paper"})) == 2


def test_what_was_said_most_often_comes_first_then_the_newest() -> None:
    logs = {
        MON: "- Never push to main alone\n- Always lock the door at night",
        TUE: "- Never push to main alone",
        WED: "- Only send mails that Sam read",
    }

    assert [text.split()[0] for text, _ in said(logs)] == ["Never", "Only", "Always"]


def test_rules_of_memory_stay_there() -> None:
    assert said({WED: "- rain"}, memory="- Never push to main without asking Sam") == []


def test_thousands_of_rules_are_read_in_time() -> None:
    text = "".join(f"- Never send part{n}x of the widget shop to buyer{n * 7}y\n" for n in range(3000))

    assert len(said({WED: text})) == 3000


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert all(days == 1 for _, days in said({WED: text}))
