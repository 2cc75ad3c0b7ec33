"""A search at a terminal: how its hits are laid out."""

from __future__ import annotations

from pathlib import Path

from agentws import Workspace
from agentws.cli.render import search as render
from tests import forked

_LOG = """# 2026-11-19

## Pond

### Birds

- [ ] The heron ate a frog
  - it was green
  - Nora saw it
"""


def test_a_hit_tells_its_headings_its_state_and_its_nested_points(tmp_path: Path) -> None:
    workspace = _made(tmp_path, "2026-11-19.md", _LOG)

    assert list(render.lines(workspace.search("heron frog green"))) == [
        "memory/2026-11-19.md:7  Pond › Birds · open",
        "  - [ ] The heron ate a frog",
        "    - it was green",
        "    - Nora saw it",
    ]


def test_the_first_line_tells_the_days_that_were_understood_and_words_that_are_nowhere(tmp_path: Path) -> None:
    workspace = _made(tmp_path, "2026-11-19.md", _LOG)

    first = next(render.lines(workspace.search("heron frogs and quinces on 2026-11-19, or in 2026-10")))

    assert first == "Looking at 2026-11-19, 2026-10-01 … 2026-10-31. No entry contains: quinces. Nearest:"


def test_a_terminal_shows_five_unless_more_are_asked_for(tmp_path: Path) -> None:
    places = ["pond", "mill", "barn", "gate", "shed", "hill", "well", "yard"]
    _made(tmp_path, "birds.md", "# Birds\n\n" + "".join(f"- A heron at the {place}\n" for place in places))
    folder = tmp_path / "robin"

    _, brief = forked.on_a_terminal("search", "heron", columns=80, cwd=folder)
    _, whole = forked.on_a_terminal("search", "heron", "-k", "10", columns=80, cwd=folder)
    piped = forked.run_text("search", "heron", cwd=folder).stdout

    assert (brief.count("birds.md:"), whole.count("birds.md:"), piped.count("birds.md:")) == (5, 8, 8)
    assert "3 more: -k 8" in brief


def test_words_that_tell_little_are_not_bold(tmp_path: Path) -> None:
    lines = "".join(f"- A gate of the pond, number {number}\n" for number in range(30))
    workspace = _made(tmp_path, "birds.md", f"# Birds\n\n{lines}- The heron at the gate of the pond\n")
    text = "The heron at the gate of the pond"

    hit = workspace.search("heron gate pond").hits[0]

    assert [text[start:end] for start, end in hit.matches(text)] == ["heron"]
    assert [text[start:end] for start, end in hit.matches("The gate of the pond is open    ")] != []


def _made(folder: Path, name: str, text: str) -> Workspace:
    workspace = Workspace.init(str(folder / "robin"), git=False)
    (folder / "robin" / "memory" / name).write_text(text)
    return workspace
