"""The application: a page for each entry of PAGES, its actions, the static files and the stream of changes."""

from __future__ import annotations

import os
import secrets
import shutil
from collections import deque
from contextlib import asynccontextmanager, suppress
from importlib import resources
from tempfile import TemporaryDirectory

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from agentws.core.formats import agent_name
from agentws.errors import AgentwsError, MissingFileError, NothingOpenError
from agentws.features.ui import export
from agentws.features.ui.page import Notice, number
from agentws.features.ui.pages import PAGES
from agentws.features.ui.templating import Templates, link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence

    from starlette.requests import Request

    from agentws.features.ui.changes import Changes
    from agentws.features.ui.page import Page
    from agentws.workspace import Workspace

_STATUS = {2: 400, 3: 403, 11: 409, 13: 409, 15: 403, 16: 403}
"""The status of HTTP for an exit code."""
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_NOTICE = "notice"
_ARCHIVE = "agentws-page"
_MOST_DAYS = 10_000
_MOST_NOTICES = 16


class _Pages:
    """The pages of a workspace, which is opened anew for each request: `opened` is called in a thread of its own."""

    def __init__(self, opened: Callable[[], Workspace], changes: Changes, pages: Sequence[Page], *, is_read_only: bool):
        self._opened = opened
        self._changes = changes
        self._pages = pages
        menu = [page for page in pages if page.in_menu]
        self._templates = Templates(frame={"pages": menu, "is_read_only": is_read_only})
        self._notices: dict[str, Notice] = {}

    def routes(self) -> list[Route]:
        """Return the routes below the secret prefix, which the guard has checked."""
        return [
            Route("/", lambda _: RedirectResponse(self._pages[0].name, 303), methods=["GET"]),
            Route("/changes", self._stream, methods=["GET"]),
            Route("/export.zip", self._export, methods=["GET"]),
            Route("/static/{name}", _asset, methods=["GET"]),
            *(Route(f"/{page.name}", self._served(page), methods=["GET", "POST"]) for page in self._pages),
        ]

    @asynccontextmanager
    async def warmed(self, _: Starlette) -> AsyncIterator[None]:
        """Serve after the first page was shown to nobody: its modules and caches are ready while the browser starts."""
        await run_in_threadpool(self._warm)
        yield

    def _warm(self) -> None:
        page = self._pages[0]
        with suppress(Exception):  # whoever asks for the page learns of it, and the other pages are served
            values = {"page": page, "seen": 0, **page.view(self._opened(), {})}
            deque(self._templates.render(page.name, values), maxlen=0)

    async def _export(self, request: Request) -> Response:
        return await run_in_threadpool(self._zipped, number(request.query_params, "days", 0, most=_MOST_DAYS))

    def _zipped(self, days: int) -> Response:
        """Return the pages as static files in a ZIP archive, with the last `days` or, for 0, all days."""
        try:
            workspace = self._opened()
            since = workspace.moment(f"{days - 1}d").date().isoformat() if days else ""
            with TemporaryDirectory() as folder:
                export.export(workspace, f"{folder}/{_ARCHIVE}", since=since, pages=self._pages)
                with open(shutil.make_archive(f"{folder}/{_ARCHIVE}", "zip", folder, _ARCHIVE), "rb") as file:
                    data = file.read()
        except AgentwsError as error:
            return PlainTextResponse(f"{error.message}\n", status_of(error))
        named = {"Content-Disposition": f'attachment; filename="{_ARCHIVE}.zip"'}
        return Response(data, media_type="application/zip", headers=named)

    def _served(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        async def serve(request: Request) -> Response:
            answer = self._act if request.method == "POST" else self._answer
            return await run_in_threadpool(answer, page, request, dict(request.query_params))

        return serve

    def _act(self, page: Page, request: Request, query: dict[str, str]) -> Response:
        """Do what a button says, and go back to the page: reloading it does nothing twice."""
        form = request.state.form
        action = page.actions.get(form.get("action", ""))
        if action is None:
            return self._answer(page, request, query, Notice("This page has no such button.", is_error=True), 404)
        try:
            notice = action(self._opened(), form)
        except AgentwsError as error:
            return self._answer(page, request, query, Notice.of(error, form), status_of(error))
        return RedirectResponse(link(page.name, **{**query, _NOTICE: self._kept(notice)}), 303)

    def _kept(self, notice: Notice) -> str:
        """Return a name by which the next request for a page gets the notice."""
        name = secrets.token_urlsafe(8)
        self._notices[name] = notice
        for old in list(self._notices)[:-_MOST_NOTICES]:
            self._notices.pop(old, None)
        return name

    def _answer(
        self, page: Page, request: Request, query: dict[str, str], notice: Notice | None = None, status: int = 200
    ) -> Response:
        notice = notice or self._notices.pop(query.pop(_NOTICE, ""), None)
        # A page that changes on its own keeps its notice, and with it what the person typed.
        refreshed = {**query, _NOTICE: self._kept(notice)} if notice else query
        name, values = page.name, dict[str, object](page=page, query=query, refreshed=refreshed)
        values |= {"seen": self._changes.count}
        try:
            workspace = self._opened()
            values |= {"agent": workspace.stores.manifest.name or agent_name.from_folder(workspace.root)}
            values |= page.view(workspace, query)
        except AgentwsError as error:
            name, notice, status = "error", Notice.of(error), status_of(error)
        return self._rendered(request, name, notice, status, values)

    def _rendered(
        self, request: Request, name: str, notice: Notice | None, status: int, values: Mapping[str, object]
    ) -> Response:
        own = {"notice": notice, "form_token": request.state.session.form_token}
        parts = self._templates.render(name, {**own, **values})
        first = next(parts)  # here, so that the status can say what is wrong with it
        return StreamingResponse(self._rest(first, parts), status, media_type="text/html")

    def _rest(self, first: str, parts: Iterator[str]) -> Iterator[str]:
        """Yield the parts of a page. An error of a later one is a notice in its place, and ends the page."""
        yield first
        try:
            yield from parts
        except AgentwsError as error:
            yield from self._templates.render("notice", {"notice": Notice.of(error)})

    async def missing(self, request: Request, _: Exception) -> Response:
        """Answer for a path that no page has."""
        notice = Notice("There is no such page.", is_error=True)
        return self._rendered(request, "error", notice, 404, {})

    async def failed(self, request: Request, _: Exception) -> Response:
        """Answer for a bug. Starlette raises it again, so that the terminal shows where it is."""
        notice = Notice("This is a bug in agentws. The terminal shows where.", is_error=True)
        return self._rendered(request, "error", notice, 500, {})

    async def _stream(self, request: Request) -> Response:
        seen = request.query_params.get("seen")
        return StreamingResponse(self._changes.stream(seen), media_type="text/event-stream")


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    file = resources.files("agentws.features.ui") / "static" / name
    kind = _KINDS.get(os.path.splitext(name)[1])
    if kind is None or not file.is_file():
        return PlainTextResponse("There is no such file.\n", 404)
    return Response(file.read_bytes(), media_type=kind)


def status_of(error: AgentwsError) -> int:
    """Return the status of HTTP for an error: what the person can change is below 500."""
    return 404 if isinstance(error, MissingFileError | NothingOpenError) else _STATUS.get(error.exit_code, 500)


def application(
    opened: Callable[[], Workspace],
    changes: Changes,
    *,
    is_read_only: bool = False,
    pages: Sequence[Page] = PAGES,
) -> Starlette:
    """Return the application without its guard. `opened` returns the workspace, anew for each request."""
    made = _Pages(opened, changes, pages, is_read_only=is_read_only)
    handlers = {404: made.missing, Exception: made.failed}
    return Starlette(routes=made.routes(), exception_handlers=handlers, lifespan=made.warmed)
