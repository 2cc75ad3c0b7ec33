"""The page in a real browser: every view and button, by keyboard, on a phone, in two tabs, without JavaScript."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentws.workspace import Workspace
from tests.features.sync.conftest import Machines, machines
from tests.identity.machines import Machine, writers
from tests.judges.ui.conftest import Opened, serving

__all__ = ["machines"]

_MOST_PAGES = 60
_PHONE = {"width": 390, "height": 844}
_WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def _menu(tab: Any) -> list[str]:
    return [link.get_attribute("href") for link in tab.locator("nav a").all()]


def _addresses(tab: Any) -> list[str]:
    return list(
        tab.eval_on_selector_all("#main a[href]:not([download])", "all => all.map(a => a.getAttribute('href'))")
    )


def test_every_page_that_a_link_leads_to_is_shown(opened: Opened) -> None:
    tab = opened.page()
    waiting, seen = _menu(tab), set[str]()
    kinds: dict[str, int] = {}
    while waiting and len(seen) < _MOST_PAGES:
        address = waiting.pop(0).partition("#")[0]
        kind = re.sub(r"=[^&]*", "", address)
        if address in seen or not address or kinds.get(kind, 0) == 3:
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
        seen.add(address)
        answer = tab.goto(opened.base + address)
        assert answer.status == 200, address
        assert tab.locator("h1").count() == 1, address
        waiting += _addresses(tab)

    assert {address.partition("?")[0] for address in seen} >= {
        "today",
        "search",
        "journal",
        "history",
        "copies",
        "text",
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(opened: Opened, axe: str, scheme: str) -> None:
    tab = opened.page(color_scheme=scheme, bypass_csp=True)
    for address in [
        *_menu(tab),
        "search?q=ferns",
        "text?path=MEMORY.md&line=5",
        "history?file=SOUL.md",
        "journal?verify=1",
    ]:
        tab.goto(opened.base + address)
        tab.add_script_tag(content=axe)
        faults = tab.evaluate("() => axe.run()")["violations"]

        assert [
            (fault["id"], fault["nodes"][0]["html"]) for fault in faults if fault["impact"] in ("serious", "critical")
        ] == []


def test_nothing_is_wider_than_a_phone(opened: Opened) -> None:
    tab = opened.page(viewport=_PHONE)
    for address in [*_menu(tab), "search?q=ferns", "text?path=MEMORY.md", "history?file=SOUL.md"]:
        tab.goto(opened.base + address)

        assert tab.evaluate(_WIDER) == 0, address


def test_open_items_and_requests_are_closed_by_buttons(opened: Opened, workspace: Workspace) -> None:
    tab = opened.page()
    tab.locator("li", has_text="Cut the roses").get_by_role("button", name="Done").click()
    tab.get_by_text("Done: Cut the roses").wait_for()
    request = workspace.approvals.list(pending=True)[0].id
    tab.get_by_label(f"Type {request}").fill(request)
    tab.get_by_role("button", name="Approve").click()
    tab.get_by_text("Approved: May I order moss?").wait_for()

    assert [row.text for row in workspace.todos().rows if "roses" in row.text] == []
    assert workspace.approvals.list(pending=True) == []


def test_another_action_is_approved_and_a_refused_one_stays_on_the_page(opened: Opened, workspace: Workspace) -> None:
    tab = opened.page()
    request = workspace.approvals.list(pending=True)[0].id
    for action in ("{", '{"tool": "order", "input": "moss"}'):
        tab.get_by_text("Another action").click()
        tab.get_by_label("Approve this instead").fill(action)
        tab.get_by_label(f"Type {request}").fill(request)
        tab.get_by_role("button", name="Approve").click()
        tab.locator(".notice").wait_for()
        if action == "{":
            assert "You typed:" in tab.get_by_role("alert").inner_text()
    tab.get_by_text("Approved, another action: May I order moss?").wait_for()

    assert workspace.approvals.show(request).action == {"tool": "order", "input": "moss"}


def test_a_writer_is_vouched_for_by_its_button(opened: Opened, workspace: Workspace, tmp_path: Path) -> None:
    there = tmp_path / "there"
    shutil.copytree(workspace.root, there, ignore=shutil.ignore_patterns("journal", ".agentws", "identity"))
    Machine(tmp_path, "attic").opens(there).event("note", "Written elsewhere")
    (writer,) = writers(there)
    shutil.copytree(there / "journal" / writer, Path(workspace.root, "journal", writer))

    tab = opened.page()
    tab.get_by_role("button", name="Vouch").click()
    tab.get_by_role("status").get_by_text(f"Vouched for {writer}").wait_for()

    assert tab.get_by_role("button", name="Vouch").count() == 0


@pytest.mark.parametrize(
    ("button", "left"),
    [("Take 1", ["cocoa"]), ("Take 2", ["coffee"]), ("Keep both", ["cocoa", "coffee"]), ("Keep neither", [])],
)
def test_a_conflict_is_decided_by_a_button(
    chromium: Any, machines: Machines, monkeypatch: pytest.MonkeyPatch, button: str, left: list[str]
) -> None:
    monkeypatch.setenv("AGENTWS_STATE_DIR", str(machines.root("state-desk")))
    desk = machines.first()
    memory = machines.root("desk") / "MEMORY.md"
    memory.write_text("# Memory\n\n- Anna drinks tea\n")
    desk.sync(str(machines.stick))
    laptop = machines.another("laptop")
    for name, drink in (("desk", "cocoa"), ("laptop", "coffee")):
        (machines.root(name) / "MEMORY.md").write_text(f"# Memory\n\n- Anna drinks {drink}\n")
    for each in (desk, laptop, desk):
        each.sync()

    with serving(desk.root) as link:
        tab = Opened(chromium, link).page("copies")
        tab.get_by_role("button", name=button, exact=True).click()
        tab.get_by_role("status").get_by_text("The conflict is resolved").wait_for()
        assert tab.get_by_role("button", name=button, exact=True).count() == 0

    assert [drink for drink in ("cocoa", "coffee") if drink in memory.read_text()] == left


def test_a_file_is_restored_and_that_is_undone(opened: Opened, workspace: Workspace) -> None:
    soul = Path(workspace.root, "SOUL.md")
    tab = opened.page("history?file=SOUL.md")
    tab.get_by_text("Restore…").first.click()
    tab.get_by_role("button", name="Restore").click()
    tab.get_by_text("Restored SOUL.md").wait_for()
    assert "Calm." in soul.read_text()

    tab.goto(f"{opened.base}history")
    tab.get_by_role("button", name="Undo").click()
    tab.get_by_role("status").get_by_text("Undone: restore").wait_for()
    assert "Loud." in soul.read_text()

    tab.get_by_role("button", name="Redo").click()
    tab.get_by_role("status").get_by_text("Redone: restore").wait_for()
    assert "Calm." in soul.read_text()


def test_a_second_tab_follows_and_its_old_button_changes_nothing(opened: Opened, workspace: Workspace) -> None:
    still = opened.page(java_script_enabled=False)
    live = opened.page()
    other = opened.page()
    other.locator("li", has_text="Cut the roses").get_by_role("button", name="Done").click()
    live.get_by_text("Cut the roses").wait_for(state="detached")

    still.locator("li", has_text="Cut the roses").get_by_role("button", name="Drop").click()

    assert still.get_by_role("alert").count() == 1
    assert "[done] Cut the roses" in Path(workspace.root, "memory").joinpath(_log(workspace)).read_text()


def _log(workspace: Workspace) -> str:
    return sorted(name for name in os.listdir(f"{workspace.root}/memory") if name.startswith("20"))[-1]


def test_the_page_is_used_by_keyboard_alone(opened: Opened, workspace: Workspace) -> None:
    tab = opened.page()
    tab.keyboard.press("Tab")
    assert tab.evaluate("() => document.activeElement.textContent") == "Skip to the page"
    tab.keyboard.press("Enter")
    for _ in range(60):
        tab.keyboard.press("Tab")
        if tab.evaluate("() => document.activeElement.textContent.trim()") == "Done":
            break
    assert tab.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
    before = len(workspace.todos().rows)
    tab.keyboard.press("Enter")
    tab.get_by_role("status").wait_for()

    assert len(workspace.todos().rows) == before - 1


def test_the_journal_is_paged_and_searched_without_script(opened: Opened) -> None:
    tab = opened.page("journal", java_script_enabled=False)
    assert tab.locator("tbody tr").count() == 100
    tab.get_by_role("link", name="Earlier").click()
    assert tab.get_by_text("step 3", exact=False).count() > 0

    tab.goto(f"{opened.base}search")
    tab.get_by_label("Words").fill("rain water")
    tab.get_by_role("button", name="Search").click()
    assert tab.locator("mark").count() > 0
    tab.locator("a.place").first.click()
    assert tab.locator(".meant").count() == 1


def test_an_export_opens_from_a_disk_with_nothing_active(
    chromium: Any, opened: Opened, workspace: Workspace, tmp_path: Path
) -> None:
    from agentws.features.ui.export import export

    site = tmp_path / "site"
    done = export(workspace, str(site))
    before = len(opened.requests)
    tab = opened.page(f"file://{site}/index.html", viewport=_PHONE)
    for file in sorted(site.glob("*.html"))[:_MOST_PAGES]:
        tab.goto(f"file://{file}")
        assert tab.locator("h1").count() == 1, file
        assert tab.locator("script, form, button, img").count() == 0, file
        assert tab.evaluate(_WIDER) == 0, file

    assert done.pages > 3
    assert all(url.startswith(("file:", "data:")) for url in opened.requests[before:])
