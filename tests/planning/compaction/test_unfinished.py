"""Which lines a later one says are done."""

from __future__ import annotations

import pytest

from agentws.formats import markdown
from agentws.planning.compaction import unfinished
from agentws.planning.compaction.lines import Line

ITEM = Line("- [ ] rotate the token of the widget shop", age=1, done=False)
RAIN = Line("- rain", age=0)


def closes(later: Line, first: Line = ITEM) -> bool:
    return unfinished.closed([first, RAIN, later], [0]) == {0}


@pytest.mark.parametrize(
    "later",
    [
        Line("- [x] rotate the token of the widget shop", age=0, done=True),
        Line("- ✅ Rotated the token of the widget shop", age=0, done=True),
        Line(
            "- ✅ Rotated the token of the widget shop, saved it and told both machines of the change of this evening",
            age=0,
            done=True,
        ),
        Line("- Rotating the token of the widget shop: DONE", age=0, done=True),
        Line("- rotated the token of the widget shop", age=0, path=("Completed today",), done=True),
        Line("- ~~rotate the token of the widget shop~~", age=0, done=True),
        Line("| widget shop token rotated | ✅ |", age=0, form=markdown.ROW),
    ],
)
def test_a_later_mark_that_names_the_same_closes_an_item(later: Line) -> None:
    assert closes(later)
    assert unfinished.closed([later, RAIN, ITEM], [2]) == set()


@pytest.mark.parametrize(
    "later",
    [
        Line("- ✅ rotated the key of the bank account", age=0, done=True),
        Line("- ✅ printed the catalogue of the widget shop", age=0, done=True),
        Line("- [x] call the token office", age=0, done=True),
        Line("- Token of the widget shop: rotation failed again", age=0),
        Line("- ✅ Half of the widget shop token work, rotation still pending", age=0, done=True),
        Line("- Should we rotate the token of the widget shop?", age=0),
        Line("- the widget shop token was rotated only on the test machine", age=0),
        Line("- widget shop token rotation is 44% complete", age=0),
        Line("- rotate the token of the widget shop", age=0, path=("What's NOT done",), done=True),
        Line("✅ rotated the token of the widget shop", age=0, form=markdown.FENCE),
        Line("- ✅ Rotated the token of the widget shop", age=0, done=True, is_foreign=True),
        Line("| widget shop token | rotated |", age=0, form=markdown.ROW),
    ],
)
def test_a_line_about_another_thing_or_half_of_it_closes_nothing(later: Line) -> None:
    assert not closes(later)


def test_what_is_done_to_a_thing_does_not_tell_which_thing() -> None:
    first = Line("- [ ] test and deploy the laptop backup", age=1, done=False)

    assert not closes(Line("- ✅ tested and deployed the phone backup", age=0, done=True), first)


def test_thousands_of_items_that_share_their_words_are_read_in_time() -> None:
    lines = [
        Line(f"- order part{n}x of the widget shop for buyer{n * 7}y at the gate", age=0, done=bool(n % 2))
        for n in range(3000)
    ]

    assert unfinished.closed(lines, range(0, 3000, 2)) == set()
