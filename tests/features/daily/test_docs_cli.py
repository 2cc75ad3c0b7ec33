"""docs: what this version ships to be read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agentws.features.daily import docs
from tests import forked

ROOT = Path(__file__).resolve().parents[3]


def said(folder: Path, *words: str, code: int = 0) -> str:
    done = forked.run_text(*words, cwd=folder, env=dict(os.environ))
    assert done.returncode == code, done.stderr
    return done.stdout or done.stderr


def test_every_page_is_listed_without_a_workspace(tmp_path: Path) -> None:
    pages = json.loads(said(tmp_path, "docs", "--json"))["pages"]
    there = {
        str(path.relative_to(ROOT / "docs").with_suffix(""))
        for path in (ROOT / "docs").rglob("*.md")
        if path.name != "README.md" and "adr" not in path.parts
    }

    assert {one["name"] for one in pages} == {*there, "changelog"}
    assert all(one["title"] and not one["title"].startswith("#") for one in pages)


@pytest.mark.parametrize(
    "name", ["guides/tasks", "tasks", "Tasks.md", "guides/tas", "../guides/tasks.md", "tasks.md#let-it-wake-the-agent"]
)
def test_a_page_is_found_by_its_name_or_a_beginning(tmp_path: Path, name: str) -> None:
    assert said(tmp_path, "docs", name) == (ROOT / "docs/guides/tasks.md").read_text(encoding="utf-8")


def test_the_changelog_is_read_by_the_link_of_a_page(tmp_path: Path) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert said(tmp_path, "docs", "../../CHANGELOG.md") == changelog.rstrip("\n") + "\n"


def test_a_guide_comes_before_a_format_of_the_same_name(tmp_path: Path) -> None:
    assert docs.page("journal").name == "guides/journal"
    assert docs.page("format/journal").name == "format/journal"


def test_a_wrong_name_is_told_what_is_near(tmp_path: Path) -> None:
    assert "guides/moving" in said(tmp_path, "docs", "moveing", code=1)
    assert "All pages: agentws docs" in said(tmp_path, "docs", "xyzzy", code=1)


def test_a_word_that_names_no_page_finds_those_about_it_the_most_fitting_first(tmp_path: Path) -> None:
    budget = said(tmp_path, "help", "budget").split("\n")
    names = [line.partition(" ")[0] for line in budget if line]

    assert names[0] == "tutorial", "the only one with a heading about it"
    assert {"guides/waking-up", "format/manifest"} <= set(names)
    assert said(tmp_path, "help", "Cron").startswith("guides/schedule ")
    assert said(tmp_path, "help", "drift").startswith("# Facts in MEMORY.md"), "the only one is shown at once"
    assert [one["text"] for one in json.loads(said(tmp_path, "docs", "budget", "--json"))["pages"]] == [None] * len(
        names
    )


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("time zone", "guides/containers"),
        ("leave again", "guides/leaving"),
        ("from python", "guides/python"),
        ("group chat", "guides/audience"),
        ("restore a backup", "guides/backup"),
        ("another machine", "guides/moving"),
        ("who asked for it", "guides/why"),
        ("how do I restore a backup?", "guides/backup"),
        ("another laptop", "guides/moving"),
        ("group chats", "guides/audience"),
        ("forbid a tool", "guides/approvals"),
        ("deny a tool", "guides/approvals"),
        ("block a tool", "guides/approvals"),
        ("why does it say this", "guides/why"),
        ("import old chats", "guides/import"),
        ("two machines", "guides/sync"),
    ],
)
def test_several_words_find_the_pages_that_contain_all_of_them(tmp_path: Path, words: str, first: str) -> None:
    assert said(tmp_path, "docs", *words.split()).startswith(f"{first} ")
    assert said(tmp_path, "docs", words) == said(tmp_path, "docs", *words.split())


def test_help_finds_several_words_that_name_no_verb(tmp_path: Path) -> None:
    assert said(tmp_path, "help", "time", "zone") == said(tmp_path, "docs", "time", "zone")


def test_pages_with_most_of_the_words_are_listed_where_none_has_all(tmp_path: Path) -> None:
    done = forked.run_text("docs", "restore", "backup", "xyzzy", cwd=tmp_path, env=dict(os.environ))

    assert (done.returncode, done.stdout.partition(" ")[0]) == (0, "guides/backup")
    assert "No page has all of these words." in done.stderr


def test_fewer_than_half_of_the_words_are_an_error(tmp_path: Path) -> None:
    assert "All pages: agentws docs" in said(tmp_path, "docs", "backup", "xyzzy", "plugh", code=1)


def test_guides_come_before_pages_of_format_and_reference_that_match_as_well() -> None:
    folders = [page.name.partition("/")[0] for page in docs.find(["backup", "xyzzy"]).pages]

    assert folders[:2] == ["guides", "format"], "both are named backup"


def test_help_of_what_is_nowhere_names_the_pages(tmp_path: Path) -> None:
    for word in ("xyzzy", "..", "moveing"):
        assert "agentws docs" in said(tmp_path, "help", word, code=2)


def test_help_of_a_topic_is_its_page_and_help_of_a_verb_stays_that(tmp_path: Path) -> None:
    assert said(tmp_path, "help", "memory").startswith("# Facts in MEMORY.md")
    assert "Usage: agentws task" in said(tmp_path, "help", "task")
