"""A page: a file as boot shows it, its blocks each under its headings, escaped and quoted. Pure."""

from __future__ import annotations

from itertools import pairwise

from agentws.core.markdown import inset, markdown, notes, outside as _outside
from agentws.core.notes.request import (
    CHANGING,
    DAY,
    DIGEST,
    HANDOFF,
    IDENTITY,
    INSTRUCTIONS,
    MEMORY,
    NEXT,
    OPEN,
    STABLE,
    USER,
)
from agentws.core.text.sanitize import inert
from agentws.features.boot.plan import file_lines
from agentws.features.boot.plan.file_lines import indent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence, Set as AbstractSet

    from agentws.core.markdown.markdown import Unit
    from agentws.core.notes.request import Request, Source
    from agentws.core.notes.vocabulary import Vocabulary

LONGEST_LIST_CHARS = 1200
"""A longer list is shown item by item, a longer table row by row; a shorter one is a single block."""
_HIDDEN_FROM_SHARED = (USER, MEMORY, DIGEST)
_OWN = (IDENTITY, USER, INSTRUCTIONS)
_IMPORTANT = 9
_AROUND_TIME = " \t-*+>_[(`"
_BEHIND_TIME = " \t*_])`:—–-"


class Block:
    """A part of a page that boot shows whole or not at all.

    `line` is the first of its `text`, `lines` are the numbers of its lines in the file. `text` ends in a newline and in
    the empty line behind the block if there is one; `under` are the headings above it, as indices into `Page.headings`,
    outermost first; `needs` are the blocks without which it is never shown. `is_important`: it contains a rule;
    `is_emphatic`: one with a word in capitals. `is_outside`: it is a quotation of text from outside. `times` is how
    often the block is in the file.
    """

    __slots__ = (
        *("is_emphatic", "is_important", "is_outside", "kind", "line", "lines"),
        *("needs", "text", "times", "under"),
    )

    def __init__(self, kind: str, text: str, line: int, under: tuple[int, ...], needs: tuple[int, ...] = ()) -> None:
        self.kind = kind
        self.text = text
        self.line = line
        self.under = under
        self.needs = needs
        self.is_emphatic = self.is_important = self.is_outside = False
        self.times = 1
        self.lines = range(line, self.end + 1)

    @property
    def end(self) -> int:
        """The last line of the block's text."""
        return self.line + self.text.rstrip("\n").count("\n")

    @property
    def shown(self) -> str:
        """The text of the page's block, with the number of its repetitions in the file at the end of its first line."""
        if self.times == 1:
            return self.text
        first, newline, rest = self.text.partition("\n")
        return f"{first} ×{self.times}{newline}{rest}"


class Page:
    """A page: a file as boot shows it.

    Fields:
        title: the level-1 heading that the file begins with, if boot's own heading replaces it: that of a log, and one
            that contains the name of the file.
        text: the whole file as it is shown, if nothing is hidden.
        headings: the lines of its headings, by number.
        blocks: its blocks in order, without what is hidden from the audience.
        hidden: the number of blocks that are not for the audience.
    """

    def __init__(self, source: Source, request: Request) -> None:
        is_day, is_stable = source.role == DAY, source.role in STABLE
        is_own = source.role in _OWN and "(via " not in source.text
        lines = markdown.lines_of(inert(source.text))
        numbers: Sequence[int] = range(1, len(lines) + 1)
        if source.role != OPEN:  # a line of the list of open items is what an entry says, and no part of a file
            lines, numbers = file_lines.shown("".join(lines), may_be_template=is_stable)
        self.title = file_lines.take_title(lines, source) if is_day or is_stable else ""
        escaped = file_lines.without_marks(inset.text(file_lines.demoted("".join(lines)), own=is_own))
        text, outside = _outside.quoted(escaped, day=source.brief if is_day else "")
        self.headings: list[str] = []
        has_entries = source.role in CHANGING and source.role not in (HANDOFF, NEXT)
        if source.role == OPEN:
            blocks = _items(text.split("\n"), self.headings)
        else:
            reader = _Reader(self.headings, text.split("\n"), outside, has_entries=has_entries, is_own=is_own)
            blocks = reader.read(escaped)
        if is_stable and all(block.kind == markdown.HEADING for block in blocks):
            blocks, text = [], ""  # nothing but headings
        for block in blocks:
            block.lines = range(numbers[block.line - 1], numbers[block.end - 1] + 1)
        visible = self._visible(blocks, source, request) if request.shared else blocks
        self.hidden = len(blocks) - len(visible)
        self.blocks = _renumbered(blocks, visible) if self.hidden else blocks
        if is_day:
            self.blocks = _once(self.blocks, self.headings)
        headed = -1
        for block in self.blocks if is_stable else ():
            # A heading is a part of the block that is directly below it.
            heading = self.headings[block.under[-1]] if block.under and block.under[-1] != headed else ""
            headed = block.under[-1] if block.under else -1
            block.is_important = _is_important(f"{heading}{block.text}", request.words)
            capitals = " ".join(filter(str.isupper, f"{heading}{block.text}".split())) if block.is_important else ""
            block.is_emphatic = request.words.has_rule(capitals)
        is_whole = not self.hidden and all(block.times == 1 for block in self.blocks)
        stripped = text.strip("\n")
        self.text = f"{stripped}\n" if is_whole and stripped else ""

    def _visible(self, blocks: Sequence[Block], source: Source, request: Request) -> list[Block]:
        """Return the blocks for others: what a hidden line introduces, or the head of a table, is hidden, too."""
        labels = request.private_labels
        if source.role in _HIDDEN_FROM_SHARED or request.hides(source):
            return []
        hidden: set[int] = set()
        for at, block in enumerate(blocks):
            above = {need for need in block.needs if need < at and blocks[need].kind != markdown.ITEM}
            headings = "".join(self.headings[number] for number in block.under)
            if not hidden.isdisjoint(above) or notes.has_label(f"{self.title}\n{headings}{block.text}", labels):
                hidden.add(at)
        return [block for at, block in enumerate(blocks) if at not in hidden]


