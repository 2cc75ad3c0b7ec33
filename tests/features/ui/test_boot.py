"""Boot: the text as the agent gets it, its cost, its gaps, with another budget and on another day."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentws.features.ui.pages import boot
from agentws.features.ui.pages.boot import COMES, GOES, SAME, Place
from agentws.workspace import Environment, Workspace
from tests.features.ui.browser import Browser, text_of

TAG = "<script>alert(1)</script>"


@pytest.fixture
def full(workspace: Workspace) -> Workspace:
    facts = "".join(f"- Fact {number} about the harbour and its ferries\n" for number in range(200))
    Path(workspace.root, "MEMORY.md").write_text(f"# Memory\n\n{facts}")
    return workspace


def test_the_page_has_the_text_of_boot(browser: Browser, full: Workspace) -> None:
    page = " ".join(text_of(browser.get("boot")).split())

    for line in full.boot().text.split("\n"):
        assert " ".join(line.split()) in page


def test_every_section_has_its_tokens(browser: Browser, full: Workspace) -> None:
    booted = full.boot()
    page = browser.get("boot")

    for section in booted.context.sections:
        assert re.search(rf"<title>{re.escape(section.title)}[^<]*: {section.tokens:,}</title>", page)
    assert f"<strong>{booted.tokens:,}</strong> of {booted.budget:,} tokens" in page


def test_another_budget_marks_what_goes(browser: Browser, full: Workspace) -> None:
    page = browser.get("boot?budget=700")

    gone = re.findall(r"<del>(.*?)</del>", page, re.DOTALL)
    assert any("Fact 150" in line for line in gone)
    assert "Back to 8,000 tokens, now" in page
    assert not re.search(r"<(ins|del)>", browser.get("boot"))


def test_a_gap_leads_to_the_file_that_it_stands_for(browser: Browser, full: Workspace) -> None:
    text = browser.get("boot?budget=900").partition('<h2 id="text">')[2]

    (link,) = re.findall(r'cat MEMORY\.md\].*?href="([^"]*)"', text)
    assert "Fact 150 about" in text_of(browser.get(link))


@pytest.mark.parametrize("query", ["budget=", "budget=x", "budget=-5", "budget=99999999999", "budget=8000", "at="])
def test_an_odd_query_is_no_error(browser: Browser, query: str) -> None:
    assert "of 8,000 tokens" in browser.get(f"boot?{query}") or "of 1,000,000 tokens" in browser.get(f"boot?{query}")


def test_a_day_that_is_none_is_an_error_with_a_remedy(browser: Browser) -> None:
    assert 'role="alert"' in browser.get("boot?at=someday", 400)


def test_the_boot_of_another_day_knows_nothing_later(tmp_path: Path, environment: Environment) -> None:
    workspace = Workspace.init(str(tmp_path / "robin"), environment=environment, name="Robin")
    workspace.log("The ferry leaves at nine")
    browser = Browser(workspace.root, environment)

    page = text_of(browser.get("boot?at=2026-11-19T09:00"))

    assert "as of 2026-11-19 09:00" in page
    assert "ferry" not in page
    assert "ferry" in text_of(browser.get("boot"))


def test_no_text_of_boot_is_active(browser: Browser, workspace: Workspace) -> None:
    for name in ("SOUL.md", "MEMORY.md", "TOOLS.md"):
        Path(workspace.root, name).write_text(f"# {TAG}\n\n- {TAG} in {name}\n\n[… 5 tokens: cat {TAG}.md]\n")
    workspace.log(f"A day {TAG}")

    for query in ("", "?budget=500", f"?at={TAG}", f"?budget={TAG}"):
        page = browser.client.get(browser.path(f"boot{query}")).text
        assert "<script>" not in page
        assert ("&amp;lt;script&gt;alert(1)" in page) == ("at=" not in query)


TEXT = "# Robin\n\n## A\na\n\n## B\nb\nc\n"


def test_lines_belong_to_their_section_and_gone_ones_stand_where_they_were() -> None:
    sections = [_shown(9, 17), _shown(17, len(TEXT))]

    parts = list(boot.parts_of(TEXT, sections, "# Robin\n\n## A\na\nold\n\n## B\nb\n"))

    marked = [(part.section, [(line.mark, line.text) for line in part.lines]) for part in parts]
    assert marked == [
        (None, [(SAME, "# Robin")]),
        (0, [(SAME, "## A"), (SAME, "a"), (GOES, "old")]),
        (1, [(SAME, "## B"), (SAME, "b"), (COMES, "c")]),
    ]


def _shown(start: int, end: int) -> boot.Shown:
    from agentws.features.boot.plan.assemble import Shown

    return Shown(
        source="A.md", role="x", span=(start, end), title="A", tokens=1, tokens_in=1, shown=1, of=1, reason="whole"
    )


GAPS = [
    ("cat MEMORY.md", (Place("MEMORY.md"),)),
    ("cat ./MEMORY.md 'memory/a b.md'", (Place("MEMORY.md"), Place("memory/a b.md"))),
    ("sed -n '3,9p' USER.md", (Place("USER.md", 3, 9),)),
    ("sed -n 3p USER.md", (Place("USER.md", 3, 3),)),
    ("cat /etc/passwd ../x.md .agentws/key", ()),
    ("agentws boot --explain", ()),
    ("sed -n '$(x)p' USER.md", ()),
    ("cat 'USER.md", ()),
]


@pytest.mark.parametrize(("command", "places"), GAPS)
def test_a_gap_names_documents_only(command: str, places: tuple[Place, ...]) -> None:
    assert boot.places(command) == places
