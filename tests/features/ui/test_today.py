"""Today: what waits for the person, and its buttons."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentws.features.ui.page import Page
from agentws.workspace import Workspace
from tests.features.ui.browser import Browser, text_of

TAG = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def test_an_empty_workspace_says_that_nothing_waits(browser: Browser) -> None:
    page = text_of(browser.get("today"))

    assert "Nothing waits for you." in page
    assert "Nothing is open." in page
    assert "No session yet." in page


@pytest.mark.parametrize(("label", "mark"), [("Done", "[done] Water the ferns"), ("Drop", "[dropped] Water the ferns")])
def test_an_open_item_is_closed_by_its_button(browser: Browser, workspace: Workspace, label: str, mark: str) -> None:
    workspace.todo("Water the ferns")

    page = text_of(browser.press("today", label))

    assert "Nothing is open." in page
    assert "agentws undo" in page
    assert mark in Path(workspace.root, "memory/2026-11-20.md").read_text()


def test_a_notice_is_shown_once(browser: Browser, workspace: Workspace) -> None:
    workspace.todo("Water the ferns")

    assert "Done: Water the ferns" in text_of(browser.press("today", "Done"))
    assert "Done: Water the ferns" not in text_of(browser.get("today"))


def test_a_button_pressed_in_a_second_tab_says_that_nothing_matches(browser: Browser, workspace: Workspace) -> None:
    workspace.todo("Water the ferns")
    ref = workspace.todos().rows[0].ref
    browser.post("today", token=browser.form_token, action="done", ref=ref)

    page = browser.post("today", 404, token=browser.form_token, action="done", ref=ref)

    assert 'role="alert"' in page


def test_an_unknown_button_is_refused(browser: Browser) -> None:
    assert "no such button" in browser.post("today", 404, token=browser.form_token, action="format-disk")


def test_no_text_of_the_workspace_is_active(browser: Browser, workspace: Workspace) -> None:
    workspace.session.start(f"Session {TAG}", session="s1")
    workspace.todo(f"Item {TAG}\u202e")
    workspace.ask(f"Question {TAG}", action={"tool": TAG})
    workspace.tasks.add(f"Task {TAG}", goal=TAG)
    Path(workspace.root, "MEMORY.md").write_text(f"# Memory\n\n- [ ] Box {TAG}\n")
    Path(workspace.root, "tasks/odd.md").write_text(f"---\nstatus: {TAG}\n---\n# {TAG}\n")

    page = browser.get("today")

    assert "<script>" not in page
    assert "<img" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 5
    assert "\u202e" not in page


def test_a_bug_shows_no_traceback(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("agentws.features.ui.pages.today._waits", broken)

    page = browser.get("today", 500)

    assert "bug in agentws" in page
    assert "secret" not in page


def test_pages_have_names_of_their_own() -> None:
    from agentws.features.ui.pages import PAGES

    assert all(isinstance(page, Page) for page in PAGES)
    assert len({page.name for page in PAGES}) == len(PAGES)
