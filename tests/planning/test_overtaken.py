"""Which lines of a log a later part of it has overtaken, in other words."""

from __future__ import annotations

import pytest

from agentws.planning.lines import Line
from agentws.planning.overtaken import Overtaken


def line(text: str, *path: str) -> Line:
    return Line(f"- {text}", age=0, path=path)


def is_overtaken(first: Line, *later: Line) -> bool:
    return Overtaken([first, *later]).is_overtaken(0)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Install and test the ledger for Sam", "✅ Ledger for Sam installed and in use"),
        ("Import blocked on the missing storage token", "New storage token validated, import deployed"),
        ("Blocker: no valid credentials for the smoke tests", "Completed the smoke tests with credentials of Sam"),
    ],
)
def test_a_later_line_that_names_the_same_and_went_well_does(first: str, later: str) -> None:
    assert is_overtaken(line(first), line("Watered the roses"), line(later))
    assert not Overtaken([line(later), line(first)]).is_overtaken(1)


@pytest.mark.parametrize(
    "later",
    [
        "Ledger for Sam: the install failed",
        "Ledger for Sam still needs to be installed",
        "✅ Watered the roses",
        "The ledger is done, only Sam can install and test it",
        "Ledger to be installed for Sam tomorrow",
    ],
)
def test_one_that_did_not_go_well_or_names_something_else_does_not(later: str) -> None:
    assert not is_overtaken(line("Install and test the ledger for Sam"), line(later))


def test_a_part_whose_heading_says_that_it_is_done_does() -> None:
    first = line("Perhaps a setup of the parcel login, if Sam wants to use it")

    assert is_overtaken(first, line("The client was replaced", "12:43 Parcel login setup completed ✅"))
    assert not is_overtaken(first, line("The client was replaced", "12:43 Parcel login"))
    assert not is_overtaken(first, line("The client was replaced", "Parcel login to complete"))


def test_a_few_words_are_taken_with_their_heading() -> None:
    first = line("Ruta Kalnina", "Roof tiles to complete")

    assert is_overtaken(first, line("✅ Edvin & Ruta: roof tile complete"))
    assert not is_overtaken(first, line("✅ Edvin: roof tile complete"))


@pytest.mark.parametrize("later", ["PARCEL_API_KEY set through the API ✅", "Correct PARCEL_API_KEY confirmed by Sam"])
def test_a_setting_is_set_by_its_name(later: str) -> None:
    asked = "Also: set PARCEL_API_KEY=… on the server of the shop"

    assert Overtaken([line(asked), line(later)]).is_set(asked, 0)
    assert not Overtaken([line(asked), line("OTHER_KEY set ✅")]).is_set(asked, 0)
    assert not Overtaken([line(asked), line("PARCEL_API_KEY not set yet")]).is_set(asked, 0)
