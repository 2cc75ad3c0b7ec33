"""Chromium before `agentws ui`: the real command at a terminal, the real browser, a workspace of hostile text."""

from __future__ import annotations

import contextlib
import importlib
import os
import pty
import re
import select
import shutil
import signal
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentws.workspace import Workspace
from tests.judges import rig
from tests.judges.conftest import collect_ignore_glob

__all__ = ["collect_ignore_glob"]
PLAYWRIGHT = "playwright==1.65.2"
AXE = "axe-core@4.14.1"
_LINK = re.compile(rb"http://127\.0\.0\.1:\d+/\S+")
_START_S, _END_S = 60, 20
TAG = "<script>alert(1)</script><img src=http://192.0.2.1/x onerror=alert(2)>[a](javascript:alert(3))"
"""Text that is in every field: shown as text it is harmless; a dialog, or a request to the address, would show it."""


class Opened:
    """A browser that came in by the link: `page` opens a tab; what tabs asked for, said and showed is recorded."""

    def __init__(self, browser: Any, link: str) -> None:
        self._browser = browser
        self.base = link.partition("?")[0]
        self.requests: list[str] = []
        self.troubles: list[str] = []
        context = self._context({})
        first = context.new_page()
        first.goto(link)
        first.wait_for_selector("h1")
        self._state = context.storage_state()
        context.close()

    def page(self, path: str = "today", **options: Any) -> Any:
        """Return a tab with a page; `options` are those of a context, such as a viewport."""
        tab = self._context({"storage_state": self._state, **options}).new_page()
        tab.goto(path if "://" in path else f"{self.base}{path}")
        return tab

    def _heard(self, kind: str, text: str) -> None:
        if kind == "error" and not text.startswith("Failed to load resource"):  # a refused change is an answer
            self.troubles.append(text)

    def _context(self, options: dict[str, Any]) -> Any:
        context = self._browser.new_context(**options)
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("dialog", lambda dialog: (self.troubles.append(dialog.message), dialog.dismiss()))
        context.on("console", lambda said: self._heard(said.type, said.text))
        context.on("weberror", lambda error: self.troubles.append(str(error.error)))
        return context


SILENT = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-features=NetworkTimeServiceQuerying,AutofillServerCommunication,OptimizationHints,MediaRouter,Translate",
    "--metrics-recording-only",
    "--component-updater=url-source=http://127.0.0.1:9/,disable-pings",
    *(f"--{name}=http://127.0.0.1:9/" for name in ("gaia-url", "google-url", "google-base-url")),
    "--no-first-run",
    "--no-pings",
    "--dns-prefetch-disable",
)
"""What keeps Chromium itself from asking its makers: whatever still leaves, a page has sent."""


@pytest.fixture(scope="session")
def blocked() -> Iterator[tuple[str, list[str]]]:
    """A proxy that lets nothing through: its address, and the first line of each request that came to it."""
    heard: list[str] = []

    class Refusing(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            heard.append(self.rfile.readline(1 << 12).decode("latin-1").strip())
            self.wfile.write(b"HTTP/1.1 403 Blocked\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", heard
        server.shutdown()


@pytest.fixture(scope="session")
def chromium(judges_cache: Path, blocked: tuple[str, list[str]]) -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright. Only 127.0.0.1 is reached without the proxy, also by Chromium itself."""
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("The page was NOT judged: there is no chromium here")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", ".", PLAYWRIGHT]
    sys.path.insert(0, str(rig.installed(judges_cache, PLAYWRIGHT, pip)))
    with importlib.import_module("playwright.sync_api").sync_playwright() as playwright:
        # `<-loopback>` takes back that Chromium passes every name of this machine by the proxy.
        through = [f"--proxy-server={blocked[0]}", "--proxy-bypass-list=<-loopback>;127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=program, args=[*SILENT, *through])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(judges_cache: Path) -> str:
    """The script of axe-core."""
    folder = rig.from_npm(judges_cache, AXE)
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and no variable of an agent's program."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in list(os.environ):
        if name.startswith(("AGENTWS", "CLAUDE", "CODEX", "XDG")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def workspace(home: Path, tmp_path: Path) -> Workspace:
    """A workspace with something on every page, and active text in every field."""
    made = Workspace.init(str(tmp_path / "robin"), name="Robin")
    soul = Path(made.root, "SOUL.md")
    soul.write_text(f"# Soul\n\nCalm. {TAG}\n")
    made.remember(f"The ferns get rain water only {TAG}")
    made.todo(f"Water the ferns {TAG}")
    made.todo("Cut the roses")
    made.log(f"Decided {TAG}", kind="decision")
    made.log(f"From outside {TAG}", via="mail")
    made.tasks.add("Winter store", goal=TAG)
    subprocess.run([sys.executable, "-m", "agentws", "config", "--user", "ask.typed", "true"], check=True)
    made.ask(f"May I order moss? {TAG}", action={"tool": "order", "input": {TAG: TAG}})
    made.session.start(f"Session {TAG}", session="s1")
    for number in range(150):
        made.event("action", tool=f"shell {TAG}", input={"command": f"step {number}"}, call=f"c{number}", session="s1")
    made.copies.create(str(tmp_path / "a<b>c"))
    soul.write_text("# Soul\n\nLoud.\n")
    return made


@pytest.fixture
def opened(chromium: Any, blocked: tuple[str, list[str]], workspace: Workspace) -> Iterator[Opened]:
    """Chromium before the page of the workspace; afterwards nothing may have left, and no script may have run."""
    with serving(workspace.root) as link:
        browser = Opened(chromium, link)
        yield browser
        origin = browser.base[: browser.base.index("/", len("http://"))]
        assert [url for url in browser.requests if not url.startswith((origin, "data:", "file:"))] == []
        assert browser.troubles == []
        assert blocked[1] == [], "nothing has left, neither by a page nor by Chromium itself"


@contextlib.contextmanager
def serving(root: str) -> Iterator[str]:
    """Run `agentws ui` at a terminal, as a person does, and end it with Ctrl-C; yields its link."""
    main, terminal = pty.openpty()
    command = [sys.executable, "-m", "agentws", "ui", "--no-open", "-C", root]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
    try:
        yield _link(main)
        process.send_signal(signal.SIGINT)
        assert process.wait(_END_S) == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(main)
        os.close(terminal)


def _link(terminal: int) -> str:
    said, until = b"", time.monotonic() + _START_S
    while time.monotonic() < until:
        if select.select([terminal], [], [], 1)[0]:
            said += os.read(terminal, 4096)
        if (found := _LINK.search(said)) and b"Ctrl-C" in said:
            return found[0].decode()
    raise AssertionError(said.decode(errors="replace"))
