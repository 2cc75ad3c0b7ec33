"""What can be read alone."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import candidates
from tests.planning.compaction.values import day


def said(text: str) -> list[str]:
    return [unit.text for unit in candidates.of([day(text)])]


def test_a_lesson_stays_with_the_story_it_comes_from() -> None:
    note = "- The first approach caught the root domain. It broke the site. Always name the subdomain."

    assert said(note) == ["The first approach caught the root domain. It broke the site. Always name the subdomain."]


def test_what_begins_with_a_pronoun_is_not_kept_without_what_is_before() -> None:
    assert said("- It respects the square now\n- Kestrel sails to Porto\n") == ["Kestrel sails to Porto"]


def test_what_ends_at_a_colon_is_not_kept_alone() -> None:
    long = "After the user asked again we discovered the complete system of agents in the old harbor folder:"

    assert said(f"- {long}\n- Kestrel sails to Porto\n") == ["Kestrel sails to Porto"]
    assert said(f"- {long} Kestrel and Osprey.") == [f"{long} Kestrel and Osprey."]


def test_what_opens_a_quotation_and_does_not_close_it_is_not_kept_alone() -> None:
    assert said('- Kestrel said "Porto has the better harbor\n') == []
    assert said('- Kestrel bought a 24" screen in Porto\n') == ['Kestrel bought a 24" screen in Porto']


def test_a_heading_alone_is_nothing_to_keep() -> None:
    assert said("## External actions of Kestrel\n\n## Activity of Osprey\n\n- Heron sails to Porto\n") == [
        "Heron sails to Porto"
    ]


def test_a_numbered_row_is_named_by_what_stands_behind_the_number() -> None:
    assert said("| # | agent | role |\n|---|---|---|\n| 4 | Kestrel | keeps the books. Daily. |\n") == [
        "Kestrel: role keeps the books. Daily."
    ]


@pytest.mark.parametrize(
    ("heading", "lead"),
    [
        ("Daily Memory Log — Thursday", "2026-03-02 "),
        ("Checkpoint — 16:04", "2026-03-02 "),
        ("Harbor server (the one that Maria bought in the spring)", "2026-03-02 Harbor server: "),
    ],
)
def test_a_lead_tells_something_or_is_left_out(heading: str, lead: str) -> None:
    units = candidates.of([day(f"## {heading}\n\n- Kestrel sails to Porto\n")])

    assert units[0].lead == lead


def test_labels_of_a_record_are_no_speakers() -> None:
    log = "".join(f"- **Action:** Posted tweet {n} of Kestrel\n- **Target:** the feed of Osprey\n" for n in range(5))

    assert not any(unit.is_spoken for unit in candidates.of([day(log)]))
