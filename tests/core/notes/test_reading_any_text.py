"""What holds for any text: true line numbers, no text that cannot be read, and a cost that grows with the length."""

from __future__ import annotations

import random
import sys
from types import FrameType
from typing import Any

from agentws.core.markdown import markdown
from agentws.core.notes import open_items, reading
from agentws.core.notes.entry import MARKED, OVER, STANDING, STRUCTURE, TEXT

FEW, MANY = 100, 300

PIECES = (
    *(
        "# ",
        "## ",
        "- ",
        "* ",
        "  - ",
        "    - ",
        "\t- ",
        "12. ",
        "[ ] ",
        "[x] ",
        "[",
        "]",
        "[done] ",
        "**",
        "~~",
        "`",
        "```",
        "~~~",
    ),
    *(
        "| a | ✅ |",
        "|---|---|",
        "|",
        "> ",
        "---",
        ":",
        "：",
        "✅ ",
        "❌",
        "⏳",
        "🔴 ",
        "\ufe0f",
        "TODO: ",
        "Next: ",
        "**Next:**",
        "待办：",
        "تم: ",
    ),
    *(
        "(via net:mail)",
        "(via ",
        "(closes ^t3fk)",
        "^t3fk",
        "!7",
        "#tag",
        "12:30 ",
        "2026-11-24",
        "Feb 30",
        "13月45日",
        "rent",
        "給家賃",
    ),
    *(
        " ",
        "  ",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        "\0",
        "\u2028",
        "\x85",
        "\ud800",
        "²",
        "٣",
        "<!-- ",
        "-->",
        "name: value",
        "#183",
    ),
)


def texts(count: int) -> list[str]:
    chance = random.Random(19)
    return ["".join(chance.choices(PIECES, k=chance.randint(1, 60))) for _ in range(count)]


def test_any_text_is_read_with_true_line_numbers_and_no_line_twice() -> None:
    for text in texts(1500):
        lines = text.split("\n")
        before = 0
        for index, entry in enumerate(entries := reading.read(text, path="memory/2026-11-20.md", day="2026-11-20")):
            assert before < entry.line <= entry.end_line <= len(lines), (text, entry)
            # The last line end of an entry may be `\r\n`, of which nothing is kept.
            assert "\n".join(lines[entry.line - 1 : entry.end_line]).rstrip("\r") == entry.text.rstrip("\r"), (
                text,
                entry,
            )
            assert entry.parent is None or entries[entry.parent].line < entry.line
            assert entry.parent is None or entry.parent < index
            before = entry.end_line


def test_nothing_that_can_be_read_is_left_out() -> None:
    for text in texts(500):
        entries = reading.read(text, path="MEMORY.md")
        told = {number for entry in entries for number in range(entry.line, entry.end_line + 1)}
        for unit in markdown.units(text):
            kept = [number for number in range(unit.line, unit.end_line + 1) if text.split("\n")[number - 1].strip()]
            assert told.issuperset(kept), (text, unit.text)


def test_every_entry_of_any_text_can_be_asked_everything() -> None:
    found = [
        reading.read(text, path=f"memory/2026-11-{day % 28 + 1:02d}.md", day=f"2026-11-{day % 28 + 1:02d}")
        for day, text in enumerate(texts(300))
    ]
    for entry in (entry for entries in found for entry in entries):
        assert entry.state in (None, *STANDING, *OVER)
        assert entry.sure in (MARKED, STRUCTURE, TEXT)
        assert (entry.time, entry.importance, entry.tags, entry.due) is not None
        assert entry.body == entry.said[entry.core :]
        assert len(entry.ref) >= 1
        if entry.src:
            assert (entry.kind, entry.state, entry.tags, entry.importance, entry.closes) == (None, None, (), None, ())
    made = open_items.of(found, today="2026-11-30")
    assert all(item.said and item.state in STANDING for item in made.open)


def _steps(text: str) -> int:
    """How many lines of Python are run: no clock tells that, nor how busy the machine is."""
    count = 0

    def step(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        open_items.of([reading.read(text, path="memory/2026-11-20.md", day="2026-11-20")], today="2026-11-30")
    finally:
        sys.settrace(before)
    return count


def test_reading_takes_steps_in_proportion_to_the_length() -> None:
    lines = (
        *(
            "- [ ] same words again and again\n",
            "- [ ] a{n} b{n}\n",
            "  - [ ] deeper\n",
            "- " + "[" * 40 + "\n",
            "**Next:**\n",
        ),
        *(
            "```\n",
            "- ```\n",
            "|a|✅|\n",
            "# h{n}\n- x\n",
            "- x (via net:{n})\n",
            "- (closes ^a{n}b)\n- [ ] y{n}\n",
            "- " + "~~" * 30 + "\n",
        ),
        *(
            "{indent}- [x] deep\n",
            "- name{n}: {n}\n",
            "待办：" + "的" * 40 + "\n",
            "✅" * 40 + "\n",
            "- " + "(via " * 20 + "\n",
            "- " + "!7 " * 20 + "\n",
        ),
    )
    for line in lines:
        few, many = (
            _steps("".join(line.replace("{n}", str(n)).replace("{indent}", " " * (n % 300)) for n in range(count)))
            for count in (FEW, MANY)
        )
        assert many < 1.5 * MANY / FEW * few, (line, few, many)
