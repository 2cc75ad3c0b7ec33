"""What the marks of a line say, and that every reader goes by it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from agentws.formats import document, handoff, notes, task
from agentws.planning import deriving, excerpt
from agentws.planning import lines as _lines
from agentws.planning.compaction import bundling, copied, kinds
from agentws.planning.compaction.units import Day
from agentws.planning.lines import Shelf
from agentws.planning.salience import worth
from agentws.planning.standing import unfinished
from tests.planning.test_handoff import noted

OVER = (
    "- [x] {}",
    "- [X] {}",
    "- [ ] ✅ {}",
    "- [ ] {} ✅ 2026-11-18",
    "- [ ] {} 📅 2026-11-18 ✅ 2026-11-19",
    "- [ ] ☑ {}",
    "- [ ] ✔️ {}",
    "- [ ] ❌ {}",
    "- [ ] {} ❌ 2026-11-18",
    "- [ ] ~~{}~~",
    "- [ ] ~~{}~~ (Kim)",
    "* [ ] ✅ {}",
    "1. [ ] {} ✅",
)
OPEN = (
    "- [ ] {}",
    "- [ ] {} 📅 2026-11-18 ⏳ 2026-11-17",
    "- [ ] {} `✅`",
    "- [ ] ~~x~~ {}",
    "- [ ] {} ~~",
    "- [ ] {} done",
    "- [ ] complete {}",
    "- [ ] {}: ✅ 3 ❌ 1",
    "* [ ] {}",
)
SAID = (
    "pay the rent of the boathouse",
    "Miete für das Bootshaus zahlen",
    "заплатить за лодочный сарай",
    "πλήρωσε το ενοίκιο",
    "ادفع إيجار بيت القارب",
    "नाव घर का किराया दो",
    "ボート小屋 の 家賃 を払う",
    "支付 船屋 的 租金",
    "보트 창고 임대료 내기",
    "לשלם את שכר הדירה",
)
HEADINGS = ("Log", "Open items", "Done", "Decisions")
LINES = [(form.format(text), form in OVER) for form in (*OVER, *OPEN) for text in SAID]


def of(line: str, heading: str) -> list[_lines.Line]:
    text = f"# Day\n\n## {heading}\n{line}\n"
    return _lines.of([Shelf(excerpt.entries(notes.read(text), by_position=True), frame=5, day="2026-11-20")])


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_mark_beside_a_box_wins_and_nothing_else_does(heading: str) -> None:
    wrong = []
    for line, is_over in LINES:
        (found,) = of(line, heading)
        items = unfinished.find([found], worth([found]))
        task_box = task.Task("one", document.decode(f"{line}\n".encode(), where="one")).boxes[0]
        if (found.done, bool(items), task_box[1]) != (is_over, not is_over, is_over):
            wrong.append((line, found.done, bool(items), task_box[1]))

    assert wrong == []


def test_below_an_item_too() -> None:
    wrong = [line for line, is_over in LINES if of(f"- the boathouse\n  {line}", "Log")[1].done != is_over]

    assert wrong == []


@pytest.mark.parametrize("heading", HEADINGS)
def test_an_empty_box_is_pending_in_a_handoff_that_nobody_wrote_and_a_marked_one_is_not(heading: str) -> None:
    wrong = []
    for line, is_over in LINES:
        facts = deriving.Facts([], **noted(f"# Day\n\n## {heading}\n{line}\n", day="2026-11-20"))
        told = deriving.derive(facts, datetime(2026, 11, 20, tzinfo=UTC)).sections
        if (handoff.PENDING in told) == is_over:
            wrong.append((line, told))

    assert wrong == []


@pytest.mark.parametrize("heading", [*HEADINGS, "Article: https://example.com/a", "Rules"])
def test_compaction_never_says_of_an_empty_box_that_it_happened(heading: str) -> None:
    wrong = []
    for line, is_over in LINES:
        units = copied.of([Day("memory/a.md", "2026-11-20", f"# Day\n\n## {heading}\n{line}\n")])
        found = {bundling.title(unit) for unit in units}
        if found - {kinds.OPEN} if not is_over else kinds.OPEN in found:
            wrong.append((line, found))

    assert wrong == []


def test_a_later_line_with_a_mark_beside_its_box_closes_the_earlier_one() -> None:
    earlier, later = "- [ ] pay the rent of the boathouse", "- [ ] pay the rent of the boathouse ✅ 2026-11-19"
    found = of(f"{earlier}\n{later}", "Log")

    assert unfinished.find(found, worth(found)) == []


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("- ~~19:04 call Ada~~", True),
        ("- call ~~Tom~~ Kim about the key of the boathouse", None),
        ("- ✅ paid the rent", True),
        ("- the backup ❌ failed", None),
        ("- paid `✅`", None),
        ("plain", None),
    ],
)
def test_marks_of_lines_without_a_box(line: str, done: bool | None) -> None:
    assert notes.marked(line) is done
