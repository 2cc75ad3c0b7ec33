"""Assembles the start-up context: selects the blocks of files within an exact budget.

docs/guides/waking-up.md states the rules. The text begins with what seldom changes, so that a model's prompt cache
keeps its prefix.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from agentws.core import Record, Result
from agentws.core.formats import layout
from agentws.core.formats.secrets.password_words import PLACEHOLDER_OPEN
from agentws.core.markdown.inset import inline, of_line
from agentws.core.notes import open_items, reading, request as _request
from agentws.core.notes.request import CHANGING, DAY, IDENTITY, INSTRUCTIONS, STABLE, Omission
from agentws.core.text.sanitize import one_line
from agentws.core.tokens import counters
from agentws.features.boot.plan import frame, frame_mark, listing
from agentws.features.boot.plan.allocate import Shares
from agentws.features.boot.plan.frame import Budget
from agentws.features.boot.plan.section import SHARE_MARKS, Section, gap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agentws.core.notes.request import Request
    from agentws.core.ports import TokenCounter

_FOOTER = 3
"""Hundredths of the budget that the account of what has no section may use."""
_YARDSTICK_TOKENS = 26
_LARGE = "larger than its share of the budget"
_NO_ROOM = "no room left in the budget"
_ONE_LINE = "not the newest handoff, or an old one: one line is shown"
_NOT_FOR_SHARED = "not for a shared audience"
_WHOLE = "whole"


class Shown(Record, Result):
    """What the assembled text shows of a file: its cost in tokens, how many of its blocks; `reason` for people.

    `span` is where (start, end) in the text it is, with its heading.
    """

    source: str
    role: str
    span: Sequence[int]
    title: str
    tokens: int
    tokens_in: int
    shown: int
    of: int
    reason: str


class Context(Record, Result):
    """The assembled start-up context.

    `tokens` is the count of `text` and never exceeds the budget. The stable prefix is the first `stable_prefix_chars`
    characters. Its headings end in the first of `marks`, later ones in the second. `own` are the spans (start, end) of
    the text in which the agent describes itself and how it works.
    """

    text: str
    tokens: int
    sections: list[Shown]
    omitted: list[Omission]
    stable_prefix_tokens: int = 0
    stable_prefix_chars: int = 0
    marks: Sequence[str] = (frame_mark.BLANK, frame_mark.BLANK)
    own: Sequence[Sequence[int]] = ()

    @property
    def cut(self) -> bool:
        """Return whether something that was read for the context is not shown in full."""
        return any(section.reason != _WHOLE for section in self.sections) or any(left.cut for left in self.omitted)


def fit(request: Request, *, under: TokenCounter | None = None) -> Context:
    """Assemble the start-up context that fits the budget. Pure and deterministic.

    `under` is the counter to fit by if a host limits more than the budget does; counts in the text are those of the
    request's counter.
    """
    counter = request.counter
    counter = counter if isinstance(counter, counters.ByLines) else counters.Remembering(counter)
    gauge = counters.Remembering(under) if under else counter
    budget_units = request.budget * gauge.units_per_token
    tokens = request.budget
    if under or counter.name == counters.Bytes.name:
        tokens = min(tokens, budget_units * _YARDSTICK_TOKENS // counters.yardstick(gauge))
    slack = 0
    while slack < budget_units:
        context = _Assembly(Budget(request, gauge, counter, budget_units - slack, tokens)).context()
        over = gauge.units(context.text) - budget_units
        if over <= 0:
            return context
        # Counts of parts do not always add up to the count of the whole.
        slack += over
    return _least(request, gauge, budget_units)


def _least(request: Request, gauge: TokenCounter, room: int) -> Context:
    """Return the context for a budget that is too small for the frame: the name, and how much there is to read."""
    costs = [(source, counters.tokens(request.counter, source.text)) for source in request.sources]
    omitted = [Omission(source.path, tokens, _NO_ROOM, source.command) for source, tokens in costs if tokens]
    account = f"\n[… {len(costs)} files: agentws boot --explain]\n"
    name = one_line(request.name)
    while name and gauge.units(f"# {inline(name)}{account}") > room:
        name = name[:-1]
    text = f"# {inline(name)}{account}"
    return Context(text, counters.tokens(request.counter, text), [], [*omitted, *request.unread])


class _Assembly:
    """The assembly of one text within a budget."""

    def __init__(self, budget: Budget) -> None:
        request = self._request = budget.request
        self._budget = budget
        sections = [Section(source, budget) for source in listing.nothing_twice(request)]
        items, listed = listing.items(request, sections)
        sections = [self._archived(section, items) for section in sections]
        self._listed, handoffs = listing.handoffs(request)
        sections = [section for section in sections if section.source not in self._listed]
        sections += [Section(source, budget) for source in (*handoffs, *listed)]
        order = {role: place for place, role in enumerate((*STABLE, *CHANGING))}
        sections = [section for section in sections if section.source.role in order]
        self._sections = sorted(sections, key=lambda section: order[section.source.role])
        self._outside = [
            Section(section.source, budget, page=section.page, is_excerpt=True)
            for section in self._sections
            if section.is_stable and any(block.is_outside for block in section.page.blocks)
        ]
        self._all = [*self._sections, *self._outside]
        self._shares = Shares(self._sections, self._outside, items, budget)
        self._now = frame.Now(budget)

    def context(self) -> Context:
        """Return the context."""
        measure, counter = self._budget.measure, self._budget.counter
        head, close = frame.head(self._request.name), frame.closing(self._budget)
        unshown = [
            Omission(each.source.path, None, "", each.source.command, is_marked=_is_marked(each))
            for each in self._sections
        ]
        left = self._budget.room - sum(map(measure, (head, close, self._footer([*unshown, *self._request.unread]))))
        # Files of which nothing is shown have gap marks, whose cost is known when the blocks have been chosen.
        self._shares.divide(left - measure(self._now.text()) - measure(self._marks()))
        is_settled = False
        while not is_settled:
            self._notice_secrets()
            used = sum(section.used for section in self._all)
            unused = left - used - measure(self._now.text()) - measure(self._marks())
            missing = self._missing_days()
            if len(missing) == 1:  # a day that is shown needs no mark
                mark = measure(self._days_mark())
                unused -= missing[0].fill(unused + mark) - (mark if missing[0].taken else 0)
            self._shares.use(unused)
            self._shares.drop_repeated()
            is_settled = not self._shares.drop_listed([day for day in self._days() if day.taken])
        self._notice_secrets()
        omitted = self._omitted()
        footer = self._days_mark() + self._footer(omitted)
        first, stable = self._signed_stable(head)
        stable_text = "".join(stable.values())
        second, later = self._signed_rest(first, stable_text, footer, close)
        body = "".join(later.values())
        self._now.marks = first, second
        text = self._counted(stable_text, body)
        spans = _spans(stable, 0) | _spans(later, len(text) - len(body))
        shown = [section for section in self._all if section.taken]
        own = [spans[each] for each in shown if each.is_stable and each.source.role in (IDENTITY, INSTRUCTIONS)]
        return Context(
            text,
            counters.tokens(counter, text),
            [self._shown(section, spans[section]) for section in shown],
            omitted,
            counters.tokens(counter, stable_text),
            len(stable_text),
            (first, second),
            [(0, len(head)), *own, (len(text) - len(close), len(text))],
        )

    def _footer(self, omitted: Sequence[Omission]) -> str:
        """Return the account of omissions; a small budget names files that are not pinned only if it lacks no other."""
        rest = [left for left in omitted if left.why != _request.NOT_PINNED]
        named = rest if self._budget.is_small and any(left.cut for left in rest) else omitted
        return _request.footer(named, self._budget.share(_FOOTER), self._budget.measure, shared=self._request.shared)

    def _notice_secrets(self) -> None:
        secret = (section for section in self._all if section.source.hidden)
        self._now.notice([section.source for section in secret if PLACEHOLDER_OPEN in section.text])

    def _archived(self, log: Section, items: list[open_items.OpenItem]) -> Section:
        """Return the section of an archived log without the items closed since; add its others to the open ones."""
        source = log.source
        if not listing.is_archived(source):
            return log
        entries = reading.read(source.text, path=source.path, day=source.brief, words=self._request.words)
        if not self._request.shared and (gone := open_items.over_since(entries, items)):
            rows = enumerate(source.text.split("\n"), 1)
            source = source.with_text("\n".join(row for at, row in rows if at not in gone))
            entries = reading.read(source.text, path=source.path, day=source.brief, words=self._request.words)
            log = Section(source, self._budget)
        open_items.add_archived(items, entries)
        return log

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
        sections = [section for section in self._sections if section.is_stable and section.order]
        if self._budget.is_small:
            sections.sort(key=lambda section: not section.taken)
        for section in sections:
            if runs and not section.taken and not runs[-1][0].taken:
                runs[-1].append(section)
            else:
                runs.append([section])
        return runs

    def _mark_of(self, missing: Sequence[Section]) -> str:
        """Return the gap mark for files of which nothing is shown; the command names them."""
        paths = " ".join(section.source.command.removeprefix("cat ") for section in missing)
        tokens = sum(section.tokens for section in missing)
        lines = 0 if self._budget.is_small else sum(section.lines for section in missing)
        return gap(lines, tokens, f"cat {paths}") + "\n"

    def _signed_rest(
        self, first: str, stable_text: str, footer: str, close: str
    ) -> tuple[str, dict[Section | None, str]]:
        """Return the second mark, and the texts that follow `Now`, None has the last; they hold the first mark nowhere.

        The minute has no part in it.
        """
        sections = [section for section in self._all if not section.is_stable]
        texts = [frame_mark.escaped(section.text, first) for section in sections]
        footer = frame_mark.escaped(footer, first)
        later = "".join(texts) + footer + "\n".join(self._now.notices) + close
        second = frame_mark.chosen(later, besides=f"{stable_text}{self._now.text()}")
        signed = [frame_mark.signed(frame_mark.escaped(text, second), second) for text in texts]
        end = frame_mark.escaped(footer, second) + close[:1] + frame_mark.signed(close[1:], second)
        return second, {**dict(zip(sections, signed, strict=True)), None: end}

    def _marks(self) -> str:
        """Return the gap marks that several files share."""
        missing = (run for run in self._stable_runs() if not run[0].taken)
        return "".join(map(self._mark_of, missing)) + self._days_mark()

    def _days(self) -> list[Section]:
        return [section for section in self._sections if section.source.role == DAY]

    def _missing_days(self) -> list[Section]:
        return [day for day in self._days() if not day.taken and day.has_content]

    def _days_mark(self) -> str:
        """Return the gap mark for the logs that were read and of which nothing is shown, the oldest ones."""
        days = self._missing_days()
        if not days:
            return ""
        tokens = sum(day.tokens for day in days)
        if len(days) == 1:
            return days[0].gap(days[0].lines, tokens)
        return f"[… {len(days)} days, {tokens:,} tokens: {of_line(days[0].source.command)} …]\n"

    def _counted(self, stable_text: str, body: str) -> str:
        """Return the text with its own cost written into it: the number may change the count, so it is sought."""
        text = self._now.text().join((stable_text, body))
        used = counters.tokens(self._budget.counter, text)
        for _ in range(4):
            candidate = self._now.text(used).join((stable_text, body))
            count = counters.tokens(self._budget.counter, candidate)
            if count == used:
                return candidate
            used = count
        return text

    def _shown(self, section: Section, span: Sequence[int]) -> Shown:
        counter, page = self._budget.counter, section.page
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
            reason=_WHOLE if section.is_whole else f"{shown} of {of} blocks",
        )

    def _omitted(self) -> list[Omission]:
        excerpts = {section.source.path: section.taken for section in self._outside}
        is_shared = self._request.shared
        result = []

        def omit(section: Section, tokens: int, why: str, *, cut: bool = True, is_marked: bool = True) -> None:
            source = section.source
            result.append(Omission(source.path, tokens, why, source.command, cut=cut, is_marked=is_marked))

        for section in self._sections:
            if not section.is_read and not is_shared:
                if tokens := section.tokens:
                    omit(section, tokens, _NO_ROOM)
                continue
            page, shown = section.page, excerpts.get(section.source.path, ())
            places = range(len(page.blocks)) if section.is_stable else section.order
            missing = [at for at in places if (at not in section.taken or at in section.cuts) and at not in shown]
            if not page.blocks and not page.hidden and not is_shared:
                if tokens := counters.tokens(self._budget.counter, section.source.text.strip()):
                    omit(section, tokens, _request.EMPTY, cut=False)
            elif missing or page.hidden:
                tokens = sum(max(1, section.missing_tokens(at)) for at in missing)
                why = _NOT_FOR_SHARED if page.hidden else _LARGE if section.is_stable else _NO_ROOM
                omit(section, tokens, why, is_marked=bool(missing) and _is_marked(section))
        for source in () if is_shared else self._listed:
            tokens = counters.tokens(self._budget.counter, source.text)
            result.append(Omission(source.path, tokens, _ONE_LINE, source.read_with, is_marked=True))
        return [*result, *self._request.unread]


def _spans(texts: Mapping[Section | None, str], start: int) -> dict[Section | None, tuple[int, int]]:
    ends = accumulate(map(len, texts.values()), initial=start)
    return dict(zip(texts, pairwise(ends), strict=True))


def _is_marked(section: Section) -> bool:
    """Return whether a gap mark covers what a section leaves out; the mark of a log also covers its next steps."""
    is_of_log = layout.day_of(section.source.path.rpartition("/")[2]) is not None
    return section.source.role in SHARE_MARKS or is_of_log or bool(section.text)
