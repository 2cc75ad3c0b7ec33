"""The site of the documentation: every page has a place in it, and its paths begin as the README's do."""

from __future__ import annotations

from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
SITE = yaml.safe_load((ROOT / "tools/site/mkdocs.yml").read_text(encoding="utf-8"))
PATHS = {title: pages for path in SITE["nav"] for title, pages in path.items()}


def test_every_page_of_the_documentation_has_one_place_in_the_site() -> None:
    listed = [page for pages in PATHS.values() for page in pages]
    written = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")]

    assert sorted(listed) == sorted(["index.md", *written]), "add the page to nav in tools/site/mkdocs.yml"


def test_the_paths_of_the_readme_are_those_of_the_site() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Read on")[2]

    for title in ("In my agent program", "From Python", "Keeping it safe"):
        assert title in PATHS
    assert all(f"**{title.replace('my', 'your')}:**" in readme for title in ("In my agent program", "From Python"))
    assert "**Keeping it safe:**" in readme


def test_the_site_loads_nothing_from_elsewhere() -> None:
    assert SITE["theme"]["font"] is False
    assert SITE["plugins"] == ["search"], "the plugin `offline` loads a script from elsewhere"
    assert not {"extra_css", "extra_javascript", "repo_url"} & SITE.keys()
