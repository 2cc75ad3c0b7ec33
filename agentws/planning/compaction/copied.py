"""Whose words a log holds: what was copied from elsewhere, what stands in a row of a table, a sign-off.

Under the address of an article, a stranger's handle, a pasted prompt, a `must` is nobody's rule here, and a takeaway
is nobody's lesson. What the log itself marks, with a kind in brackets or the label `Decision:`, is its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from agentws.planning.compaction import candidates, kinds, tiers
from agentws.planning.compaction.hinted import Hinted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agentws.planning.compaction.units import Day, Unit

_CLAIMS = (*tiers.WEIGHTY, "todo", "question", "plan")
"""Kinds that only somebody who works here gives."""
_HINTS = Hinted(
    r"\b(?:articles?|tweets?|bookmarks?|podcasts?|newsletters?|blog|takeaways?|prompt|source|author|quotes?|readings?|"
    r"you are an?|x\.com|twitter|medium\.com|substack|reddit|youtu|ycombinator|threads? by|post by)\b|\(@\w",
    "article|tweet|bookmark|podcast|newsletter|blog|takeaway|prompt|source|author|quote|reading|you are a|x.com|"
    "twitter|medium.com|substack|reddit|youtu|ycombinator|thread|post by|(@",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^(#{1,6})\s+(.*)")
_ELSEWHERE = re.compile(
    r"\(@\w+\)|\bhttps?://|\b(?:articles?|bookmarks?|tweets?|podcasts?|transcripts?|excerpts?|quotes?|"
    r"(?:reading|watch) list|(?:pasted|system) prompt|threads? by|post by)\b"
    r"(?! (?:published|drafts?|posted|written|sent))",
    re.IGNORECASE,
)
_SOURCE = re.compile(
    r"^\W*(?:source|article|author|tweet|thread|video|podcast|link|read|from|url|via)\W{1,6}"
    r"(?:\[[^\]]*\]\()?https?://"
    r"|^\W*(?:author|(?:posted|written|tweeted|said) by|by)\W{1,4}@\w+"
    r"|^\W*(?:[^:]{0,60}:\s*)?<?https?://(?:\w+\.)?(?:x|twitter|medium|reddit|linkedin|ycombinator|youtube)\.com/\S+\W*$",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:posted|published|drafts?|replied|our (?:post|tweet|video|article))\b", re.IGNORECASE)
_PROMPT = re.compile(r"^\W*you are (?:an?|the) \w", re.IGNORECASE)
_TAKEAWAY = re.compile(r"^\W*(?:key |main |the )?takeaways?\b[^:]{0,12}:", re.IGNORECASE)
_OWN = re.compile(
    r"^\W*+(?:\d\d:\d\d\s++(?:\[|\**+))?(?:(?<=\[)[a-z][\w-]{1,23}\](?!\()|"
    r"(?:our )?(?:decisions?|decided|root cause|action)\b[^:]{0,20}:)",
    re.I,
)
_SIGN_OFF = re.compile(r"^\s*(?:[—–-]{1,2}\s*)?(\*{1,2}|_)(?!\1|\s)[^*_]+\1\s*$")
_ONE_DAY = re.compile(
    r"\b(?:[Tt]onight|[Tt]omorrow|[Tt]his (?:morning|afternoon|evening|weekend)|(?:by|for) today|bis heute|morgen|"
    r"Wochenende)\b"
)
_HARMLESS = (kinds.FACTS, kinds.EVENTS)
_ROW = "row"


def of(days: Sequence[Day], *, private_tags: Sequence[str] = ("private",)) -> list[Unit]:
    """The sentences of all `days` (compaction/candidates.py), none with a kind that only their own words may have."""
    units = candidates.of(days, private_tags=private_tags)
    pages = {day.path: _Page(day.text) for day in days}
    for unit in units:
        if unit.is_spoken or (unit.kind is not None and unit.kind not in _CLAIMS):
            continue
        page, first = pages[unit.sources[0].path], unit.sources[0].line
        if unit.done is False:  # an empty box is open, whoever wrote it
            unit.is_low = unit.is_low or page.is_copied(first)
            continue
        if unit.kind is None:
            if page.is_copied(first):
                unit.is_low = True
                if kinds.of(unit.text, None, is_spoken=False) not in _HARMLESS:
                    unit.kind = "done"
        elif page.is_copied(first) or (_TAKEAWAY.match(unit.text) and not page.has_claim(first)):
            unit.kind, unit.is_low = "done", True
        elif page.is_sign_off(first):
            unit.kind, unit.is_low = None, True
        elif unit.form == _ROW and unit.kind != page.kind_above(first) and not tiers.says(unit.text):
            unit.kind = page.kind_above(first)
        elif unit.kind == "preference" and _is_for_a_day(unit) and not tiers.says(unit.text):
            unit.kind = None
    return units


def _is_for_a_day(unit: Unit) -> bool:
    """True for an order that is over when its day is."""
    return _ONE_DAY.search(f"{unit.about} {unit.text}") is not None


class _Page:
    """A log by its lines: which of them are copied, what the heading right above says."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts: list[int] = []
        self._copied: list[bool] = []
        self._kinds: list[str | None] = []
        self._has_hint = _HINTS.is_in(text)
        self._is_read = False

    def is_copied(self, line: int) -> bool:
        """True for a line (1-based) below what says that it is somebody else's, unless the line is marked as own."""
        if not self._has_hint or self.has_claim(line):
            return False
        at = self._section(line)
        return at >= 0 and self._copied[at]

    def has_claim(self, line: int) -> bool:
        return _OWN.match(self._lines[line - 1].lstrip(" \t-*+")) is not None

    def is_sign_off(self, line: int) -> bool:
        """True for a paragraph of one line that is in italics as a whole and is the last one of its section."""
        if _SIGN_OFF.match(self._lines[line - 1]) is None:
            return False
        rest = next((one for one in self._lines[line:] if one.strip()), "#")
        return rest.startswith(("#", "---"))

    def kind_above(self, line: int) -> str | None:
        """The kind that the nearest heading gives."""
        at = self._section(line)
        return self._kinds[at] if at >= 0 else None

    def _section(self, line: int) -> int:
        if not self._is_read:
            self._is_read = True
            for start, is_copied, kind in _sections(self._lines):
                self._starts.append(start)
                self._copied.append(is_copied)
                self._kinds.append(kind)
        return bisect_right(self._starts, line) - 1


