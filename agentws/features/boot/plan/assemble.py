"""Assembles the start-up context: selects the blocks of files within an exact budget.

docs/guides/waking-up.md states the rules. The text begins with what seldom changes, so that a model's prompt cache
keeps its prefix.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from agentws.core import Result
from agentws.core.formats import layout
from agentws.core.formats.secrets.password_words import PLACEHOLDER_OPEN
from agentws.core.markdown.inset import inline, of_line
from agentws.core.notes import open_items, reading, reference, request as _request
from agentws.core.notes.request import (
    CHANGING,
    DAY,
    IDENTITY,
    INSTRUCTIONS,
    NEXT,
    OPEN,
    STABLE,
    Omission,
    cat,
)
from agentws.core.text.sanitize import one_line
from agentws.core.tokens import counters
from agentws.features.boot.plan import allocate, frame, frame_mark, listing
from agentws.features.boot.plan.allocate import SMALL
from agentws.features.boot.plan.page import Page
from agentws.features.boot.plan.section import Section, gap
from agentws.features.boot.plan.shown import WHOLE, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.notes.entry import Entry
    from agentws.core.notes.request import Request, Source
    from agentws.core.ports import TokenCounter
    from agentws.core.tokens.counters import Measure

_FOOTER = 3
"""Hundredths of the budget that the account of what has no section may use."""
_SHARE_MARKS = (*STABLE, DAY)  # roles of which neighbours share a gap mark
_YARDSTICK_TOKENS = 26
_LARGE = "larger than its share of the budget"
_NO_ROOM = "no room left in the budget"
_ONE_LINE = "not the newest handoff, or an old one: one line is shown"
_NOT_FOR_SHARED = "not for a shared audience"


class Context(Result):
    """The assembled start-up context.

    `tokens` is the count of `text` and never exceeds the budget; `cut`: something that was read is not shown in full.
    The stable prefix is the first `stable_prefix_chars` characters. Its headings end in the first of `marks`, later
    ones in the second. `own` are the spans (start, end) of it in which the agent describes itself and how it works.
    """

    __slots__ = (
        "cut", "marks", "omitted", "own", "sections", "stable_prefix_chars", "stable_prefix_tokens", "text", "tokens",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        tokens: int,
        sections: list[Shown],
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
        self.cut = any(section.reason != WHOLE for section in sections) or any(left.cut for left in omitted)


def fit(request: Request, *, under: TokenCounter | None = None) -> Context:
    """Assemble the start-up context that fits the budget. Pure and deterministic.

    `under` is the counter to fit by if a host limits more than the budget does; counts in the text are those of the
    request's counter.
    """
    gauge = counters.Remembering(under) if under else request.counter
    budget_units = request.budget * gauge.units_per_token
    tokens = request.budget
    if under or request.counter.name == counters.Bytes.name:
        tokens = min(tokens, budget_units * _YARDSTICK_TOKENS // counters.yardstick(gauge))
    slack = 0
    while slack < budget_units:
        context = _Assembly(request, gauge, budget_units - slack, tokens).context()
        over = gauge.units(context.text) - budget_units
        if over <= 0:
            return context
        # Counts of parts do not always add up to the count of the whole.
        slack += over
    return _least(request, gauge, budget_units)


def _least(request: Request, gauge: TokenCounter, room: int) -> Context:
    """Return the context for a budget that is too small for the frame: the name, and how much there is to read."""
    texts = [source.text for source in request.sources]
    omitted = [
        Omission(source.path, tokens, _NO_ROOM, source.read_with or cat(source.path))
        for source, text in zip(request.sources, texts, strict=True)
        if (tokens := counters.tokens(request.counter, text))
    ]
    account = f"\n[… {len(texts)} files: agentws boot --explain]\n"
    name = one_line(request.name)
    while name and gauge.units(f"# {inline(name)}{account}") > room:
        name = name[:-1]
    text = f"# {inline(name)}{account}"
    return Context(text, counters.tokens(request.counter, text), [], [*omitted, *request.unread], 0)


class _Assembly:
    """The assembly of one text of at most `room` units; the shares are those of a budget of `tokens`."""

    def __init__(self, request: Request, gauge: TokenCounter, room: int, tokens: int) -> None:
        self._request = request
        self._measure: Measure = gauge.units
        self._room = room
        self._budget = allocate.Budget(room, gauge.units_per_token, tokens, request.budget)
        self._is_small = self._budget.tokens < SMALL
        pages = [(source, Page(source, request)) for source in listing.nothing_twice(request)]
        self._items, listed = listing.items(request, pages)
        pages = [(source, self._archived(source, page)) for source, page in pages]
        self._listed, handoffs = listing.handoffs(request)
        pages = [pair for pair in pages if pair[0] not in self._listed]
        pages += [(source, Page(source, request)) for source in (*handoffs, *listed)]
        order = {role: place for place, role in enumerate((*STABLE, *CHANGING))}
        pages = sorted((pair for pair in pages if pair[0].role in order), key=lambda pair: order[pair[0].role])
        self.sections = [self._section(source, page) for source, page in pages]
        self.outside = [
            self._section(source, page, is_excerpt=True)
            for source, page in pages
            if source.role in STABLE and any(block.is_outside for block in page.blocks)
        ]
        self._now = frame.Now(request, self._measure, self._budget)

    def context(self) -> Context:
        """Return the context."""
        request, measure = self._request, self._measure
        head = frame.head(request)
        close = allocate.section(request.recorded, request.command, self._budget, measure)
        unshown = [
            Omission(each.source.path, None, "", each.command, is_marked=_is_marked(each)) for each in self.sections
        ]
        left = self._room - sum(map(measure, (head, close, self._footer([*unshown, *request.unread]))))
        # Files of which nothing is shown have gap marks, whose cost is known when the blocks have been chosen.
        room = left - measure(self._now.text()) - measure(self._marks())
        allocate.divide(self.sections, self.outside, self._budget, room, self._drop_repeated, self._drop_listed)
        is_settled = False
        while not is_settled:
            self._notice_secrets()
            used = sum(section.used for section in (*self.sections, *self.outside))
            unused = left - used - measure(self._now.text()) - measure(self._marks())
            missing = self._missing_days()
            if len(missing) == 1:  # a day that is shown needs no mark
                mark = measure(self._days_mark())
                unused -= missing[0].fill(unused + mark) - (mark if missing[0].taken else 0)
            allocate.use(self.sections, self.outside, self._budget, unused)
            self._drop_repeated()
            dropped = [self._drop_listed(section) for section in self.sections if section.taken]
            is_settled = not any(dropped)
        self._notice_secrets()
        omitted = self._omitted()
        footer = self._days_mark() + self._footer(omitted)
        first, stable = self._signed_stable(head)
        stable_text = "".join(stable.values())
        marks, later = self._signed_rest(first, stable_text, footer, close)
        body = "".join(later.values())
        self._now.marks = marks
        text = self._counted(stable_text, body)
        spans = _spans(stable, 0) | _spans(later, len(text) - len(body))
        roles = (IDENTITY, INSTRUCTIONS)
        own = [
            spans[section]
            for section in self.sections
            if section.is_stable and section.taken and section.source.role in roles
        ]
        return Context(
            text,
            counters.tokens(request.counter, text),
            [self._shown(section, spans[section]) for section in (*self.sections, *self.outside) if section.taken],
            omitted,
            counters.tokens(request.counter, stable_text),
            len(stable_text),
            marks,
            [(0, len(head)), *own, (len(text) - len(close), len(text))],
        )

    def _footer(self, omitted: Sequence[Omission]) -> str:
        """Return the account of omissions; a small budget names files that are not pinned only if it lacks no other."""
        rest = [left for left in omitted if left.why != _request.NOT_PINNED]
        named = rest if self._is_small and any(left.cut for left in rest) else omitted
        return _request.footer(named, self._budget.share(_FOOTER), self._measure, shared=self._request.shared)

    def _notice_secrets(self) -> None:
        secret = (section for section in (*self.sections, *self.outside) if section.source.hidden)
        self._now.notice([section.source for section in secret if PLACEHOLDER_OPEN in section.text])

    def _drop_repeated(self) -> None:
        """Take those items out of the list of open items that the stable part shows."""
        listed = next((section for section in self.sections if section.source.role == OPEN), None)
        if listed is not None:
            shown = [section for section in self.sections if section.is_stable and section.taken]
            lines = {(section.source.path, line) for section in shown for line in section.lines_shown}
            boxes = {line.strip() for section in shown for line in section.text.split("\n") if "[ ] " in line}
            entries = enumerate(item.entry for item in self._items)
            gone = (at for at, entry in entries if (entry.path, entry.line) in lines or entry.first.strip() in boxes)
            listed.drop([*gone])
            if above := len(self._items) - len(listed.order):
                listed.rename(f"Open, {above} more above")

    def _archived(self, source: Source, page: Page) -> Page:
        """Return the page of an archived log without the items closed since; add its other items to the open ones."""
        if source.role != DAY or not source.path.startswith(f"{layout.ARCHIVE}/2"):
            return page
        entries = self._entries(source)
        if not self._request.shared and (gone := open_items.over_since(entries, self._items)):
            rows = enumerate(source.text.split("\n"), 1)
            source.text = "\n".join(row for at, row in rows if at not in gone)
            page, entries = Page(source, self._request), self._entries(source)
        open_items.add_archived(self._items, entries)
        return page

    def _entries(self, source: Source) -> list[Entry]:
        return reading.read(source.text, path=source.path, day=source.brief, words=self._request.words)

    def _drop_listed(self, day: Section) -> bool:
        """Take those entries out of a log that the list of open items shows; return whether it showed one."""
        listed = next((section for section in self.sections if section.source.role == OPEN), None)
        if listed is None or day.source.role != DAY:
            return False
        entries = [entry for at in listed.taken for entry in self._items[at].said]
        lines = {(each.line, each.end_line): each for each in entries if each.path == day.source.path}
        blocks = day.page.blocks if lines else []
        places = {at: lines.get((block.lines.start, block.lines.stop - 1)) for at, block in enumerate(blocks)}
        kept = {block.under for at, block in enumerate(blocks) if places[at] is None or block.needs}
        # A list that its author wrote is shown whole, unless all of it is listed.
        gone = [
            at
            for at, entry in places.items()
            if entry and not blocks[at].needs and (blocks[at].under not in kept or reference.written(entry.text))
        ]
        was_shown = not day.taken.isdisjoint(gone)
        day.drop(gone)
        return was_shown

    def _section(self, source: Source, page: Page, *, is_excerpt: bool = False) -> Section:
        """Return the section of a file; the excerpt quotes what a file of the stable part holds from outside."""
        request, tokens = self._request, self._budget.tokens
        return Section(
            source,
            page,
            self._measure,
            request.counter,
            heading=lambda: frame.heading(source, page, request, tokens, is_excerpt=is_excerpt),
            is_excerpt=is_excerpt,
            has_mark=source.role not in (*_SHARE_MARKS, NEXT)
            and (self._budget.tokens >= frame.TINY or source.role in allocate.NAMED),
            names_lines=not (self._is_small and source.role in _SHARE_MARKS),
        )

    def _signed_stable(self, head: str) -> tuple[str, dict[Section | None, str]]:
        """Return the mark of the stable part, which depends on nothing else, and its texts: None has `head`."""
        # One gap mark stands for neighbouring files of which nothing is shown.
        texts = {run[0]: run[0].text if run[0].taken else self._mark_of(run) for run in self._stable_runs()}
        word = frame_mark.chosen(head + "".join(texts.values()))
        signed: dict[Section | None, str] = {None: head.replace(f"[{frame_mark.BLANK}]", f"[{word}]")}
        signed |= {section: frame_mark.signed(frame_mark.escaped(text, word), word) for section, text in texts.items()}
        return word, signed

    def _stable_runs(self) -> list[list[Section]]:
        """Return the sections of the stable part: each alone, but together neighbours of which nothing is shown.

        In a small budget all of which nothing is shown are together at the end.
        """
        runs: list[list[Section]] = []
        sections = [section for section in self.sections if section.is_stable and section.order]
        if self._is_small:
            sections.sort(key=lambda section: not section.taken)
        for section in sections:
            if runs and not section.taken and not runs[-1][0].taken:
                runs[-1].append(section)
            else:
                runs.append([section])
        return runs

    def _mark_of(self, missing: Sequence[Section]) -> str:
        """Return the gap mark for files of which nothing is shown; the command names them."""
        paths = " ".join(section.command.removeprefix("cat ") for section in missing)
        tokens = sum(section.tokens for section in missing)
        lines = 0 if self._is_small else sum(section.page.lines for section in missing)
        return gap(lines, tokens, f"cat {paths}") + "\n"

    def _signed_rest(
        self, first: str, stable_text: str, footer: str, close: str
    ) -> tuple[tuple[str, str], dict[Section | None, str]]:
        """Return both marks, and the texts that follow `Now`, None has the last; they hold the first mark nowhere.

        The minute has no part in it.
        """
        sections = [*(section for section in self.sections if not section.is_stable), *self.outside]
        texts = [frame_mark.escaped(section.text, first) for section in sections]
        footer = frame_mark.escaped(footer, first)
        later = "".join(texts) + footer + "\n".join(self._now.notices) + close
        second = frame_mark.chosen(later, besides=f"{stable_text}{self._now.text()}")
        signed = [frame_mark.signed(frame_mark.escaped(text, second), second) for text in texts]
        end = frame_mark.escaped(footer, second) + allocate.signed(close, second)
        return (first, second), {**dict(zip(sections, signed, strict=True)), None: end}

    def _marks(self) -> str:
        """Return the gap marks that several files share."""
        missing = (run for run in self._stable_runs() if not run[0].taken)
        return "".join(map(self._mark_of, missing)) + self._days_mark()

    def _missing_days(self) -> list[Section]:
        days = (section for section in self.sections if section.source.role == DAY)
        return [day for day in days if not day.taken and day.has_content]

    def _days_mark(self) -> str:
        """Return the gap mark for the logs that were read and of which nothing is shown, the oldest ones."""
        days = self._missing_days()
        if not days:
            return ""
        tokens = sum(day.tokens for day in days)
        if len(days) == 1:
            return days[0].gap(days[0].page.lines, tokens)
        return f"[… {len(days)} days, {tokens:,} tokens: {of_line(days[0].command)} …]\n"

    def _counted(self, stable_text: str, body: str) -> str:
        """Return the text with its own cost written into it: the number may change the count, so it is sought."""
        text = self._now.text().join((stable_text, body))
        used = counters.tokens(self._request.counter, text)
        for _ in range(4):
            candidate = self._now.text(used).join((stable_text, body))
            count = counters.tokens(self._request.counter, candidate)
            if count == used:
                return candidate
            used = count
        return text

    def _shown(self, section: Section, span: Sequence[int]) -> Shown:
        counter, page = self._request.counter, section.page
        shown, of = len(section.taken), len(page.blocks) + page.hidden
        return Shown(
            source=section.source.path,
            role=section.source.role,
            span=span,
            title=frame_mark.says(section.heading),
            tokens=counters.tokens(counter, section.text),
            tokens_in=counters.tokens(counter, page.text or section.source.text),
            shown=shown,
            of=of,
            reason=WHOLE if section.is_whole else f"{shown} of {of} blocks",
        )

    def _omitted(self) -> list[Omission]:
        excerpts = {section.source.path: section.taken for section in self.outside}
        result = []
        for section in self.sections:
            page, path = section.page, section.source.path
            if not page.is_read and not self._request.shared:
                if tokens := section.tokens:
                    result.append(Omission(path, tokens, _NO_ROOM, section.command, is_marked=True))
                continue
            missing = [
                at
                for at in (range(len(page.blocks)) if section.is_stable else section.order)
                if (at not in section.taken or at in section.cuts) and at not in excerpts.get(path, ())
            ]
            if not page.blocks and not page.hidden and not self._request.shared:
                if tokens := counters.tokens(self._request.counter, section.source.text.strip()):
                    result.append(Omission(path, tokens, _request.EMPTY, section.command, cut=False, is_marked=True))
            elif missing or page.hidden:
                tokens = sum(max(1, section.missing_tokens(at)) for at in missing)
                why = _NOT_FOR_SHARED if page.hidden else _LARGE if section.is_stable else _NO_ROOM
                is_marked = bool(missing) and _is_marked(section)
                result.append(Omission(path, tokens, why, section.command, is_marked=is_marked))
        for source in () if self._request.shared else self._listed:
            tokens = counters.tokens(self._request.counter, source.text)
            result.append(Omission(source.path, tokens, _ONE_LINE, source.read_with, is_marked=True))
        return [*result, *self._request.unread]


def _spans(texts: Mapping[Section | None, str], start: int) -> dict[Section | None, tuple[int, int]]:
    ends = accumulate(map(len, texts.values()), initial=start)
    return dict(zip(texts, pairwise(ends), strict=True))


def _is_marked(section: Section) -> bool:
    """Return whether a gap mark covers what a section leaves out; the mark of a log also covers its next steps."""
    is_of_log = layout.day_of(section.source.path.rpartition("/")[2]) is not None
    return section.source.role in _SHARE_MARKS or is_of_log or bool(section.text)
