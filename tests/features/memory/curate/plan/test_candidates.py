"""What a brief offers: sentences that name a rule, a preference, a decision or a standing fact, the owner's first."""

from __future__ import annotations

import pytest

from agentws.core.formats.documents import managed
from agentws.core.notes import reading, vocabulary
from agentws.features.memory.compact.plan import marked_lines
from agentws.features.memory.curate.plan import brief
from agentws.features.memory.curate.plan.brief import Candidate
from tests import table

WORDS = vocabulary.USUAL
NAMED = (
    "We decided on SQLite for the index",
    "Never push without asking Sam",
    "Sam prefers short answers",
    "Wir haben beschlossen, das Boot zu verkaufen",
    "Niemals ohne Sam pushen",
    "必ずSamに聞く",
    "永远不要在没有问过Sam的情况下推送",
)
MACHINE = (
    "<!-- we decided on SQLite -->",
    "HEARTBEAT_OK never mind",
    "heartbeat: always fine",
    "agent:main:always decided on nothing",
    "Session agent:main:telegram decided to reset",
    "rules/never-push.md",
    "decision-log.md preferences.json",
)


def of_log(text: str, day: str = "2026-11-18") -> list[Candidate]:
    entries = reading.read(text, path=f"memory/{day}.md", day=day)
    return list(brief.of_log(entries, text, WORDS, marked_lines.closed_in([entries])))


def texts(found: list[Candidate]) -> list[str]:
    return [one.text for one in found]


def test_a_sentence_that_names_something_is_offered_and_others_are_not() -> None:
    def check(text: str) -> None:
        assert texts(of_log(f"- 09:00 {text}\n- lunch at the pier\n")) == [text]

    table.holds(check, NAMED)
    assert of_log("- lunch at the pier\n- the boat is wet\n") == []


def test_a_word_about_decisions_a_date_and_a_question_name_nothing() -> None:
    reports = (
        "The deadline is Friday",
        "Boat booked after the decision",
        "Sails chosen, pier policy read",
        "Most important step done",
        "Die Frist endet am Freitag",
        "Wichtig war die Entscheidung",
        "Should we always moor at pier two?",
        "必ず聞くのですか？",
        "The pump fails with `start not allowed`",
        "Kim will decide on Friday",
    )
    table.holds(lambda text: [of_log(f"- {text}\n") == [] or 1 / 0], reports)
    labels = (
        "Kim a décidé de vendre le bateau",
        "Decision: moor at pier two",
        "**Entscheidung:** Liegeplatz zwei",
        "重要：二番の桟橋に泊める",
    )
    table.holds(lambda text: [of_log(f"- {text}\n") != [] or 1 / 0], labels)


def test_of_a_long_line_only_the_sentence_is_offered() -> None:
    line = "- Rain all day. Never push without asking Sam. The e.g. was odd. Kim came by.\n"

    assert texts(of_log(line)) == ["Never push without asking Sam."]


def test_text_of_machines_is_not_offered() -> None:
    table.holds(lambda text: [of_log(f"- {text}\n") == [] or 1 / 0], MACHINE)


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("<!-- openclaw:dreaming:light:start -->", "<!-- openclaw:dreaming:light:end -->"),
        ("<!--", "-->"),
    ],
)
def test_what_stands_between_such_comments_is_not_offered(before: str, behind: str) -> None:
    text = f"- Never push at night\n\n{before}\n- Always dream of boats\n{behind}\n\n- Never sail alone\n"

    assert texts(of_log(text)) == ["Never sail alone", "Never push at night"]


def test_what_is_open_over_outside_or_a_label_is_not_offered() -> None:
    lines = (
        "- [ ] never forget the milk",
        "- ~~Never push without Sam~~",
        "- Always pay them first (via tool:web)",
        "- never again (closes ^t3fk)",
        "**Rules that we always keep:**",
        "> always quoted from a page",
        "| always | never |\n|---|---|\n| always | never |",
    )
    table.holds(lambda line: [of_log(f"{line}\n") == [] or 1 / 0], lines)


def test_what_a_later_line_closes_is_not_offered() -> None:
    text = "- We always moor at pier two ^t3fk\n- Never sail alone\n- moved (closes ^t3fk)\n- ~~Never sail alone~~\n"

    assert of_log(text) == []


def test_the_owners_words_come_first_then_the_newest() -> None:
    found = [
        *of_log("- Never sail alone\n- Always bring the cable\n", "2026-11-18"),
        *of_log("- Always feed the cat (via user)\n- We decided to paint the pier\n", "2026-11-02"),
        *brief.of_message("I always want short answers. Thanks!\nNever call at night", "w1:7", "2026-11-10", WORDS),
    ]

    ordered = brief.candidates_of(found, "# Memory\n")

    assert texts(ordered) == [
        "I always want short answers.",
        "Never call at night",
        "Always feed the cat",
        "Always bring the cable",
        "Never sail alone",
        "We decided to paint the pier",
    ]
    assert [one.is_owners for one in ordered] == [True] * 3 + [False] * 3
    assert ordered[0].refs == ["w1:7"]


def test_what_memory_has_what_was_declined_and_what_was_taken_is_not_offered() -> None:
    found = of_log("- Never sail alone\n- Always bring the cable\n- Never push\n- Always ask Sam\n")
    memory = "# Memory\n\n- never  sail alone.\n\n## From the logs\n\n- Always ask Sam (2 Nov) !9\n"

    ordered = brief.candidates_of(
        found, memory, declined={managed.of_text("Always bring the cable")}, taken={"memory/2026-11-18.md:3"}
    )

    assert ordered == []


def test_equal_sentences_are_one_candidate_with_all_their_sources() -> None:
    found = [*of_log("- Never sail alone\n", "2026-11-18"), *of_log("- never sail alone.\n", "2026-11-02")]

    (one,) = brief.candidates_of(found, "")

    assert one.refs == ["memory/2026-11-18.md:1", "memory/2026-11-02.md:1"]
    assert one.day == "2026-11-18"


def test_what_an_earlier_version_proposed_comes_first() -> None:
    waiting = [Candidate("Piers are long", "fact", ["memory/2026-10-01.md:3"], "")]

    ordered = brief.candidates_of(of_log("- Never sail alone\n"), "", proposed=waiting)

    assert texts(ordered) == ["Piers are long", "Never sail alone"]
    assert brief.candidates_of([], "- Piers are long\n", proposed=waiting) == []
