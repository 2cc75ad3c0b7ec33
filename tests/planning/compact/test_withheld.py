"""What never enters memory, though a log says it."""

from __future__ import annotations

import pytest

from tests.planning.compact.values import Desk, day

VALUE = "7c1e5a90-3f26-4d8b-a417-0be92d6f5c38"


def written(*texts: str) -> str:
    desk = Desk()
    desk.run(*(day(text, f"2026-03-0{at}") for at, text in enumerate(texts, 1)))
    return desk.memory + desk.page


def test_a_value_that_one_line_calls_a_secret_is_told_under_no_other_name() -> None:
    berth = f"- [fact] New berth Kestrel at Ferryhost (ID: {VALUE})\n"

    assert VALUE in written(berth)
    assert VALUE not in written(f"{berth}\n- Ferryhost token provided: {VALUE}\n")
    assert VALUE not in written(berth, f"- Ferryhost token provided: {VALUE}\n")


def test_a_value_in_a_table_of_secrets_is_one() -> None:
    table = "| secret | value |\n|---|---|\n| bridge | q4mWTRNy... |\n"

    assert "q4mWTRNy" not in written(f"{table}\n- [fact] Bridge Osprey answers to q4mWTRNy since noon\n")


@pytest.mark.parametrize(
    "text",
    [
        "the push uses ghp_RkvbsE... now",
        "the map asks with AIzaSyBx7Lqe… first",
        "Password comes from a variable of Ferryhost (default: `amaryllis2031`)",
    ],
)
def test_how_a_token_begins_and_a_default_password_are_withheld(text: str) -> None:
    assert text[:12] not in written(f"- [fact] {text}\n")


@pytest.mark.parametrize("text", ["context of 128k tokens is enough for Kestrel-v2b3c4d", "the commit is 4f5a6b7c"])
def test_what_is_no_secret_is_kept(text: str) -> None:
    assert text in written(f"- {text}\n")


def test_what_carries_a_private_tag_is_not_folded() -> None:
    assert "Kestrel" not in written("- [fact] Kestrel meets Osprey by the sea #private\n")
    assert "Kestrel" not in written("## Family #private\n\n- [fact] Kestrel meets Osprey by the sea\n")


def test_what_is_to_be_filled_in_is_not_folded_and_the_path_of_an_endpoint_is() -> None:
    assert "names go here" not in written("- First people to call: {names go here}\n")
    assert "boat_id" in written("- New endpoint: `GET /boats/{boat_id}.svg` answers\n")


def test_nothing_under_a_heading_of_credentials_is_folded() -> None:
    assert "kestrel" not in written("## Credentials\n\n- the bridge account is kestrel at harbor\n")
