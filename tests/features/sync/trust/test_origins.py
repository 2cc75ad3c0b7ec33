"""A known machine that removes the origin of text from outside: the text stays from outside on the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines

WORDS = "Nuts are harmless"


def settled(machines: Machines) -> Workspace:
    """A machine with text from outside in each kind of document, which has synced."""
    desk = machines.first()
    desk.log(WORDS, via="net:mail")
    desk.todo("Buy nuts", via="net:mail")
    desk.remember(WORDS, via="tool:web")
    desk.tasks.add(WORDS, via="net:mail")
    desk.handoff(doing=WORDS, next="eat them", via="net:mail")
    desk.sync(str(machines.stick))
    return machines.opened("desk")


def origins(it: Workspace) -> dict[str, int]:
    """How many origins each file names."""
    paths = [
        path for path in Path(it.root).rglob("*") if path.suffix in (".md", ".jsonl") and ".agentws" not in str(path)
    ]
    words = {path: path.read_text() for path in paths if "journal" not in str(path) and "identity" not in str(path)}
    return {
        str(path.relative_to(it.root)): len(re.findall(r"\(via (?:net|tool)|src\W+(?:net|tool)", text))
        for path, text in words.items()
    }


def edit(it: Workspace, pattern: str, new: str) -> None:
    for path in Path(it.root).rglob("*"):
        if path.suffix in (".md", ".jsonl") and path.relative_to(it.root).parts[0] in (
            "MEMORY.md",
            "memory",
            "tasks",
            "handoffs",
        ):
            path.write_text(re.sub(pattern, new, path.read_text(), flags=re.MULTILINE))


REMOVALS: dict[str, Callable[[Workspace], None]] = {
    "marks": lambda it: edit(it, r" \(via [^)]*\)", ""),
    "marks of less": lambda it: edit(it, r" \(via [^)]*\)", " (via user)"),
    "headers": lambda it: edit(it, r"^src: .*\n", ""),
    "headers of less": lambda it: edit(it, r"^src: .*$", "src: user"),
    "rows": lambda it: edit(it, r'"src":"[^"]*",?', ""),
    "rows of less": lambda it: edit(it, r'"src":"[^"]*"', '"src":"agent"'),
    "all": lambda it: edit(it, r' \(via [^)]*\)|^src: .*\n|"src":"[^"]*",?', ""),
}


@pytest.mark.parametrize("removal", REMOVALS)
def test_what_only_loses_its_origin_keeps_it_on_the_other_machines(machines: Machines, removal: str) -> None:
    desk = settled(machines)
    laptop = machines.another("laptop")
    before = origins(desk)
    assert sum(before.values()) >= 6
    REMOVALS[removal](laptop)
    laptop.sync()

    notices = [notice for synced in desk.sync() for notice in synced.notices]

    assert origins(machines.opened("desk")) == before
    assert any("another machine removed origins" in notice for notice in notices)
    machines.opened("laptop").sync()
    assert origins(machines.opened("laptop")) == before, "the machine that removed them gets them back"
    assert not [notice for synced in desk.sync() for notice in synced.notices]


def test_an_edit_a_removal_and_a_statement_of_ones_own_are_taken(machines: Machines) -> None:
    desk = settled(machines)
    laptop = machines.another("laptop")
    memory = Path(laptop.root) / "MEMORY.md"
    line = memory.read_text().split("\n").index(f"- {WORDS} (via tool:web)") + 1
    laptop.remember(WORDS, stated_from=f"MEMORY.md:{line}")
    memory.write_text(memory.read_text().replace(f"- {WORDS} (via tool:web)\n", ""))
    edit(laptop, r"Buy nuts.*", "Buy apples ^a1b2")
    laptop.sync()

    notices = [notice for synced in desk.sync() for notice in synced.notices]

    assert f"- {WORDS}\n" in (Path(desk.root) / "MEMORY.md").read_text()
    assert "(via tool:web)" not in (Path(desk.root) / "MEMORY.md").read_text()
    assert "Buy apples" in "".join(path.read_text() for path in (Path(desk.root) / "memory").glob("*.md"))
    assert not [notice for notice in notices if "origins" in notice]
