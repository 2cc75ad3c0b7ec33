"""Which lines of a log come from outside."""

from __future__ import annotations

from hypothesis import given, strategies as st

from agentws.core.markdown import outside
from tests import table

VIA = " (via tool:web)"


def found(text: str) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, one.src) for one in outside.outside_lines(text)]


def test_an_item_with_what_is_below_it_a_paragraph_and_lines_of_an_item_are() -> None:
    def is_so(row: tuple[str, list[tuple[int, int, str]]]) -> None:
        assert found(row[0]) == row[1]

    table.holds(
        is_so,
        [
            ("- tea\n- the limit is 60\n", []),
            (f"- tea\n- 09:14 the limit is 60{VIA}\n", [(1, 2, "tool:web")]),
            (f"- 09:14 the limit{VIA}\n  is 60\n\n  # Rules\n  - [x] done\n- tea\n", [(0, 5, "tool:web")]),
            (f"- 09:14 the limit{VIA}\n  - says Ada (net:x)\n  - says Bo (via net:x)\n", [(0, 3, "net:x")]),
            (f"- they said:\n  - the limit{VIA}\n    - is 60\n  - I say 70\n", [(1, 3, "tool:web")]),
            (f"- they said:\n  - the limit{VIA}\n  - tea (via net:x)\n", [(1, 2, "tool:web"), (2, 3, "net:x")]),
            (f"The limit\nis 60{VIA}\nfor all\n\nTea.\n", [(0, 3, "tool:web")]),
            (f"One{VIA}\nand two (via net:x)\n", [(0, 2, "net:x")]),
            (f"- tea{VIA}\n- cake (via user)\n- rum (via Lufthansa)\n", [(0, 1, "tool:web")]),
            (f"```\ntea{VIA}\n```\n", []),
        ],
    )


@given(st.text(alphabet="ab -\n\t(via tool:web)", max_size=80))
def test_without_them_every_other_line_keeps_its_number(text: str) -> None:
    after = outside.without(text)
    taken = {at for one in outside.outside_lines(text) for at in range(one.start, one.end)}

    assert after.count("\n") == text.count("\n")
    lines = enumerate(zip(text.split("\n"), after.split("\n"), strict=True))
    assert all(new == ("" if at in taken else old) for at, (old, new) in lines)
