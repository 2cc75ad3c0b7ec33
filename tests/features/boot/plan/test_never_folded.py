"""Lines that differ in a number are two lines, wherever lines are taken for one."""

from __future__ import annotations

from hypothesis import given, strategies as st

from agentws.core.formats.documents import sources
from agentws.core.formats.secrets import named
from agentws.core.notes import open_items, reading
from agentws.features.memory.compact.plan import marked_lines

NUMBERS = st.lists(
    st.tuples(
        st.sampled_from(["0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "０１２３４５６７８９"]), st.integers(1, 99_999)
    ).map(lambda found: "".join(found[0][int(figure)] for figure in str(found[1]))),
    min_size=2,
    max_size=9,
    unique_by=lambda text: int(text),
)
SAID = "- [fact] Paid invoice {} of the harbour print works by card"


@given(NUMBERS)
def test_each_is_an_open_item_of_its_own_until_a_line_with_its_number_closes_it(numbers: list[str]) -> None:
    said = "".join(f"- [ ] call {number} suppliers of the lamp oil\n" for number in numbers)
    done = f"- ✅ call {numbers[0]} suppliers of the lamp oil\n"
    days = [("2026-11-19", said), ("2026-11-20", done)]

    found = open_items.of(
        [reading.read(text, path=f"memory/{day}.md", day=day) for day, text in days], today="2026-11-20"
    )

    assert sorted(item.entry.body for item in found.open) == sorted(
        f"call {number} suppliers of the lamp oil" for number in numbers[1:]
    )


@given(NUMBERS)
def test_compaction_adds_each(numbers: list[str]) -> None:
    text = "".join(f"{SAID.format(number)}\n" for number in numbers)
    log = reading.read(text, path="memory/2026-03-01.md", day="2026-03-01")

    selection = marked_lines.select(
        [log],
        memory="# Memory\n",
        known=sources.Sidecar(),
        hidden=named.Secrets([]),
        private_tags=(),
        today="2026-03-20",
        closed=marked_lines.Closed(),
    )

    assert [number in entry.text.split() for number, entry in zip(numbers, selection.new, strict=True)] == [
        True for _ in numbers
    ]
