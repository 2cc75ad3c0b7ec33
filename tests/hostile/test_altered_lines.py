"""A line of the journal that is not the one that was written is told by each reader that would print it, and is
nobody's word: its body, its link to the line before, its header, changed by a byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.core.installation import host_info
from agentws.workspace import Environment, Workspace
from tests import table
from tests.hostile import arrivals, worlds
from tests.hostile.test_origin_table import NOW

READERS = (
    ("journal", "list"),
    ("journal", "list", "--json"),
    ("journal", "follow", "--after", "0", "--limit", "7"),
    ("journal", "audit", "--limit", "3"),
    ("journal", "replay"),
    ("session", "list"),
    ("session", "show", "s1"),
    ("handoff", "show", "s1"),
    ("handoff", "--auto", "--dry-run"),
    ("boot", "--budget", "30000"),
)
CHANGES = {
    "its body": (rb"(Quillfeather[a-z]) told", rb"\1 sold"),
    "its link": (rb'("prev":")(.)', lambda found: found[1] + _other(found[2])),
    "its moment": (rb'("at":"2026-11-20T07:)(.)', lambda found: found[1] + _other(found[2])),
}
NOTICED = re.compile(r"does not match|(journal|identity) verify|could not be read")


def _other(digit: bytes) -> bytes:
    return b"1" if digit == b"0" else b"0"


def _canary(number: int) -> str:
    return f"Quillfeather{'abcdefghijklmnopqrstuvwxyz'[number]}"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose session has broken off; each event says a word of its own."""
    root = tmp_path_factory.mktemp("altered") / "robin"
    here = Environment(now=NOW, timezone="UTC", session="s1")
    Workspace.init(str(root), environment=here, name="Robin", git=False)
    says = (f"{_canary(number)} told" for number in range(26))
    broken = {"host": host_info.name(), "boot": "an earlier one", "process": 1}
    Workspace.open(str(root), environment=here).event("session.started", next(says), session="s1", body=broken)
    for kind in ("note", "decision", "error", "action", "plan", "note"):
        more = {"call": "c1", "tool": "search"} if kind == "action" else {}
        Workspace.open(str(root), environment=here).event(kind, next(says), **more)
    return root


def _printed(root: Path) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """What each reader says, without its notices; and these."""
    for words in READERS:
        ran = worlds.run_here(*words, cwd=root)
        out, notices = ran.out.decode(), ran.said
        if "--json" in words:
            told = json.loads(out)
            notices += "\n".join(told.pop("notices", ()))
            out = json.dumps(told)
        yield words, out, notices


def test_an_altered_line_is_told_by_whoever_would_print_it_and_is_nobodys_word(root: Path) -> None:
    (path,) = root.glob("journal/*/000001.jsonl")
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    sound = {words: out for words, out, _ in _printed(root)}
    arrived = {_canary(number): sum(_canary(number) in out for out in sound.values()) for number in range(7)}
    assert all(arrived.values()), arrived
    rows = []
    for what, (pattern, instead) in CHANGES.items():
        for numbers in ((0, 3), (1, 4), (2, 5), (6,)):  # so many that a sound one is left
            changed = list(lines)
            for number in numbers:
                changed[number + 1] = re.sub(pattern, instead, lines[number + 1], count=1)
                assert changed[number + 1] != lines[number + 1]
            path.write_bytes(b"".join(changed))
            rows += [(number, what, *one) for one in _printed(root) for number in numbers]
    path.write_bytes(whole)

    def holds(row: tuple[int, str, tuple[str, ...], str, str]) -> None:
        number, what, words, out, notices = row
        if _canary(number) in sound[words]:
            assert NOTICED.search(notices + (out if "boot" in words else "")), f"{what} of {number} is not told"
            places = arrivals.in_output(out, _canary(number), "other:")[1]
            assert not places, f"{what} of {number}: {places}"

    table.holds(holds, rows)
