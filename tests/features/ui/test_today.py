"""Today: what waits for the person, and its buttons."""

from __future__ import annotations

import re
import shutil
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest

from agentws.core.stores import writer_trust
from agentws.features.ui.page import Page
from agentws.workspace import Workspace
from tests.conftest import NOW
from tests.features.approvals import keys, people
from tests.features.ui.browser import Browser, text_of
from tests.identity.machines import Machine, writers

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


def test_a_page_that_changes_on_its_own_keeps_its_notice(browser: Browser, workspace: Workspace) -> None:
    workspace.todo("Water the ferns")
    page = browser.press("today", "Done")

    for _ in range(2):
        page = browser.get(refresh_of(page))

        assert "Done: Water the ferns" in text_of(page)


def test_a_page_that_changes_on_its_own_keeps_what_was_typed(browser: Browser, workspace: Workspace) -> None:
    workspace.remember("Ida drinks tea")
    fields = {**browser.form("memory", "Save"), "text": "Ida drinks cocoa"}
    Path(workspace.root, "MEMORY.md").write_text("# Memory\n\n- Ida drinks coffee\n")

    page = browser.post("memory", 409, **fields)

    assert "Ida drinks cocoa" in text_of(browser.get(refresh_of(page)))


def refresh_of(page: str) -> str:
    """Return what the page's script asks for when files have changed."""
    refresh = re.search('hx-get="([^"]+)"', page)
    assert refresh
    return unescape(refresh[1])


def test_a_button_pressed_in_a_second_tab_says_that_nothing_matches(browser: Browser, workspace: Workspace) -> None:
    workspace.todo("Water the ferns")
    ref = workspace.todos().rows[0].ref
    browser.post("today", token=browser.form_token, action="done", ref=ref)

    page = browser.post("today", 404, token=browser.form_token, action="done", ref=ref)

    assert 'role="alert"' in page


def person(workspace: Workspace) -> Browser:
    """The browser of a person whose settings accept typed answers."""
    return Browser(workspace.root, people.at(workspace).stores.environment)


def crlf(text: str) -> str:
    """The text as a browser sends that of a field."""
    return text.replace("\n", "\r\n")


def test_a_request_is_approved_by_typing_its_id(workspace: Workspace) -> None:
    browser = person(workspace)
    asked = workspace.ask("Pay for the paint?", action={"amount": 40})

    page = text_of(browser.press("today", "Approve", typed=asked.id))

    assert "Approved: Pay for the paint?" in page
    assert "Nothing waits for you." in page
    approval = people.at(workspace).approvals.show(asked.id)
    assert (approval.status, approval.proof, approval.decided_by) == ("approved", "typed", "user")


def test_a_request_is_not_approved_without_its_id(workspace: Workspace) -> None:
    browser = person(workspace)
    asked = workspace.ask("Pay for the paint?", action={"amount": 40})

    for typed in ("", "yes", asked.id[:-1]):
        assert f"Type {asked.id} to approve" in text_of(browser.press("today", "Approve", 400, typed=typed))

    assert workspace.approvals.show(asked.id).status == "pending"


def test_a_typed_answer_needs_the_setting_that_the_command_line_needs(browser: Browser, workspace: Workspace) -> None:
    asked = workspace.ask("Pay for the paint?", action={"amount": 40})

    page = text_of(browser.press("today", "Approve", 403, typed=asked.id))

    assert "agentws config --user ask.typed true" in page
    assert workspace.approvals.show(asked.id).status == "pending"


@pytest.mark.parametrize("signature", ["x", "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----"])
def test_a_high_risk_needs_a_signature_that_counts(workspace: Workspace, signature: str) -> None:
    browser = person(workspace)
    asked = workspace.ask("Sell the shop?", action={"amount": 40_000}, risk="high")

    typed = text_of(browser.press("today", "Approve", 403, typed=asked.id))
    signed = text_of(browser.press("today", "Approve", 403, signature=signature))

    assert "high risk" in typed
    assert "signature does not count" in signed
    assert workspace.approvals.show(asked.id).status == "pending"


