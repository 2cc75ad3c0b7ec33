"""Memory, Time and Why then: what they show, and their buttons."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest

from agentws.workspace import Environment, Workspace
from tests.conftest import NOW
from tests.features.forget.test_forget import compacted, text_of as content
from tests.features.ui.browser import Browser, text_of

TAG = "<script>alert(1)</script><img src=x onerror=alert(2)>"
REPORT = "report"


def at(workspace: Workspace, minutes: int, session: str | None = None) -> Workspace:
    now = NOW + timedelta(minutes=minutes)
    return Workspace.open(workspace.root, environment=Environment(now=now, timezone="UTC", session=session))


def put(workspace: Workspace, path: str, text: str) -> None:
    file = Path(workspace.root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.fixture
def reported(workspace: Workspace) -> Workspace:
    """A session with 250 actions and results, an error, a decision and a handoff."""
    at(workspace, -60).session.start("Write the report", session=REPORT)
    lines = []
    for number in range(250):
        lines.append(f'{{"kind": "action", "tool": "fetch", "input": {{"path": "{number}.csv"}}, "call": "c{number}"}}')
        kind = "error" if number == 7 else "result"
        lines.append(f'{{"kind": "{kind}", "output": "rows {number}", "call": "c{number}"}}')
    at(workspace, -50, REPORT).journal.record_lines([line.encode() for line in lines])
    at(workspace, -30, REPORT).event("decision", "Take the three newest papers")
    at(workspace, -20, REPORT).handoff(next="Print it")
    at(workspace, -10).session.end(session=REPORT)
    return workspace


# Memory


def test_an_entry_shows_its_day_its_lines_and_what_it_replaced(browser: Browser, workspace: Workspace) -> None:
    compacted(workspace)
    at(workspace, 1).remember("The roof has 310 tiles", replaces="300 tiles", via="user")

    page = browser.get("memory")

    assert "since 2026-03-02" in text_of(page)
    assert re.search(r'href="text\?path=memory%2F2026-03-02.md&amp;line=\d+#L\d+"', page)
    assert "Replaced <del>The roof has 300 tiles</del>" in page
    assert "since 2026-11-20 · a person" in text_of(page)


def test_an_entry_is_corrected_removed_and_both_are_undone(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- Kim likes tea\n- Leo likes coffee\n")

    assert "Now: Kim likes cocoa" in text_of(browser.press("memory", "Save", text="Kim likes cocoa"))
    assert content(workspace, "MEMORY.md") == "# Memory\n\n- Kim likes cocoa\n- Leo likes coffee\n"
    assert "Removed: Leo likes coffee" in text_of(browser.press("memory", "Remove", at=1))
    assert content(workspace, "MEMORY.md") == "# Memory\n\n- Kim likes cocoa\n"
    assert "Undid: memory revise" in text_of(browser.press("memory", "Undo"))
    browser.press("memory", "Undo")
    assert content(workspace, "MEMORY.md") == "# Memory\n\n- Kim likes tea\n- Leo likes coffee\n"


def test_an_entry_that_changed_under_an_open_page_stays(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- Kim likes tea\n")
    (digest,) = re.findall(r'name="digest" value="([0-9a-f]+)"', browser.get("memory"))[:1]
    put(workspace, "MEMORY.md", "# Memory\n\n- Kim likes milk\n")

    page = browser.post("memory", 409, token=browser.form_token, action="edit", digest=digest, text="Kim likes cocoa")

    assert "edited or removed meanwhile" in text_of(page)
    assert content(workspace, "MEMORY.md") == "# Memory\n\n- Kim likes milk\n"


def test_undo_undoes_only_the_change_that_was_shown(browser: Browser, workspace: Workspace) -> None:
    workspace.remember("Kim likes tea")
    (number,) = re.findall(r'name="number" value="(\d+)"', browser.get("memory"))
    at(workspace, 1).remember("Leo likes coffee")

    page = browser.post("memory", 409, token=browser.form_token, action="undo", number=number)

    assert "came after the change that was shown" in text_of(page)
    assert "Leo" in content(workspace, "MEMORY.md")


def test_an_empty_text_removes_nothing(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- Kim likes tea\n")

    browser.press("memory", "Save", 400, text="  ")

    assert "Kim likes tea" in content(workspace, "MEMORY.md")


def test_a_candidate_is_accepted_edited_or_declined(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "- [lesson] The phone backup needs the cable\n")
    put(workspace, "memory/2026-11-19.md", "- Kim always sends the invoices (via net:mail)\n- [decision] Use SQLite\n")
    page = browser.get("memory")
    assert "The phone backup needs the cable" in text_of(page)

    shown = [unescape(text) for text in re.findall(r"<article.*?<h3>(.*?)</h3>", page, re.DOTALL)]
    browser.press("memory", "Accept", at=shown.index("Use SQLite"), text="Use SQLite for the index")
    shown.remove("Use SQLite")
    browser.press("memory", "Decline", at=shown.index("The phone backup needs the cable"))

    assert "- Use SQLite for the index" in content(workspace, "MEMORY.md")
    assert "phone" not in content(workspace, "MEMORY.md")
    assert "phone" not in text_of(browser.get("memory"))


def test_a_candidate_with_an_empty_text_is_not_accepted(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "memory/2026-11-18.md", "- [lesson] The phone backup needs the cable\n")

    browser.press("memory", "Accept", 400, text=" ")

    assert "phone" not in content(workspace, "MEMORY.md")


def test_entries_are_found_by_their_words(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n- Kim likes tea\n- Leo likes coffee\n")

    page = text_of(browser.get("memory?find=LIKES+tea"))

    assert "1 of 2" in page
    assert "Leo" not in page
    assert "Nothing in MEMORY.md has these words." in text_of(browser.get("memory?find=zeppelin"))


def test_many_entries_are_shown_in_parts(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", "# Memory\n\n" + "".join(f"- Fact number {number}\n" for number in range(130)))

    assert "Fact number 129" not in browser.get("memory")
    assert "30 more" in text_of(browser.get("memory"))
    assert "Fact number 129" in browser.get("memory?all=1")


# Time


def test_a_month_marks_days_with_logs_and_sessions(browser: Browser, reported: Workspace) -> None:
    put(reported, "memory/2026-11-18.md", "- a walk\n")

    page = browser.get("time")

    assert "November 2026" in page
    assert 'href="time?day=2026-11-18"' in page
    assert "1 session" in text_of(page)
    assert 'href="time?day=2026-11-17"' not in page


def test_a_month_of_an_archived_year_is_shown(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "memory/archive/2019/2019-02-03.md", "- snow\n")

    assert 'href="time?day=2019-02-03"' in browser.get("time?month=2019-02")
    assert "snow" in browser.get("time?day=2019-02-03")


def test_a_day_shows_its_log_and_leads_to_the_moment_of_a_line(browser: Browser, workspace: Workspace) -> None:
    workspace.log("Beech, not oak", kind="decision")

    page = browser.get("time?day=2026-11-20")

    assert "Beech, not oak" in page
    assert 'href="then?ref=memory%2F2026-11-20.md%3A3"' in page


def test_a_session_is_paged_through_from_its_beginning_to_its_end(browser: Browser, reported: Workspace) -> None:
    address, seen = f"time?session={REPORT}", list[str]()
    while True:
        page = browser.get(address)
        seen += re.findall(r'<a class="kind"[^>]*>([^<]+)</a>', page)
        following = re.search(r'rel="next" href="([^"]+)"', page)
        if following is None:
            break
        address = unescape(following.group(1))

    assert seen.count("action") == 250
    assert seen.count("result") == 249
    assert seen.count("error") == 1
    assert (seen[0], seen[-1]) == ("session.started", "session.ended")
    assert "Print it" in text_of(page)  # its handoff beside its end


def test_a_session_without_an_end_says_what_is_unknown(
    browser: Browser, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.session.start("Send it", session="sending", process=1 << 22)
    at(workspace, 1, "sending").event("action", "send the mail")
    at(workspace, 1, "sending").event("decision", "To Sam alone")

    page = browser.get("time?session=sending")

    assert 'class="crash"' in page
    assert "result unknown" in text_of(page)
    assert "1 action without a known result" in text_of(page)
    assert "Recovered by boot" in text_of(page)
    assert "1 crashed" in text_of(browser.get("time"))


@pytest.mark.parametrize(
    ("address", "status"),
    [("time?day=yesterday", 400), ("time?month=2026-13", 400), ("time?session=nobody", 404),
     ("time?month=0001-01", 400), ("time?day=9999-12-31", 400),
     ("time?session=report&after=nothing", 404), ("then", 400), ("then?ref=MEMORY.md:999", 400)],
)  # fmt: skip
def test_what_the_workspace_does_not_have_is_said(browser: Browser, address: str, status: int) -> None:
    assert 'role="alert"' in browser.get(address, status)


# Why then


def test_a_decision_shows_what_was_known_and_done(browser: Browser, reported: Workspace) -> None:
    page = text_of(browser.get(f"time?session={REPORT}&after=&limit=500"))
    assert "Take the three newest papers" not in page  # on the second page

    cursor = next(row.cursor for row in reported.journal.audit().rows if row.kind == "decision")
    moment = text_of(browser.get(f"then?ref={cursor}"))

    assert "Take the three newest papers" in moment
    assert "Done before" in moment
    assert "249.csv" in moment
    assert "What it knew: boot of 2026-11-20 06:15" in moment


# All


@pytest.mark.parametrize("page", ["memory", "time", "time?day=2026-11-20"])
def test_an_empty_workspace_has_these_pages(browser: Browser, workspace: Workspace, page: str) -> None:
    Path(workspace.root, "MEMORY.md").unlink()

    browser.get(page)


def test_hostile_text_is_text(browser: Browser, workspace: Workspace) -> None:
    put(workspace, "MEMORY.md", f"# Memory\n\n## {TAG}\n\n- {TAG}\n- \u202etxet\n")
    put(workspace, "memory/2026-11-19.md", f"# {TAG}\n\n- [lesson] {TAG} is a lesson\n")
    workspace.session.start(TAG, session="odd")
    at(workspace, 1, "odd").log(TAG)
    decided = at(workspace, 1, "odd").event("decision", TAG)
    at(workspace, 2, "odd").event("error", TAG)
    at(workspace, 3, "odd").handoff(next=TAG)
    pages = ["memory", "time", "time?day=2026-11-19", "time?day=2026-11-20", "time?session=odd",
             f"then?ref={decided.cursor}", "then?ref=memory/2026-11-20.md:3", "then?ref=MEMORY.md:5"]  # fmt: skip

    for page in pages:
        shown = browser.get(page)
        assert "<script>alert" not in shown
        assert "<img" not in shown
        assert "\u202e" not in shown


def test_a_page_that_may_only_read_has_no_buttons(workspace: Workspace, environment: Environment) -> None:
    workspace.remember("Kim likes tea")
    put(workspace, "memory/2026-11-19.md", "- [lesson] The phone backup needs the cable\n")
    browser = Browser(workspace.root, environment, is_read_only=True)

    assert 'class="act"' not in browser.get("memory")
    browser.post("memory", 403, token=browser.form_token, action="remove", digest="0" * 64)
