"""What is shown of the daily logs together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentws.formats import notes
from agentws.planning import days, excerpt
from agentws.planning.days import Pool
from agentws.planning.excerpt import Excerpt
from agentws.planning.lines import Shelf


def day(text: str) -> Shelf:
    return Shelf(excerpt.entries(notes.read(text), by_position=True), frame=10)


def choose(logs: list[Shelf], room: int) -> list[Excerpt]:
    return days.choose(Pool(logs), room, len, line=100).excerpts


def test_headings_come_once_and_lines_stay_in_the_order_of_the_file() -> None:
    text = (
        "## Deploy of Bluebird\n\n- Marleen signed\n- Egbert paid 300\n\n"
        "## Talks with Quentin\n\n- about Leipzig\n- and Dresden\n"
    )

    made = choose([day(text)], 1000)[0]

    assert made.text == (
        "### Deploy of Bluebird\n- Marleen signed\n- Egbert paid 300\n### Talks with Quentin\n- about Leipzig\n"
        "- and Dresden\n"
    )


def test_a_line_that_is_alone_under_its_heading_stands_behind_it() -> None:
    made = choose([day("## Talks with Quentin\n\n- about Leipzig\n")], 1000)[0]

    assert made.text == "- Talks with Quentin › about Leipzig\n"


def test_an_item_without_its_children_says_that_there_is_more() -> None:
    text = "- Marleen Brandt signs form 88213\n  " + "  ".join(f"- and then some words {n}\n" for n in range(50))

    made = choose([day(text)], 70)[0]

    assert made.text.startswith("- Marleen Brandt signs form 88213 …\n")
    assert made.partly


def test_a_heading_of_one_word_brings_the_one_above_it() -> None:
    made = choose([day("## Bluebird migration\n\n### Status\n\n- Marleen signed\n- Egbert paid\n")], 1000)[0]

    assert made.text.startswith("### Bluebird migration › Status\n")


def test_a_table_row_keeps_its_header() -> None:
    rows = "".join(f"| Service{n} | https://s{n}.example.com |\n" for n in range(100))

    made = choose([day(f"| name | url |\n|---|---|\n{rows}")], 150)[0]

    assert made.text.startswith("| name | url |\n|---|---|\n| Service")


@given(
    st.lists(st.lists(st.text(min_size=1, max_size=80), min_size=1, max_size=8), min_size=1, max_size=4),
    st.integers(0, 600),
)
def test_all_days_together_never_cost_more_than_the_room(texts: list[list[str]], room: int) -> None:
    logs = [day("".join(f"## h{n}\n- {line}\n" for n, line in enumerate(lines))) for lines in texts]

    made = choose(logs, room)

    assert sum(len(one.text) + 10 for one in made if one.shown) <= max(room, 0)
