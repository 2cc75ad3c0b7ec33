"""The start-up context: which parts of which files an agent wakes up to, within an exact budget.

Order runs from what seldom changes to what always changes, so that a model's prompt cache keeps its prefix. The
stable part is a function of its own files and the budget alone. First claim have identity and the open handoff; every
section gets a fair share, and what one leaves over flows on to the next.
"""

from __future__ import annotations

from agentws.formats.markdown.inset import inline, of_line
from agentws.formats.text.sanitize import one_line
from agentws.planning.boot import closing, frame_mark, omissions
from agentws.planning.boot.allocate import Allocation, Scale
from agentws.planning.boot.omissions import Omission
from agentws.planning.boot.part import STABLE, Part, usual_words
from agentws.planning.boot.request import (  # fmt: skip
    ACTIVITY,
    CONTEXT,
    DAY,
    DIGEST,
    HANDOFF,
    IDENTITY,
    IN_FLIGHT,
    INSTRUCTIONS,
    MEMORY,
    PINNED,
    TASK,
    USER,
)
from agentws.planning.tokens import counters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.planning.boot.request import Request
    from agentws.planning.tokens.counters import Measure
    from agentws.ports import TokenCounter


_MOST_NOTICES = 5
_DRAWN, _DAYS = "memory/, MEMORY.md", "memory/"
_WHOLE, _MANY_DAYS = "whole", "drawn from many days"
_UNCUT = (_WHOLE, _MANY_DAYS)

WORKING, SESSION, LONG_TERM, SELF = "working", "session", "long-term", "identity"
_LAYERS = (WORKING, SESSION, LONG_TERM)
_LAYER_OF = {
    **dict.fromkeys((IN_FLIGHT, TASK), WORKING),
    **dict.fromkeys((HANDOFF, ACTIVITY, DAY), SESSION),
    **dict.fromkeys((MEMORY, PINNED, CONTEXT, DIGEST), LONG_TERM),
    **dict.fromkeys((IDENTITY, USER, INSTRUCTIONS), SELF),
}
"""What the agent is doing, what it did lately, what it keeps; and who it is, which is no memory."""


class Section:
    """A part of the text: its source, the layer of memory it belongs to, its cost in tokens, how many entries it shows
    of how many, and why so.
    """

    __slots__ = ("layer", "of", "reason", "shown", "source", "title", "tokens", "tokens_in")

    def __init__(
        self, *, source: str, title: str, layer: str, tokens: int, tokens_in: int, shown: int, of: int, reason: str
    ) -> None:
        self.source = source
        self.layer = layer
        self.title = title
        self.tokens = tokens
        self.tokens_in = tokens_in
        self.shown = shown
        self.of = of
        self.reason = reason


class Context:
    """The start-up context. `tokens` is the count of `text` and never exceeds the budget; `cut` tells whether
    anything that was read is not shown whole. The stable prefix is the first `stable_prefix_chars` characters. The
    headings in it end in the first of `marks`, those behind it in the second. `own` are the parts of it, as (start,
    end), that say who the agent is and how it works.
    """

    __slots__ = (
        *("cut", "marks", "omitted", "own", "sections", "stable_prefix_chars", "stable_prefix_tokens", "text"),
        "tokens",
    )

    def __init__(
        self,
        text: str,
        tokens: int,
        sections: list[Section],
        omitted: list[Omission],
        stable_prefix_tokens: int,
        stable_prefix_chars: int = 0,
        marks: tuple[str, str] = (frame_mark.BLANK, frame_mark.BLANK),
        own: Sequence[tuple[int, int]] = (),
    ) -> None:
        self.marks = marks
        self.own = tuple(own)
        self.text = text
        self.tokens = tokens
        self.sections = sections
        self.omitted = omitted
        self.stable_prefix_tokens = stable_prefix_tokens
        self.stable_prefix_chars = stable_prefix_chars
        self.cut = any(section.reason not in _UNCUT for section in sections) or any(left.cut for left in omitted)


def fit(request: Request, *, under: TokenCounter | None = None) -> Context:
    """The best context that the budget allows. Pure and deterministic: the same request gives the same bytes.

    `under` measures it where more has to be kept than the budget (`caps`); counts are told by the request's counter.
    """
    gauge = counters.Remembering(under) if under else request.counter
    budget_units = request.budget * gauge.units_per_token
    slack = 0
    while True:
        context = _assemble(request, gauge, budget_units - slack)
        over = gauge.units(context.text) - budget_units
        if over <= 0:
            return context
        # Only a counter whose parts do not quite add up comes here: it is given that much less to spend.
        slack += over


