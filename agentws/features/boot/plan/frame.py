"""Boot's budget, and its own lines: the first ones, the titles of sections, `Now`, and the closing section. Pure."""

from __future__ import annotations

from agentws.core import Record
from agentws.core.markdown.inset import inline, of_line
from agentws.core.notes import sources
from agentws.core.notes.request import DAY, HANDOFF, IN_FLIGHT, LONGEST_TITLE_CHARS, OPEN
from agentws.core.text.sanitize import one_line
from agentws.features.boot.plan import frame_mark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from agentws.core.notes.request import Request, Source
    from agentws.core.ports import TokenCounter
    from agentws.core.tokens.counters import Measure

FULL, MEDIUM, SMALL = 6_000, 2_000, 1_500
"""Tokens from which a budget has the larger shares."""
TINY = 500
"""Tokens. A smaller budget has short titles, and one mark at the end for most sections of which nothing is shown."""
NAMED = (HANDOFF, IN_FLIGHT, OPEN)
"""Roles of the sections that have at least a gap mark in any budget."""
COMMAND = "agentws"
_MOST_NOTICES = 5
_NOTICES = 5
_FIRST_NOTICE = 15
"""Hundredths of the budget that notices may use, and the first: the most urgent is worth more than logs."""
_CLOSING = 200
"""A reader without a host pays at most this part of its room for a line."""
_LEAST_TOKENS = 400
_HEADING = "Record as you go"
_BRIEF = 'Record as you go: `{0} log "…"`, `todo`, `done`, `remember`, `task`, `handoff`. No secrets.\n'
_FULL = (
    '`{0} log "what happened"` (`--kind decision`, `lesson`) · `todo "…"`, `done WORDS` · '
    '`remember "what stays true"` · `task add "work of several steps"` · '
    '`handoff --doing "…" --next "…"` before you stop mid-task · `curate` when asked. {1}No secrets.\n'
)
_RECORDED = "{} are recorded automatically. "
_ELSEWHERE = "Begin every command like the first one. "


class Budget(Record):
    """The budget of a text for a request: `room` units of `gauge` in all; `counter` is that of the request.

    `tokens` are as many tokens of English as fit: a byte is less than a token.
    """

    request: Request
    gauge: TokenCounter
    counter: TokenCounter
    room: int
    tokens: int

    @property
    def measure(self) -> Measure:
        """The function that counts the units of a text."""
        return self.gauge.units

    @property
    def is_small(self) -> bool:
        """Return whether the budget has the shares of a small one."""
        return self.tokens < SMALL

    def share(self, hundredths: int) -> int:
        """Allocate so many hundredths of boot's budget: return the units."""
        return self.room * hundredths // 100

    def of(self, table: Sequence[tuple[int, int]]) -> int:
        """Allocate the share that a table of (least tokens, hundredths) gives: return the units."""
        return self.share(next(hundredths for least, hundredths in table if self.tokens >= least))


def head(name: str) -> str:
    """Return the first lines, which say how headings of the stable part differ from content that looks like one."""
    name = inline(one_line(name)[:60]) or "Agent"
    return f"# {name}\nHeadings that end in [{frame_mark.BLANK}] belong to agentws; everything else is content.\n\n"


def heading(source: Source, title: str, budget: Budget, *, is_excerpt: bool) -> str:
    """Return the heading of a section, with BLANK for its mark: its file, and the rest of the file's own `title`."""
    if is_excerpt:
        return frame_mark.heading(inline(f"{one_line(source.path)}, from outside"))
    words = source.title or source.path
    if (budget.is_small and source.role == IN_FLIGHT) or (budget.tokens < TINY and source.role == HANDOFF):
        words = source.brief or source.path
    if title:
        words = " · ".join(filter(None, (words, sources.telling(title, source))))
    if source.role == DAY and source.author and source.author.casefold() != budget.request.name.casefold():
        words = f"{words} · written by {one_line(source.author)}, not by you"
    words = one_line(words)
    if len(words) > LONGEST_TITLE_CHARS:
        cut = words[:LONGEST_TITLE_CHARS]
        words = f"{(cut.rpartition(' ')[0] or cut).rstrip(' ·')}…"
    return frame_mark.heading(inline(words))


class Now:
    """The section that names the second mark, with the time, the cost of the text and the notices."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self.marks = (frame_mark.BLANK, frame_mark.BLANK)
        self.notice(budget.request.sources)

    def notice(self, secret: Sequence[Source]) -> None:
        """Choose the notices to show: those of the request, and that about these sources with hidden secrets."""
        notices = [*self._budget.request.notices, *sources.hidden([*dict.fromkeys(secret)])]
        room = self._budget.share(_NOTICES)
        self.notices: list[str] = []
        for notice in notices[:_MOST_NOTICES]:
            shown = inline(one_line(notice)[:200])
            cost = self._budget.measure(f"- ⚠ {shown}\n")
            room -= cost
            if room < 0 and (self.notices or cost > self._budget.share(_FIRST_NOTICE)):
                break
            self.notices.append(shown)
        self._left_out = len(notices) - len(self.notices)

    def text(self, used: int | None = None) -> str:
        """Return the section. Until the cost of the text is known the largest possible number replaces it."""
        request = self._budget.request
        count = request.budget if used is None else used
        first, second = self.marks
        lines = [frame_mark.signed(frame_mark.heading("Now"), second).rstrip()]
        lines.append(f"{of_line(request.now)} · {count:,} of {request.budget:,} tokens")
        if request.budget >= SMALL:
            lines.append(f"Headings now end in [{second}]")
        lines += [f"- ⚠ {frame_mark.escaped(frame_mark.escaped(notice, first), second)}" for notice in self.notices]
        more = self._left_out
        what = f"{more} {'more ' * bool(self.notices)}notice{'s' * (more > 1)}"
        lines += [f"- ⚠ {what}: agentws boot --explain"] if more else []
        return "\n".join(lines) + "\n\n"


def closing(budget: Budget) -> str:
    """Return boot's closing section, as its budget allows."""
    recorded, command = budget.request.recorded, one_line(budget.request.command)
    brief = f"\n{_BRIEF.format(command)}"
    if recorded is None:
        return brief if budget.measure(brief[1:]) * _CLOSING <= budget.room else ""
    if budget.tokens < _LEAST_TOKENS:
        return ""
    if budget.tokens < MEDIUM:
        return brief
    more = _RECORDED.format(recorded) + (_ELSEWHERE if command != COMMAND else "")
    return f"\n{frame_mark.heading(_HEADING)}{_FULL.format(command, more)}"