def _items(lines: Sequence[str], headings: list[str]) -> list[Block]:
    """Return the list of open items, a block for each item: `headings` receives the lines above indented ones."""
    blocks = []
    for at, (line, follower) in enumerate(pairwise(lines), 1):
        if line.startswith("- ") and follower.startswith("  - "):
            headings.append(f"{line}\n")
        else:
            under = (len(headings) - 1,) if line.startswith("  - ") else ()
            blocks.append(Block(markdown.ITEM, f"{line}\n", at, under))
    return blocks


def _is_important(text: str, words: Vocabulary) -> bool:
    """Return whether a block contains a rule: a mark that says so, or a word of the list `rules`."""
    if words.has_rule(text):
        return True
    if "!" not in text and "[" not in text:
        return False
    return any(
        (notes.importance_in(line) or 0) >= _IMPORTANT or words.kind(notes.kind_in(line) or "") == "rule"
        for line in text.split("\n")
    )


class _Reader:
    """Makes blocks of the units of a text.

    `headings` receives the lines of its headings; `lines` are shown of it, in which those from `outside` (0-based) are
    quoted. `has_entries`: each item of a list is an entry of its own, as in a log. `is_own`: see inset.text.
    """

    def __init__(
        self, headings: list[str], lines: Sequence[str], outside: AbstractSet[int], *, has_entries: bool, is_own: bool
    ) -> None:
        self._is_own = is_own
        self._headings = headings
        self._lines = lines
        self._outside = outside
        self._has_entries = has_entries
        self._blocks: list[Block] = []
        self._path: list[tuple[int, int]] = []  # (level, number) of the headings around the current unit
        self._run: list[Unit] = []  # neighbouring items of one list, or rows of one table

    def read(self, text: str) -> list[Block]:
        """Return the blocks of `text`."""
        units = markdown.units(text, frames=True)
        for place, unit in enumerate(units):
            if self._run and not self._continues(unit):
                self._close()
            if unit.kind == markdown.HEADING:
                follower = units[place + 1] if place + 1 < len(units) else None
                self._path = [step for step in self._path if step[0] < unit.level]
                if follower is None or (follower.kind == markdown.HEADING and follower.level <= unit.level):
                    self._add(markdown.HEADING, unit.line, unit.end_line, ())  # nothing stands below it
                else:
                    self._headings.append(f"{self._lines[unit.line - 1]}\n")
                    self._path.append((unit.level, len(self._headings) - 1))
            elif unit.kind in (markdown.ITEM, markdown.TABLE_HEAD, markdown.ROW):
                self._run.append(unit)
            else:
                self._add(unit.kind, unit.line, unit.end_line, self._before(unit))
        if self._run:
            self._close()
        return self._blocks

    def _continues(self, unit: Unit) -> bool:
        """Return whether a unit continues the list or table before it."""
        last = self._run[-1]
        is_near = unit.line - last.end_line <= (2 if unit.kind == markdown.ITEM else 1)
        same = unit.kind == markdown.ROW if last.kind == markdown.TABLE_HEAD else unit.kind == last.kind
        return is_near and same and (unit.kind != markdown.ITEM or indent(unit.text) == indent(self._run[0].text))

    def _before(self, unit: Unit) -> tuple[int, ...]:
        """Return the block that a unit refers to: what introduces it, or the list that a paragraph follows."""
        last = self._blocks[-1] if self._blocks else None
        if last is None or last.under != self._under:
            return ()
        # Like a heading, a label in bold begins something new.
        is_label = self._lines[unit.line - 1].lstrip().startswith("**")
        is_remark = last.kind in (markdown.ITEM, markdown.ROW) and not self._has_entries and not is_label
        if unit.kind == markdown.PARAGRAPH:
            return (len(self._blocks) - 1,) if is_remark or _ends_in_colon(last) else ()
        return (len(self._blocks) - 1,) if _is_lead(last, unit.line) else ()

    def _close(self) -> None:
        """Add the list or table that has ended: as one block with its lead line, or item by item."""
        run, self._run = self._run, []
        last = self._blocks[-1] if self._blocks else None
        lead = last if last is not None and last.under == self._under and _is_lead(last, run[0].line) else None
        are_entries = self._has_entries and run[0].kind == markdown.ITEM
        # What is from outside is no part of a list of the agent's.
        is_mixed = len(run) > 1 and not self._outside.isdisjoint(range(run[0].line - 1, run[-1].end_line))
        start = run[0].line if lead is None else lead.line
        length = sum(map(len, self._lines[start - 1 : run[-1].end_line]))
        if not are_entries and not is_mixed and (length <= LONGEST_LIST_CHARS or len(run) == 1):
            needs = () if lead is None else self._blocks.pop().needs
            self._add(run[-1].kind, start, run[-1].end_line, needs)
            return
        above = () if lead is None else (len(self._blocks) - 1,)
        first = len(self._blocks)
        for unit in run:
            # Elsewhere the middle of a list needs its beginning.
            needs = above if are_entries or unit is run[0] else (*above, first)
            self._add(unit.kind, unit.line, unit.end_line, needs)
        for at in above:
            self._blocks[at].needs += (first,)  # no lead line is shown alone

    @property
    def _under(self) -> tuple[int, ...]:
        return tuple(number for _, number in self._path)

    def _add(self, kind: str, first: int, last: int, needs: tuple[int, ...]) -> None:
        """Add the lines from `first` to `last` (1-based) as a block, with the empty line behind them."""
        text = "\n".join(self._lines[first - 1 : last]).rstrip("\n") + "\n"
        if inset.has_fence(text) and inset.text(text, own=self._is_own) != text:
            text = inset.lines(text, quotes=False, own=self._is_own)  # what closes its fence may not be shown
        if last < len(self._lines) and not self._lines[last].strip():
            text += "\n"
        block = Block(kind, text, first, self._under, needs)
        block.is_outside = not self._outside.isdisjoint(range(first - 1, last))
        lead = self._blocks[-1] if self._blocks else None
        if lead is not None and _ends_in_colon(lead) and self._under[: len(lead.under)] == lead.under:
            lead.needs += (len(self._blocks),)  # also above a lower heading
        self._blocks.append(block)


