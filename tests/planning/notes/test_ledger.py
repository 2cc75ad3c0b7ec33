"""What is open over all days, what is over and by what, what is perhaps over, and what holds now."""

from __future__ import annotations

from agentws.planning.notes import ledger, reading
from agentws.planning.notes.entry import Entry
from agentws.planning.notes.ledger import Ledger
from tests.table import holds

TODAY = "2026-11-30"


def entries(name: str, text: str) -> list[Entry]:
    day = name[:10] if name.startswith("20") else ""
    return reading.read(text, path=f"memory/{name}.md" if day else name, day=day)


def made(files: dict[str, str], *, today: str = TODAY) -> Ledger:
    return ledger.of([entries(name, text) for name, text in files.items()], today=today)


def said(found: Ledger) -> list[str]:
    return [item.entry.body for item in found.open]


def test_what_is_open_stands_newest_first_each_once_in_its_newest_wording() -> None:
    found = made(
        {
            "2026-11-18": "## Next steps\n- Ask the harbour office about a berth for winter\n- Oil the gate\n",
            "2026-11-20": "## Next steps\n- Ask the harbour office about a berth for the winter\n- Call Tom\n",
            "MEMORY.md": "- [ ] Read the lease\n",
        }
    )
    assert said(found) == [
        "Call Tom",
        "Ask the harbour office about a berth for the winter",
        "Oil the gate",
        "Read the lease",
    ]
    item = found.open[1]
    assert (item.since, item.last, item.days) == ("2026-11-18", "2026-11-20", 2)
    assert [entry.day for entry in item.said] == ["2026-11-20", "2026-11-18"]


CLOSED: list[tuple[str, str, bool]] = [
    ("- [ ] Call Tom", "- [done] Call Tom", True),
    ("- [ ] Call Tom", "- ✅ Call Tom", True),
    ("- TODO: call Tom", "- [x] Call Tom.", True),
    ("- [ ] Call Tom", "- ~~Call Tom~~", True),
    ("- [ ] 给汤姆打电话", "- [done] 给汤姆打电话", True),
    ("- [ ] 家賃を払う", "- [x] 家賃を払う。", True),
    ("- [ ] Call Tom", "- Call Tom", False),
    ("- [ ] Call Tom", "- [done] Call Tim", False),
    ("- [ ] Call Tom", "- [done] Call Tom (via net:mail)", False),
    ("- [ ] Review #183", "- [done] Review #184", False),
    ("- [ ] Pay the rent for 11/26", "- [done] Pay the rent for 12/26", False),
    ("- [ ] Deploy `web`", "- [done] Deploy `api`", False),
    # Four words of five stand in the other, then three of five.
    ("- [ ] Oil the old garden gate", "- [done] Oil the old gate", True),
    ("- [ ] Oil the old garden gate", "- [done] Oil the gate", False),
]
"""What is open, what a later day says, and whether that closes it."""


def test_what_closes_an_item_says_nearly_the_same() -> None:
    def check(row: tuple[str, str, bool]) -> None:
        item, later, is_closed = row
        found = made({"2026-11-18": item, "2026-11-20": later})
        assert [list(found.over), found.open].count([]) == 1
        assert (found.open == []) == is_closed
        if is_closed:
            ((one, by),) = found.over.items()
            assert isinstance(by, Entry)
            assert (one.day, by.day) == ("2026-11-18", "2026-11-20")

    holds(check, CLOSED)


def test_of_very_many_that_share_all_words_those_nearest_in_time_are_looked_at() -> None:
    for count, is_closed in ((59, True), (60, False)):
        between = "".join(f"- [done] Ada, Kim and Tom water all plants {number}\n" for number in range(count))
        days = {"2026-11-18": "- [ ] Water all plants", "2026-11-19": between, "2026-11-20": "- [x] Water all plants"}
        assert (made(days).open == []) == is_closed


def test_what_is_open_again_is_open() -> None:
    assert said(made({"2026-11-18": "- [x] Call Tom", "2026-11-20": "- [ ] Call Tom"})) == ["Call Tom"]
    assert said(made({"2026-11-20": "- [x] Call Tom\n\n## Next steps\n- Call Tom\n"})) == ["Call Tom"]
    assert said(made({"2026-11-20": "## Next steps\n- Call Tom\n\n## Done\n- Call Tom\n"})) == []


