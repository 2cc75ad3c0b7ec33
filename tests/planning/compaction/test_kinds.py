"""Which sub-heading an entry stands under."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import candidates, kinds, tiers
from tests.planning.compaction.values import day


@pytest.mark.parametrize(
    "text",
    [
        "Posted https://twitter.com/i/web/status/42 for Kestrel",
        "Ran `npm i -g seagull` on the harbor server",
        "Added iptables rule ! -i wg0 for Kestrel",
        "Signs painted: ANCHOR, DEADLINE, KEEL",
        "Renamed folder My OAK of the harbor",
        "Chosen rows, rather than all of them, were sent",
    ],
)
def test_words_of_addresses_and_commands_make_no_fact_plan_or_preference(text: str) -> None:
    assert kinds.of(text, None, is_spoken=False) == kinds.EVENTS


def test_what_stands_is_a_fact_and_what_was_done_is_not() -> None:
    assert kinds.of("the harbor server is in Porto", None, is_spoken=False) == kinds.FACTS
    assert kinds.of("the harbor server was moved and is in Porto", None, is_spoken=False) == kinds.EVENTS


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        (("Log", "New Operating Instructions"), "answer in German", "preference"),
        (("Log", "Decisions Made", "Frontend"), "blue buttons", "decision"),
        (("Log", "Remaining Tasks"), "rotate the keys", "todo"),
        (("Log", "Things to Remember Tomorrow"), "rinse the nets", "todo"),
        (("Log",), "Decision: ship on Fridays", "decision"),
        (("Log",), "Nadia decision: REPAINT, Friday is day 1", "decision"),
        (("Log",), "DO NOT paint all boats", "preference"),
        (("Log", "Key insights of the article"), "models grow", None),
        (("Log", "Learning center launch"), "the harbor is blue", None),
        (("Log", "Carried over"), "rotate the keys", "todo"),
    ],
)
def test_headings_labels_and_first_words_say_what_a_sentence_is(
    path: tuple[str, ...], text: str, kind: str | None
) -> None:
    assert tiers.kind(None, path, "", text) == kind


def test_what_the_line_says_of_itself_is_stronger_than_its_heading() -> None:
    assert tiers.kind("fact", ("Log", "Decisions"), "", "Kestrel is blue") == "fact"


def test_an_insight_is_no_lesson_unless_its_line_says_so() -> None:
    log = day("## 12 Key Insights\n\n- Kestrel sails to Porto\n- [lesson] Osprey needs a map\n")

    assert [unit.kind for unit in candidates.of([log])] == [None, "lesson"]
