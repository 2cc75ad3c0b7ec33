"""Search, text, journal, history and copies: what they show, and their buttons."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentws.workspace import Workspace
from tests.features.history.worlds import NEEDS_GIT, World
from tests.features.ui.browser import Browser, text_of

TAG = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def past(world: World) -> Browser:
    """A browser before a workspace whose SOUL.md was changed in a state and then by hand."""
    world.record(1, lambda: world.write("SOUL.md", "# Soul\n\nCalm.\n"))
    world.write("SOUL.md", "# Soul\n\nLoud.\n")
    workspace = world.open(2)
    return Browser(workspace.root, workspace.stores.environment)


def test_search_shows_the_place_of_each_hit(browser: Browser, workspace: Workspace) -> None:
    workspace.log("The ferns get rain water", kind="decision")
    workspace.log("The gate is painted")

    page = browser.get("search?q=rain+water")

    assert "<mark>rain</mark>" in page
    assert 'href="text?path=memory%2F2026-11-20.md&amp;line=3#L3"' in page
    assert "gate" not in text_of(page)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ("kind=decision", {"ferns"}),
        ("state=open", {"roses"}),
        ("origin=outside", {"moss"}),
        ("origin=own&room=logs", {"ferns", "roses", "gate"}),
        ("since=2026-11-21", set()),
    ],
)
def test_search_has_limits(browser: Browser, workspace: Workspace, limits: str, words: set[str]) -> None:
    workspace.log("Water the ferns", kind="decision")
    workspace.todo("Cut the roses")
    workspace.log("Paint the gate")
    workspace.log("Buy moss", via="web")

    page = text_of(browser.get(f"search?{limits}"))

    assert {word for word in ("ferns", "roses", "gate", "moss") if word in page} == words


def test_search_without_a_question_explains_itself(browser: Browser) -> None:
    assert "Words in any order" in text_of(browser.get("search"))
    assert "Nothing found." in text_of(browser.get("search?q=zeppelin"))


def test_an_invalid_limit_names_the_remedy(browser: Browser) -> None:
    page = browser.get("search?q=a&since=someday", 400)

    assert 'role="alert"' in page


def test_a_place_leads_to_its_line(browser: Browser, workspace: Workspace) -> None:
    Path(workspace.root, "MEMORY.md").write_text("# Memory\n\n- Ferns\n")

    page = browser.get("text?path=MEMORY.md&line=3")

    assert '<li id="L3" class="meant" value="3"><code>- Ferns</code></li>' in page


def test_a_long_file_is_shown_in_parts(browser: Browser, workspace: Workspace) -> None:
    Path(workspace.root, "MEMORY.md").write_text("".join(f"- Fern {number}\n" for number in range(1, 3001)))

    page = browser.get("text?path=MEMORY.md&line=2900")

    assert "Fern 2900" in page
    assert "Fern 2000" not in page
    assert "Earlier lines" in page
    assert "Later lines" not in page


@pytest.mark.parametrize(
    "path", ["../robin.txt", "/etc/passwd", ".agentws/undo/000001", ".git/config", "", "journal/../../x"]
)
def test_other_files_are_not_shown(browser: Browser, path: str) -> None:
    page = browser.get(f"text?path={path}", 400)

    assert "root:" not in page


def test_the_journal_is_paged_from_the_newest_event_on(browser: Browser, workspace: Workspace) -> None:
    workspace.session.start("Garden", session="s1")
    for number in range(230):
        workspace.event("note", f"Fern {number:03}", session="s1")

    pages, address = [], "journal"
    while address:
        page = browser.get(address)
        pages.append([number for number in range(230) if f"Fern {number:03}" in page])
        _, _, rest = page.partition('rel="next" href="')
        address = rest.partition('"')[0].replace("&amp;", "&")

    assert [len(page) for page in pages] == [100, 100, 30]
    assert sorted(number for page in pages for number in page) == list(range(230))


def test_an_event_is_shown_whole(browser: Browser, workspace: Workspace) -> None:
    recorded = workspace.event("note", "Fern " + "x" * 500)

    page = text_of(browser.get(f"journal?event={recorded.cursor}"))

    assert "x" * 500 in page
    assert "does not exist" in text_of(browser.get(f"journal?event={recorded.cursor}99", 400))
    assert "is not the place of an event" in text_of(browser.get(f"journal?event={recorded.cursor}{'9' * 5000}", 400))


def test_records_of_the_journal_are_words(browser: Browser, workspace: Workspace) -> None:
    workspace.session.start(session="s1")
    workspace.journal.seal()

    page = text_of(browser.get("journal"))

    assert re.search(r"session.started \S+ on \S+ ", page)
    assert re.search(r"seal \S+ up to event \d+ ", page)
    assert "{" not in page


def test_the_journal_is_verified(browser: Browser, workspace: Workspace) -> None:
    workspace.event("note", "Ferns")
    assert "The journal is unchanged" in text_of(browser.get("journal?verify=1"))

    segment = next(Path(workspace.root, "journal").glob("*/*.jsonl"))
    segment.write_bytes(segment.read_bytes().replace(b"Ferns", b"Roses"))

    page = browser.get("journal?verify=1")
    assert "The journal is unchanged" not in text_of(page)
    assert "verdict unwell" in page


@NEEDS_GIT
def test_a_file_is_restored_after_a_preview(past: Browser, world: World) -> None:
    state = world.open(2).history.states().states[0].id
    preview = past.get(f"history?file=SOUL.md&at={state}")
    assert "<ins>+Calm.\n</ins>" in preview
    assert (world.root / "SOUL.md").read_text() == "# Soul\n\nLoud.\n"

    page = past.press(f"history?file=SOUL.md&at={state}", "Restore")

    assert "Restored SOUL.md" in text_of(page)
    assert (world.root / "SOUL.md").read_text() == "# Soul\n\nCalm.\n"


@NEEDS_GIT
def test_a_file_that_changed_after_the_preview_is_not_restored(past: Browser, world: World) -> None:
    state = world.open(2).history.states().states[0].id
    page = f"history?file=SOUL.md&at={state}"
    preview = past.get(page)
    world.write("SOUL.md", "# Soul\n\nNew.\n")
    fields = dict(part.split('" value="') for part in preview.split('name="')[1:] if '" value="' in part)
    known = {name: value.partition('"')[0] for name, value in fields.items()}

    answer = past.post(page, 409, **known)

    assert "changed after the preview" in text_of(answer)
    assert (world.root / "SOUL.md").read_text() == "# Soul\n\nNew.\n"


@NEEDS_GIT
def test_two_states_are_compared(past: Browser, world: World) -> None:
    newest, older = [state.id for state in world.open(2).history.states().states[:2]]

    page = past.get(f"history?since={older}&until={newest}")

    assert "+Calm." in page
    assert "Loud." not in page


def test_the_last_change_is_undone_and_made_again(browser: Browser, workspace: Workspace) -> None:
    workspace.remember("Ferns like rain")
    memory = Path(workspace.root, "MEMORY.md")
    after = memory.read_text()

    page = browser.press("history", "Undo")
    assert "Undone: remember" in text_of(page)
    assert "Ferns" not in memory.read_text()

    browser.press("history", "Redo")
    assert memory.read_text() == after


def test_another_change_than_the_one_shown_is_not_undone(browser: Browser, workspace: Workspace) -> None:
    workspace.remember("Ferns like rain")

    page = browser.post("history", 409, token=browser.form_token, action="undo", number="99")

    assert "Nothing was changed" in text_of(page)
    assert "Ferns" in Path(workspace.root, "MEMORY.md").read_text()


def test_the_setup_itself_is_not_undone_by_a_button(browser: Browser, workspace: Workspace) -> None:
    page = browser.press("history", "Undo", 403)

    assert "agentws undo --yes" in text_of(page)
    assert Path(workspace.root, "SOUL.md").exists()


def test_copies_draws_machines_and_backups(browser: Browser, workspace: Workspace, tmp_path: Path) -> None:
    assert "No backup yet." in text_of(browser.get("copies"))
    workspace.log("Ferns")
    workspace.copies.create(str(tmp_path / "stick"))

    page = browser.get("copies")

    assert page.count('<g class="box') == 3
    assert f"<title>{tmp_path}/stick: 0 s ago</title>" in page
    assert "never tried" in text_of(page)


@pytest.mark.parametrize(
    "page", ["search?q=script", "journal", "history", "copies", "text?path=MEMORY.md", "history?file=MEMORY.md"]
)
def test_no_text_is_active(browser: Browser, workspace: Workspace, tmp_path: Path, page: str) -> None:
    workspace.session.start(f"Session {TAG}", session="s1")
    workspace.log(f"Line {TAG}\u202e", via="web")
    workspace.remember(f"Memory {TAG}")
    workspace.event("note", TAG, session="s1", body={TAG: TAG})
    workspace.copies.create(str(tmp_path / "a<b>c"))

    shown = browser.get(page.replace("script", TAG))

    assert "<script>" not in shown
    assert "<img" not in shown
    assert "\u202e" not in shown


TOKEN = "ghp_" + "9f3KqLx27VbTn5RzWc8YdHm4PsEj6UaGo1Xi"
KEY = "\n".join(
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        *(f"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB{n:02}" for n in range(9)),
        "-----END OPENSSH PRIVATE KEY-----",
    ]
)


@NEEDS_GIT
def test_a_diff_masks_secrets_as_the_file_does(past: Browser, world: World) -> None:
    world.write("SOUL.md", f"# Soul\n\n{KEY}\nCalm.\n")
    world.record(3, lambda: None)
    world.write("SOUL.md", f"# Soul\n\n{KEY}\nLoud. {TOKEN}\n")
    newest = world.open(4).history.states().states[0].id

    for page in (f"history?file=SOUL.md&since={newest}", f"history?file=SOUL.md&at={newest}", "text?path=SOUL.md"):
        shown = past.get(page)

        assert "Loud." in shown
        assert "b3BlbnNzaC1rZXkt" not in shown
        assert TOKEN not in shown
        assert "‹redacted:" in shown


@pytest.mark.parametrize(
    "page", ["today", "boot", "memory", "time?day=2026-11-20", "search?q=ferns", "text?path=MEMORY.md"]
)
def test_no_page_shows_a_secret(browser: Browser, workspace: Workspace, page: str) -> None:
    Path(workspace.root, "MEMORY.md").write_text(f"# Memory\n\n- [ ] Ferns {TOKEN}\n\n{KEY}\n")
    Path(workspace.root, "memory/2026-11-20.md").write_text(f"# Day\n\n- Ferns {TOKEN}\n{KEY}\n")

    shown = browser.get(page)

    assert "‹redacted:" in shown
    assert TOKEN not in shown
    assert "b3BlbnNzaC1rZXkt" not in shown


def test_a_change_that_came_after_the_page_is_not_undone(browser: Browser, workspace: Workspace) -> None:
    workspace.remember("Ferns like rain")
    form = browser.form("history", "Undo")
    workspace.remember("Roses like sun")

    assert "came after the change that was shown" in text_of(browser.post("history", 409, **form))
    assert "Roses like sun" in Path(workspace.root, "MEMORY.md").read_text()