WORDINGS: list[tuple[str, str, int]] = [
    # Seven words of ten stand in the other, then six.
    ("- [ ] Ask the harbour office about a dry berth for winter", "- [ ] Ask harbour office about dry berth winter", 1),
    ("- [ ] Ask the harbour office about a dry berth for winter", "- [ ] Ask harbour office about dry berth", 2),
    ("- [ ] Send bill 17 to Kim", "- [ ] Send bill 18 to Kim", 2),
    ("- [ ] Send bill to Kim now", "- [ ] Send bill 18 to Kim now", 1),
    ("- [ ] 家賃を銀行で払う", "- [ ] 家賃を銀行で払うこと", 1),
    ("", "- [ ] Paint the old red door\n- [ ] Paint the old red gate\n- [ ] Paint the old red door\n", 2),
]


def test_two_open_wordings_are_one_item_where_they_name_the_same_and_stand_in_two_lists() -> None:
    def check(row: tuple[str, str, int]) -> None:
        before, after, count = row
        assert len(made({"2026-11-18": before, "2026-11-20": after}).open) == count

    holds(check, WORDINGS)


NEXT = "## Next steps\n"
LISTS = f"{NEXT}- Buy tar\n- Buy rope\n"
ONE = f"{NEXT}- Buy tar\n"
TWICE = f"{LISTS}## Waiting\n- A\n- B\n"
TOM = f"{NEXT}- Call Tom\n"
STALE: list[tuple[str, dict[str, str], bool]] = [
    ("the newest list", {"2026-11-18": f"{TOM}- Oil it\n"}, False),
    ("one later list", {"2026-11-18": TOM, "2026-11-19": LISTS}, False),
    ("two later lists", {"2026-11-18": TOM, "2026-11-19": LISTS, "2026-11-20": LISTS}, True),
    (
        "one item is no list",
        {"2026-11-18": TOM, "2026-11-19": LISTS, "2026-11-20": ONE},
        False,
    ),
    (
        "of one day",
        {"2026-11-18": TOM, "2026-11-19": TWICE},
        False,
    ),
    ("said again", {"2026-11-18": "TODO: call Tom", "2026-11-19": LISTS, "2026-11-20": f"{LISTS}- Call Tom\n"}, False),
    ("a box", {"2026-11-18": "- [ ] Call Tom\n", "2026-11-19": LISTS, "2026-11-20": LISTS}, False),
    ("a todo", {"2026-11-18": "- [todo] Call Tom\n", "2026-11-19": LISTS, "2026-11-20": LISTS}, False),
    ("fourteen days", {"2026-11-06": "- [ ] Call Tom\n", "2026-11-20": "Rain.\n"}, False),
    ("fifteen days", {"2026-11-05": "- [ ] Call Tom\n", "2026-11-20": "Rain.\n"}, True),
    ("a rest of months", {"2026-01-05": "- [ ] Call Tom\n"}, False),
    ("four later logs", {"2026-11-13": TOM, **{f"2026-11-{at}": "Rain.\n" for at in (14, 15, 16, 17)}}, False),
    ("five later logs", {"2026-11-13": TOM, **{f"2026-11-{at}": "Rain.\n" for at in (14, 15, 16, 17, 18)}}, True),
    (
        "five logs since, a box",
        {"2026-11-13": "- [ ] Call Tom\n", **{f"2026-11-{at}": "Rain.\n" for at in range(14, 20)}},
        False,
    ),
    (
        "five logs since, twice",
        {"2026-11-12": TOM, "2026-11-13": TOM, **{f"2026-11-{at}": "Rain.\n" for at in range(14, 20)}},
        False,
    ),
    ("in memory", {"MEMORY.md": "- [ ] Call Tom\n", "2026-11-19": LISTS, "2026-11-20": LISTS}, False),
    ("with a date to come", {"2026-11-01": "- [ ] Call Tom 2026-12-24\n", "2026-11-20": "Rain.\n"}, False),
]


def test_what_later_lists_or_logs_leave_out_or_two_weeks_are_silent_of_is_stale() -> None:
    def check(row: tuple[str, dict[str, str], bool]) -> None:
        _, files, is_stale = row
        (item,) = (item for item in made(files).open if "Tom" in item.entry.said)
        assert item.is_stale == is_stale

    holds(check, STALE)


DATES = """\
- [ ] Pay the rent 2026-11-28
- [ ] Feed the cat 2026-11-29
- [ ] Call Tom 2026-11-30
- [ ] Answer the letter of 2026-11-10
"""


