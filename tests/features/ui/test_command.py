"""`agentws ui` is a person's: no agent's process, no shared audience, no address that everybody has."""

from __future__ import annotations

import os
import pty
import re
import signal
import stat
import subprocess
import sys
import urllib.request
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentws.features.ui import command
from agentws.workspace import Workspace
from tests.features.ui.browser import Browser
from tests.hostile import worlds

AGENTS = {
    "a host's mark": {"CLAUDECODE": "1"},
    "a host's session": {"CODEX_SESSION_ID": "s1"},
    "a session": {"AGENTWS_SESSION": "s1"},
}


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_is_refused(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    for variable, value in AGENTS[name].items():
        monkeypatch.setenv(variable, value)

    done = worlds.run_here("ui", "--no-open", cwd=Path(workspace.root))

    assert done.code == 3
    assert "Only a person may open the page for people" in done.err.decode()
    assert "http" not in done.err.decode()


def test_nobody_gets_a_link_without_a_terminal(workspace: Workspace) -> None:
    done = worlds.run_here("ui", "--no-open", cwd=Path(workspace.root))

    assert done.code == 3
    assert "There is no terminal" in done.err.decode()


def test_the_url_of_a_fleet_is_a_persons_too_and_needs_no_workspace(tmp_path: Path) -> None:
    done = worlds.run_here("ui", "--no-open", "postgresql://nobody@/none", cwd=tmp_path)
    assert (done.code, "There is no terminal" in done.err.decode()) == (3, True)
    assert worlds.run_here("ui", "--team", "garden", cwd=tmp_path).code == 2
    assert worlds.run_here("ui", "postgresql://nobody@/none", "--export", "out", cwd=tmp_path).code == 2


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "example.org", "224.0.0.1", ""])
def test_an_address_of_everybody_is_refused(workspace: Workspace, host: str) -> None:
    done = worlds.run_here("ui", "--host", host, cwd=Path(workspace.root))

    assert done.code == 2
    assert "one address of this machine" in done.err.decode()


def test_a_browser_is_started_with_a_file_that_only_this_user_can_read(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Chosen(webbrowser.BaseBrowser):
        def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
            opened.append(url)
            return True

    monkeypatch.setattr(webbrowser, "get", Chosen)

    with command.browser("http://127.0.0.1:1/x/?key=secret") as used:
        path = Path(opened[0].removeprefix("file://"))
        assert "secret" not in opened[0]
        assert "key=secret" in path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700

        used()
        used()
        assert not path.exists()

    assert not path.parent.exists()


def test_the_file_of_a_link_is_removed_when_the_link_was_used(browser: Browser) -> None:
    ended: list[str] = []
    browser.door.used = lambda: ended.append("used")
    link = browser.door.link()

    for _ in range(2):
        browser.another(browser.guard).get(link)

    assert ended == ["used"]


def test_an_unknown_audience_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    done = worlds.run_here("ui", "--export", str(tmp_path / "x"), "--audience", "foo", cwd=Path(workspace.root))

    assert done.code == 2
    assert "main, shared" in done.err.decode()


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ends = pty.openpty()
    yield ends
    for descriptor in ends:
        os.close(descriptor)


def test_it_serves_until_ctrl_c_and_ends_well(workspace: Workspace, terminal: tuple[int, int]) -> None:
    person, own = terminal
    argv = [sys.executable, "-m", "agentws", "-C", workspace.root, "ui", "--no-open"]
    with subprocess.Popen(argv, stdin=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        first = process.stdout.readline().strip()
        process.stdout.readline()
        os.write(person, b"\n")
        second = process.stdout.readline().strip()
        with urllib.request.urlopen(second) as answer:
            cookie = answer.headers["set-cookie"].partition(";")[0]
        stream = urllib.request.Request(second.partition("?")[0] + "changes", headers={"cookie": cookie})
        with urllib.request.urlopen(stream) as open_page:
            assert open_page.readline().startswith(b"retry")
            process.send_signal(signal.SIGINT)
            open_page.read()

        assert process.wait(60) == 0
        assert process.stderr.read() == ""
    assert first != second
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{16}/\?key=[\w-]{43}", first)
