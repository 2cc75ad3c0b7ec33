"""docs: lists, finds and reads the pages of the shipped documentation. Reads only, and needs no workspace."""

from __future__ import annotations

import difflib
import re

from agentws.core.disk.system import shipped
from agentws.errors import MissingFileError

_FOLDERS = ("", "guides", "reference", "format")
"""The folders of pages, in the order in which a page is looked up by its file name."""
_FEW, _MOST = 2, 8
"""How often a page must contain a word that its headings lack, and how many such pages are listed."""
_FENCE = "```"
_SUFFIX, _INDEX = ".md", "README"


class Page:
    """A page of the docs: its name (`guides/tasks`), its title, its text in Markdown."""

    __slots__ = ("name", "text", "title")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.title = text.partition("\n")[0].lstrip("# ")


def pages() -> list[Page]:
    """Return all pages of the docs, folder by folder, without those in `adr/`."""
    tree = shipped.docs()
    found: list[Page] = []
    for folder in _FOLDERS:
        for file, kind in tree.names(folder):
            stem = file.removesuffix(_SUFFIX)
            if kind == "file" and stem not in (file, _INDEX):
                name = f"{folder}/{stem}" if folder else stem
                found.append(Page(name, tree.read(f"{name}{_SUFFIX}").decode("utf-8")))
    return found


def page(name: str) -> Page:
    """Return the page of the docs with a name, with or without its folder, or the only page whose name begins so.

    MissingFileError names similar pages.
    """
    wanted = name.casefold().removesuffix(_SUFFIX)
    every = pages()
    for one in every:
        if wanted in (one.name, _last(one)):
            return one
    begun = [one for one in every if wanted and (one.name.startswith(wanted) or _last(one).startswith(wanted))]
    if len({_last(one) for one in begun}) == 1:
        return begun[0]
    alike = difflib.get_close_matches(wanted, [_last(one) for one in every])
    near = begun or [one for one in every if wanted and wanted in f"{one.name} {one.title}".casefold()]
    names = [one.name for one in near or every if near or _last(one) in alike]
    hint = f"Did you mean: {', '.join(names[:5])}? " if names else ""
    raise MissingFileError(f"{name!r} is not a page of the documentation.", hint=f"{hint}All pages: agentws docs")


def found(name: str) -> list[Page]:
    """Return the page that `page` finds, else the pages that contain the word, the best first.

    MissingFileError as from `page` if no page contains it.
    """
    try:
        return [page(name)]
    except MissingFileError:
        fitting = _speaking(name)
        if not fitting:
            raise
        return fitting


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}", re.IGNORECASE)


def _speaking(name: str) -> list[Page]:
    """Return the pages with the word in their title, in a heading or at least _FEW times in their text."""
    if not any(char.isalnum() for char in name):
        return []
    word = _word(name)
    rated = []
    for one in pages():
        prose = "\n".join(one.text.split(_FENCE)[::2])
        headings = "\n".join(line for line in prose.split("\n") if line.startswith("#"))
        said = len(word.findall(one.text))
        rating = (bool(word.search(one.title)), bool(word.search(headings)), said)
        if any(rating[:2]) or said >= _FEW:
            rated.append((rating, one))
    rated.sort(key=lambda pair: pair[0], reverse=True)
    return [one for _, one in rated[:_MOST]]


def _last(one: Page) -> str:
    return one.name.rpartition("/")[2]
