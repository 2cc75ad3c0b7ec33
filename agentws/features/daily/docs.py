"""docs: lists, finds and reads the pages of the shipped documentation. Reads only, and needs no workspace."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentws.core.disk.system import shipped
from agentws.errors import MissingFileError

_FOLDERS = ("", "guides", "reference", "format")
"""The folders of pages, in the order in which a page is looked up by its file name."""
_LAST_FOLDERS = ("reference", "format")
"""The folders whose pages are listed after others that match as well."""
_FEW, _MOST = 2, 8
"""How often a page must contain a single word that its headings lack, and how many pages are listed."""
_CHANGELOG = "changelog"
_FILLER = re.compile(
    r"(?:an?|and|can|do|does|for|get|how|i|in|is|it|me|my|of|that|the|this|to|what|when|where|with)\??", re.IGNORECASE
)
"""A word of a question that says nothing about a page."""
_FENCE = "```"
_SUFFIX, _INDEX = ".md", "README"


class Page:
    """A page of the docs: its name (`guides/tasks`), its title, its text in Markdown."""

    __slots__ = ("name", "text", "title")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self.title = text.partition("\n")[0].lstrip("# ")


@dataclass(frozen=True, slots=True)
class Matches:
    """Pages of the docs, the best first; `has_all_words` is false if no page has all of the words."""

    pages: list[Page]
    has_all_words: bool = True


def pages() -> list[Page]:
    """Return all pages of the docs, folder by folder, without those in `adr/`; the changelog is the last."""
    tree = shipped.docs()
    listed: list[Page] = []
    for folder in _FOLDERS:
        for file, kind in tree.names(folder):
            stem = file.removesuffix(_SUFFIX)
            if kind == "file" and stem not in (file, _INDEX):
                name = f"{folder}/{stem}" if folder else stem
                listed.append(Page(name, tree.read(f"{name}{_SUFFIX}").decode("utf-8")))
    return [*listed, Page(_CHANGELOG, shipped.changelog())]


def page(name: str) -> Page:
    """Return the page of the docs with a name, with or without its folder, or the only page whose name begins so.

    A link of a page names one too: `../format/task.md#states`. MissingFileError names similar pages.
    """
    wanted = name.casefold().lstrip("./").partition("#")[0].removesuffix(_SUFFIX)
    every = pages()
    for each in every:
        if wanted in (each.name, _last(each)):
            return each
    begun = [each for each in every if wanted and (each.name.startswith(wanted) or _last(each).startswith(wanted))]
    if len({_last(each) for each in begun}) == 1:
        return begun[0]
    alike = difflib.get_close_matches(wanted, [_last(each) for each in every])
    near = begun or [each for each in every if wanted and wanted in f"{each.name} {each.title}".casefold()]
    names = [each.name for each in near or every if near or _last(each) in alike]
    hint = f"Did you mean: {', '.join(names[:5])}? " if names else ""
    raise MissingFileError(f"{name!r} is not a page of the documentation.", hint=f"{hint}All pages: agentws docs")


def find(words: Sequence[str]) -> Matches:
    """Return the page that `page` finds by these words, else the pages with all of them, else those with the most.

    MissingFileError as from `page` if no page has half of the words.
    """
    try:
        return Matches([page(" ".join(words))])
    except MissingFileError:
        matches = _about(" ".join(words).split())
        if not matches.pages:
            raise
        return matches


def _about(words: Sequence[str]) -> Matches:
    """Return the pages with the most of the words, at least half of them; the most in title and headings come first.

    A page whose file name or title is one of the words comes before all others.
    A single word must be in a heading, or at least _FEW times in the text. Fillers (`how do I`) do not count.
    """
    words = [word for word in words if not _FILLER.fullmatch(word)] or words
    patterns = [_word(word.strip("?")) for word in words]
    names = {word.strip("?").casefold() for word in words}
    if not any(char.isalnum() for word in words for char in word):
        return Matches([])
    rated = []
    for each in (entry for entry in pages() if entry.name != _CHANGELOG):
        prose = "\n".join(each.text.split(_FENCE)[::2])
        headings = "\n".join(line for line in prose.split("\n") if line.startswith("#"))
        in_title, in_headings = (
            sum(bool(pattern.search(text)) for pattern in patterns) for text in (each.title, headings)
        )
        counts = [len(pattern.findall(each.text)) for pattern in patterns]
        matched = sum(bool(count) for count in counts)
        if 2 * matched >= len(words) and max(counts) >= (1 if in_headings or len(words) > 1 else _FEW):
            is_named = not names.isdisjoint((_last(each), each.title.casefold()))
            is_guide = each.name.partition("/")[0] not in _LAST_FOLDERS
            rated.append(((is_named, matched, in_title, in_headings, is_guide, min(counts)), each))
    rated.sort(key=lambda pair: pair[0], reverse=True)
    most = max((matched for (_, matched, *_), _ in rated), default=0)
    best = [each for (is_named, matched, *_), each in rated if is_named or matched == most]
    return Matches(best[:_MOST], most == len(words))


def _word(word: str) -> re.Pattern[str]:
    """Return a pattern for words that begin with this one, without the `s` of a plural."""
    beginning = word.removesuffix("s") if len(word) > len("its") else word
    return re.compile(rf"(?<!\w){re.escape(beginning)}", re.IGNORECASE)


def _last(each: Page) -> str:
    return each.name.rpartition("/")[2]
