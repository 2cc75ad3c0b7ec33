"""A thing that was to be made is finished where a later line says so of just that thing, and of enough of it."""

from __future__ import annotations

import pytest

from agentws.formats import markdown
from agentws.planning.compaction.finished import Finished
from agentws.planning.compaction.lines import Line


def line(text: str, *path: str, done: bool | None = None, form: str = markdown.ITEM) -> Line:
    return Line(f"- {text}", age=0, path=path, done=done, form=form)


def is_finished(first: str, later: Line) -> bool:
    return Finished([line(first, "Evening"), line("Watered the roses", "Evening"), later]).is_finished(0)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Next: Fix Parcels page to show all parcels (create, send)", "Shop Parcels page SHIPPED:"),
        ("Next: Fix Parcels page to show all parcels (create, send)", "Parcels page fully working in the shop"),
        ("Build the parcel tracker", "✅ Completed the parcel tracker"),
        ("TODO: implement parcel tracker", "The parcel tracker is now live; Ada is glad"),
        ("Deploy the parcel tracker", "Parcel tracker deployed"),
    ],
)
def test_what_a_later_line_calls_finished_by_its_name_is(first: str, later: str) -> None:
    assert is_finished(first, line(later, "Night"))
    assert is_finished(first, line("All tests pass", later))
    assert not Finished([line(later), line(first)]).is_finished(1)


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ("Fix Parcels page to show all parcels", "Parcels page not fixed"),
        ("Fix Parcels page to show all parcels", "Parcels page fixed? Sam has to look"),
        ("Fix Parcels page to show all parcels", "Parcels page will be done tomorrow"),
        ("Fix Parcels page to show all parcels", "Parcels page half done"),
        ("Fix Parcels page to show all parcels", "Parcels page works in preview"),
        ("Fix Parcels page to show all parcels", "Parcels search fixed, page next"),
        ("Fix Parcels page routing to the shop", "Parcels page SHIPPED"),  # of that it says nothing
        ("Deploy Parcels page", "Parcels page fixed"),  # fixed is not yet deployed
        ("Deploy Parcels page to the second shop", "Parcels page live"),
        ("Fix Parcels page in the second shop", "Parcels page SHIPPED"),
        ("Build the parcel tracker and the map", "Parcel tracker done"),
        ("Test Parcels page once more", "Parcels page SHIPPED"),
        ("Fix parcels", "Parcels fixed"),  # one word names too much
    ],
)
def test_where_it_is_not_sure_it_stays_open(first: str, later: str) -> None:
    assert not is_finished(first, line(later))
    assert not is_finished(first, line("All tests pass", later))


def test_an_empty_box_and_a_fence_say_nothing() -> None:
    assert not is_finished("Build the parcel tracker", line("Parcel tracker done", done=False))
    assert not is_finished("Build the parcel tracker", line("Parcel tracker done", form=markdown.FENCE))
