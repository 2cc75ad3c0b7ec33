"""A search at a terminal: how its hits are laid out."""

from __future__ import annotations

from pathlib import Path

from agentws import Workspace
from agentws.features.search.render import search as render
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


def test_an_explained_hit_names_what_moved_its_score_most_on_one_line(tmp_path: Path) -> None:
    workspace = _made(tmp_path, "2026-11-19.md", _LOG)
    found = workspace.search("heron frog")

    line = list(render.lines(found, explain=True))[-1]

    adds = [abs(float(part.split()[-1])) for part in line.partition(": ")[2].split(", ")[:-1]]
    assert line.startswith(f"    score {found.hits[0].score:.2f}: ")
    assert adds == sorted(adds, reverse=True)
    assert 1 < len(adds) <= 8
    assert line.endswith(f", {len(found.hits[0].reasons) - len(adds)} others: --json")
    assert len(render.fields(found, explain=True)["hits"][0]["reasons"]) == len(found.hits[0].reasons)  # type: ignore[index]


def test_a_hit_and_what_was_found_are_told_in_a_line_each(tmp_path: Path) -> None:
    found = _made(tmp_path, "2026-11-19.md", _LOG).search("heron frog green")

    assert repr(found) == "Found('heron frog green', 1 hits, certain=True)"
    assert repr(found.hits[0]).startswith("Hit(memory/2026-11-19.md:7, ")


def test_a_line_of_many_questions_names_a_day_or_none(tmp_path: Path) -> None:
    _made(tmp_path, "2026-11-19.md", _LOG)
    folder = tmp_path / "robin"

    told = forked.run_text("search", "--stdin", given='{"query": "heron", "now": "2026-11-20"}\n', cwd=folder)
    refused = forked.run_text("search", "--stdin", given='{"query": "heron", "now": "later"}\n', cwd=folder)

    assert (told.returncode, refused.returncode) == (0, 2)
    assert "Line 1: now must be a day." in refused.stderr


def _made(folder: Path, name: str, text: str) -> Workspace:
    workspace = Workspace.init(str(folder / "robin"), git=False)
    (folder / "robin" / "memory" / name).write_text(text)
    return workspace
