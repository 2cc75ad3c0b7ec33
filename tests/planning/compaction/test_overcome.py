"""What a later line put right, and what ran out."""

from __future__ import annotations

import pytest

from agentws.planning.compaction import leaving
from agentws.planning.compaction.units import Context
from tests.planning.compaction.values import day, keep, old, texts


def left(*days: str, **more: object) -> dict[str, str]:
    logs = [day(text, f"2026-03-{n:02d}") for n, text in enumerate(days, 1)]
    return {one.text: one.reason for one in keep(*logs).dropped}


FIRST = "## Open items\n\n- Ana needs to add the Railway data volume of Kestrel\n"


@pytest.mark.parametrize("kind", ["## Open items", "## Problems", "## Harbor"])
def test_what_is_wanted_leaves_when_a_later_line_says_in_other_words_that_it_is_there(kind: str) -> None:
    found = left(FIRST.replace("## Open items", kind), "- Kestrel: Railway volume for data was installed by Ana\n")

    assert leaving.CLOSED in found.values()
    assert [text for text in found if "needs" in text]


def test_a_later_line_of_the_same_day_puts_right() -> None:
    assert (
        leaving.CLOSED
        in left(f"{FIRST}\n## Evening\n\n- Railway data volume of Kestrel deployed, Ana is done\n").values()
    )


def test_a_day_that_is_not_folded_yet_puts_right_too() -> None:
    later = day("- Railway data volume of Kestrel deployed, Ana is done\n", "2026-03-09")

    assert texts(keep(day(FIRST), context=Context(days=[later]))) == []


def test_an_entry_of_an_earlier_night_leaves_when_it_was_done() -> None:
    entry = old("2026-03-01 Harbor: Ana needs to add the Railway data volume of Kestrel", kind="Open")

    kept = keep(day("- Railway data volume of Kestrel deployed, Ana is done\n"), entries=(entry,))

    assert entry.text not in texts(kept)


@pytest.mark.parametrize(
    "later",
    [
        "- Railway login of Kestrel fixed by Ben\n",
        "- Railway data volume of Kestrel not deployed yet\n",
        "- Railway data volume of Kestrel deployed if Ben agrees\n",
    ],
)
def test_what_is_about_something_else_or_not_done_puts_nothing_right(later: str) -> None:
    assert not [text for text in left(FIRST, later) if "needs to add" in text]


def test_what_shares_a_part_of_a_name_alone_closes_nothing() -> None:
    hook = "## Open items\n\n- Configure Kestrel hook url on rotation of Osprey\n"

    assert left(hook, "- PORTAL_URL fixed: porto to lisbon\n") == {}


def test_what_went_well_is_not_closed_before_what_it_resolves() -> None:
    found = left(
        "- Symptom: Kestrel login fails with status 403, persisting after new tokens\n"
        "- ✅ Kestrel login fully operational, status 403 resolved with tokens\n"
    )

    assert [text for text in found if "Symptom" in text]
    assert not [text for text in found if "✅" in text]


def test_what_was_removed_neither_runs_nor_is_to_be_installed() -> None:
    found = left(
        "- Next: install and test Tide Tables in Porto\n- Tide Tables running on port 4190, ready for Ana\n",
        "- Uninstalled Tide Tables, kept Compass\n",
    )

    assert list(found.values()) == [leaving.CLOSED, leaving.CLOSED]


@pytest.mark.parametrize("text", ["Moonraker ends on March 4 for Ana", "Ana calls Porto tomorrow to sign"])
def test_what_is_open_and_has_no_day_left_expires(text: str) -> None:
    days = [f"## Open items\n\n- {text}\n", *["- Kestrel sails\n"] * 13, "- Osprey sails\n"]

    assert leaving.EXPIRED in left(*days).values()


def test_what_has_a_promised_day_never_expires() -> None:
    days = ["- [todo] Send Ana the chart (due 2026-03-04)\n", *["- Kestrel sails\n"] * 13, "- Osprey sails\n"]

    assert leaving.EXPIRED not in left(*days).values()


def test_a_day_to_come_and_a_day_in_passing_do_not_expire() -> None:
    text = "## Open items\n\n- Hootsuite ends on April 4 for Ana\n- Is the access still blocked, seen last March 1?\n"

    assert left(text, *["- Osprey sails\n"] * 1, "- Kestrel sails\n") == {}


def test_what_is_fine_and_stands_among_problems_is_not_closed_by_another_thing_that_is() -> None:
    entry = old("2026-03-01 Repairs: Kestrel login of Porto fully operational since noon", kind="Problems")

    kept = keep(day("- Osprey login of Porto is now fully operational and fixed since noon\n"), entries=(entry,))

    assert entry.text in texts(kept)


def test_a_list_of_what_went_well_puts_right_by_one_item_alone() -> None:
    wanted = "## Open items\n\n- Organize promotional newsletter folder of Kestrel\n"
    done = "- ✅ Osprey folder organized; ✅ newsletter of Heron sent; ✅ map of Lisbon received\n"

    assert not [text for text in left(wanted, done) if "Organize" in text]
    assert [
        text for text in left(wanted, "- ✅ promotional newsletter folder of Kestrel organized\n") if "Organize" in text
    ]


def test_two_words_of_four_are_too_few() -> None:
    wanted = "## Open items\n\n- Newsletter management: organize emails\n"

    assert not [text for text in left(wanted, "- ✅ Osprey: 465 emails safely organized\n") if "Newsletter" in text]
