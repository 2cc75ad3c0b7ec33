"""P16: what a verb writes into a document does nothing to a terminal when `cat` shows it, and nothing of it is lost."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests import table
from tests.hostile import worlds

CONTROLS = "".join(map(chr, (*range(1, 9), *range(0x0B, 0x0D), *range(0x0E, 0x20), 0x7F, *range(0x80, 0xA0))))
LINK = "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07 \x9d8;;x\x9c \x1b[2J over\rwritten"
EVIL = f"a {CONTROLS} b {LINK} می‌خواهم ශ්‍රී 👩‍👩‍👧 end"
CODE = re.compile(r"\\u\{([0-9a-f]+)\}")

DOORS = {
    "log": ("log", EVIL), "log of several lines": ("log", f"first\n{EVIL}\nlast"), "remember": ("remember", EVIL),
    "todo": ("todo", EVIL), "done": ("done", "end", "-m", EVIL),
    "task add": ("task", "add", "Wifi", "--goal", EVIL, "--step", EVIL), "task step": ("task", "step", "wifi", EVIL),
    "task wait": ("task", "wait", "wifi", "--on", EVIL), "context": ("context", "new", "x", "--text", EVIL),
    "handoff": ("handoff", "--doing", EVIL, "--next", EVIL, "--decided", EVIL),
    "handoff of Markdown": ("handoff", "--stdin"), "handoff of JSON": ("handoff", "--stdin"),
}  # fmt: skip
STDIN = {
    "handoff of Markdown": f"## Next\n\n- {EVIL}\n".encode(),
    "handoff of JSON": json.dumps({"doing": EVIL}).encode(),
}
WORDS = "می‌خواهم ශ්‍රී 👩‍👩‍👧 end"


def _documents(root: Path) -> str:
    return "".join(path.read_bytes().decode("utf-8") for path in sorted(root.rglob("*.md")))


def test_no_verb_writes_a_control_character_into_a_document_and_each_is_there_as_a_code(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")

    def check(name: str) -> None:
        before = _documents(root)
        ran = worlds.run_here(*DOORS[name], cwd=root, stdin=STDIN.get(name, b""))
        after = _documents(root)

        assert ran.code == 0, ran
        assert not re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", after)
        codes = [int(code, 16) for code in CODE.findall(after)]
        assert {ord(char) for char in CONTROLS + "\x1b\x9d\x9c\r\x07"} <= set(codes)
        assert len(codes) - len(CODE.findall(before)) >= len(CONTROLS)
        if name not in ("task step", "task wait"):  # these are front matter, which has escapes of its own
            assert after.count(WORDS) > before.count(WORDS)

    table.holds(check, DOORS)


def test_an_event_keeps_what_was_said_as_escapes_of_json(tmp_path: Path) -> None:
    root = worlds.make(tmp_path / "w")

    assert worlds.run_here("event", "note", EVIL, cwd=root).code == 0
    ran = worlds.run_here("journal", "list", "--json", cwd=root)

    assert EVIL in [one["body"].get("text") for one in ran.json["events"]]
    journal = b"".join(path.read_bytes() for path in (root / "journal").rglob("*.jsonl"))
    assert not re.findall(rb"[\x00-\x08\x0b-\x1f\x7f]", journal)
