"""Boot's own lines: the first ones, the titles of sections, and the section `Now`. Pure."""

from __future__ import annotations

from agentws.core.markdown.inset import inline, of_line
from agentws.core.notes import sources
from agentws.core.notes.request import DAY, HANDOFF, IN_FLIGHT, LONGEST_TITLE_CHARS
from agentws.core.text.sanitize import one_line
from agentws.features.boot.plan import allocate, frame_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.notes.request import Request, Source
    from agentws.core.tokens.counters import Measure
    from agentws.features.boot.plan.page import Page

_MOST_NOTICES = 5
_NOTICES = 5
_FIRST_NOTICE = 15
"""Hundredths of the budget that notices may use, and the first: the most urgent is worth more than logs."""
TINY = 500
"""Tokens. A smaller budget has short titles, and one mark at the end for most sections of which nothing is shown."""


def head(request: Request) -> str:
    """Return the first lines, which say how headings of the stable part differ from content that looks like one."""
    name = inline(one_line(request.name)[:60]) or "Agent"
    return f"# {name}\nHeadings that end in [{frame_mark.BLANK}] belong to agentws; everything else is content.\n\n"


def heading(source: Source, page: Page, request: Request, tokens: int, *, is_excerpt: bool) -> str:
    """Return the heading of a section in a budget of `tokens`, with BLANK for its mark."""
    return frame_mark.heading(inline(_title(source, page, request, tokens, is_excerpt=is_excerpt)))


def _title(source: Source, page: Page, request: Request, tokens: int, *, is_excerpt: bool) -> str:
    """Return the words of a section's heading in a budget of `tokens`: the file, and the rest of its own title."""
    if is_excerpt:
        return f"{one_line(source.path)}, from outside"
    words = source.title or source.path
    if (tokens < allocate.SMALL and source.role == IN_FLIGHT) or (tokens < TINY and source.role == HANDOFF):
        words = source.brief
    if page.title:
        words = " · ".join(filter(None, (words, sources.telling(page.title, source))))
    if source.role == DAY and source.author and source.author.casefold() != request.name.casefold():
        words = f"{words} · written by {one_line(source.author)}, not by you"
    words = one_line(words)
    if len(words) <= LONGEST_TITLE_CHARS:
        return words
    cut = words[:LONGEST_TITLE_CHARS]
    return f"{(cut.rpartition(' ')[0] or cut).rstrip(' ·')}…"


class Now:
    """The section that names the second mark, with the time, the cost of the text and the notices."""

    __slots__ = ("_first", "_left_out", "_measure", "_request", "_room", "marks", "notices")

    def __init__(self, request: Request, measure: Measure, budget: allocate.Budget) -> None:
        self._request = request
        self.marks = (frame_mark.BLANK, frame_mark.BLANK)
        self._room, self._first = budget.share(_NOTICES), budget.share(_FIRST_NOTICE)
        self._measure = measure
        self.notice(request.sources)

    def notice(self, secret: Sequence[Source]) -> None:
        """Choose the notices to show: those of the request, and that about these sources with hidden secrets."""
        notices = [*self._request.notices, *sources.hidden([*dict.fromkeys(secret)])]
        room = self._room
        self.notices: list[str] = []
        for notice in notices[:_MOST_NOTICES]:
            shown = inline(one_line(notice)[:200])
            cost = self._measure(f"- ⚠ {shown}\n")
            room -= cost
            if room < 0 and (self.notices or cost > self._first):
                break
            self.notices.append(shown)
        self._left_out = len(notices) - len(self.notices)

    def text(self, used: int | None = None) -> str:
        """Return the section. Until the cost of the text is known the largest possible number replaces it."""
        request = self._request
        count = request.budget if used is None else used
        first, second = self.marks
        lines = [frame_mark.signed(frame_mark.heading("Now"), second).rstrip()]
        lines.append(f"{of_line(request.now)} · {count:,} of {request.budget:,} tokens")
        if request.budget >= allocate.SMALL:
            lines.append(f"Headings now end in [{second}]")
        lines += [f"- ⚠ {frame_mark.escaped(frame_mark.escaped(notice, first), second)}" for notice in self.notices]
        more = self._left_out
        what = f"{more} {'more ' * bool(self.notices)}notice{'s' * (more > 1)}"
        lines += [f"- ⚠ {what}: agentws boot --explain"] if more else []
        return "\n".join(lines) + "\n\n"