def _sections(lines: Sequence[str]) -> Iterator[tuple[int, bool, str | None]]:
    """(first line, copied, kind) of each section; one below a copied one is copied too, but not below the title."""
    found: list[tuple[int, int, str]] = []
    is_fence = False
    for number, line in enumerate(lines, 1):
        if line.startswith(("```", "~~~")):
            is_fence = not is_fence
        elif not is_fence and line.startswith("#") and (heading := _HEADING.match(line)):
            found.append((number, len(heading.group(1)), heading.group(2)))
    above: list[tuple[int, bool]] = []
    for place, (number, level, title) in enumerate(found):
        end = found[place + 1][0] - 1 if place + 1 < len(found) else len(lines)
        while above and above[-1][0] >= level:
            above.pop()
        is_title = place == 0
        own = (not is_title and _ELSEWHERE.search(title) is not None and _OURS.search(title) is None) or _tells_source(
            lines[number:end], is_title=is_title
        )
        is_copied = own or (bool(above) and above[-1][1])
        above.append((level, is_copied and not is_title))
        yield number, is_copied, tiers.of_heading(title)


def _tells_source(body: Sequence[str], *, is_title: bool) -> bool:
    """True where a section names where it was copied from, or begins as a prompt does."""
    first = next((line for line in body if line.strip()), "")
    if _PROMPT.match(first):
        return True
    return not is_title and any(
        _SOURCE.match(line) and not _OURS.search(line) for line in body if "http" in line or "@" in line
    )
