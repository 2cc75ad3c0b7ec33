"""A browser that has come in by a link, for tests of pages: requests pass the guard and the application."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import unescape

from starlette.testclient import TestClient

from agentws.features.ui.app import application
from agentws.features.ui.changes import Changes
from agentws.features.ui.guard import Door, Guard, hosts
from agentws.features.ui.page import Page
from agentws.features.ui.pages import PAGES, fleet
from agentws.workspace import Environment, Workspace

ADDRESS = "http://127.0.0.1:8760"
FORM = re.compile(r'<form class="act".*?</form>', re.DOTALL)
FIELD = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


class Browser:
    """The browser of a person. `get` and `post` name a page; `press` sends the form of a button as the page has it."""

    def __init__(
        self, root: str, environment: Environment, *, is_read_only: bool = False, url: str = "", team: str | None = None
    ) -> None:
        self.now = 0.0
        self.door = Door(lambda: self.now)
        self.changes = Changes()
        opened: Callable[[], Workspace] = lambda: Workspace.open(root, environment=environment)  # noqa: E731
        pages: Sequence[Page] = PAGES
        if url:
            opened, pages = fleet.alone(lambda: environment, url, team)
        app = application(opened, self.changes, is_read_only=is_read_only, pages=pages)
        guard = Guard(
            app, door=self.door, hosts=hosts("127.0.0.1", 8760), cookie="agentws-8760", is_read_only=is_read_only
        )
        self.client = self.another(guard)
        self.guard = guard
        self.client.get(self.door.link())

    def another(self, guard: Guard) -> TestClient:
        """Return a browser that has not come in."""
        return TestClient(guard, base_url=ADDRESS, raise_server_exceptions=False, follow_redirects=False)

    @property
    def form_token(self) -> str:
        """The token that the forms of this browser carry."""
        return self.door._sessions[0].form_token

    def path(self, page: str) -> str:
        """Return the path of a page."""
        return f"/{self.door.prefix}/{page}"

    def get(self, page: str, status: int = 200) -> str:
        """Return a page."""
        response = self.client.get(self.path(page))
        assert response.status_code == status, response.text
        return response.text

    def post(self, page: str, status: int = 303, **fields: str) -> str:
        """Send the fields of a form; return the page that follows."""
        headers = {"origin": ADDRESS}
        response = self.client.post(self.path(page), data=fields, headers=headers)
        assert response.status_code == status, response.text
        return self.get(response.headers["location"]) if status == 303 else response.text

    def press(self, page: str, label: str, status: int = 303, at: int = 0, **fields: str) -> str:
        """Press the button with this label, the first one or the one `at` a place, after filling in `fields`."""
        return self.post(page, status, **{**self.form(page, label, at), **fields})

    def form(self, page: str, label: str, at: int = 0) -> dict[str, str]:
        """Return the hidden fields of the form of a button."""
        forms = [form for form in FORM.findall(self.get(page)) if f">{label}</button>" in form]
        return {name: unescape(value) for name, value in FIELD.findall(forms[at])}


def text_of(page: str) -> str:
    """Return the words of a page, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())
