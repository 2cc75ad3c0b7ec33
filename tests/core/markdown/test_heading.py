"""What becomes a heading is one line that reads back as it was given; all else is refused, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentws.core.markdown import escape, markdown
from agentws.errors import UsageError
from agentws.workspace import Environment, Workspace

NO_HEADINGS = {
    "nothing": "",
    "blanks": "  \t ",
    "marks alone": "##",
    "two lines": "People\nPlaces",
    "a heading of its own": "People\n\n## Rules",
    "carriage return": "People\rPlaces",
    "line separator": "People\u2028Places",
    "next line": "People\x85Places",
    "tab": "People\tPlaces",
    "escape": "Peo\x1b[2Jple",
    "turned around": "Peo\u202eple",
    "NUL": "Peo\0ple",
    "too long": "x" * (escape.LONGEST_HEADING_CHARS + 1),
}
HEADINGS = ["People", "Menschen und Tiere", "日本の友だち", "الأصدقاء", "C#", "#183: the roof", "a - b: c"]

VERBS: dict[str, Callable[[Workspace, str], object]] = {
    "remember --section": lambda workspace, text: workspace.remember("Ada is Ben's sister", section=text),
    "context new": lambda workspace, text: workspace.contexts.new(text),
    "init --name": lambda workspace, text: Workspace.init(f"{workspace.root}-2", name=text, git=False),
}


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".agentws" not in path.parts
    }


@pytest.mark.parametrize("name", NO_HEADINGS)
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_no_heading_is_refused_and_nothing_is_written(verb: str, name: str, workspace: Workspace) -> None:
    before = content(Path(workspace.root).parent)

    with pytest.raises(UsageError):
        VERBS[verb](workspace, NO_HEADINGS[name])

    assert content(Path(workspace.root).parent) == before


@pytest.mark.parametrize("name", ["nothing", "blanks", "marks alone", "escape", "turned around", "NUL", "too long"])
def test_a_title_is_put_on_one_line_and_what_is_none_then_is_refused(name: str, workspace: Workspace) -> None:
    before = content(Path(workspace.root))

    with pytest.raises(UsageError):
        workspace.tasks.add(NO_HEADINGS[name])

    assert content(Path(workspace.root)) == before


@pytest.mark.parametrize("text", HEADINGS)
def test_a_heading_of_any_script_is_made_once_and_found_again(text: str, workspace: Workspace) -> None:
    workspace.remember("Ada is Ben's sister", section=text)
    workspace.remember("Ben is Ada's brother", section=text)

    lines = (Path(workspace.root) / "MEMORY.md").read_text().split("\n")
    titles = [line.lstrip("#").strip() for line in lines if markdown.heading_level(line) == 2]
    assert titles.count(text.lstrip("#")) == 1
    assert lines.index("- Ben is Ada's brother") == lines.index("- Ada is Ben's sister") + 1


@pytest.mark.parametrize("text", HEADINGS)
def test_a_title_of_any_script_is_the_tasks_title(text: str, workspace: Workspace) -> None:
    slug = workspace.tasks.add(text).slug

    assert f"\n# {text}\n" in (Path(workspace.root) / f"tasks/{slug}.md").read_text()


def test_the_limit_is_the_limit(environment: Environment, workspace: Workspace) -> None:
    escape.check_heading("x" * escape.LONGEST_HEADING_CHARS, what="--section")
    with pytest.raises(UsageError, match="--section has 201 characters, 200 at most"):
        escape.check_heading("x" * 201, what="--section")
