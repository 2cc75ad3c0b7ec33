"""What was called urgent and then never mentioned again."""

from __future__ import annotations

import pytest

from agentws.planning import salience
from agentws.planning.lines import bare
from agentws.planning.standing import quiet, unfinished
from tests.planning.standing import lines_of

DAYS = [f"2026-09-{day:02d}" for day in range(11, 17)]
OLD, NEW = DAYS[0], DAYS[-1]
RAIN = dict.fromkeys(DAYS, "- it rained, and the tea was good\n")


def said(logs: dict[str, str], *, memory: str = "") -> list[str]:
    lines = lines_of({**RAIN, **logs}, memory=memory)
    worth = salience.worth(lines)
    return [bare(lines[index].text) for index in quiet.find(lines, worth, unfinished.find(lines, worth))]


@pytest.mark.parametrize(
    "text",
    [
        "## ⭐ TOP PRIORITY\n- fix the paper lanterns of the shop\n",
        "## Next steps (P0)\n- fix the paper lanterns of the shop\n",
        "## Open\n- 🔴 fix the paper lanterns of the shop\n",
        "- [ ] URGENT: fix the paper lanterns of the shop\n",
        "- [ ] fix the paper lanterns of the shop !9\n",
    ],
)
def test_what_was_urgent_and_was_not_mentioned_since_went_quiet(text: str) -> None:
    (one,) = said({OLD: text})

    assert "paper lanterns" in one


@pytest.mark.parametrize(
    "text",
    [
        "## Next steps\n- fix the paper lanterns of the shop\n",
        "## 🔴 Pending\n- fix the paper lanterns of the shop\n",
        "## Open questions\n- Which of the paper lanterns are P0?\n",
        "- [ ] fix the paper lanterns of the shop !5\n",
        "- URGENT mail came, the paper lanterns of the shop are fixed\n",
        "- [x] URGENT: fix the paper lanterns of the shop\n",
        "- [ ] URGENT\n",
    ],
)
def test_what_was_not_urgent_or_not_open_did_not(text: str) -> None:
    assert said({OLD: text}) == []


URGENT = "- [ ] URGENT: fix the paper lanterns of the shop\n"


def test_what_was_said_the_day_before_yesterday_has_not_gone_quiet_yet() -> None:
    assert said({DAYS[-3]: URGENT}) == []
    assert said({DAYS[-4]: URGENT}) != []


def test_what_was_mentioned_later_did_not_go_quiet() -> None:
    assert said({OLD: URGENT, NEW: "- Looked at the paper lanterns with Sam\n"}) == []


def test_what_was_mentioned_earlier_may_have_gone_quiet() -> None:
    assert len(said({OLD: "- Looked at the paper lanterns with Sam\n", DAYS[1]: URGENT})) == 1


def test_one_common_word_is_no_mention() -> None:
    assert len(said({OLD: URGENT, NEW: "- the shop sold three maps\n"})) == 1


def test_what_memory_alone_says_has_no_day_to_go_quiet_on() -> None:
    assert said({}, memory=URGENT) == []


def test_the_newest_comes_first() -> None:
    other = "- [ ] URGENT: call the bank about the loan\n"

    assert said({OLD: other, DAYS[1]: URGENT})[0].endswith("the shop")


def test_thousands_of_urgent_lines_are_read_in_time() -> None:
    text = "".join(f"- [ ] URGENT order part{n}x of the widget shop for buyer{n * 7}y\n" for n in range(1500))

    assert len(said({OLD: text, NEW: text.replace("[ ] URGENT ", "looked at ")})) < 1500
