"""ui --export: the pages as static files, without script and buttons, that open from any disk."""

from __future__ import annotations

import os
import re
from collections import deque
from dataclasses import dataclass, field
from importlib import resources
from urllib.parse import urlencode

from agentws.core.disk import files
from agentws.core.formats import agent_name
from agentws.core.text.names import some
from agentws.errors import AgentwsError, NotForAudienceError, UsageError
from agentws.features.transfer import exporter
from agentws.features.ui.page import Notice
from agentws.features.ui.pages import PAGES
from agentws.features.ui.templating import Templates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agentws.features.ui.page import Page, Query
    from agentws.workspace import Workspace

_STYLE = "page.css"
_MARK = ".agentws-page"
"""The file that names the files of an export, which the next may replace."""
_FIRST = "index.html"
_NOWHERE = "#nowhere"
_DEAD = re.compile(rf' href="{_NOWHERE}[^"]*"')
_MOST_NAME = 60
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")


@dataclass(slots=True)
class Exported:
    """The result of an export: its `path`, how many `pages` it has, and the titles of pages that were `left_out`."""

    path: str
    pages: int = 0
    left_out: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def export(
    workspace: Workspace,
    path: str,
    *,
    since: str = "",
    pages: Sequence[Page] = PAGES,
    progress: Callable[[int, int], None] | None = None,
) -> Exported:
    """Write the pages into the folder `path`, complete or not at all; an earlier export there is replaced.

    Where the system cannot exchange two folders, a kill between two renames leaves none: run the export again.
    `progress` is called with the number of pages written and known so far. `since` is the first day (ISO) of journal
    and days, empty for all. Secrets are masked, and pages that the audience of the workspace may not see are left out.
    UsageError if the folder has other files or is in the workspace.
    """
    place = exporter.outside(workspace.root, path)
    parent, name = os.path.split(place)
    try:
        _check_free(place, path)
        with exporter.beside(parent) as aside:
            made = f"{aside}/{name}"
            os.mkdir(made, 0o700)
            result = _Site(workspace, made, since, pages).write(place, progress)
            exporter.replace(made, place)
        files.Outside(parent).sync_folder("")
    except OSError as error:
        raise files.failure(error, path) from error
    return result


def _check_free(place: str, path: str) -> None:
    """Raise UsageError if the folder holds anything but the files that an earlier export lists."""
    if not os.path.lexists(place):
        return
    if os.path.islink(place) or not os.path.isdir(place):
        raise UsageError(f"{path} is not a folder.", hint="Name a new folder.")
    names = set(os.listdir(place))
    if _MARK in names:
        with open(f"{place}/{_MARK}", encoding="utf-8", errors="replace") as file:
            names -= {_MARK, *file.read().splitlines()}
    if names:
        hint = "Move these files, or name a new folder."
        raise UsageError(f"{path} has files that no export wrote: {some(sorted(names))}.", hint=hint)


class _Site:
    """The pages that were reached from the menu, each written once."""

    def __init__(self, workspace: Workspace, folder: str, since: str, pages: Sequence[Page]) -> None:
        self._workspace = workspace
        self._folder = folder
        self._since = since
        self._pages = {page.name: page for page in pages}
        self._menu: list[Page] = []
        self._names: dict[tuple[str, str], str] = {}
        agent = workspace.stores.manifest.name or agent_name.from_folder(workspace.root)
        self._frame = {"agent": agent, "is_live": False, "made": f"{workspace.stores.clock.now():%Y-%m-%d %H:%M}"}
        self._files: list[str] = []
        self._counts: dict[str, int] = {}
        self._waiting: deque[tuple[Page, dict[str, str], str]] = deque()
        self._templates = Templates(link=self._link, asset=lambda name: name, frame=self._frame)

    def write(self, place: str, progress: Callable[[int, int], None] | None) -> Exported:
        """Write the pages and the style, and return what was written."""
        result = Exported(place)
        for page in self._pages.values():
            if page.in_menu and page.exported({}, self._since) is not None:
                if self._is_for_audience(page):
                    self._menu.append(page)
                else:
                    result.left_out.append(page.title)
        if not self._menu:
            raise NotForAudienceError
        self._link(self._menu[0].name)
        while self._waiting:
            self._put(*self._waiting.popleft())
            result.pages += 1
            if progress:
                progress(result.pages, len(self._names))
        self._file(_STYLE, resources.files("agentws.features.ui").joinpath("static", _STYLE).read_bytes())
        self._file(_MARK, "".join(f"{name}\n" for name in self._files).encode())
        return result

    def _is_for_audience(self, page: Page) -> bool:
        """Return whether the audience may see the whole page: parts of it are read while it is rendered."""
        query = page.exported({}, self._since) or {}
        try:
            self._text(Templates(link=lambda *_, **__: _NOWHERE, frame=self._frame), page, query)
        except NotForAudienceError:
            return False
        except AgentwsError:
            pass  # its page says so
        return True

    def _link(self, name: str, /, **query: object) -> str:
        """Return the file of a page, which is written too; no place for one that an export does not have."""
        given = {key: str(value) for key, value in query.items() if value not in ("", None)}
        page = self._pages.get(name)
        read = page.exported(given, self._since) if page is not None else None
        if page is None or read is None or (page.in_menu and page not in self._menu):
            return _NOWHERE
        key = name, urlencode(sorted(given.items()))
        if key not in self._names:
            self._names[key] = self._free_name(*key)
            self._waiting.append((page, dict(read), self._names[key]))
        return self._names[key]

    def _free_name(self, name: str, query: str) -> str:
        if not self._names:
            return _FIRST
        words = _NOT_IN_NAMES.sub("-", f"{name}-{query}".casefold()).strip("-")[:_MOST_NAME]
        self._counts[words] = number = self._counts.get(words, 0) + 1
        return f"{words}_{number}.html" if number > 1 else f"{words}.html"

    def _put(self, page: Page, query: Query, file: str) -> None:
        try:
            text = self._text(self._templates, page, query)
        except AgentwsError as error:
            text = self._text(self._templates, page, query, Notice.of(error))
        self._file(file, _DEAD.sub("", text).encode("utf-8", "replace"))

    def _text(self, templates: Templates, page: Page, query: Query, error: Notice | None = None) -> str:
        """Return a page, or the page that says why it cannot be shown."""
        values = {"pages": self._menu or [page], "page": page, "query": query, "notice": error}
        if error is not None:
            return "".join(templates.render("error", values))
        return "".join(templates.render(page.name, {**values, **page.view(self._workspace, query)}))

    def _file(self, name: str, data: bytes) -> None:
        with open(f"{self._folder}/{name}", "xb") as file:
            file.write(data)
        self._files.append(name)
