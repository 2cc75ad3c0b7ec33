"""docs: the documentation that this version ships. Reads only, and needs no workspace."""

from __future__ import annotations

import difflib

from agentws.errors import MissingFileError
from agentws.storage.system import shipped

_FOLDERS = ("", "guides", "reference", "format")
"""Where pages are, in the order in which one is looked for by its last name."""
_SUFFIX, _INDEX = ".md", "README"


class Page:
    """A page: its name (`guides/tasks`), its title, its text in Markdown."""

    __slots__ = ("name", "text", "title")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.title = text.partition("\n")[0].lstrip("# ")


def pages() -> list[Page]:
    """Every page, folder by folder; how it came to be (`adr/`) is not among them."""
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
    """The page of a name, with or without its folder, or the only one whose name begins so.

    MissingFileError, with those that are near.
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


def _last(one: Page) -> str:
    return one.name.rpartition("/")[2]
