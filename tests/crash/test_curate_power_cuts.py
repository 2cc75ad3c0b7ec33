"""P1, P2, P5, P11 on real file systems: the power is cut while briefs are answered, days folded and answers taken back.

Needs root; how it is done says test_power_cuts.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from agentws.core.formats.documents import managed, sources
from agentws.errors import NothingToUndoError
from agentws.workspace import Workspace
from tests.crash import harness, scenarios, test_power_cuts
from tests.crash.test_compact_power_cuts import write
from tests.crash.test_power_cuts import each_disk
from tests.crash.test_verb_power_cuts import assert_caught, cut, patiently
from tests.thorough import THOROUGH

disk = test_power_cuts.disk

CUTS = 20 if THOROUGH else 1
OWN = "# Memory\n\nMine: never edit this line.\n"
Ack = Callable[[str], None]


def answering(root: str, name: str, ack: Ack) -> None:
    """Write a day by hand, add what it says, put it in other words, retire it, take an answer back; for ever."""
    number = 0
    while True:
        token = f"{name}-{number}"
        path = f"memory/2026-10-{number % 28 + 1:02}-{token}.md"
        write(root, path, f"- [decision] Chose {token} for good\n".encode())
        ack(f"day:{token}")
        workspace = scenarios.opened(root)
        answer(workspace, f"ADD [decision] Chose {token} for good {{{path}:1}}\n")
        ack(f"added:{token}")
        if number % 4 == 1:
            answer(workspace, f"UPDATE {entry(workspace, token)} It was {token} that was chosen\n")
            ack(f"updated:{token}")
        if number % 4 == 2:
            answer(workspace, f"RETIRE {entry(workspace, token)} retired\n")
            ack(f"retired:{token}")
        if number % 4 == 3:
            try:
                patiently(workspace.undo)
            except NothingToUndoError:
                continue
            ack(f"undone:{token}")
        number += 1


def answer(workspace: Workspace, text: str) -> None:
    """Apply an answer; one that was refused would prove nothing."""
    done = patiently(lambda: workspace.memory.curate(text))
    assert not done.refused, done.refused


def entry(workspace: Workspace, token: str) -> int:
    """The number of the entry that tells of it."""
    rows = patiently(workspace.memory.brief).brief.rows
    return next(row.number for row in rows if token in row.entry.text.split())


def check(root: str, acked: list[str]) -> None:
    """What the last word on each was stands in MEMORY.md, its row in sources.jsonl, what left in superseded.md."""
    workspace = scenarios.opened(root)
    patiently(workspace.memory.brief)  # what was left half done is finished or put back first
    text = Path(root, "MEMORY.md").read_text(encoding="utf-8")
    assert text.startswith(OWN)
    there = {one.text: one for one in managed.read(text).entries}
    sidecar, superseded = Path(root, sources.PATH), Path(root, "memory/archive/superseded.md")
    known = sources.decode(sidecar.read_text(encoding="utf-8") if sidecar.exists() else "")
    left = superseded.read_text(encoding="utf-8") if superseded.exists() else ""
    unknown = [text for text, one in there.items() if one.digest not in known.made]
    assert not unknown, f"in MEMORY.md, and nothing says from where: {unknown}"
    last = dict(reversed(each.split(":")) for each in acked if not each.startswith("day:"))
    newest = {word.rpartition("-")[0]: word for word in last}.values()  # of these a change may be done, and untold
    for token, what in last.items():
        added, updated = f"Chose {token} for good", f"It was {token} that was chosen"
        if token in newest:
            continue
        assert (added in there) == (what == "added"), (token, what)
        assert (updated in there) == (what == "updated"), (token, what)
        assert (f"- {added}" in left) == (what in ("updated", "retired")), (token, what)
    for each in acked:
        what, token = each.split(":")
        if what == "day":
            (path,) = Path(root, "memory").glob(f"*-{token}.md")
            assert path.read_bytes() == f"- [decision] Chose {token} for good\n".encode()
    assert not [one for one in os.listdir(f"{root}/.agentws/undo") if one.endswith(".pending")]
    assert workspace.memory.verify().faults == []
    assert workspace.journal.verify().sound
    assert harness.contents(f"{root}/notes.txt") == scenarios.NOTES


def prepare(root: str) -> None:
    Path(root, "MEMORY.md").write_text(OWN, encoding="utf-8")


@each_disk
def test_what_an_author_was_told_outlives_a_power_cut(disk: Path, kind: str, how: int) -> None:
    counts = cut(disk, kind, how, CUTS, {"c": answering}, check, prepare)

    assert counts["added"] >= CUTS, f"hardly anything was written: {counts}"


def test_an_answer_that_is_not_synced_is_caught_by_a_real_power_cut(disk: Path) -> None:
    assert_caught(disk, {"c": answering}, check, prepare)
