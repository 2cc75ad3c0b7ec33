"""Which files a file imports with `@path`."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agentws.core.hosts import loading


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@AGENTS.md\n", ["AGENTS.md"]),
        ("See @docs/a.md and @./b.md\n- @c.md\n> @d.md\n", ["docs/a.md", "./b.md", "c.md", "d.md"]),
        ("@my\\ notes.md @a.md#section\n", ["my notes.md", "a.md"]),
        ("sam@example.com (@a.md) x@b.md\n", []),
        ("Use `@a.md` or ``@b.md ` @c.md``.\n", []),
        ("`one\n@a.md two`\n", []),
        ("```\n@a.md\n```\n@b.md\n", ["b.md"]),
        ("~~~ text\n@a.md\n```\n@b.md\n~~~\n@c.md\n", ["c.md"]),
        ("````\n```\n@a.md\n````\n", []),
        ("```\n@a.md\n", []),
        ("text\n\n    @a.md\n\t@b.md\n", []),
        ("<!-- @a.md\n@b.md --> @c.md <!-- @d.md\n", ["c.md"]),
        ("- one ` alone\n- `then @a.md`\n", []),
        ("a ` alone, then @a.md\n", ["a.md"]),
        ("a ` alone\n \n@a.md\n", ["a.md"]),
    ],
)
def test_an_import_stands_at_the_beginning_of_a_word_outside_of_code(text: str, found: list[str]) -> None:
    assert loading.targets(text) == found


@pytest.mark.parametrize(
    ("path", "target", "there"),
    [
        ("CLAUDE.md", "AGENTS.md", "AGENTS.md"),
        ("CLAUDE.md", "./docs//a.md", "docs/a.md"),
        ("docs/a.md", "b.md", "docs/b.md"),
        ("docs/a.md", "../SOUL.md", "SOUL.md"),
        ("docs/a.md", "../../SOUL.md", None),
        ("CLAUDE.md", "~/notes.md", None),
        ("CLAUDE.md", "/etc/passwd", None),
        ("CLAUDE.md", ".", None),
        ("CLAUDE.md", "@x", None),
    ],
)
def test_a_path_is_meant_from_the_file_that_names_it_and_stays_inside(path: str, target: str, there: str) -> None:
    assert loading.resolved(path, target) == there


def test_imports_are_followed_as_many_steps_as_the_host_goes() -> None:
    files = {f"{number}.md": f"@{number + 1}.md\n" for number in range(9)}

    found = loading.followed("0.md", files["0.md"], files.get, steps=5)

    assert found == {"1.md", "2.md", "3.md", "4.md", "5.md"}


def test_a_shorter_way_counts_and_a_circle_ends() -> None:
    files = {"a.md": "@b.md @e.md", "b.md": "@c.md", "c.md": "@e.md @a.md", "e.md": "@f.md", "f.md": ""}

    assert loading.followed("a.md", files["a.md"], files.get, steps=2) == {"b.md", "c.md", "e.md", "f.md"}


def test_only_files_that_can_be_read_and_end_right_are_imported() -> None:
    files = {"a.txt": "", "b.md": ""}

    assert loading.followed("G.md", "@a.txt @b.md @lost.md", files.get, steps=5, suffix=".md") == {"b.md"}


@given(text=st.text(alphabet="@a.`~<!-> \n\t\\#/"))
def test_any_text_is_read(text: str) -> None:
    for target in loading.targets(text):
        assert "\n" not in target


def test_reading_is_linear_in_a_text_made_to_be_hard() -> None:
    assert loading.targets("` `` ``` " * 40_000 + "@a.md " * 10_000) is not None