def test_a_high_risk_is_approved_by_a_signature_of_the_text_on_the_page(
    browser: Browser, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sam = keys.made(tmp_path / "stick")
    keys.pinned(monkeypatch, tmp_path, sam)
    asked = workspace.ask("Sell the shop?", action={"amount": 40_000}, risk="high")
    statement = unescape(browser.get("today").split('<pre class="text">agentws-approval-1')[1].split("</pre>")[0])

    page = text_of(
        browser.press("today", "Approve", signature=crlf(keys.signed(sam, "agentws-approval-1" + statement)))
    )

    assert "Approved: Sell the shop?" in page
    assert workspace.approvals.show(asked.id).is_usable


def test_a_request_is_declined_with_a_reason(browser: Browser, workspace: Workspace) -> None:
    asked = workspace.ask("Pay for the paint?", action={"amount": 40})

    browser.press("today", "Decline", message="Too dear")

    approval = workspace.approvals.show(asked.id)
    assert (approval.status, approval.message) == ("rejected", "Too dear")


@pytest.mark.parametrize("label", ["Approve", "Decline"])
def test_a_request_that_was_edited_after_it_was_shown_is_not_answered(workspace: Workspace, label: str) -> None:
    browser = person(workspace)
    asked = workspace.ask("Pay for the paint?", action={"amount": 40})
    form = browser.form("today", label)
    file = Path(workspace.root, asked.path)
    file.write_text(file.read_text().replace("40", "4000"))

    page = text_of(browser.post("today", 409, **{**form, "typed": asked.id}))

    assert "was edited after it was shown" in page
    assert Path(workspace.root, asked.path).read_text().count("Answer") == 0


@pytest.mark.parametrize(("label", "kind"), [("It happened", "result"), ("It did not", "error")])
def test_an_action_that_a_crash_left_open_is_settled_by_its_buttons(
    browser: Browser, workspace: Workspace, label: str, kind: str
) -> None:
    workspace.session.start("Letters", session="s1", process=1 << 22)
    workspace.event("action", tool="mail", input="to Ada", call="c1", session="s1")

    page = text_of(browser.press("today", label, note="Ada said so"))

    assert "No result is known" not in page
    assert any((event.kind, event.call) == (kind, "c1") for event in workspace.journal.list())


def test_an_action_without_a_session_is_settled_by_its_button(browser: Browser, workspace: Workspace) -> None:
    workspace.event("action", tool="mail", input="to Ada", call="c1")
    workspace.session.start("Letters", session="s1")
    workspace.event("action", tool="ferry", call="c2", session="s1")

    shown = text_of(browser.get("today"))
    page = text_of(browser.press("today", "It happened"))

    assert "Check, then say so. mail c1 It happened" in shown
    assert "c2" not in shown
    assert "Recorded: c1 happened." in page
    assert "No result is known" not in page


@pytest.mark.parametrize("label", ["It happened", "It did not"])
def test_an_action_that_ended_under_an_open_page_stays_as_it_ended(
    browser: Browser, workspace: Workspace, label: str
) -> None:
    workspace.session.start("Letters", session="s1", process=1 << 22)
    workspace.event("action", tool="mail", input="to Ada", call="c1", session="s1")
    form = browser.form("today", label)
    workspace.event("result", "Sent", call="c1", session="s1")

    assert "has ended already" in text_of(browser.post("today", 404, **form))
    assert [event.kind for event in workspace.journal.list() if event.call == "c1"] == ["action", "result"]


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

    monkeypatch.setattr("agentws.features.ui.pages.today._strangers", broken)

    page = browser.get("today", 500)

    assert "bug in agentws" in page
    assert "secret" not in page


def test_pages_have_names_of_their_own() -> None:
    from agentws.features.ui.pages import PAGES

    assert all(isinstance(page, Page) for page in PAGES)
    assert len({page.name for page in PAGES}) == len(PAGES)


def test_another_action_is_approved_instead(workspace: Workspace) -> None:
    browser = person(workspace)
    asked = workspace.ask("Pay for the paint?", action={"amount": 40})

    page = text_of(browser.press("today", "Approve", typed=asked.id, edit='{\r\n  "amount": 30\r\n}'))

    assert "Approved, another action: Pay for the paint?" in page
    approval = people.at(workspace).approvals.show(asked.id)
    assert (approval.action, approval.is_edited, approval.is_usable) == ({"amount": 30}, True, True)


def test_an_action_that_was_left_as_it_is_was_not_edited(workspace: Workspace) -> None:
    browser = person(workspace)
    asked = workspace.ask("Pay for the paint?", action={"amount": 40, "to": "Ada\u202e"})
    shown = unescape(browser.get("today").split('name="edit"')[1].split(">", 1)[1].split("</textarea>")[0])

    browser.press("today", "Approve", typed=asked.id, edit=crlf(shown))

    approval = people.at(workspace).approvals.show(asked.id)
    assert (approval.is_edited, approval.is_usable) == (False, True)


@pytest.mark.parametrize("edit", ['{"amount": }', '{"amount": 1, "amount": 2}', "[" * 5000])
def test_an_edited_action_that_is_no_json_approves_nothing_and_stays_on_the_page(
    workspace: Workspace, edit: str
) -> None:
    browser = person(workspace)
    asked = workspace.ask("Pay for the paint?", action={"amount": 40})

    page = text_of(browser.press("today", "Approve", 400, typed=asked.id, edit=edit))

    assert f"You typed: {edit}" in page
    assert workspace.approvals.show(asked.id).status == "pending"


def test_what_was_typed_into_a_stale_form_is_on_the_page_that_comes_back(workspace: Workspace) -> None:
    browser = person(workspace)
    asked = workspace.ask("Pay for the paint?", action={"amount": 40})
    form = browser.form("today", "Decline")
    workspace.approvals.decide(asked.id, approve=False)

    page = text_of(browser.post("today", 409, **{**form, "message": "Too dear, ask Ada"}))

    assert "You typed: Too dear, ask Ada" in page


@pytest.fixture
def stranger(workspace: Workspace, tmp_path: Path) -> str:
    """The id of a writer of another machine that nobody vouched for; its events came in a copied journal."""
    workspace.event("note", "Written here")
    machine = Machine(tmp_path, "attic")
    there = tmp_path / "there"
    shutil.copytree(workspace.root, there, ignore=shutil.ignore_patterns("journal", ".agentws", "identity"))
    machine.opens(there, NOW + timedelta(hours=1)).event("note", "Written elsewhere")
    (writer,) = writers(there)
    shutil.copytree(there / "journal" / writer, Path(workspace.root, "journal", writer))
    return writer


def test_a_writer_that_nobody_vouched_for_is_vouched_for_by_its_button(workspace: Workspace, stranger: str) -> None:
    browser = Browser(workspace.root, workspace.stores.environment)
    shown = browser.get("today")

    page = text_of(browser.press("today", "Vouch"))

    assert "Nobody vouched for" in text_of(shown)
    assert f"Vouched for {stranger}." in page
    assert "Nobody vouched for" not in page
    assert [each.writer for each in writer_trust.of(workspace.stores).strangers] == []


def test_a_writer_whose_key_is_another_than_the_page_showed_is_not_vouched_for(
    workspace: Workspace, stranger: str
) -> None:
    browser = Browser(workspace.root, workspace.stores.environment)
    form = browser.form("today", "Vouch")

    page = text_of(browser.post("today", 409, **{**form, "fingerprint": "SHA256:another"}))

    assert "another key" in page
    assert [each.writer for each in writer_trust.of(workspace.stores).strangers] == [stranger]
