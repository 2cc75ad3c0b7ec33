"""Every verb has the same open items: `todo` before and after `compact`, the state of a hit, and boot."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.tasks.todo.test_todo import put

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
SIGNS = ("🔧 nut", "<!-- cut", "-->", "`<!-- a  b`", "`x`", "is ✅ in")
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
    known.append(" ".join(chance.sample((*WORDS, *SIGNS), 4)))
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


def rows(workspace: Workspace) -> list[tuple[str, ...]]:
    return sorted((row.text, row.ref, row.since, row.due, row.state) for row in workspace.todos().rows)


LOGS = (
    {"11-02": "- 09:00 [todo] call tom about boat ^t3fk", "11-20": "- [ ] call tom about boat"},
    {"10-02": "- [ ] call tom about boat", "11-20": "- [ ] call tom about boat"},
    {"10-02": "- 09:00 [todo] check why ✅ mails are not sent ^k7mm"},
    {"10-02": "- [ ] two  spaces in `a  b`"},
    {"10-02": "- [ ] leaf fern boat ^t3fk\n  - [ ] sub leaf fern boat ^t3fk", "MEMORY": "- [x] leaf fern boat ^t3fk"},
    {"10-02": "- [ ] leaf fern ^t3fk\n- [ ] sub ^t3fk", "11-20": "- [done] leaf fern: rowed (closes ^t3fk)"},
    {"10-02": "- [todo] replace <!-- above ^t3fk\n- [todo] pay\n- [todo] strip --> below"},
)


@pytest.mark.parametrize("logs", LOGS)
def test_since_when_reference_and_words_of_an_item_outlive_compact(workspace: Workspace, logs: dict[str, str]) -> None:
    for day, text in logs.items():
        put(workspace, "MEMORY.md" if day == "MEMORY" else f"memory/2026-{day}.md", f"# Log\n\n{text}\n")
    put(workspace, "memory/2026-10-01.md", "# Log\n\n- rain\n")
    before = rows(workspace)

    for _ in range(2):
        workspace.memory.compact()

        assert rows(workspace) == before
    assert before


@pytest.mark.parametrize("seed", MANY)
def test_what_todo_lists_before_compact_is_listed_after_it(workspace: Workspace, seed: int) -> None:
    fill(workspace, seed)
    before = rows(workspace)

    workspace.memory.compact()

    assert (Path(workspace.root) / "memory/archive").is_dir()
    assert rows(workspace) == before


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
