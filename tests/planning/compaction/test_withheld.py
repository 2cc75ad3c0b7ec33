"""What never enters memory, though a log says it."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import candidates, leaving
from agentws.planning.compaction.units import Context
from tests.planning.compaction.values import chat, day, keep, old, texts

VALUE = "7c1e5a90-3f26-4d8b-a417-0be92d6f5c38"


def kept_of(*notes: str, tags: tuple[str, ...] = ("private",)) -> list[str]:
    log = day("## Harbor\n\n" + "".join(f"- {note}\n" for note in notes))
    return [unit.text for unit in candidates.of([log], private_tags=tags)]


def test_a_value_that_one_line_calls_a_secret_is_told_under_no_other_name() -> None:
    log = day(f"- New berth Kestrel at Ferryhost (ID: {VALUE})\n\n- Ferryhost token provided: {VALUE}\n")

    assert keep(log).section == ""


def test_a_value_that_another_day_calls_a_secret_is_withheld_too() -> None:
    log = day(f"- New berth Kestrel at Ferryhost (ID: {VALUE[:8]}-...)\n")
    later = day(f"- Ferryhost token provided: {VALUE}\n", "2026-03-09")

    assert len(keep(log).entries) == 1
    assert keep(log, context=Context(days=[later])).section == ""


def test_a_value_in_a_table_of_secrets_is_one() -> None:
    table = "| secret | value |\n|---|---|\n| bridge | q4mWTRNy... |\n"

    kept = keep(day(f"{table}\n- Bridge Osprey answers to q4mWTRNy since noon\n"))

    assert not any("q4mWTRNy" in text for text in texts(kept))


@pytest.mark.parametrize("text", ["the push uses ghp_RkvbsE... now", "the map asks with AIzaSyBx7Lqe… first"])
def test_how_a_token_begins_is_withheld(text: str) -> None:
    assert keep(day(f"- {text}\n")).section == ""


def test_a_default_password_is_withheld() -> None:
    assert keep(day("- Password comes from a variable of Ferryhost (default: `amaryllis2031`)\n")).section == ""


def test_an_entry_that_tells_a_secret_leaves() -> None:
    entry = old(f"2026-01-01 New berth at Ferryhost (ID: {VALUE})")

    kept = keep(day(f"- Ferryhost token provided: {VALUE}\n"), entries=(entry,))

    assert (entry.text, leaving.WITHHELD) in [(one.text, one.reason) for one in kept.dropped]


@pytest.mark.parametrize("text", ["context of 128k tokens is enough for Kestrel-v2b3c4d", "the commit is 4f5a6b7c"])
def test_what_is_no_secret_is_kept(text: str) -> None:
    assert kept_of(text) == [text]
    assert len(keep(day(f"- {text}\n")).entries) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Liv has a tumor, the MRI is in May",
        "her mother has cancer and needs care",
        "Ottilie Vane has overdue filings since March",
        "5 overdue winter filings: Ottilie Vane, Casimir Roe",
        "Bartek wants the amounts owed per year",
        "Casimir Roe: Owed $310, Status in work",
    ],
)
def test_the_illness_and_the_debts_of_people_are_not_folded_unless_the_log_marks_them(text: str) -> None:
    assert kept_of(text) == []
    assert kept_of(f"{text} !7") == [text]
    assert kept_of(f"[fact] {text}") == [text]


def test_what_somebody_says_of_their_own_health_is_what_they_want_known() -> None:
    log = chat(("Maria", "I was diagnosed with celiac illness in May."), ("Tom", "My mother has cancer since May."))

    assert [unit.who for unit in candidates.of([log])] == ["Maria"]


def test_what_carries_a_private_tag_is_not_folded() -> None:
    assert kept_of("Kestrel meets Osprey #family", "Kestrel sails at noon", tags=("family",)) == [
        "Kestrel sails at noon"
    ]


def test_what_is_to_be_filled_in_is_not_folded_nor_what_stands_beside_it() -> None:
    assert kept_of("First people to call: {names go here}", "Fishing hours: 9am to 12pm") == []


def test_braces_in_code_and_in_what_somebody_says_fill_nothing_in() -> None:
    code = "- Kestrel runs the loop in Porto\n  ```js\n  run({ name })\n  ```\n"
    said = chat(("Maria", "I moved to Lisbon and greet with {name} now."), ("Tom", "I live in Porto since May."))

    assert [unit.text for unit in candidates.of([day(f"## Harbor\n\n{code}")])] == ["Kestrel runs the loop in Porto"]
    assert [unit.who for unit in candidates.of([said])] == ["Maria", "Tom"]


def test_the_path_of_an_endpoint_is_nothing_to_fill_in() -> None:
    text = "New endpoint: `GET /boats/{boat_id}.svg` answers"

    assert kept_of(text) == [text]


def test_nothing_under_a_heading_of_credentials_is_folded_but_its_rules() -> None:
    log = day("## Credentials\n\n- the bridge account is kestrel at harbor\n- NEVER write them into a log\n")

    assert [unit.text for unit in candidates.of([log])] == ["NEVER write them into a log"]