def _assemble(request: Request, gauge: TokenCounter, room: int) -> Context:
    measure = gauge.units
    scale = Scale(gauge, room)
    shares = Allocation(room, measure, scale, today=request.today, wanted=_wanted(request))
    usual = usual_words(request.sources)
    parts = [Part(source, request, brief=scale.brief, small=scale.small, usual=usual) for source in request.sources]
    head = _head(request, brief=scale.brief)
    now = _Now(request, scale)
    reserve = _reserve(parts, request, measure, scale)
    close = closing.section(request.recorded, request.command, scale, room, measure)
    left = room - measure(head) - measure(now.text()) - reserve - measure(close)

    stable = [part for part in parts if part.source.role in STABLE]
    changing = [part for part in parts if part.source.role not in STABLE]
    left -= shares.stable(stable, measure(head))
    left -= shares.changing(changing, stable, left)
    left -= shares.more(stable, left)
    left -= shares.last(changing, left)

    omitted = _omitted(parts, request)
    footer = omissions.footer(omitted, left + reserve, measure, shared=request.shared)
    stable_text, own = _signed_stable(head, stable)
    now.marks, body = _signed_rest(stable_text, changing, stable, shares, now, footer, close)
    sections = [_section(part, request) for part in parts if part.text_shown or part.text_shown_more]
    if shares.open:
        sections.append(_drawn(shares.open, request, source=_DRAWN, layer=LONG_TERM))
    if shares.headings:
        sections.append(_drawn(shares.headings, request, source=_DAYS, layer=SESSION))
    around = stable_text, body
    now.layers = {} if scale.brief else _by_layer(sections)
    text = now.text().join(around) if scale.brief else _counted(request, around, now, measure, room)
    total = counters.tokens(request.counter, text)
    stable_tokens = counters.tokens(request.counter, stable_text)
    own.append((len(text) - len(close), len(text)))
    return Context(text, total, sections, omitted, stable_tokens, len(stable_text), now.marks, own)


def _head(request: Request, *, brief: bool) -> str:
    """The first line, which says how headings of the stable part can be told from what only looks like one."""
    name = inline(one_line(request.name)[:60]) or "Agent"
    return frame_mark.heading(f"{name} · mark" if brief else f"{name} · headings up to Now end in", level=1) + "\n"


def _signed_stable(head: str, stable: Sequence[Part]) -> tuple[str, list[tuple[int, int]]]:
    """The stable part under its mark, which depends on nothing else, and where in it the agent tells of itself."""
    word = frame_mark.chosen(head + "".join(part.text_shown for part in stable))
    for part in stable:
        part.sign(word, avoid=word)
    text = frame_mark.signed(head, word)
    own = [(0, len(text))]
    for part in stable:
        start = len(text)
        text += part.text_shown
        if part.source.role in (IDENTITY, INSTRUCTIONS):
            own.append((start, len(text)))
    return text, own


def _signed_rest(
    stable_text: str,
    changing: Sequence[Part],
    stable: Sequence[Part],
    shares: Allocation,
    now: _Now,
    footer: str,
    close: str,
) -> tuple[tuple[str, str], str]:
    """Both marks, and what stands behind `now` under the second: it holds the first one nowhere.

    The minute, which stands in `now`, has no part in it.
    """
    first = frame_mark.of(stable_text)
    _sign(changing, stable, shares, frame_mark.BLANK, avoid=first)
    footer = frame_mark.escaped(footer, first)
    notices = "\n".join(now.notices)
    later = _body(changing, stable, shares) + footer + notices + close
    second = frame_mark.chosen(later, besides=f"{stable_text}{now.text()}")
    _sign(changing, stable, shares, second, avoid=second)
    footer = _signed_footer(frame_mark.escaped(footer, second), second)
    return (first, second), _body(changing, stable, shares) + footer + closing.signed(close, second)


def _sign(changing: Sequence[Part], stable: Sequence[Part], shares: Allocation, word: str, *, avoid: str) -> None:
    for part in changing:
        part.sign(word, avoid=avoid)
    for part in stable:
        part.sign_more(word, avoid=avoid)
    shares.open, shares.headings = (
        text and frame_mark.signed(frame_mark.escaped(text, avoid), word) for text in (shares.open, shares.headings)
    )


def _signed_footer(footer: str, word: str) -> str:
    return frame_mark.signed(footer, word) if footer.startswith("#") else footer


def _wanted(request: Request) -> list[str]:
    """The tags of the context in use and of the tasks that are not over."""
    slugs = [source.path.rpartition("/")[2].removesuffix(".md") for source in request.sources if source.role == TASK]
    return [*request.tags, *(f"task:{slug}" for slug in slugs)]


def _reserve(parts: Sequence[Part], request: Request, measure: Measure, scale: Scale) -> int:
    """Units kept for the account of what is left out: what it would cost if nothing were shown, but not too much."""
    omitted = _omitted(parts, request)
    sources = [part.source.path for part in parts] + [one.source for one in request.unread]
    shortest = omissions.shortest(sources, named=not scale.brief)
    if not scale.small:
        shortest += omissions.elsewhere(omitted)
    longest = omissions.footer(omitted, scale.account, measure, shared=request.shared)
    return max(measure(shortest), measure(longest))


def _by_layer(sections: Sequence[Section]) -> dict[str, int]:
    """How many tokens each layer of memory has in the text."""
    return {layer: sum(section.tokens for section in sections if section.layer == layer) for layer in _LAYERS}