def test_a_date_that_is_past_by_more_than_a_day_expires_an_item() -> None:
    found = {item.entry.said: (item.due, item.is_expired) for item in made({"2026-11-18": DATES}).open}
    assert found == {
        "Pay the rent 2026-11-28": ("2026-11-28", True),
        "Feed the cat 2026-11-29": ("2026-11-29", False),
        "Call Tom 2026-11-30": ("2026-11-30", False),
        "Answer the letter of 2026-11-10": ("", False),
    }


PROMISED = """\
- 09:00 [todo] Pay the gas (due 2026-11-20) ^p688
- 09:00 [todo] Meet Ada (due 2026-11-21T15:00) ^cfvs
- 09:00 [todo] Pay the light (due 2026-11-29) ^fkmr
- 09:00 [todo] Dentist on 2026-11-21 ^y7mb
"""


def test_a_bullet_or_a_box_that_nobody_filled_in_is_no_item() -> None:
    text = "## Offen\n\n- [ ] \n- [ ]\n* [ ]\n- [ ] 📦\n- [ ] 42\n- [ ] ?\n- Oil the gate\n"
    found = [item.entry.text for item in made({"2026-11-18": text}).open]
    assert found == ["- Oil the gate", "- [ ] ?", "- [ ] 42", "- [ ] 📦"]


def test_a_promised_date_makes_an_item_late_and_never_settles_it() -> None:
    states = {
        "2026-11-30": {"p688": "late", "cfvs": "late", "fkmr": "", "y7mb": "late expired"},
        "2027-03-01": {"p688": "late", "cfvs": "late", "fkmr": "late", "y7mb": "late expired"},
    }

    def check(row: tuple[str, dict[str, str]]) -> None:
        today, expected = row
        found = made({"2026-11-18": PROMISED, "2026-11-22": "- 09:00 Slept\n"}, today=today).open
        states = {
            one.ref: " late" * one.is_late + " expired" * one.is_expired + " stale" * one.is_stale for one in found
        }
        assert {ref: state.strip() for ref, state in states.items()} == expected

    holds(check, list(states.items()))


def test_a_promised_date_that_is_long_past_without_a_word_is_perhaps_over() -> None:
    later = {"2026-11-18": PROMISED, "2026-12-10": "- 09:00 Slept\n"}
    assert {one.ref: one.is_stale for one in made(later, today="2026-12-10").open} == {
        "p688": True,
        "cfvs": True,
        "fkmr": False,
        "y7mb": False,
    }


def test_references_that_are_alike_are_lengthened_until_they_differ() -> None:
    files = {"2026-11-18": "".join(f"- [ ] berth{n} rope{n}\n" for n in range(3000))}
    found = made(files)
    refs = [item.ref for item in found.open]
    assert len(set(refs)) == len(refs) == 3000
    assert {len(ref) for ref in refs} == {4, 5}
    assert all(item.ref.startswith(item.entry.ref) for item in found.open)


def test_a_fact_has_its_newest_value_under_its_heading() -> None:
    roof = "\n## Roof\n- Colour: grey\n- Tile: "
    found = made(
        {
            "2026-11-17": "# 2026-11-17 Tuesday\n- Boiler: cold\n",
            "2026-11-18": f"# 2026-11-18\n- Boiler: warm\n- Pump: a valve\n{roof}red\n- Tile: blue\n",
            "2026-11-19": "# 2026-11-19\n\n## Roof 2\n- Tile: white\n\n## Wall\n- Tile: black\n",
            "2026-11-20": f"# 2026-11-20\n- Boiler: ✅ hot\n- TODO: no fact\n{roof}green\n- Mail: yes (via net:mail)\n",
            "2026-11-16": "## Roof\n- Tile: brown\n\n## Wall\n- Pump: off\n",
        }
    ).values
    told = {(value.name, value.value): [entry.day for entry in value.earlier] for value in found.values()}
    assert told == {
        ("boiler", "✅ hot"): ["2026-11-18", "2026-11-17"],
        ("colour", "grey"): [],
        ("tile", "green"): ["2026-11-16"],
        ("pump", "a valve"): [],
        ("pump", "off"): [],
    }


def test_a_reference_is_closed_by_a_machine_whose_clock_is_behind_and_by_no_older_line() -> None:
    def check(case: tuple[str, bool]) -> None:
        day, is_over = case
        found = made({"2026-11-21": "- 00:01 [todo] Call Tom ^t3fk\n", day: "- 23:59 [done] He signs (closes ^t3fk)\n"})
        assert said(found) == ([] if is_over else ["Call Tom"])

    holds(check, [("2026-11-22", True), ("2026-11-20", True), ("2026-11-19", False)])
