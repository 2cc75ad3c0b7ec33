"""What the marks of a line say, and that every reader goes by it."""

from __future__ import annotations

import pytest

from agentws.core.formats.documents import document, task
from agentws.core.markdown import notes
from agentws.core.notes import entry, open_items, reading
from agentws.features.memory.compact.plan import marked_lines

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


@pytest.mark.parametrize("heading", HEADINGS)
def test_a_mark_beside_a_box_wins_and_nothing_else_does(heading: str) -> None:
    wrong = []
    for line, is_over in LINES:
        (found,) = reading.read(f"# Day\n\n## {heading}\n{line}\n", path="memory/2026-11-20.md", day="2026-11-20")
        task_box = task.Task("one", document.decode(f"{line}\n".encode(), where="one")).boxes[0]
        if (found.state in entry.STANDING, task_box[1]) != (not is_over, is_over):
            wrong.append((line, found.state, task_box[1]))

    assert wrong == []


def test_below_an_item_too() -> None:
    read = [(reading.read(f"- the boathouse\n  {line}\n", path=""), is_over) for line, is_over in LINES]

    assert [found[1] for found, is_over in read if (found[1].state in entry.OVER) != is_over] == []


@pytest.mark.parametrize("heading", [*HEADINGS, "Article: https://example.com/a", "Rules"])
def test_compaction_adds_no_empty_box_to_memory(heading: str) -> None:
    for line, _ in LINES:
        read = reading.read(f"# Day\n\n## {heading}\n{line}\n", path="memory/2026-11-20.md", day="2026-11-20")
        assert not any(map(marked_lines.is_marked, read))


def test_a_later_line_with_a_mark_beside_its_box_closes_the_earlier_one() -> None:
    earlier, later = "- [ ] pay the rent of the boathouse", "- [ ] pay the rent of the boathouse ✅ 2026-11-19"

    assert open_items.of([reading.read(f"{earlier}\n{later}\n", path="")], today="2026-11-20").open == []


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