def _counted(request: Request, around: tuple[str, str], now: _Now, measure: Measure, room: int) -> str:
    """The text with its own cost written into it: the number may change the count, so it is sought.

    `around` are what stands before and behind the line that says it. What the layers cost is told where there is room
    left: nothing is given up for it.
    """
    text = now.text().join(around)
    if measure(text) > room:
        now.layers = {}
        text = now.text().join(around)
    used = counters.tokens(request.counter, text)
    for _ in range(4):
        candidate = now.text(used).join(around)
        count = counters.tokens(request.counter, candidate)
        if count == used:
            return candidate
        used = count
    return text


class _Now:
    """What stands between the two parts: when and where it is, what the text costs, what the agent must know."""

    __slots__ = ("_request", "_scale", "layers", "marks")

    def __init__(self, request: Request, scale: Scale) -> None:
        self._request = request
        self._scale = scale
        self.layers: Mapping[str, int] = {}
        self.marks = (frame_mark.BLANK, frame_mark.BLANK)

    @property
    def notices(self) -> list[str]:
        """Those that are shown, without the marks of headings."""
        first, second = self.marks
        shown = [inline(one_line(notice)[:200]) for notice in self._request.notices[:_MOST_NOTICES]]
        return [frame_mark.escaped(frame_mark.escaped(notice, first), second) for notice in shown]

    def text(self, used: int | None = None) -> str:
        """All of it. Until the text is made its cost is not known: the widest number it can be holds the place."""
        request = self._request
        if self._scale.brief:
            count = len(request.notices) if self._scale.tiny else 0
            noticed = f" · ⚠ {count} notice{'s' * (count > 1)}" if count else ""
            now = f"Now: {of_line(request.now.partition(' · ')[0])}{noticed} · mark {self.marks[1]}"
            return "\n".join((now, *(() if self._scale.tiny else self._warnings()))) + "\n\n"
        count = request.budget if used is None else used
        memory = ", ".join(f"{layer} {cost:,}" for layer, cost in self.layers.items() if cost)
        cost = f"{count:,} of {request.budget:,} tokens ({request.counter.name}, {request.counter.trust})"
        if self._scale.small:
            cost = f"{count:,} of {request.budget:,} tokens"
        lines = [frame_mark.signed(frame_mark.heading("Now · headings from here end in"), self.marks[1]).rstrip()]
        lines.append(" · ".join(filter(None, (of_line(request.now), memory, cost))))
        return "\n".join((*lines, *self._warnings())) + "\n\n"

    def _warnings(self) -> list[str]:
        lines = [f"- ⚠ {notice}" for notice in self.notices]
        more = len(self._request.notices) - _MOST_NOTICES
        return [*lines, f"- ⚠ {more} more notices: agentws status"] if more > 0 else lines


def _body(changing: Sequence[Part], stable: Sequence[Part], shares: Allocation) -> str:
    """What changes from boot to boot: handoff, what is in flight, tasks, what is open, what happened lately, the days,
    the digest of those before, what memory still has.
    """
    late = (ACTIVITY, DAY, DIGEST)
    urgent = [part.text_shown for part in changing if part.source.role not in late]
    logs = [part.text_shown for role in late for part in changing if part.source.role == role]
    return "".join((*urgent, shares.open, *logs, shares.headings, *(part.text_shown_more for part in stable)))


def _drawn(text: str, request: Request, *, source: str, layer: str) -> Section:
    """The account of a section that is drawn from many files."""
    title, _, rest = text.partition("\n")
    count = counters.tokens(request.counter, text)
    lines = sum(line.startswith("- ") for line in rest.split("\n"))
    return Section(
        source=source,
        title=frame_mark.says(title),
        layer=layer,
        tokens=count,
        tokens_in=count,
        shown=lines,
        of=lines,
        reason=_MANY_DAYS,
    )


def _section(part: Part, request: Request) -> Section:
    shown, of = part.shown, part.page.of
    reason = _WHOLE if part.is_whole else f"the best {min(shown, of)} of {of} entries"
    if shown >= of and not part.is_whole:
        reason = f"all {of} entries, some shortened"
    return Section(
        source=part.source.path,
        title=frame_mark.says(part.title),
        layer=_LAYER_OF[part.source.role],
        tokens=counters.tokens(request.counter, part.text_shown + part.text_shown_more),
        tokens_in=counters.tokens(request.counter, part.page.text),
        shown=min(shown, of),
        of=of,
        reason=reason,
    )


def _omitted(parts: Sequence[Part], request: Request) -> list[Omission]:
    found = []
    for part in parts:
        text = part.page.text if part.is_read or request.shared else part.source.text
        missing = counters.tokens(request.counter, text) - counters.tokens(request.counter, part.kept)
        if part.is_whole or (missing <= 0 and not text.strip()):
            continue
        # Headings that were printed again may cost more than what is missing: it is named all the same.
        missing = max(missing, 1)
        why = "exceeds its share of the budget"
        if request.shared and part.page.hidden:
            why = "not for a shared audience"
        read_with = part.source.read_with or omissions.cat(part.source.path)
        found.append(Omission(part.source.path, missing, why, read_with))
    return [*found, *request.unread]
