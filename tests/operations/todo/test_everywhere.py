"""Every verb has the same open items: `todo` before and after `compact`, the state of a hit, and boot."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.operations.todo.test_todo import put

WORDS = (
    "oil",
    "gate",
    "boat",
    "lemon",
    "tiles",
    "heron",
    "rope",
    "roof",
    "leaf",
    "pump",
    "shed",
    "fern",
    "well",
    "hinge",
)
HEADINGS = ("Log", "Next steps", "Offene Punkte", "未完了", "Shopping", "Roof", "Done")
FORMS = (
    *("- [ ] {}", "- [ ] {}", "- 09:00 [todo] {}", "TODO: {}", "- ⏳ {}", "- [waiting] {}", "- {}", "- {}"),
    *("- [x] {}", "- ~~{}~~", "- 10:00 [done] {}", "- [ ] {} (due 2026-11-0{})", "- [decision] {}"),
)
FIGURES = str.maketrans("0123456789", "bcdfghjkmn")
MANY = range(25)


def text_of(chance: random.Random, known: list[str]) -> str:
    """A few words: often those of an earlier line."""
    if known and chance.random() < 0.4:
        return chance.choice(known)
    known.append(" ".join(chance.sample(WORDS, 4)))
    return known[-1]


def fill(workspace: Workspace, seed: int) -> None:
    """Write random logs of two months, with references that some lines close."""
    chance = random.Random(seed)
    known: list[str] = []
    refs: list[tuple[str, str]] = []
    for day in sorted(chance.sample(range(1, 51), 14)):
        name = f"2026-{10 + day // 31:02d}-{day % 31 + 1:02d}" if day < 31 else f"2026-11-{day - 30:02d}"
        lines = [f"# {name}"]
        for heading in chance.sample(HEADINGS, 3):
            lines += ["", f"## {heading}", ""]
            for _ in range(chance.randint(1, 5)):
                text = text_of(chance, known)
                line = chance.choice(FORMS).format(text, chance.randint(1, 9))
                if "[todo]" in line and chance.random() < 0.7:
                    refs.append((text, f"t{len(refs):03d}".translate(FIGURES)))
                    line = f"{line} ^{refs[-1][1]}"
                lines += ["", line] if line.startswith("TODO") else [line]
            if refs and chance.random() < 0.3:
                text, ref = chance.choice(refs)
                lines.append(f"- 11:00 [done] {text}: it is over (closes ^{ref})")
        put(workspace, f"memory/{name}.md", "\n".join(lines) + "\n")
    put(workspace, "MEMORY.md", f"# Memory\n\n- [ ] {text_of(chance, known)}\n- {text_of(chance, known)}\n")


def listed(workspace: Workspace) -> list[str]:
    return [row.text for row in workspace.todos().rows]


@pytest.mark.parametrize("seed", MANY)
def test_what_todo_lists_before_compact_is_listed_after_it(workspace: Workspace, seed: int) -> None:
    fill(workspace, seed)
    before = listed(workspace)

    workspace.compact()

    assert (Path(workspace.root) / "memory/archive").is_dir()
    assert sorted(listed(workspace)) == sorted(before)


@pytest.mark.parametrize("seed", MANY[:8])
def test_a_hit_is_open_where_todo_lists_it_and_else_names_the_line_that_closed_it(
    workspace: Workspace, seed: int
) -> None:
    fill(workspace, seed)
    for row in workspace.todos().rows[::3]:
        workspace.done(row.ref)
    still_open = {(entry.path, entry.line) for row in workspace.todos().rows for entry in row.said}

    for word in WORDS:
        for hit in workspace.search(word, k=50).hits:
            place = (hit.path, hit.unit.line)
            if hit.unit.state not in ("open", "waiting"):
                continue
            assert (hit.state in ("open", "waiting")) == (place in still_open), place
            if place not in still_open:
                assert hit.state in ("done", "dropped")
                assert hit.state in ("done", "dropped")
                path, _, line = hit.closed_by.rpartition(":")
                assert (Path(workspace.root) / path).read_text().split("\n")[int(line) - 1].strip()


@pytest.mark.parametrize("seed", MANY[:8])
def test_the_list_of_boot_is_the_beginning_of_the_list_of_todo(workspace: Workspace, seed: int) -> None:
    fill(workspace, seed)
    refs = [row.ref for row in workspace.todos().rows]

    for budget in (1000, 2000, 8000):
        section = workspace.boot(budget=budget).text.partition("\n## Open")[2].partition("\n## ")[0]
        shown = re.findall(r" \^(\w+)$", section, re.MULTILINE)
        assert shown == refs[: len(shown)]
        assert shown or budget < 8000
