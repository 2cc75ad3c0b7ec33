"""A section of boot's text: the blocks that it shows of a file, with a mark for each gap. Pure."""

from __future__ import annotations

from agentws.core.markdown import inset, markdown
from agentws.core.notes.request import CHANGING, DAY, FROM_END, HANDOFF, NEXT, OPEN, STABLE
from agentws.core.tokens import counters
from agentws.features.boot.plan import cutting, frame
from agentws.features.boot.plan.page import Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agentws.core.notes.request import Source
    from agentws.features.boot.plan.frame import Budget

SHARE_MARKS = (*STABLE, DAY)
"""Roles of which neighbours share a gap mark."""


class Section:
    """A section of boot's text: a heading, the blocks of a file that it shows, and marks for the missing ones.

    `taken` are the blocks that it shows, `cuts` those of which it shows only the first and last sentences. An excerpt
    shows a part of a file that has another section. Units are those of the budget; the tokens of a gap are those of the
    request's counter.
    """

    def __init__(self, source: Source, budget: Budget, *, page: Page | None = None, is_excerpt: bool = False) -> None:
        self.source = source
        self.is_excerpt = is_excerpt
        self.taken: set[int] = set()
        self.cuts: dict[int, cutting.Cut] = {}
        self._budget = budget
        self._measure = budget.measure
        self._counter = budget.counter
        self._page = page
        self._order: list[int] | None = None
        self._dropped = 0
        self._costs: dict[int, int] = {}
        self._heading = ""
        self._need: int | None = None

    @property
    def page(self) -> Page:
        """The file of the section, read when it is first needed: most logs are not."""
        self._page = self._page or Page(self.source, self._budget.request)
        return self._page

    @property
    def is_read(self) -> bool:
        """Return whether the section's file was read."""
        return self._page is not None

    @property
    def heading(self) -> str:
        """The heading line of the section."""
        self._heading = self._heading or frame.heading(
            self.source, self.page.title, self._budget, is_excerpt=self.is_excerpt
        )
        return self._heading

    @property
    def order(self) -> list[int]:
        """The blocks that the section may show, in the order of their priority."""
        if self._order is None:
            outside = [at for at, block in enumerate(self.page.blocks) if block.is_outside]
            self._order = outside if self.is_excerpt else order_of(self.source, self.page)
        return self._order

    @property
    def has_content(self) -> bool:
        """Return whether the section has anything to show."""
        return bool(self.order if self.is_read else self.source.text.strip())

    @property
    def lines(self) -> int:
        """The number of lines in the section's blocks; for an unread file, of all lines with text."""
        if not self.is_read:
            return sum(1 for line in self.source.text.split("\n") if line.strip())
        return sum(len(block.lines) for block in self.page.blocks)

    @property
    def need(self) -> int:
        """The units of the section if it showed all its blocks, 0 for an empty file."""
        if self._need is None:
            self._need = self.cost_of(len(self.order))
        return self._need

    @property
    def used(self) -> int:
        """The units of the section as it is now."""
        text = self.text
        return self._measure(text) if text else 0

    @property
    def text(self) -> str:
        """The section with the empty line after it; if it shows nothing, a gap mark, or nothing if it has none."""
        if self.taken:
            return self._text(self.taken)
        role = self.source.role
        has_mark = role not in (*SHARE_MARKS, NEXT) and (self._budget.tokens >= frame.TINY or role in frame.NAMED)
        if not has_mark or not self.order:
            return ""
        return f"{self.gap(self.lines, self.tokens, of=inset.of_line(self.source.brief or self.source.path))}\n"

    @property
    def is_whole(self) -> bool:
        """Return whether the section lacks nothing of its file."""
        return not self.page.hidden and not self.cuts and len(self.taken) + self._dropped == len(self.page.blocks)

    @property
    def is_stable(self) -> bool:
        """Return whether the section is in the part of the text that seldom changes."""
        return self.source.role in STABLE and not self.is_excerpt

    @property
    def lines_shown(self) -> set[int]:
        """Return the numbers of the lines that the section shows of its file, 1-based."""
        blocks = (self.page.blocks[at] for at in self.taken if at not in self.cuts)
        return {line for block in blocks for line in block.lines}

    def drop(self, places: Sequence[int]) -> None:
        """Never show these blocks in the section, nor a gap mark for them."""
        before = len(self.order)
        self._order = [at for at in self.order if at not in places]
        self._dropped += before - len(self._order)
        self.taken.difference_update(places)
        self._need = None

    def rename(self, title: str) -> None:
        """Give the section another title."""
        self.source.title, self._heading, self._need = title, "", None

    @property
    def tokens(self) -> int:
        """The tokens of all blocks that the section may show."""
        if not self.is_read or not self.page.hidden:
            return counters.tokens(self._counter, self.source.text)
        return counters.of_units(self._counter, sum(map(self._cost, self.order)))

    def missing_tokens(self, at: int) -> int:
        """Return the tokens of a block that the section leaves out, all or a part of it."""
        cut = self.cuts.get(at)
        return counters.of_units(self._counter, cut.units if cut else self._cost(at))

    def cost_of(self, count: int) -> int:
        """Return the units of the section if it showed its first `count` blocks, 0 for an empty file."""
        taken = self._closed(self.order[:count])
        return self._measure(self._text(taken)) if taken else 0

    def fill_first(self, room: int, most: int) -> int:
        """Show the section's block of highest priority, or some of its sentences, within `room`; return the units.

        At least one sentence is shown if it takes no more than `most`.
        """
        first = self.order[0]
        self.taken, self.cuts = self._closed([first]), {}
        whole = self.used
        if whole > room and not 0 < self._cut(first, set(), room, least=1) <= most:
            self.taken, self.cuts = self._closed([first]) if whole <= most else set(), {}
        return self.used

    def fill(self, room: int) -> int:
        """Show as many blocks in the section as fit into `room`, up to the first without a rule that does not; return
        the units.
        """
        self.cuts = {}
        if self.order and self.need <= room:
            self.taken = set(self.order)
            return self.used
        order = [at for at in self.order if not self._is_solid(at, room)]
        low = self._most_of(order, set(), room)
        taken = self._closed(order[:low])
        rules = [at for at in order[low:] if self.page.blocks[at].is_important] if low else []
        used = self._measure(self._text(taken)) if rules else 0
        for at in rules[1:]:
            if used + self._least(at, taken) <= room and self._most_of([at], taken, room):
                taken |= self._closed([at])
                used = self._measure(self._text(taken))
        if rules:
            others = order[low + len(rules) :]
            taken |= self._closed(others[: self._most_of(others, taken, room)])
        self._take(taken)
        return self.used

    def _most_of(self, places: Sequence[int], taken: set[int], room: int) -> int:
        """Return how many of the section's blocks at `places`, from the first, fit into `room` besides `taken`."""
        return largest(
            0, len(places), lambda count: self._measure(self._text(taken | self._closed(places[:count]))) <= room
        )

    def _least(self, at: int, taken: set[int]) -> int:
        """Return the units that a block and its headings add at least besides `taken`: a long file is not set for each
        of its rules to see that it does not fit.
        """
        blocks = self.page.blocks
        beside = {at - 1, at + 1} & set(range(len(blocks)))
        hidden = beside - taken
        if not hidden:
            return 0  # it may take no more than the mark that stands for it
        printed = {number for place in taken for number in blocks[place].under}
        headings = (self.page.headings[number] for number in blocks[at].under if number not in printed)
        # With a gap on both sides there is one mark more, or what is shown in its place.
        gap = min(map(self._cost, hidden)) if hidden == beside else 0
        return self._cost(at) + sum(map(self._counter.units, headings)) + gap

    def _take(self, taken: set[int]) -> None:
        """Show these blocks, and those that cost at most twice the mark for them."""
        self.taken = set(taken)
        if taken:
            self._text(taken, self.taken)

    def cut(self, room: int) -> int:
        """Show sentences of the section's next block, the first and last that fit into `room`; return the units."""
        whole = self.taken.difference(self.cuts)
        following = next((at for at in self.order if at not in whole and not self._is_solid(at, room)), None)
        if following is None:
            return self.used
        # A lead line is shown with the block that it introduces: that is the one to cut.
        missing = self._closed([following]) - whole
        return self._cut(max(missing, key=lambda at: (len(self.page.blocks[at].text), -at)), whole, room, least=0)

    def _is_solid(self, at: int, room: int) -> bool:
        """Return whether a block is larger than `room` units and has no sentence that could be shown alone."""
        block = self.page.blocks[at]
        if len(block.text) <= room // self._counter.units_per_token or self._cost(at) <= room:
            return False
        return len(cutting.sentences(block.shown)) == 1

    def _cut(self, following: int, taken: set[int], room: int, *, least: int) -> int:
        block = self.page.blocks[following]
        items = cutting.items(block.shown) if block.kind in (markdown.ITEM, markdown.ROW) else []
        if len(items) > 1:
            if self._cut_into(items, following, taken, room, least=0) and following in self.taken:
                return self.used
            pieces = [*cutting.sentences(items[0]), *items[1:]]
            return self._cut_into(pieces, following, taken, room, least=least, end=False)
        return self._cut_into(cutting.sentences(block.shown), following, taken, room, least=least)

    def _cut_into(
        self, pieces: Sequence[str], following: int, taken: set[int], room: int, *, least: int, end: bool = True
    ) -> int:
        """Show as many pieces as fit, from the beginning and, with `end`, from the end; return the units used.

        Where the next one of the end does not fit, more of the beginning is shown.
        """
        before, taken = taken, self._closed([*taken, following])

        def fits(first: int, last: int) -> bool:
            cut = cutting.both_ends(pieces, first, last, self._counter.units)
            is_small = cut.units <= 2 * self._counter.units(self._mark(cut.lines, cut.units))
            self.cuts = {} if is_small else {following: cut}
            return self._measure(self._text(taken)) <= room

        last, least, some = 0, min(least, len(pieces) - 1), len(pieces) - 1
        if end:
            last = largest(least, some, lambda count: fits(count - count // 2, count // 2)) // 2
        first = largest(max(least, last), some - last, lambda count: fits(count, last))
        fits(first, last)
        self.cuts = self.cuts if first else {}
        self._take(taken if first else before)
        return self.used

    def _closed(self, places: Iterable[int]) -> set[int]:
        """Return the places with those of the blocks that they need, as far as the section may show them."""
        taken: set[int] = set()
        waiting = list(places)
        allowed = set(self.order)
        while waiting:
            at = waiting.pop()
            if at not in taken and at in allowed:
                taken.add(at)
                waiting += self.page.blocks[at].needs
        return taken

    def _text(self, taken: set[int], shown: set[int] | None = None) -> str:
        """Return the section if it shows `taken`; `shown` receives the blocks that it shows besides."""
        page = self.page
        if page.text and not self.cuts and len(taken) == len(page.blocks):
            return f"{self.heading}{page.text}\n"
        parts = [self.heading]
        printed: set[int] = set()
        missing: list[int] = []
        rest: cutting.Cut | None = None
        first, large = min(taken, default=0), 2 * self._counter.units(self._mark(999, 9999))
        shown = set(taken) if shown is None else shown
        for at, block in enumerate(page.blocks):
            if at not in taken:
                if not (self.is_excerpt or self._dropped) or at in self.order:
                    missing.append(at)
                continue
            for number in block.under:
                if number not in printed:
                    # A mark is where lines are missing, above or below the heading; the first block has one above it.
                    above = [place for place in missing if number not in page.blocks[place].under]
                    if at == first and self._units(missing[len(above) :], printed) > large:
                        above = []
                    parts += self._gap_of(above, rest, printed, shown)
                    if above or not missing:
                        rest = None
                    missing = missing[len(above) :]
                    parts.append(page.headings[number])
                    printed.add(number)
            parts += self._gap_of(missing, rest, printed, shown)
            missing = []
            cut = self.cuts.get(at)
            rest = None
            if cut is None:
                parts.append(block.shown)
                continue
            parts.append(cut.head)
            if cut.tail:
                parts += [self._mark(cut.lines, cut.units), cut.tail]
            else:
                rest = cut
        parts += self._gap_of(missing, rest, printed, shown)
        return "".join(parts).rstrip("\n") + "\n\n"

    def _gap_of(
        self, missing: Sequence[int], rest: cutting.Cut | None, printed: set[int], shown: set[int]
    ) -> list[str]:
        """Return the mark for blocks that are not shown, with their headings, and for the `rest` of the one before, or
        the blocks themselves if they cost at most twice as much; `shown` receives them then.
        """
        blocks, headings = self.page.blocks, self.page.headings
        above = {number for at in missing for number in blocks[at].under if number not in printed}
        lines = sum(len(blocks[at].lines) for at in missing) + (rest.lines if rest else 0)
        lines += len(above) if self.source.role != OPEN else 0  # of open items the rest is counted
        units = self._units(missing, printed) + (rest.units if rest else 0)
        mark = self._mark(lines, units)
        if not lines or rest or units > 2 * self._counter.units(mark):
            return [mark] if lines else []
        if not {*missing} <= self._closed(missing) <= shown.union(missing):  # some may never be shown
            return [mark]
        parts = []
        for at in missing:
            parts += [headings[number] for number in blocks[at].under if number not in printed]
            parts.append(blocks[at].shown)
            printed.update(blocks[at].under)
        shown.update(missing)
        return parts

    def _units(self, missing: Sequence[int], printed: set[int]) -> int:
        """Return the units of blocks of the section and of their headings that are not `printed`."""
        blocks = self.page.blocks
        above = {number for at in missing for number in blocks[at].under if number not in printed}
        headings = sum(self._counter.units(self.page.headings[number]) for number in above)
        return sum(map(self._cost, missing)) + headings

    def _cost(self, at: int) -> int:
        if at not in self._costs:
            self._costs[at] = self._counter.units(self.page.blocks[at].text)
        return self._costs[at]

    def _mark(self, lines: int, units: int) -> str:
        return self.gap(lines, counters.of_units(self._counter, units))

    def gap(self, lines: int, tokens: int, *, of: str = "") -> str:
        """Return the section's mark for text not shown: its size and the command; `of` names the whole section."""
        is_short = self._budget.is_small and self.source.role in SHARE_MARKS
        return gap(0 if is_short else lines, tokens, self.source.command, of=of)


def largest(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `high` that fits, found by halving; `low` if none above it does."""
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def gap(lines: int, tokens: int, command: str, *, of: str = "") -> str:
    """Return the mark for text not shown: its size and the command that shows it; `of` names a whole section."""
    size = f"{lines:,} line{'s' * (lines != 1)}, " if lines else ""
    return f"[… {size}{tokens:,} tokens{f' of {of}' if of else ''}: {inset.of_line(command)}]\n"


def order_of(source: Source, page: Page) -> list[int]:
    """Return the blocks of a page that its own section may show, in the order of their priority.

    A log and recent activity are kept from the end, of a handoff the first block below each heading, any other file by
    its rules, the first one and those in capitals first, and then from the beginning, without content from outside.
    """
    places = range(len(page.blocks))
    if source.role == HANDOFF:
        first = {block.under: at for at, block in reversed(list(enumerate(page.blocks)))}
        return sorted(places, key=lambda at: first[page.blocks[at].under] != at)
    if source.role in CHANGING:
        return list(reversed(places) if source.role in FROM_END else places)
    own = [at for at in places if not page.blocks[at].is_outside]
    own.sort(key=lambda at: not page.blocks[at].is_important)
    return [*own[:1], *sorted(own[1:], key=lambda at: not page.blocks[at].is_emphatic)]
