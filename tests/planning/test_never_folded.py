"""Lines that differ in a number are two lines, wherever lines are taken for one."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from agentws.formats import handoff, notes
from agentws.planning import days, deriving, excerpt
from agentws.planning import lines as _lines
from agentws.planning.carrying import Carried, Item, Left
from agentws.planning.days import Pool
from agentws.planning.finished import Finished
from agentws.planning.lines import Line, Shelf
from agentws.planning.overtaken import Overtaken
from agentws.planning.salience import worth
from agentws.planning.standing import rules, unfinished
from tests.planning.compaction.values import day as _day
from tests.planning.compaction.values import keep, texts
from tests.planning.test_handoff import noted

NUMBERS = st.lists(
    st.tuples(
        st.sampled_from(["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９"]), st.integers(1, 99_999)
    ).map(lambda found: "".join(found[0][int(figure)] for figure in str(found[1]))),
    min_size=2,
    max_size=9,
    unique_by=lambda text: int(text),
)
SAID = "- Paid invoice {} of the harbour print works by card"
TODAY = "2026-11-22"


def shelves(texts: list[str]) -> list[Shelf]:
    """A log a day, the newest first."""
    return [
        Shelf(excerpt.entries(notes.read(text), by_position=True), frame=5, day=f"2026-11-{21 - at:02d}", name="log")
        for at, text in enumerate(texts)
    ]


@given(NUMBERS)
def test_boot_shows_each_as_long_as_there_is_room(numbers: list[str]) -> None:
    said = [SAID.format(number) for number in numbers]
    pool = Pool(shelves(said), today=TODAY)

    chosen = days.choose(pool, 100 * len(said) + 500, len, line=100)

    shown = "".join([*chosen.sections, *(one.text for one in chosen.excerpts)])
    assert all(line[2:] in shown for line in said)


@given(NUMBERS)
def test_each_is_an_open_item_of_its_own_until_a_line_with_its_number_closes_it(numbers: list[str]) -> None:
    said = [f"- [ ] call {number} suppliers of the lamp oil" for number in numbers]
    done = f"- ✅ called {numbers[0]} suppliers of the lamp oil"
    lines = _lines.of(shelves([done, "\n".join(said)]))

    found = {lines[item.index].text for item in unfinished.find(lines, worth(lines))}

    assert found == {*said[1:]}


@given(st.integers(1, 99), st.sampled_from([".", ")"]))
def test_the_place_in_a_list_keeps_no_item_open(place: int, end: str) -> None:
    said = f"{place}{end} [ ] call the suppliers of the lamp oil"
    lines = _lines.of(shelves(["- ✅ called the suppliers of the lamp oil", said]))

    assert unfinished.find(lines, worth(lines)) == []


@given(NUMBERS)
def test_each_is_a_rule_of_its_own(numbers: list[str]) -> None:
    lines = _lines.of(shelves([f"- NEVER light more than {number} lamps on the pier" for number in numbers]))

    assert len(rules.find(lines)) == len(numbers)


@given(NUMBERS)
def test_what_went_well_with_another_number_overtakes_nothing(numbers: list[str]) -> None:
    said = [f"- waiting for crate {number} of the lamp oil from the harbour" for number in numbers]
    well = [f"- crate {number} of the lamp oil from the harbour was received ✅" for number in numbers[1:]]
    lines = _lines.of(shelves(["\n".join([*said, *well])]))

    later = Overtaken(lines)

    assert [later.is_overtaken(at) for at in range(len(said))] == [False, *[True] * (len(said) - 1)]


@given(NUMBERS)
def test_what_is_finished_with_another_number_finishes_nothing(numbers: list[str]) -> None:
    said = [f"- TODO: build lamp tower so that {number} ships see it" for number in numbers]
    lines = [Line(text, age=0) for text in (*said, f"- lamp tower done, {numbers[0]} ships see it")]

    assert [Finished(lines).is_finished(at) for at in range(len(said))] == [True, *[False] * (len(said) - 1)]


@given(NUMBERS)
def test_a_handoff_that_nobody_wrote_tells_each(numbers: list[str]) -> None:
    said = [f"- [ ] call {number} suppliers of the lamp oil" for number in numbers]
    facts = deriving.Facts([], **noted("# Day\n\n## Next steps\n" + "\n".join(said)))

    told = deriving.derive(facts, datetime(2026, 11, 20, tzinfo=UTC)).sections[handoff.PENDING]
    assert all(line.removeprefix("- [ ] ") in told for line in said)


@given(NUMBERS)
def test_a_handoff_takes_over_each(numbers: list[str]) -> None:
    left = Left("handoffs/one.md")
    left.items = [Item(f"2026-11-20 07:{at:02d}", f"call {n} suppliers of the oil") for at, n in enumerate(numbers)]

    taken = Carried([left], {handoff.NEXT: f"- call {numbers[0]} suppliers of the oil\n"}, []).lines()

    assert len(taken) == len(numbers) - 1


@given(NUMBERS)
def test_compaction_keeps_each_as_long_as_there_is_room(numbers: list[str]) -> None:
    logs = [_day(SAID.format(number) + "\n", f"2026-03-{at + 1:02d}") for at, number in enumerate(numbers)]

    kept = "\n".join(texts(keep(*logs, budget=4000)))

    assert all(number in kept.split() for number in numbers)


def test_compaction_lets_no_newer_number_replace_an_older_one() -> None:
    logs = [_day(f"## Harbour\n\n- Paid: {n}00 EUR\n", f"2026-03-0{n}") for n in (1, 2, 3)]

    assert len(texts(keep(*logs, budget=4000))) == 3
