"""The headings of days that are not shown, one line a day. Pure."""

from __future__ import annotations

from agentws.formats.markdown import inset
from agentws.planning.boot import frame_mark, order
from agentws.planning.boot.rows import NOTHING, TELLING_HEADING_CHARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.planning.boot.part import Part
    from agentws.planning.tokens.counters import Measure

TITLE = "Earlier days (headings)"
_BETWEEN = "; "
_MOST_DAYS = 7


def section(logs: Sequence[Part], room: int, measure: Measure, *, longest: int) -> str:
    """Return a section with a line for each log, the newest first, within `room` units, none longer than `longest`.

    What is a heading twice is a template's and says nothing, as do one short word and what only says of which kind the
    lines below it are.
    """
    heading = frame_mark.heading(TITLE)
    room -= measure(heading) + measure("\n")
    days = [(log, _titles(log)) for log in logs[:_MOST_DAYS]]
    seen: set[str] = set()
    usual: set[str] = set()
    for _, titles in days:
        usual |= seen.intersection(titles)
        seen.update(titles)
    lines: list[str] = []
    for log, titles in days:
        own = dict(place for gist, place in titles.items() if gist not in usual)
        text = _line(log, own, min(longest, room), measure)
        room -= measure(text) if text else 0
        lines.append(text)
    text = "".join(lines)
    return f"{heading}{text}\n" if text else ""


def _line(log: Part, titles: Mapping[int, str], room: int, measure: Measure) -> str:
    """The day and as many of its headings as fit, the outer ones first, in the order of the log."""
    text = ""
    taken: list[int] = []
    rows = log.rows
    for at in sorted(titles, key=lambda at: (rows[at].level, at)):
        more = sorted([*taken, at])
        longer = f"- {log.source.brief[5:]} {_BETWEEN.join(titles[one] for one in more)}\n"
        if measure(longer) <= room:
            taken, text = more, longer
    return text


def _titles(log: Part) -> dict[str, tuple[int, str]]:
    """The headings of a log that stand above something, but for repeated ones, by their letters: row and words."""
    page, heading = log.page, log.words.heading
    above = {page.rows[at].heading for at in page.telling}
    found: dict[str, tuple[int, str]] = {}
    twice: set[str] = set()
    for at in sorted(above - {NOTHING}):
        title = order.title(log, at).replace("**", "").strip(" :")
        gist = page.rows[at].gist or title
        if gist in found:
            twice.add(gist)
        if len(title) > TELLING_HEADING_CHARS and not heading(title):
            found[gist] = (at, inset.inline(title))
    return {gist: place for gist, place in found.items() if gist not in twice}
