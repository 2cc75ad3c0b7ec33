"""The words in which boot says what stands over days."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentws.planning import salience
from agentws.planning.lines import Line
from agentws.planning.standing import findings, rules, unfinished
from tests import outside, table
from tests.planning.standing import lines_of, test_rules, test_unfinished

DAYS = [f"2026-09-{day:02d}" for day in range(11, 17)]
OLD, TUE, WED = DAYS[0], DAYS[-2], DAYS[-1]
RAIN = dict.fromkeys(DAYS, "- it rained, and the tea was good\n")


def find(lines: list[Line], kept: list[Line] | None = None) -> findings.Findings:
    worth = salience.worth(lines)
    return findings.find(lines, worth, today=WED, names=DAYS[::-1], kept=kept or [], kept_names=["MEMORY.md"])


def texts(lines: list[Line], section: str) -> list[str]:
    found = find(lines).places
    return [found[index].text for index in sorted(found) if found[index].section == section]


def test_an_open_item_stands_with_its_age_and_how_often_it_was_carried() -> None:
    item = "## Open\n- get the bank token from the dashboard\n"

    lines = lines_of({**RAIN, OLD: item, TUE: item})

    assert texts(lines, findings.OPEN) == ["- 5 d ×2 · get the bank token from the dashboard\n"]


def test_it_stands_below_who_is_waited_for() -> None:
    people = "- Sam asked for tea\n- Sent the map to Sam\n- Called Sam\n- Lunch with Sam\n"

    (place,) = find(lines_of({TUE: people, WED: "- Waiting for Sam to sign the form\n"})).places.values()

    assert place.group == "Waiting on Sam"


def test_it_stands_below_its_heading_where_that_tells_more_than_that_it_is_open() -> None:
    told, plain = (
        lines_of({WED: f"## {heading}\n- get the bank token from the dashboard\n"})
        for heading in ("Next steps for the harbour bakery", "Next steps")
    )

    assert [place.group for place in find(told).places.values()] == ["Next steps for the harbour bakery"]
    assert [place.group for place in find(plain).places.values()] == [""]


def test_a_few_words_get_the_heading_that_tells_what_they_are_about() -> None:
    lines = lines_of({WED: "## Harbour bakery\n### Next\n- Final delivery\n"})

    assert texts(lines, findings.OPEN) == ["- today · Harbour bakery › Final delivery\n"]


def test_what_went_quiet_is_not_told_as_open_too() -> None:
    lines = lines_of({**RAIN, OLD: "- [ ] URGENT: fix the paper lanterns of the shop\n"})

    assert texts(lines, findings.QUIET) == ["- 09-11 · URGENT: fix the paper lanterns of the shop\n"]
    assert texts(lines, findings.OPEN) == []


def test_a_rule_stands_with_the_days_it_was_said_on() -> None:
    rule = "- Never push to main without asking Sam\n"

    assert texts(lines_of({**RAIN, TUE: rule, WED: rule}), findings.RULES) == [
        "- ×2, 09-16 · Never push to main without asking Sam\n"
    ]


def test_one_kind_does_not_hide_another() -> None:
    lines = lines_of({**RAIN, WED: "- [ ] call the bank about the loan\n- Never push to main without asking Sam\n"})

    assert len(texts(lines, findings.OPEN)) == len(texts(lines, findings.RULES)) == 1


@pytest.mark.parametrize("text", [*test_unfinished.OPEN_HEADINGS, *test_unfinished.OPEN_LINES])
def test_what_is_open_is_looked_for(text: str) -> None:
    assert any(hint in text.lower() for hint in unfinished.HINTS)


@pytest.mark.parametrize("text", test_rules.RULES)
def test_what_is_a_rule_is_looked_for(text: str) -> None:
    assert any(hint in text.lower() for hint in rules.HINTS)


def test_routine_is_told_once_and_its_other_days_are_folded() -> None:
    lines = lines_of(dict.fromkeys(DAYS, "- Both lamps lit at seven, diary copied\n"))

    found = find(lines)

    assert texts(lines, findings.ROUTINE) == ["- ×6, Both lamps lit at seven, diary copied\n"]
    assert len(found.folded) == 5
    assert not found.folded & found.places.keys()


def test_children_go_where_their_parent_goes() -> None:
    lines = lines_of({WED: "## Next\n- rotate the token of the shop\n  - ask the bank first\n"})

    assert texts(lines, findings.OPEN) == ["- today · rotate the token of the shop\n", "  - ask the bank first\n"]


def test_notes_that_disagree_are_set_side_by_side_with_their_files() -> None:
    logs, memory = lines_of({**RAIN, WED: "## Shop\n- Port: 8081\n"}), lines_of(memory="## Shop\n- Port: 8080\n")

    assert find(logs, memory).disagreeing == ["- MEMORY.md: Port: 8080 ≠ 2026-09-16: Port: 8081\n"]


@pytest.mark.parametrize("words", ["rotate " * 200, "更新小部件商店的访问令牌" * 100, "x" * 2000])
def test_a_long_line_is_cut_and_still_says_something(words: str) -> None:
    (text,) = texts(lines_of({WED: f"- [ ] {words}\n"}), findings.OPEN)

    assert words[:100] in text
    assert text.endswith(" …\n")
    assert len(text) < 320


def test_what_is_open_since_yesterday_is_urgent_and_what_is_old_fades() -> None:
    new, old, older = (
        max(
            place.bonus
            for place in find(lines_of({**RAIN, day: "- [ ] call the bank about the loan\n"})).places.values()
        )
        for day in (TUE, DAYS[2], DAYS[1])
    )

    assert new > old > older > 0


def test_what_may_be_open_stays_under_its_day_and_weighs_more() -> None:
    lines = lines_of({**RAIN, WED: "- Sam's follow-up on the loan came today\n- the tea was good\n"})

    found = find(lines)

    assert [lines[index].text for index in found.hints] == ["- Sam's follow-up on the loan came today"]
    assert [found.bonus(index) > 0 for index in (0, 1)] == [True, False]


def test_nothing_is_found_in_nothing() -> None:
    found = find([])

    assert (found.places, found.folded, found.hints, found.disagreeing) == ({}, frozenset(), frozenset(), [])


PARTS = st.sampled_from(
    [
        "## Next steps\n",
        "## 🔴 TOP PRIORITY\n",
        "## Shop\n",
        "- [ ] call the bank about the loan\n",
        "- ✅ called the bank about the loan\n",
        "- Never push to main without asking Sam\n",
        "  - waiting for Sam's answer\n",
        "- Port: 8080\n",
        "- Port: 8081\n",
        "```\n",
        "| a | b |\n|---|---|\n| TODO | c |\n",
        "\n",
    ]
)


@given(st.lists(st.lists(PARTS, max_size=8).map("".join), min_size=1, max_size=6), st.lists(PARTS, max_size=8))
def test_every_line_is_told_in_one_place_at_most_and_as_one_line(logs: list[str], memory: list[str]) -> None:
    lines = lines_of(dict(zip(DAYS, logs, strict=False)), memory="".join(memory))

    found = find(lines)

    assert not found.folded & found.places.keys()
    for place in found.places.values():
        assert place.section in findings.TITLES
        assert place.text.endswith("\n")
        assert place.text.count("\n") == 1
        assert place.text.lstrip().startswith("- ")


def test_nothing_from_outside_stands_over_days_nor_closes_what_does() -> None:
    own = "- [todo] get the bank token from the dashboard\n- NEVER water the roses at noon\n"
    before = find(lines_of({**RAIN, WED: own}))

    def is_no_finding(claim: str) -> None:
        said = "".join(outside.entry(claim, source) for source in outside.SOURCES)
        nested = f"- what the page said:\n  - {claim} (via tool:web)\n"
        for theirs in (said, f"## Open\n{said}\n## Rules\n{said}", f"## Next steps\n{nested}"):
            days = {day: RAIN[day] + theirs for day in DAYS}
            lines = lines_of({**days, WED: own + theirs}, memory=f"# Memory\n- Tea: green (via net:x)\n{said}")
            found = find(lines, [line for line in lines if line.age is None])
            shown = [place.text + place.group for place in found.places.values()]
            assert not [text for text in (*shown, *found.disagreeing) if outside.CANARY in text]
            assert not [lines[index].text for index in found.hints if outside.CANARY in lines[index].text]
            own_places = [place.text for place in before.places.values() if place.section != findings.ROUTINE]
            assert [text for text in shown if text in own_places] == own_places

    table.holds(is_no_finding, outside.CLAIMS)


def test_what_somebody_outside_calls_done_stays_open() -> None:
    item = "- [ ] get the bank token from the dashboard\n"
    done = "- ✅ get the bank token from the dashboard (via tool:web)\n"

    assert texts(lines_of({TUE: item, WED: done.replace("(via tool:web)", "")}), findings.OPEN) == []
    assert texts(lines_of({TUE: item, WED: done}), findings.OPEN) == ["- 1 d · get the bank token from the dashboard\n"]
