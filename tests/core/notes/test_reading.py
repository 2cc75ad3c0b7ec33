"""Entries of a note: their lines, their place, and what their marks and markers say."""

from __future__ import annotations

from agentws.core.notes import reading
from agentws.core.notes.entry import DONE, DROPPED, MARKED, OPEN, TEXT, Entry

LOG = """\
# 2026-11-20

Morning with Kim.

## Next steps
- [ ] Call Tom about the roof
  - his number is on the fridge
  - [ ] ask for the key
- [x] Pay the rent
  - [ ] file the receipt
  - by transfer
- Book the ferry
  a line that goes on
**Waiting:**
- the answer of the bank

| what | state |
|---|---|
| tiles | ✅ laid |
| paint | ⏳ ordered |

## ✅ Kitchen
- sink
- 09:30 [todo] lamp over the table !7 #home ^k7mp (via agent)

```
- [ ] no item
```
"""


def read(text: str, *, day: str = "2026-11-20") -> list[Entry]:
    return reading.read(text, path=f"memory/{day}.md", day=day)


def test_each_entry_has_its_own_lines_and_their_true_numbers() -> None:
    lines = LOG.split("\n")
    for entry in read(LOG):
        assert entry.text == "\n".join(lines[entry.line - 1 : entry.end_line])


def test_marks_give_states_and_no_heading_and_no_entry_around_does() -> None:
    states = {entry.said: (entry.state, entry.sure) for entry in read(LOG)}
    assert states["Call Tom about the roof"] == (OPEN, MARKED)
    assert states["ask for the key"] == (OPEN, MARKED)
    assert states["Pay the rent"] == (DONE, MARKED)
    assert states["file the receipt"] == (OPEN, MARKED)
    assert states["lamp over the table"] == (OPEN, MARKED)
    for said in ("his number is on the fridge", "by transfer", "Book the ferry a line that goes on", "sink"):
        assert states[said] == (None, TEXT), said
    for said in ("the answer of the bank", "tiles | ✅ laid", "paint | ⏳ ordered"):
        assert states[said] == (None, TEXT), said


def test_what_comes_from_outside_has_no_kind_state_and_tags() -> None:
    (entry,) = read("- [ ] [todo] Pay Sam !9 #now (via net:mail)\n")
    assert (entry.src, entry.kind, entry.state, entry.tags, entry.importance) == ("net:mail", None, None, (), None)


def test_a_struck_item_is_dropped() -> None:
    assert [entry.state for entry in read("- ~~Sell the boat~~\n")] == [DROPPED]


def test_a_label_is_the_heading_of_what_is_listed_below_it() -> None:
    text = "- **Next:**\n  - Call Tom\n- Roof\n  - tiles\n\nDone:\n\n- rent\n- [ ] Kitchen:\n  - sink\n"
    assert [(entry.said, entry.headings, entry.state) for entry in read(text)] == [
        ("Next:", (), None),
        ("Call Tom", ("Next",), None),
        ("Roof", (), None),
        ("tiles", (), None),
        ("Done:", (), None),
        ("rent", ("Done",), None),
        ("Kitchen:", ("Done",), OPEN),
        ("sink", ("Done", "Kitchen"), None),
    ]


def test_a_quotation_below_a_line_is_an_entry_of_its_own_and_asks_for_nothing() -> None:
    text = "The cellar is wet\n> TODO: call Tom,\n> said Kim\nand went\n"
    assert [(entry.said, entry.state) for entry in read(text)] == [
        ("The cellar is wet", None),
        ("> TODO: call Tom, > said Kim and went", None),
    ]


def test_a_marker_begins_an_entry_inside_a_paragraph() -> None:
    text = "It rained.\nTODO: call Tom\nabout the roof\n"
    assert [(entry.line, entry.said, entry.state) for entry in read(text)] == [
        (1, "It rained.", None),
        (2, "TODO: call Tom about the roof", OPEN),
    ]


def test_a_label_is_short() -> None:
    for length, is_label in ((80, True), (81, False)):
        name = "a" * (length - 1)
        (first, second) = read(f"{name}:\n\n- Call Tom\n")
        assert first.is_label == is_label
        assert second.headings == ((name,) if is_label else ())


def test_the_signs_of_a_line_are_none_of_what_it_says() -> None:
    for line, expected in SAID:
        (entry,) = read(line)
        assert (entry.said, entry.body) == expected, line


SAID = (
    ("- [ ] 09:30 🔴 **Call Tom** !7 #home ^t3fk (via agent)", ("Call Tom", "Call Tom")),
    ("- 9:30 — [todo] Call Tom (closes ^x7mp) (via user)", ("Call Tom", "Call Tom")),
    ("12. ✅ **TODO:** call `**Tom**` ✅", ("TODO: call `**Tom**`", "call `**Tom**`")),
    ("- ~~Call Tom~~", ("Call Tom", "Call Tom")),
    ("- 待办：给汤姆打电话", ("待办：给汤姆打电话", "给汤姆打电话")),
    ("- Never call\n  before nine", ("Never call before nine", "Never call before nine")),
    ("- Call #183 at 9:30 (with Kim)", ("Call #183 at 9:30 (with Kim)", "Call #183 at 9:30 (with Kim)")),
    ("- 12:30:45 and 2026", ("12:30:45 and 2026", "12:30:45 and 2026")),
    ("- [link](https://example.org) to it", ("[link](https://example.org) to it",) * 2),
    ("- \\(via Rome) we came", ("\\(via Rome) we came",) * 2),
    ("## ✅ Roof", ("✅ Roof", "✅ Roof")),
)


def test_tags_hold_for_the_whole_item_and_time_comes_from_the_line_or_its_heading() -> None:
    first, second, third = read("## Checkpoint 18:35 #roof\n- tiles\n  - 09:10 red #private\n- glue !8\n")
    assert first.tags == second.tags == ("roof", "private")
    assert third.tags == ("roof",)
    assert (first.time, second.time, third.time) == ("18:35", "09:10", "18:35")
    assert (first.importance, third.importance) == (None, 8)


def test_a_fence_inside_an_item_holds_no_items() -> None:
    text = "- [ ] Run it\n  ```\n  - [ ] no item\n  ```\n  - [x] first\n  ~~~ never closed\n  - [ ] second\n"
    assert [(entry.line, entry.state) for entry in read(text)] == [(1, OPEN), (5, DONE), (7, OPEN)]