def _is_lead(block: Block, line: int) -> bool:
    """Return whether a paragraph introduces what begins at `line`: it ends in a colon, is bold, or is next to it."""
    text = block.text.strip()
    is_bold = text.startswith("**") and text.endswith("**") and "\n" not in text
    return block.kind == markdown.PARAGRAPH and (block.end + 1 == line or is_bold or _ends_in_colon(block))


def _ends_in_colon(block: Block) -> bool:
    return block.kind == markdown.PARAGRAPH and block.text.rstrip(f"{file_lines.EMPHASIS}\n").endswith((":", "："))


def _renumbered(blocks: Sequence[Block], visible: list[Block]) -> list[Block]:
    """Return the visible blocks, whose needs name their new places; a hidden one is needed by nobody."""
    places = {id(block): place for place, block in enumerate(visible)}
    for block in visible:
        block.needs = tuple(places[id(blocks[at])] for at in block.needs if id(blocks[at]) in places)
    return visible


def _once(blocks: list[Block], headings: Sequence[str]) -> list[Block]:
    """Return the blocks of a log; of those that differ only in a leading time the last one, with their number."""
    needed = {at for block in blocks for at in block.needs}
    last: dict[tuple[str, ...], int] = {}
    kept = []
    for place in range(len(blocks) - 1, -1, -1):
        block = blocks[place]
        key = (*(_without_time(headings[at]) for at in block.under), _without_time(block.text))
        if key in last and place not in needed:
            blocks[last[key]].times += 1
        else:
            last.setdefault(key, place)
            kept.append(block)
    return blocks if len(kept) == len(blocks) else _renumbered(blocks, kept[::-1])


def _without_time(text: str) -> str:
    """Return a text without its bullet and the time that it begins with: `- 07:12 fed the cat` → `fed the cat`."""
    body = text.strip().lstrip("#").lstrip(_AROUND_TIME)
    hours, colon, rest = body.partition(":")
    if colon and hours.isdecimal() and len(hours) <= 2 and rest[:2].isdecimal():
        rest = rest[2:]
        if rest[:1] == ":" and rest[1:3].isdecimal():
            rest = rest[3:]
        if not rest[:1].isdecimal():
            return rest.lstrip(_BEHIND_TIME)
    return text.strip()
